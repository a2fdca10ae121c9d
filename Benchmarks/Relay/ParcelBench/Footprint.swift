import Foundation
import Glibc

/// The memory and disk space that processes and folders use.
struct Footprint: Sendable {
    /// All in bytes.
    struct Figures: Encodable {
        /// Resident memory of this process.
        let resident: Int
        /// Resident memory of the others, together.
        let othersResident: Int
        /// The disk space that the folder's files use.
        let disk: Int?
    }

    let folder: String?
    let others: [Int32]

    /// Returns the present figures.
    func now() throws -> Figures {
        Figures(
            resident: try Self.resident("self"),
            othersResident: try others.reduce(0) { $0 + (try Self.resident("\($1)")) },
            disk: folder.map(Self.disk)
        )
    }

    private static func resident(_ process: String) throws -> Int {
        let path = "/proc/\(process)/status"
        // `/proc` has files without a length, which read to their end all the same.
        let lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
        guard let line = lines.first(where: { $0.hasPrefix("VmRSS:") }),
            let kibibytes = line.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap({ Int($0) })
        else { throw BenchError.unreadable(path) }
        return kibibytes * 1_024
    }

    /// Returns the disk space of a folder's files by allocated blocks, not by length: files may have holes, or blocks
    /// that are not used yet.
    ///
    /// Files that disappear during the count are skipped.
    private static func disk(_ folder: String) -> Int {
        let names = FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String } ?? []
        return names.reduce(0) { sum, name in
            var status = stat()
            guard lstat("\(folder)/\(name)", &status) == 0 else { return sum }
            return sum + Int(status.st_blocks) * 512
        }
    }

    /// Processor time of this process.
    static func processorSeconds() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1_000_000_000
    }
}
