import Crypto
import FileRecords
import FoundationEssentials
import Glibc
import KairanClient
import KairanInterface
import Synchronization

/// Carries out decisions: in the folder, and at the daemon.
struct FolderEffects: Sendable {
    let client: DaemonClient
    /// The id of the zone.
    let zone: String
    let root: FolderRoot
    /// The marker of the folder, without which nothing is deleted in the zone.
    let marker: FolderMarker

    static let pieceByteCount = 256 << 10
    private static let replaced = FolderOutcome.failed(
        FolderFailure("the record names other content by now", isTemporary: true)
    )

    /// Carries a decision out.
    /// - Parameter decision: The decision.
    /// - Returns: The outcome.
    /// - Throws: ``FolderError`` when nothing more can be done; `CancellationError`.
    func perform(_ decision: FolderDecision) async throws -> FolderOutcome {
        do {
            return try await attempt(decision)
        } catch let fault as FileFault {
            let isTemporary = ![EACCES, EPERM, ELOOP, EROFS, ENAMETOOLONG].contains(fault.number)
            return .failed(FolderFailure("\(fault)", isTemporary: isTemporary))
        } catch let error as KairanError {
            return try outcome(of: error)
        }
    }

    private func attempt(_ decision: FolderDecision) async throws -> FolderOutcome {
        switch decision {
        case .hash(let path, let identity): try await hash(path, identity)
        case .upload(let path, let identity, let digest): try await upload(path, identity, digest)
        case .write(let file, let version):
            .written([try await client.save(file.write(ifVersion: version), in: zone)])
        case .download(let file, let expectation): try await download(file, expectation)
        case .mark(let path, let isExecutable, let identity):
            try await change { try root.mark(path, isExecutable: isExecutable, expecting: identity) }
        case .trash(let path, let identity): try await trash(path, identity)
        case .deleteRecord(let path, let version): try await delete(path, version)
        case .keepBoth(let path, let identity, let kept):
            try await change { try root.moveAside(path, expecting: identity, to: kept) }
        case .inspect(let file): try await read(file) { _ in }.map { .hashed($0) } ?? Self.replaced
        case .look(let path): try await look(path)
        case .split(_, let files):
            .written(
                try await client.saveAtomically(files.map { $0.file.write(ifVersion: $0.version) }, in: zone)
            )
        case .ask(let path): try await ask(path)
        }
    }

    // MARK: The daemon's refusals

    /// The outcome that a refusal of the daemon is.
    /// - Throws: ``FolderError`` where the zone is gone.
    private func outcome(of error: KairanError) throws(FolderError) -> FolderOutcome {
        switch error.code {
        case "zone.deleted", "zone.unknown": throw .zoneGone(zone)
        case "record.version_mismatch": return .mismatch(error.problem.current)
        case "record.deleted", "record.unknown": return .mismatch(nil)
        case "asset.unknown": return .contentUnknown
        case "asset.not_wanted":
            return .failed(
                FolderFailure("its content is not here, and the zone's policy is never to fetch it", isTemporary: false)
            )
        case "asset.unavailable", "asset.replaced":
            return .failed(FolderFailure("no device in reach has sent its content yet", isTemporary: true))
        default:
            let isOfLink = [.unreachable, .interrupted].contains(error.kind)
            return .failed(
                FolderFailure(error.problem.detail, isTemporary: error.isRetryable || isOfLink, isOfLink: isOfLink)
            )
        }
    }

    private func look(_ path: FilePath) async throws -> FolderOutcome {
        // First the record: where another version comes in between, the write that ends the conflict is refused.
        let record = try await client.record(path.recordName, in: zone)
        let conflict = try await client.conflict(of: path.recordName, in: zone)
        return .looked(record, conflict?.siblings ?? [])
    }

    private func ask(_ path: FilePath) async throws -> FolderOutcome {
        do {
            return .asked(try await client.record(path.recordName, in: zone), wasDeleted: false)
        } catch let error as KairanError where ["record.deleted", "record.unknown"].contains(error.code) {
            return .asked(nil, wasDeleted: error.code == "record.deleted")
        }
    }

    private func delete(_ path: FilePath, _ version: String) async throws -> FolderOutcome {
        let (root, marker) = (root, marker)
        let present = try await Disk.run {
            guard root.isInPlace, try root.marker()?.marker == marker else { throw FolderError.disappeared(root.path) }
            let entry = try root.entry(of: path)
            // A link or the like has taken the place of the file, which is not a deletion.
            guard entry.map({ $0.isFile || $0.isFolder }) ?? true else {
                throw FileFault(name: path.text, number: EEXIST)
            }
            return entry.flatMap { $0.isFile ? FileIdentity($0) : nil }
        }
        if let present { return .stale(present) }
        do {
            _ = try await client.save(.deletion(path.recordName, ifVersion: version), in: zone)
        } catch let error as KairanError where ["record.deleted", "record.unknown"].contains(error.code) {
            // Another device was first.
        }
        return .gone
    }

    // MARK: The folder

    /// Makes a change in the folder, and tells its outcome.
    private func change(
        _ work: @escaping @Sendable () throws -> FolderChange
    ) async throws -> FolderOutcome {
        switch try await Disk.run(work) {
        case .done(let identity): .changed(identity)
        case .stale(let identity): .stale(identity)
        case .taken: .taken
        }
    }

    private func trash(_ path: FilePath, _ identity: FileIdentity) async throws -> FolderOutcome {
        let (root, day) = (root, FolderClock.day)
        let outcome = try await change { try root.trash(path, expecting: identity, on: day) }
        guard case .changed = outcome else { return outcome }
        return .gone
    }

    private func hash(_ path: FilePath, _ identity: FileIdentity) async throws -> FolderOutcome {
        let root = root
        return try await Disk.run {
            guard let file = try root.open(path, expecting: identity) else {
                return .stale(try root.identity(of: path))
            }
            var hash = SHA256()
            var offset: UInt64 = 0
            while true {
                let piece = try file.read(at: offset, byteCount: Self.pieceByteCount, path.text)
                if piece.isEmpty { break }
                piece.withUnsafeBytes { hash.update(bufferPointer: $0) }
                offset += UInt64(piece.count)
            }
            let present = FileIdentity(try file.status(path.text))
            guard present == identity, offset == identity.size else { return .stale(try root.identity(of: path)) }
            return .hashed(FileDigest(hash.finalize()))
        }
    }

    private func upload(
        _ path: FilePath,
        _ identity: FileIdentity,
        _ digest: FileDigest
    ) async throws -> FolderOutcome {
        let root = root
        let opened = try await Disk.run {
            let file = try root.open(path, expecting: identity)
            // A record must not be newer than the disk: after a power cut the file would look as if it had been changed.
            try file?.synchronize(path.text)
            if file != nil { try root.open(path.folder).synchronize(path.text) }
            return file
        }
        guard let opened else { return .stale(try await Disk.run { try root.identity(of: path) }) }
        let pieces = HashedFile(opened, path.text)
        let uploaded = try await client.assets.upload(pieces, size: identity.size, in: zone)
        return try await Disk.run {
            let present = FileIdentity(try opened.status(path.text))
            guard present == identity, pieces.digest == digest else { return .stale(try root.identity(of: path)) }
            return .uploaded(asset: uploaded.asset)
        }
    }

    private func download(_ file: FileRecord, _ expectation: LocalExpectation) async throws -> FolderOutcome {
        let (root, path, day) = (root, file.path, FolderClock.day)
        // Before a large content is fetched for nothing.
        let present = try await Disk.run { try root.identity(of: path) }
        guard present == expectation.file else { return .stale(present) }
        let part = try await Disk.run { try PartFile(in: root.open(path.folder, creating: true)) }
        defer { part.abandon() }
        let read = try await read(file) { piece in try part.file.write(piece, path.text) }
        guard let digest = read else { return Self.replaced }
        return try await Disk.run {
            try part.dress(as: file, in: expectation)
            switch try root.place(part, at: path, expecting: expectation, on: day) {
            case .done(let identity): return .placed(identity, digest)
            case .stale(let identity): return .stale(identity)
            case .taken: return .taken
            }
        }
    }

    /// Reads the content of a record.
    /// - Parameters:
    ///   - file: The file that the record describes.
    ///   - take: Takes the bytes, piece by piece, on a thread that may block.
    /// - Returns: The digest of the content; `nil` where the record names other content by now.
    /// - Throws: `KairanError`, the errors of the closure.
    private func read(
        _ file: FileRecord,
        _ take: @escaping @Sendable ([UInt8]) throws -> Void
    ) async throws -> FileDigest? {
        let place = Asset.Place(zone: zone, record: file.path.recordName, field: FileRecord.Field.content)
        let content = try await client.assets.content(of: place)
        guard content.asset.asset == file.content.asset else { return nil }
        var hash = SHA256()
        var byteCount: UInt64 = 0
        for try await piece in content {
            let bytes = Array(piece)
            bytes.withUnsafeBytes { hash.update(bufferPointer: $0) }
            byteCount += UInt64(bytes.count)
            try await Disk.run { try take(bytes) }
        }
        guard byteCount == content.count else { throw FileFault(name: file.path.text, number: EIO) }
        return FileDigest(hash.finalize())
    }
}

extension PartFile {
    /// Gives the file the time of the record, and a mode: that of the file which it replaces, with the record's mark of execution.
    fileprivate func dress(as file: FileRecord, in expectation: LocalExpectation) throws(FileFault) {
        let name = file.path.text
        var mode = try self.file.status(name).st_mode & 0o777
        if expectation.file != nil, let replaced = try folder.status(of: file.path.lastPart) {
            mode = replaced.st_mode & 0o777
        }
        guard fchmod(self.file.number, FolderRoot.mode(mode, isExecutable: file.isExecutable)) == 0 else {
            throw FileFault(name: name, number: errno)
        }
        guard let modified = file.content.modifiedAt?.roundedMilliseconds else { return }
        let time = timespec(tv_sec: Int(modified / 1_000), tv_nsec: Int(modified % 1_000) * 1_000_000)
        // Times before 1970 have a negative remainder, which the kernel refuses; the file has the present time then.
        guard time.tv_nsec >= 0 else { return }
        let times = [time, time]
        guard futimens(self.file.number, times) == 0 else { throw FileFault(name: name, number: errno) }
    }
}

/// A file that is uploaded, with the digest of the bytes that were sent.
private struct HashedFile: AsyncSequence, Sendable {
    /// A piece, never empty.
    typealias Element = [UInt8]

    private let file: OpenFile
    private let name: String
    private let state: State

    private final class State: Sendable {
        let hash = Mutex(SHA256())
    }

    init(_ file: OpenFile, _ name: String) {
        (self.file, self.name, state) = (file, name, State())
    }

    /// The digest of the bytes that were read so far.
    var digest: FileDigest { state.hash.withLock { FileDigest($0.finalize()) } }

    func makeAsyncIterator() -> Iterator { Iterator(file: self) }

    struct Iterator: AsyncIteratorProtocol {
        fileprivate let file: HashedFile
        private var offset: UInt64 = 0

        fileprivate init(file: HashedFile) { self.file = file }

        mutating func next() async throws -> [UInt8]? {
            let (file, offset) = (file, offset)
            let piece = try await Disk.run {
                try file.file.read(at: offset, byteCount: FolderEffects.pieceByteCount, file.name)
            }
            guard !piece.isEmpty else { return nil }
            file.state.hash.withLock { hash in piece.withUnsafeBytes { hash.update(bufferPointer: $0) } }
            self.offset += UInt64(piece.count)
            return piece
        }
    }
}

/// The time outside of the core.
enum FolderClock {
    private static let start = ContinuousClock.now

    /// The time since the beginning of the process, in milliseconds.
    static var milliseconds: Int64 {
        let elapsed = (ContinuousClock.now - start).components
        return elapsed.seconds * 1_000 + elapsed.attoseconds / 1_000_000_000_000_000
    }

    /// The present day in UTC, as `2026-07-21`.
    static var day: String { String(RFC3339.text(milliseconds: Date.now.roundedMilliseconds).prefix(10)) }
}
