import Records

/// The newest heads of one log: all that are stored above some size.
///
/// Each write inserts a head and looks for the ones before it, to drop those that nobody needs.
struct KnownHeads {
    /// The heads that are remembered; of more the oldest are forgotten.
    static let countMax = 4

    /// All heads that are stored above this size are known.
    private var floor: UInt64
    /// Those heads, ascending by size.
    private var heads: [HeadRow]

    /// Remembers heads.
    /// - Parameters:
    ///   - heads: All that are stored above a size, ascending.
    ///   - floor: That size.
    init(_ heads: [HeadRow], above floor: UInt64) {
        (self.heads, self.floor) = (heads, floor)
        forgetOldest()
    }

    /// Remembers the newest head of a log, which has at least one operation.
    init(newest head: HeadRow) {
        self.init([head], above: head.size &- 1)
    }

    /// The heads above a size, ascending; `nil` when not all of them are known.
    func heads(above size: UInt64) -> [HeadRow]? {
        guard size >= floor else { return nil }
        return heads.filter { $0.size > size }
    }

    /// The greatest head of at most a size; `nil` when it is not known, and `.some(nil)` when it is known that none is stored.
    func head(atOrBelow size: UInt64) -> HeadRow?? {
        if let head = heads.last(where: { $0.size <= size }) { return head }
        return floor == 0 ? .some(nil) : nil
    }

    /// Notes the greatest head of at most a size as it was read; `nil` when none is stored.
    mutating func noteRead(_ head: HeadRow?, atOrBelow size: UInt64) {
        // Only where no other head lies between it and the known ones.
        guard size >= floor, !heads.contains(where: { $0.size <= size }) else { return }
        if let head { heads.insert(head, at: 0) }
        floor = head.map { $0.size &- 1 } ?? 0
        forgetOldest()
    }

    /// Notes that a head was inserted.
    /// - Returns: False when the known heads are not all any more.
    mutating func noteInsertion(of head: HeadRow) -> Bool {
        guard head.size > floor else { return true }
        guard heads.last.map({ $0.size < head.size }) ?? true else { return false }
        heads.append(head)
        forgetOldest()
        return true
    }

    /// Notes that heads were deleted.
    mutating func noteDeletion(of sizes: [UInt64]) {
        heads.removeAll { sizes.contains($0.size) }
    }

    private mutating func forgetOldest() {
        guard heads.count > Self.countMax else { return }
        let count = heads.count - Self.countMax
        floor = heads[count - 1].size
        heads.removeFirst(count)
    }
}
