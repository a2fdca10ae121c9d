import Foundation

/// A state directory that goes with the value.
final class TestDirectory: Sendable {
    let path: String

    init() throws {
        let url = FileManager.default.temporaryDirectory.appendingPathComponent("node-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        path = url.path
    }

    deinit {
        // The system cleans up if this fails.
        try? FileManager.default.removeItem(atPath: path)
    }

    /// Returns a copy of the present files elsewhere, as a backup program makes it.
    func copy() throws -> TestDirectory {
        let copy = try TestDirectory()
        try FileManager.default.removeItem(atPath: copy.path)
        try FileManager.default.copyItem(atPath: path, toPath: copy.path)
        return copy
    }

    /// Replaces these files by another directory's.
    func restore(from backup: TestDirectory) throws {
        try FileManager.default.removeItem(atPath: path)
        try FileManager.default.copyItem(atPath: backup.path, toPath: path)
    }

    /// Rolls the store and the sentinel back in a way that leaves no trace, as a snapshot of a whole machine does:
    /// the directory of keys is not touched.
    func rewind(to backup: TestDirectory) throws {
        for name in ["store", "sentinel"] {
            try FileManager.default.removeItem(atPath: path + "/" + name)
            try FileManager.default.copyItem(atPath: backup.path + "/" + name, toPath: path + "/" + name)
        }
    }

    func exists(_ name: String) -> Bool { FileManager.default.fileExists(atPath: path + "/" + name) }

    func remove(_ name: String) throws { try FileManager.default.removeItem(atPath: path + "/" + name) }

    func bytes(_ name: String) throws -> [UInt8] {
        [UInt8](try Data(contentsOf: URL(fileURLWithPath: path + "/" + name)))
    }
}
