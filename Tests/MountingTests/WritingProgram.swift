import FileRecords
import Foundation
import Glibc
import KairanClient
import Synchronization
import Testing

@testable import Mounting

/// Messages for the log.
final class Told: Sendable {
    private let messages = Mutex<[String]>([])

    var all: [String] { messages.withLock { $0 } }

    func note(_ message: String) { messages.withLock { $0.append(message) } }
}

/// The steps of programs that write, as the kernel passes them on.
extension MountedMemory {
    /// A step was refused with an error number.
    struct Refused: Error, Equatable {
        var number: Int32
    }

    /// Runs a writable mount for the time of a test; the folder of its staging files is an argument.
    static func writable(
        told: Told = Told(),
        _ fill: (RecordZone) async throws -> Void = { _ in },
        _ body: (MountedMemory, String) async throws -> Void
    ) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "kairan-staging-\(UUID().uuidString)")
        let staging = StagingFolder(path: folder.path(percentEncoded: false))
        try staging.make()
        defer { try? FileManager.default.removeItem(at: folder) }  // A leftover in /tmp does no harm.
        try await run(staging: staging, told: told, fill) { memory, _ in try await body(memory, staging.unsaved) }
    }

    /// Sends a request that has no other answer than success.
    func make(_ request: KernelRequest) async throws {
        switch await kernel.ask(request) {
        case .done, .written, .attributes, .entry: return
        case .failure(let number): throw Refused(number: number)
        default: throw OtherAnswer()
        }
    }

    /// The folder that a path is in, and the name of the file.
    func place(_ path: String) async throws -> (folder: NodeID, name: Name) {
        let parts = path.split(separator: "/")
        let name = Name(String(parts.last ?? ""))
        guard parts.count > 1 else { return (.root, name) }
        guard let folder = await find(parts.dropLast().joined(separator: "/")) else { throw Refused(number: ENOENT) }
        return (folder.id, name)
    }

    /// Opens a file, which is made where it is missing.
    func open(_ path: String, _ flags: Int32) async throws -> UInt64 {
        let found = await find(path)
        let request: KernelRequest
        if let found {
            request = .open(found.id, flags: flags)
        } else {
            let place = try await place(path)
            request = .create(name: place.name, folder: place.folder, mode: 0o100644, flags: flags | O_CREAT)
        }
        switch await kernel.ask(request) {
        case .opened(let handle), .openedAnew(let handle), .created(_, let handle): return handle
        case .failure(let number): throw Refused(number: number)
        default: throw OtherAnswer()
        }
    }

    /// Closes a file: an error of its flush is thrown, and it is closed all the same.
    func close(_ handle: UInt64) async throws {
        defer { kernel.tell(.release(handle: handle)) }
        try await make(.flush(handle: handle))
    }

    /// Writes a file anew.
    func put(_ path: String, _ bytes: [UInt8]) async throws {
        let handle = try await open(path, O_WRONLY | O_TRUNC)
        try await make(.write(handle: handle, offset: 0, bytes: bytes))
        try await close(handle)
    }

    /// The bytes of a file.
    func bytes(_ path: String) async throws -> [UInt8] {
        let handle = try await open(path, O_RDONLY)
        defer { kernel.tell(.release(handle: handle)) }
        return try await bytes(of: handle)
    }

    /// The bytes of an open file.
    func bytes(of handle: UInt64) async throws -> [UInt8] {
        var all: [UInt8] = []
        while true {
            switch await kernel.ask(.read(handle: handle, offset: UInt64(all.count), count: 65_536)) {
            case .bytes(let part) where part.isEmpty: return all
            case .bytes(let part): all += part
            case .failure(let number): throw Refused(number: number)
            default: throw OtherAnswer()
            }
        }
    }

    /// Renames a file or a folder.
    func rename(_ path: String, to other: String, flags: UInt32 = 0) async throws {
        let (from, to) = (try await place(path), try await place(other))
        try await make(
            .rename(name: from.name, folder: from.folder, newName: to.name, newFolder: to.folder, flags: flags)
        )
    }

    /// Removes a file.
    func unlink(_ path: String) async throws {
        let place = try await place(path)
        try await make(.unlink(name: place.name, folder: place.folder))
    }

    /// Makes a folder.
    func makeFolder(_ path: String) async throws {
        let place = try await place(path)
        try await make(.makeFolder(name: place.name, folder: place.folder))
    }

    /// Removes a folder.
    func removeFolder(_ path: String) async throws {
        let place = try await place(path)
        try await make(.removeFolder(name: place.name, folder: place.folder))
    }

    /// The files that the records of the zone describe: path and bytes.
    func stored() async throws -> [String: [UInt8]] {
        var files: [String: [UInt8]] = [:]
        for record in try await zone.records(limit: 1_000).records {
            guard let file = FileRecord(record) else { continue }
            var bytes: [UInt8] = []
            for try await piece in try await zone.content("content", of: record.name) { bytes += Array(piece) }
            files[file.path.text] = bytes
        }
        return files
    }

    /// The names in the root folder.
    func names() -> [String] { mount.state.withLock { $0.entries(of: .root) ?? [] }.map(\.name) }
}
