import Foundation
import Glibc

/// Folders on the disk for tests.
enum TestFolder {
    /// Runs a test with an empty folder, and removes it afterwards.
    @discardableResult
    static func with<Value>(_ body: (String) throws -> Value) throws -> Value {
        let path = try make()
        defer { try? FileManager.default.removeItem(atPath: path) }  // A leftover in /tmp does no harm.
        return try body(path)
    }

    /// Runs a test with an empty folder, and removes it afterwards.
    @discardableResult
    static func with<Value>(_ body: (String) async throws -> Value) async throws -> Value {
        let path = try make()
        defer { try? FileManager.default.removeItem(atPath: path) }  // A leftover in /tmp does no harm.
        return try await body(path)
    }

    private static func make() throws -> String {
        let url = FileManager.default.temporaryDirectory.appending(path: "kairan-folder-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        return url.path(percentEncoded: false)
    }

    /// Writes a file, with the folders that it is in.
    static func write(_ content: String, to path: String, mode: mode_t = 0o644) throws {
        let url = URL(filePath: path)
        try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(content.utf8).write(to: url)
        guard chmod(path, mode) == 0 else { throw CocoaError(.fileWriteNoPermission) }
    }

    /// The content of a file; `nil` where there is none.
    static func read(_ path: String) -> String? {
        FileManager.default.contents(atPath: path).map { String(decoding: $0, as: UTF8.self) }
    }

    /// The files beneath a folder with their contents, without those of Kairan itself.
    static func files(_ folder: String) throws -> [String: String] {
        var found: [String: String] = [:]
        for name in try FileManager.default.subpathsOfDirectory(atPath: folder) where !name.contains(".kairan-") {
            var isFolder = ObjCBool(false)
            guard FileManager.default.fileExists(atPath: folder + "/" + name, isDirectory: &isFolder),
                !isFolder.boolValue
            else { continue }
            found[name] = read(folder + "/" + name)
        }
        return found
    }
}
