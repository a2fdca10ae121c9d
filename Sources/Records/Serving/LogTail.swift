package import Wire

/// The end of a log that commits of this store have just written, as a run to a replica that holds all before it.
///
/// It is made from the memory of a commit, by the function that makes all runs of stored items: at that moment ``RunServing`` makes the same run
/// from the store, byte for byte.
package struct LogTail: Sendable, Equatable {
    /// The most operations of a tail; longer ends are read from the store.
    package static let operationCountMax = 256
    /// The most bytes of a tail's operations.
    package static let byteCountMax: UInt64 = 256 << 10

    /// The log.
    package let key: LogKey
    /// The run.
    package private(set) var run: Run
    /// The bytes of its operations, as the budget of a run counts them.
    package private(set) var byteCount: UInt64

    /// Makes the tail of one commit; `nil` for more than a tail may have.
    /// - Parameters:
    ///   - run: The run with all that the commit has added to the log, and no gap.
    ///   - key: The log.
    ///   - byteCount: The bytes of the operations.
    package init?(_ run: Run, of key: LogKey, byteCount: UInt64) {
        guard run.from < run.signedHead.head.size, byteCount <= Self.byteCountMax,
            run.signedHead.head.size - run.from <= UInt64(Self.operationCountMax)
        else { return nil }
        assert(run.checkpoint.isZero, "a commit appends operations, and no gaps")
        self.key = key
        self.run = run
        self.byteCount = byteCount
    }

    /// The size of the log before.
    package var from: UInt64 { run.from }
    /// The size of the log behind it.
    package var size: UInt64 { run.signedHead.head.size }

    /// Adds the tail of a later commit; heads between are not sent, as in a run from the store.
    /// - Parameter later: The tail.
    /// - Returns: False where it does not begin where this one ends, or both are more than a tail may have; then nothing has changed.
    package mutating func append(_ later: LogTail) -> Bool {
        guard later.key == key, later.from == size, later.size - from <= UInt64(Self.operationCountMax),
            byteCount + later.byteCount <= Self.byteCountMax
        else { return false }
        run.items += later.run.items
        run.signedHead = later.run.signedHead
        byteCount += later.byteCount
        return true
    }
}

extension Run {
    /// Makes a run of stored items: the one place for it, whether the store has read them or a commit has just written them.
    /// - Parameters:
    ///   - items: The items, to the end at the head.
    ///   - first: The first leaf of the items.
    ///   - head: The signed head.
    ///   - checkpoint: The checkpoint that allows gaps; zero when there are none.
    init(of items: [StoredItem], from first: UInt64, under head: SignedTreeHead, checkpoint: Hash) {
        self.init(signedHead: head, from: first, checkpoint: checkpoint, items: items.map(\.logItem))
    }
}

extension StoredItem {
    /// The item as a run carries it.
    fileprivate var logItem: LogItem {
        switch content {
        case .operation(let stored): .operation(stored.operation)
        case .gap(let gap): .gap(gap)
        }
    }
}
