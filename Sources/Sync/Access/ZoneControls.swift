import Capabilities
import Identity
import Records
import Wire

/// The control log of a zone as it was read and resolved last.
///
/// It is of use as long as the store's log continues the part that was read, as the logs' trees prove: the same
/// leaves, appended to the edge that is kept, have to give the edge that the store states. So it does not matter
/// whether a transaction was rolled back, or which one reads: a log that does not continue is read from the
/// beginning.
struct ZoneControls: Sendable {
    /// The relation of the store's logs to the part that was read.
    enum Continuation: Hashable, Sendable {
        /// It continues it.
        case followed
        /// The store holds less of a log: the snapshot is older, or the transaction that was read was rolled back.
        case behind
        /// It parts from it.
        case parted
    }

    /// A log, as far as it was read.
    private struct Log: Sendable {
        /// The tree over the part that was read.
        var frontier = TreeFrontier()
        /// For a log that ends before its held size, the whole tree that contains the part that was read.
        var whole: TreeFrontier?
        /// The operations about epochs, by place.
        var epochs: [EpochStatement] = []
        /// The number of them in the graph, and the number of these that are passed on.
        var entered = Entered()
    }

    /// The first part of a log's statements.
    private struct Entered: Hashable, Sendable {
        var count = 0
        var handedOnCount = 0
    }

    private var logs: [LogKey: Log] = [:]
    private(set) var resolution: KeptResolution<ZoneDirectory>
    /// The epochs of the zone's key.
    private(set) var graph: EpochGraph
    /// The times of the operations that grant capabilities, in milliseconds by their authors' clocks.
    private(set) var grantTimes: [Hash: UInt64] = [:]
    /// The number of operations read from a store.
    private(set) var readCount: UInt64 = 0
    /// The number of operations entered in the graph of epochs, counting repeated entries.
    private(set) var enteredCount: UInt64 = 0

    /// Reads and resolves the control log of a zone from nothing.
    init(
        _ zone: ZoneRow,
        _ rows: [LogRow],
        _ directory: ZoneDirectory,
        verify: (SignedCapability) -> VerifiedCapability?,
        in transaction: some NodeTransaction
    ) throws {
        assert(
            rows.allSatisfy { $0.key.lane == .control && $0.key.zone == zone.id },
            "rights come from control logs of the zone"
        )
        var entries: [ControlEntry] = []
        graph = EpochGraph([], zone: zone.id)
        for row in rows {
            var log = Log()
            try Self.read(row, into: &log, &entries, &grantTimes, verify: verify, in: transaction)
            logs[row.key] = log
        }
        readCount = UInt64(entries.count)
        resolution = KeptResolution(
            zone: zone.id,
            owners: zone.genesis.owners,
            entries: entries,
            directory: directory
        )
        enterEpochs(zone, rows, in: transaction)
    }

    /// Reads on, and takes the present state of the accounts' logs into account.
    /// - Returns: Whether the store continues the part that was read; otherwise this is of no further use where it is
    ///   `parted`, and unchanged where it is `behind`.
    /// - Complexity: O(logs, and accounts that the control log names), and the new part, see ``KeptResolution``.
    mutating func follow(
        _ zone: ZoneRow,
        _ rows: [LogRow],
        _ directory: ZoneDirectory,
        verify: (SignedCapability) -> VerifiedCapability?,
        in transaction: some NodeTransaction
    ) throws -> Continuation {
        let isShorter = rows.contains { (logs[$0.key]?.frontier.size ?? 0) > ControlReader($0).end(in: transaction) }
        guard !isShorter, rows.count(where: { logs[$0.key] != nil }) == logs.count else { return .behind }
        var entries: [ControlEntry] = []
        for row in rows {
            if logs[row.key]?.frontier.size ?? 0 < ControlReader(row).end(in: transaction) {
                try Self.read(
                    row,
                    into: &logs[row.key, default: Log()],
                    &entries,
                    &grantTimes,
                    verify: verify,
                    in: transaction
                )
            }
            guard try continues(row, in: transaction) else { return .parted }
        }
        readCount &+= UInt64(entries.count)
        resolution.follow(directory) { account, old in
            old.ownDevice == directory.ownDevice && old.accounts[account] == directory.accounts[account]
        }
        resolution.add(entries)
        enterEpochs(zone, rows, in: transaction)
        return .followed
    }

    /// Whether the part of a log that was read is all that is to be read of it in the store.
    private mutating func continues(_ row: LogRow, in transaction: some NodeTransaction) throws -> Bool {
        guard let log = logs[row.key], log.frontier.size == ControlReader(row).end(in: transaction) else {
            return false
        }
        if log.frontier.size == row.size { return log.frontier == row.frontier }
        // A forked log is read up to its fork point, one that is too long up to its bound.
        if log.whole == row.frontier { return true }
        guard try StoredLog(row).reaches((log.frontier.size, log.frontier.root), in: transaction) else { return false }
        logs[row.key]?.whole = row.frontier
        return true
    }

    private static func read(
        _ row: LogRow,
        into log: inout Log,
        _ entries: inout [ControlEntry],
        _ grantTimes: inout [Hash: UInt64],
        verify: (SignedCapability) -> VerifiedCapability?,
        in transaction: some NodeTransaction
    ) throws {
        try ControlReader(row).read(from: log.frontier.size, in: transaction) { operation, body in
            let entry = ControlEntry(operation, body, of: row, verify: verify)
            entries.append(entry)
            log.frontier.append(entry.hash)
            if !entry.carried.isEmpty { grantTimes[entry.hash] = operation.header.time.milliseconds }
            if let statement = EpochStatement(operation, body, by: row.device) { log.epochs.append(statement) }
        }
    }

    /// Enters new statements in the graph of epochs; makes the graph again where more or fewer of its operations are
    /// passed on.
    /// - Complexity: O(logs · log n), and the new part, see ``EpochGraph/add(_:isHandedOn:)``.
    private mutating func enterEpochs(
        _ zone: ZoneRow,
        _ rows: [LogRow],
        in transaction: some NodeTransaction
    ) {
        var isWhole = true
        for row in rows {
            guard let log = logs[row.key], !log.epochs.isEmpty else { continue }
            let limit = row.effectiveLimit(in: zone, transaction.controlBounds)
            let now = Entered(count: log.epochs.count, handedOnCount: log.epochs.count(upTo: limit))
            let old = log.entered
            if now == old { continue }
            isWhole = isWhole && min(now.handedOnCount, old.count) == old.handedOnCount
            logs[row.key]?.entered = now
            for index in log.epochs.indices.dropFirst(old.count) where isWhole {
                enteredCount &+= 1
                isWhole = graph.add(log.epochs[index], isHandedOn: index < now.handedOnCount)
            }
        }
        guard !isWhole else { return }
        let all = rows.flatMap { row in
            let handedOnCount = logs[row.key]?.entered.handedOnCount ?? 0
            return (logs[row.key]?.epochs ?? []).enumerated().map { ($1, $0 < handedOnCount) }
        }
        enteredCount &+= UInt64(all.count)
        assert(
            all.count == logs.values.reduce(0) { $0 + $1.epochs.count },
            "a graph that is made anew has every statement"
        )
        graph = EpochGraph(all, zone: zone.id)
    }
}

extension [EpochStatement] {
    /// The number of a log's statements within its first operations.
    /// - Complexity: O(log n).
    fileprivate func count(upTo size: UInt64) -> Int {
        partitioningIndex { $0.operation.header.counter <= size }
    }
}

extension ControlEntry {
    /// Makes the form of a control operation that the resolution uses, without parts that have no effect on rights.
    fileprivate init(
        _ operation: Operation,
        _ body: ControlBody,
        of row: LogRow,
        verify: (SignedCapability) -> VerifiedCapability?
    ) {
        var seen = operation.header.vector
        seen[row.key.actor] = 0
        let kept: ControlBody =
            switch body {
            case .epoch: .epoch([])
            case .delivery: .delivery([])
            case .epochAgain: .epochAgain([])
            case .keyRequest: .keyRequest([])
            case .unknown(let tag, _): .unknown(tag: tag, bytes: [])
            default: body
            }
        self.init(
            place: Dot(actor: row.key.actor, counter: operation.header.counter),
            device: row.device,
            right: row.right,
            seen: seen,
            hash: operation.header.leafHash,
            body: kept,
            verify: verify
        )
    }
}
