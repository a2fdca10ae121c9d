import Foundation
import Store

/// A directory that goes with the value; in memory where the system offers that.
final class Scratch: Sendable {
    let path: String

    init() throws {
        let shared = "/dev/shm"
        let base =
            FileManager.default.isWritableFile(atPath: shared)
            ? shared : FileManager.default.temporaryDirectory.path
        path = base + "/kairan-power-cut-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: path + "/store", withIntermediateDirectories: true)
    }

    deinit {
        // The system cleans up if this fails.
        try? FileManager.default.removeItem(atPath: path)
    }

    var state: StateDirectory { StateDirectory(path: path) }

    func exists(_ path: String) -> Bool { FileManager.default.fileExists(atPath: path) }

    /// Makes or removes the marker of an orderly close.
    func setCleanMarker(_ exists: Bool) throws {
        let marker = state.cleanMarkerPath
        if exists == self.exists(marker) { return }
        if exists {
            try Data().write(to: URL(fileURLWithPath: marker))
        } else {
            try FileManager.default.removeItem(atPath: marker)
        }
    }

    /// How long a file is; 0 when there is none.
    func byteCount(_ path: String) throws -> Int {
        exists(path) ? try Data(contentsOf: URL(fileURLWithPath: path)).count : 0
    }

    /// Turns one bit of a file over.
    func flip(bit: Int, of path: String) throws {
        var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        bytes[bit / 8] ^= 1 << UInt8(bit % 8)
        try bytes.write(to: URL(fileURLWithPath: path))
    }
}
