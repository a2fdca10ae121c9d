import Identity
import Records
import Wire

// What a store that was set back unnoticed wrote under its old name, where nobody can tell that from what others hold.
extension Committer {
    /// Notes how much of this store's present logs others hold, when it turns out that one of them goes on elsewhere.
    ///
    /// From now on peers tell sizes of the other history, which say nothing of this one.
    func noteShared(in transaction: inout some NodeTransaction) throws {
        let incarnation = try transaction.incarnation()
        for zone in try transaction.zones() {
            for row in try transaction.logs(zone: zone.id)
            where row.key.lane == .data && row.device == device && row.incarnation == incarnation {
                let size = try acknowledgedSize(row, in: transaction)
                guard size < row.size else { continue }
                try transaction.setValue(Array(String(size).utf8), named: Self.sharedName(row.key))
            }
        }
    }

    /// How much of a log others hold as well, if it is one of this store that may go on otherwise elsewhere.
    ///
    /// A log that was closed because the store itself looked older than it should be is none: everything in it was
    /// written before, and is the beginning of what others hold.
    /// - Returns: The greatest size for all other logs.
    func sharedSize(_ key: LogKey, _ author: DeviceID, in transaction: some NodeTransaction) throws -> UInt64 {
        guard key.lane == .data, author == device, let row = try transaction.log(key), !row.isForked else {
            return .max
        }
        if try row.incarnation == transaction.incarnation() { return try acknowledgedSize(row, in: transaction) }
        return try transaction.value(named: Self.sharedName(key)).map { try UInt64(text: $0) } ?? .max
    }

    /// A log that was continued is from then on the one that others hold.
    func forgetShared(_ key: LogKey, _ author: DeviceID, in transaction: inout some NodeTransaction) throws {
        guard author == device, try transaction.value(named: Self.sharedName(key)) != nil else { return }
        try transaction.setValue(nil, named: Self.sharedName(key))
    }

    /// Writes again, under this store's present name, what stood in a log of its own that was taken back.
    ///
    /// Who may write nothing in the zone any more writes it by the right under which it was written first. That has ended, so
    /// the new log counts nowhere: what it says is quarantined in this store, for the day on which there is a right again.
    /// - Returns: Whether a reader sees other records than before.
    func writeAgain(_ unshared: Unshared, in transaction: inout some NodeTransaction) throws -> Bool {
        let zone = unshared.key.zone
        let author = try authorOfUnshared(unshared.right, zone, in: &transaction)
        let changed = try Replica.writeAgain(unshared, author: author, sign: sign, in: &transaction)
        let ruled = author.role == .unknown ? try rule(zone, in: &transaction)?.changed : nil
        return !(changed + (ruled ?? [])).isEmpty
    }

    private func authorOfUnshared(
        _ right: Hash,
        _ zone: ZoneID,
        in transaction: inout some NodeTransaction
    ) throws -> Author {
        guard let row = try transaction.zone(zone) else { throw ReplicaError.unknownZone(zone) }
        if row.role.mayAppend { return try sealingAuthor(in: zone, &transaction) }
        guard let incarnation = try transaction.incarnation() else {
            throw StorageError(code: .corrupt, message: "the store does not say which lifetime it is in")
        }
        return Author(
            device: device,
            incarnation: incarnation,
            right: right,
            role: .unknown,
            actor: ActorID(device: device, incarnation: incarnation, right: right),
            sealer: row.sealing == .open ? nil : try lastSealer(in: zone, transaction)
        )
    }

    /// The most that anybody said to hold of a log, without what nobody can hold.
    private func acknowledgedSize(_ row: LogRow, in transaction: some NodeTransaction) throws -> UInt64 {
        try transaction.acknowledgements(zone: row.key.zone).lazy
            .filter { $0.key == row.key && $0.size <= row.size }.map(\.size).max() ?? 0
    }

    private static func sharedName(_ key: LogKey) -> String { "shared." + key.zone.text + "." + key.actor.text }
}
