import Capabilities
import Identity
import Records
import Wire

/// The control log of a zone as it was read and resolved last.
///
/// It is of use as long as what a store holds continues what was read, which the logs' trees prove: the same leaves, appended to the edge
/// that is kept, have to give the edge that the store states. So it does not matter whether a transaction was rolled back, or which one
/// reads: what does not continue is read from nothing.
struct ZoneControls: Sendable {
    /// A log, as far as it was read.
    private struct Log: Sendable {
        /// The tree over what was read.
        var frontier = TreeFrontier()
        /// The operations that tell of epochs.
        var epochs: [(operation: Operation, body: ControlBody)] = []
    }

    private var logs: [LogKey: Log] = [:]
    private(set) var resolution: KeptResolution<ZoneDirectory>
    /// How many operations were read from a store.
    private(set) var readCount: UInt64 = 0

    /// Reads and resolves the control log of a zone from nothing.
    init(
        _ zone: ZoneRow,
        _ rows: [LogRow],
        _ directory: ZoneDirectory,
        verify: (SignedCapability) -> VerifiedCapability?,
        in transaction: some NodeTransaction
    ) throws {
        var entries: [ControlEntry] = []
        for row in rows {
            var log = Log()
            try Self.read(row, into: &log, &entries, verify: verify, in: transaction)
            logs[row.key] = log
        }
        readCount = UInt64(entries.count)
        resolution = KeptResolution(
            zone: zone.id,
            owners: zone.genesis.owners,
            entries: entries,
            directory: directory
        )
    }

    /// Reads on, and takes account of what the accounts' logs say now.
    /// - Returns: False if what is held does not continue what was read: then it has to be read from nothing.
    /// - Complexity: O(logs, and accounts that the control log names), and what is new, see ``KeptResolution``.
    mutating func follow(
        _ rows: [LogRow],
        _ directory: ZoneDirectory,
        verify: (SignedCapability) -> VerifiedCapability?,
        in transaction: some NodeTransaction
    ) throws -> Bool {
        var entries: [ControlEntry] = []
        for row in rows {
            let (size, end) = (logs[row.key]?.frontier.size ?? 0, Replica.controlEnd(row))
            if size < end {
                try Self.read(row, into: &logs[row.key, default: Log()], &entries, verify: verify, in: transaction)
            }
            guard size <= end, try isPart(of: row, in: transaction) else { return false }
        }
        // Nothing is kept of logs that are not there.
        guard logs.count == rows.count else { return false }
        readCount &+= UInt64(entries.count)
        resolution.follow(directory) { account, old in
            old.ownDevice == directory.ownDevice && old.accounts[account] == directory.accounts[account]
        }
        resolution.add(entries)
        return true
    }

    private func isPart(of row: LogRow, in transaction: some NodeTransaction) throws -> Bool {
        guard let frontier = logs[row.key]?.frontier, frontier.size == Replica.controlEnd(row) else { return false }
        if frontier.size == row.size { return frontier == row.frontier }
        // A log whose histories part is read up to there.
        return try Replica.reaches(row, (frontier.size, frontier.root), in: transaction)
    }

    private static func read(
        _ row: LogRow,
        into log: inout Log,
        _ entries: inout [ControlEntry],
        verify: (SignedCapability) -> VerifiedCapability?,
        in transaction: some NodeTransaction
    ) throws {
        try Replica.readControls(of: row, from: log.frontier.size, in: transaction) { operation, body in
            let entry = ControlEntry(operation, body, of: row, verify: verify)
            entries.append(entry)
            log.frontier.append(entry.hash)
            switch body {
            case .epoch, .delivery, .epochAgain: log.epochs.append((operation, body))
            default: break
            }
        }
    }

    /// The operations that tell of epochs, by log and place.
    /// - Complexity: O(those operations).
    func epochs(_ zone: ZoneRow, _ rows: [LogRow]) -> [HeldControl] {
        rows.flatMap { row in
            let limit = Replica.controlLimit(row, zone: zone)
            return (logs[row.key]?.epochs ?? []).map { operation, body in
                let isHandedOn = operation.header.counter <= limit
                return HeldControl(row: row, operation: operation, body: body, isHandedOn: isHandedOn)
            }
        }
    }
}

extension ControlEntry {
    /// A control operation as the resolution sees it; what has no effect on rights is left out.
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
