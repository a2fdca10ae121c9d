import FoundationEssentials
import Glibc

/// A folder that exists while a test uses it.
enum TemporaryFolder {
    /// Runs a closure with the path of a new folder, and removes the folder afterwards.
    static func with<Result>(_ body: (String) async throws -> Result) async throws -> Result {
        var name = Array("/tmp/kairan-import-XXXXXX".utf8CString)
        guard mkdtemp(&name) != nil else { throw Missing() }
        let path = String(decoding: name.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        defer { try? FileManager.default.removeItem(atPath: path) }  // A leftover in /tmp does no harm.
        return try await body(path)
    }

    /// Writes a file, with the folders that it is in.
    /// - Parameters:
    ///   - path: The path.
    ///   - bytes: The content.
    ///   - seconds: The time of its last change, since 1970.
    static func write(_ path: String, _ bytes: [UInt8], at seconds: Int = 1_784_626_200) {
        for end in path.indices where path[end] == "/" && end != path.startIndex { mkdir(String(path[..<end]), 0o755) }
        guard let file = fopen(path, "w") else { return }
        fwrite(bytes, 1, bytes.count, file)
        fclose(file)
        touch(path, at: seconds)
    }

    /// Gives a file another time.
    static func touch(_ path: String, at seconds: Int) {
        let times = [timespec(tv_sec: seconds, tv_nsec: 125_000_000), timespec(tv_sec: seconds, tv_nsec: 125_000_000)]
        utimensat(AT_FDCWD, path, times, 0)
    }

    private struct Missing: Error, CustomStringConvertible {
        let description = "no folder could be made"
    }
}
