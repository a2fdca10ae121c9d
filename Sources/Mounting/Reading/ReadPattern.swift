/// The way in which a program reads an open file, and how its next reading is served best.
///
/// A program that reads on where it stopped is served by one answer of the daemon, which stays open. A program that reads here and there
/// is served by an answer for each reading, since an answer that is dropped costs a connection, and content that nobody reads.
struct ReadPattern: Sendable, Hashable {
    /// The way to serve a reading.
    enum Plan: Sendable, Hashable {
        /// With an answer of its own.
        case single
        /// With a new answer that stays open, up to the end of the content.
        case open
        /// With the answer that is open, behind so many bytes of it.
        case goOn(skipping: Int)
    }

    /// The most bytes of an open answer that are skipped, rather than asking for others.
    static let skipMax: UInt64 = 128 << 10

    /// The end of the last reading; `nil` before the first.
    private var end: UInt64?
    /// The next byte of the answer that is open; `nil` while none is.
    private(set) var position: UInt64?

    /// Decides about a reading.
    /// - Parameters:
    ///   - range: The bytes, at least one; they lie in the content.
    ///   - size: The number of bytes of the content.
    /// - Returns: The way to serve it.
    func plan(_ range: Range<UInt64>, of size: UInt64) -> Plan {
        if let position, range.lowerBound >= position, range.lowerBound - position <= Self.skipMax {
            return .goOn(skipping: Int(range.lowerBound - position))
        }
        // A reading that takes all that is left needs no answer that stays open.
        return range.lowerBound == end && range.upperBound < size ? .open : .single
    }

    /// Notes that a reading was served.
    /// - Parameters:
    ///   - range: The bytes.
    ///   - isOpen: Whether an answer that begins behind them is open now.
    mutating func note(_ range: Range<UInt64>, isOpen: Bool) {
        end = range.upperBound
        position = isOpen ? range.upperBound : nil
    }

    /// Notes that no answer is open.
    mutating func close() { position = nil }
}
