/// Tells a person who deletes files from a disk that is not there.
///
/// An unmounted disk, a folder that another program replaced, and a failed restore all look like a deletion of everything, which every device
/// would repeat. So deletions wait for a person where the folder is empty, or where more than half of its files, and more than
/// ``countMax``, went within ten minutes.
package struct DeletionGuard: Sendable {
    /// The number of files that may go in any case.
    package static let countMax = 50
    /// The time within which deletions are counted together, in milliseconds.
    package static let windowMilliseconds: Int64 = 600_000

    private var times: [Int64] = []

    /// Begins without deletions.
    package init() {}

    /// Takes note of a deletion that was made.
    /// - Parameter now: The time, in milliseconds.
    package mutating func note(at now: Int64) { times.append(now) }

    /// Whether deletions may be made.
    /// - Parameters:
    ///   - count: The number of files that are gone.
    ///   - known: The number of files that the folder had, these among them.
    ///   - isEmpty: Whether the folder has no file any more.
    ///   - now: The time, in milliseconds.
    /// - Returns: Whether a person need not be asked.
    package mutating func allows(_ count: Int, of known: Int, isEmpty: Bool, at now: Int64) -> Bool {
        times.removeAll { $0 <= now - Self.windowMilliseconds }
        guard count > 0 else { return true }
        guard !isEmpty else { return false }
        let gone = count + times.count
        return gone <= Self.countMax || gone * 2 <= known + times.count
    }
}
