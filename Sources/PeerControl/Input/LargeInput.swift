import KairanClient
import Synchronization

/// The content of a message that is too large for its record, on its way to the daemon: the beginning, which was read
/// already, and the rest.
///
/// It checks on the way whether the whole content is text.
final class LargeInput: AsyncSequence, Sendable {
    /// A piece, never empty.
    typealias Element = [UInt8]

    private struct State {
        var text = TextPieces()
        var isText = true
        var byteCount = 0
    }

    private let beginning: [UInt8]
    private let rest: InputChunks?
    private let progress: @Sendable (Int) -> Void
    private let state = Mutex(State())

    /// Combines the beginning and the rest.
    /// - Parameters:
    ///   - beginning: The bytes that were read already; not empty.
    ///   - rest: The input behind them; `nil` for none.
    ///   - progress: Called repeatedly with the number of bytes taken.
    init(_ beginning: [UInt8], _ rest: InputChunks?, progress: @escaping @Sendable (Int) -> Void) {
        self.beginning = beginning
        self.rest = rest
        self.progress = progress
    }

    /// Whether all bytes taken so far are text, and end with a whole character.
    var isText: Bool { state.withLock { $0.isText && $0.text.isWhole } }

    /// Begins to read.
    func makeAsyncIterator() -> Iterator {
        Iterator(input: self)
    }

    private func note(_ piece: [UInt8]) {
        let byteCount = state.withLock { state in
            state.byteCount += piece.count
            if state.isText, String(validating: state.text.take(piece), as: UTF8.self) == nil { state.isText = false }
            return state.byteCount
        }
        progress(byteCount)
    }

    /// Reads piece by piece.
    struct Iterator: AsyncIteratorProtocol {
        private let input: LargeInput
        private var beginning: [UInt8]?
        private var rest: InputChunks.Iterator?

        fileprivate init(input: LargeInput) {
            self.input = input
            beginning = input.beginning
            rest = input.rest?.makeAsyncIterator()
        }

        /// The next piece; `nil` at the end.
        /// - Throws: ``InputError``.
        mutating func next() async throws -> [UInt8]? {
            var piece = beginning
            beginning = nil
            if piece == nil { piece = try await rest?.next() }
            if let piece { input.note(piece) }
            return piece
        }
    }
}
