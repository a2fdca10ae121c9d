import FoundationEssentials

extension Terminal {
    /// Shows content to people: text alone, in which control characters are made visible.
    /// - Parameters:
    ///   - content: The content, in pieces.
    ///   - type: Its media type.
    ///   - size: Its size in bytes.
    /// - Throws: ``InputError`` for any content but text, and the errors of the pieces and of the output.
    func show<Pieces: AsyncSequence>(_ content: Pieces, type: String, size: Int) async throws
    where Pieces.Element == Data {
        guard type.lowercased().hasPrefix("text/") else {
            throw InputError(
                detail: "The content is not text (\(type), \(Words.size(size))).",
                fix: "Name a file with --output, or redirect the standard output."
            )
        }
        var pieces = TextPieces()
        var last: UInt8?
        for try await piece in content {
            last = piece.last
            try print(raw: MessageCommand.shown(pieces.take(Array(piece))))
        }
        let end = last == UInt8(ascii: "\n") ? [] : [UInt8(ascii: "\n")]
        try print(raw: MessageCommand.shown(pieces.takeRest()) + end)
    }
}
