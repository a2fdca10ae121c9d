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
    private static let nameByteCountMax = 255

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
        let pieces = CountedInput(input, size: size) { byteCount in
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

    /// Whether a text may be stated as the name of a file; the daemon refuses any other, once the content was uploaded.
    static func isName(_ text: String) -> Bool {
        text.utf8.count <= nameByteCountMax && ![".", ".."].contains(text)
            && !text.utf8.contains { $0 == 0 || $0 == UInt8(ascii: "/") }
    }

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
    private let size: Int?
    private let note: @Sendable (_ byteCount: Int) -> Void

    /// Wraps an input.
    /// - Parameters:
    ///   - input: The input.
    ///   - size: The number of its bytes, any other of which is an error; `nil` if unknown.
    ///   - note: Called with the number of bytes that were read so far, with each piece.
    init(_ input: InputChunks, size: Int?, _ note: @escaping @Sendable (_ byteCount: Int) -> Void) {
        self.input = input
        self.size = size
        self.note = note
    }

    /// Begins to read.
    func makeAsyncIterator() -> Iterator { Iterator(counted: self, pieces: input.makeAsyncIterator()) }

    private var changeError: InputError {
        InputError(
            detail: "\(input.title) was changed while it was read.",
            fix: "Run the command again once the program that writes it has finished."
        )
    }

    /// Reads piece by piece.
    struct Iterator: AsyncIteratorProtocol {
        private let counted: CountedInput
        private var pieces: InputChunks.Iterator
        private var byteCount = 0

        fileprivate init(counted: CountedInput, pieces: InputChunks.Iterator) {
            self.counted = counted
            self.pieces = pieces
        }

        /// The next piece; `nil` at the end.
        /// - Throws: ``InputError``.
        mutating func next() async throws -> [UInt8]? {
            guard let piece = try await pieces.next() else {
                guard byteCount == counted.size ?? byteCount else { throw counted.changeError }
                return nil
            }
            byteCount += piece.count
            guard byteCount <= counted.size ?? byteCount else { throw counted.changeError }
            counted.note(byteCount)
            return piece
        }
    }
}
