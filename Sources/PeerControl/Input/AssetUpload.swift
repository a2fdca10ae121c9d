import FoundationEssentials
import KairanClient

/// A file that becomes an asset.
struct AssetUpload {
    /// The file; `-` for the standard input.
    var path: String
    /// The name to state; `nil` for the file's own, and empty for none.
    var name: String?
    /// The media type of the content; `nil` to state none.
    var mediaType: String?
    /// A file with a small picture of the content.
    var thumbnail: String?

    /// The maximum size of a small picture, which becomes a part of the record.
    private static let thumbnailByteCountMax = 16 << 10

    /// Uploads the content, with its progress for people.
    /// - Parameters:
    ///   - zone: The zone of the record.
    ///   - session: Asks the daemon.
    /// - Returns: The description to write into a field.
    /// - Throws: ``InputError``, `KairanError`, `CancellationError`.
    func perform(in zone: String, _ session: Session) async throws -> AssetDescription {
        // Before a large content is uploaded for nothing.
        let picture = try await picture()
        let input = try InputChunks(path: path)
        let size = input.restByteCount
        let display = SharedProgress(ProgressDisplay(session))
        defer { display.end() }
        let pieces = CountedInput(input) { byteCount in
            display.show { ProgressBar("Uploaded", byteCount, of: size, seconds: $0).text }
        }
        let uploaded = try await session.client.assets.upload(pieces, size: size.map { UInt64($0) }, in: zone)
        return AssetDescription(
            asset: uploaded.asset,
            size: uploaded.size,
            mediaType: mediaType,
            name: statedName,
            modifiedAt: isFile ? input.modifiedMilliseconds.map { Date(milliseconds: $0) } : nil,
            thumbnail: picture
        )
    }

    private var isFile: Bool { path != "-" }

    /// The name of the file in the description.
    var statedName: String? {
        if let name { return name.isEmpty ? nil : name }
        return isFile ? path.split(separator: "/").last.map { String($0) } : nil
    }

    private func picture() async throws -> Data? {
        guard let thumbnail else { return nil }
        let input = try InputChunks(path: thumbnail)
        let bytes = try await input.beginning(byteCount: Self.thumbnailByteCountMax + 1)
        guard bytes.count <= Self.thumbnailByteCountMax else {
            throw InputError(
                detail:
                    "\(input.title) has more than \(Words.size(Self.thumbnailByteCountMax)), which is too much for a record.",
                fix: "Make a smaller picture."
            )
        }
        return Data(bytes)
    }
}

/// An input whose bytes are counted on their way.
struct CountedInput: AsyncSequence, Sendable {
    /// A piece, never empty.
    typealias Element = [UInt8]

    private let input: InputChunks
    private let note: @Sendable (_ byteCount: Int) -> Void

    /// Wraps an input.
    /// - Parameters:
    ///   - input: The input.
    ///   - note: Called with the number of bytes that were read so far, with each piece.
    init(_ input: InputChunks, _ note: @escaping @Sendable (_ byteCount: Int) -> Void) {
        self.input = input
        self.note = note
    }

    /// Begins to read.
    func makeAsyncIterator() -> Iterator { Iterator(pieces: input.makeAsyncIterator(), note: note) }

    /// Reads piece by piece.
    struct Iterator: AsyncIteratorProtocol {
        private var pieces: InputChunks.Iterator
        private let note: @Sendable (_ byteCount: Int) -> Void
        private var byteCount = 0

        fileprivate init(pieces: InputChunks.Iterator, note: @escaping @Sendable (_ byteCount: Int) -> Void) {
            self.pieces = pieces
            self.note = note
        }

        /// The next piece; `nil` at the end.
        /// - Throws: ``InputError``.
        mutating func next() async throws -> [UInt8]? {
            guard let piece = try await pieces.next() else { return nil }
            byteCount += piece.count
            note(byteCount)
            return piece
        }
    }
}
