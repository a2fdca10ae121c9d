import Crypto
import FileRecords
import Synchronization

/// A large file on its way to the daemon, piece by piece, with the digest of the pieces.
struct FilePieces: AsyncSequence, Sendable {
    /// A piece, never empty.
    typealias Element = [UInt8]

    private let file: OpenedFile
    private let note: @Sendable (UInt64) -> Void
    private let running = RunningDigest()

    /// Begins with nothing.
    /// - Parameters:
    ///   - file: The file.
    ///   - note: Called with the number of bytes so far.
    init(_ file: OpenedFile, _ note: @escaping @Sendable (UInt64) -> Void) {
        (self.file, self.note) = (file, note)
    }

    /// The digest of the pieces, once all were sent.
    var digest: FileDigest { running.digest }

    /// Begins to read.
    func makeAsyncIterator() -> Iterator {
        running.begin()
        return Iterator(pieces: self)
    }

    /// Reads piece by piece.
    struct Iterator: AsyncIteratorProtocol {
        fileprivate let pieces: FilePieces
        private var position: UInt64 = 0

        fileprivate init(pieces: FilePieces) { self.pieces = pieces }

        /// The next piece; `nil` at the end.
        /// - Throws: ``Obstacle``.
        mutating func next() async throws -> [UInt8]? {
            let (file, position) = (pieces.file, position)
            let size = file.stamp.size
            guard let piece = try await Blocking.run({ try file.read(at: position) }) else {
                guard position == size else { throw Obstacle.changed }
                return nil
            }
            self.position += UInt64(piece.count)
            guard self.position <= size else { throw Obstacle.changed }
            // Before the last piece is sent, with which the daemon has all that was announced.
            if self.position == size, file.hasChanged { throw Obstacle.changed }
            pieces.running.add(piece)
            pieces.note(self.position)
            return piece
        }
    }
}

/// A digest of the pieces that one iterator yields.
private final class RunningDigest: Sendable {
    private let hash = Mutex(SHA256())

    func begin() { hash.withLock { $0 = SHA256() } }

    func add(_ piece: [UInt8]) {
        hash.withLock { hash in piece.withUnsafeBytes { hash.update(bufferPointer: $0) } }
    }

    var digest: FileDigest { hash.withLock { FileDigest($0.finalize()) } }
}
