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
    /// - Returns: Whether a reader sees other records than before.
    func writeAgain(_ unshared: Unshared, in transaction: inout some NodeTransaction) throws -> Bool {
        let author = try author(in: unshared.key.zone, transaction)
        return try !Replica.writeAgain(unshared, author: author, sign: sign, in: &transaction).isEmpty
    }

    /// The most that anybody said to hold of a log, without what nobody can hold.
    private func acknowledgedSize(_ row: LogRow, in transaction: some NodeTransaction) throws -> UInt64 {
        try transaction.acknowledgements(zone: row.key.zone).lazy
            .filter { $0.key == row.key && $0.size <= row.size }.map(\.size).max() ?? 0
    }

    private static func sharedName(_ key: LogKey) -> String { "shared." + key.zone.text + "." + key.actor.text }
}
