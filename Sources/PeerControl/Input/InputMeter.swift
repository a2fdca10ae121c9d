import Synchronization

/// Counts the bytes of an input's lines, while the input is sent ahead of its confirmation.
final class InputMeter: Sendable {
    private struct Mark {
        var lines = 0
        var bytes = 0
    }

    private struct State {
        /// The place of which all is confirmed.
        var confirmed = Mark()
        /// The ends of the pieces behind it.
        var pieces: [Mark] = []
    }

    private let state = Mutex(State())

    /// Takes note of a piece that is sent.
    /// - Complexity: O(bytes).
    func note(_ piece: [UInt8]) {
        var lines = 0
        for byte in piece where byte == UInt8(ascii: "\n") { lines += 1 }
        state.withLock { [lines] state in
            let end = state.pieces.last ?? state.confirmed
            state.pieces.append(Mark(lines: end.lines + lines, bytes: end.bytes + piece.count))
        }
    }

    /// The bytes of the first lines: exact at the ends of pieces, and in proportion between them.
    /// - Parameter lines: The number of confirmed lines; does not fall from call to call.
    /// - Returns: The bytes, with a part where the lines end within a piece.
    func byteCount(ofLines lines: Int) -> Double {
        state.withLock { state in
            while let next = state.pieces.first, next.lines <= lines {
                state.confirmed = next
                state.pieces.removeFirst()
            }
            guard let next = state.pieces.first, next.lines > state.confirmed.lines else {
                return Double(state.confirmed.bytes)
            }
            let part = Double(max(0, lines - state.confirmed.lines)) / Double(next.lines - state.confirmed.lines)
            return Double(state.confirmed.bytes) + part * Double(next.bytes - state.confirmed.bytes)
        }
    }
}
