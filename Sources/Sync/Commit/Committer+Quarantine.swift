import Records
package import Wire

// What counts nowhere, and what people decide about it.
extension Committer {
    /// Says again, under this store's name, what a quarantined operation said.
    /// - Parameters:
    ///   - dot: The operation.
    ///   - zone: The zone.
    ///   - transaction: The store.
    /// - Returns: Whether it was written, or had been adopted before; and the notice.
    /// - Throws: `QuarantineRefusal`, `ReplicaError`, ``CommitError``, or what the store throws.
    package func adopt(
        _ dot: Dot,
        zone: ZoneID,
        in transaction: inout some NodeTransaction
    ) throws -> (isWritten: Bool, notice: CommitNotice) {
        try tracking(zone, in: &transaction) { transaction in
            let adopted = try Replica.adopt(
                dot,
                zone: zone,
                author: try sealingAuthor(in: zone, &transaction),
                wallMilliseconds: wallMilliseconds,
                sign: sign,
                in: &transaction
            )
            var notice = CommitNotice(number: adopted.number, hasRecordChanges: !adopted.changed.isEmpty)
            notice.quarantines = [zone]
            return (adopted.number != nil, notice)
        }
    }

    /// Drops what a quarantined operation said.
    /// - Parameters:
    ///   - dot: The operation.
    ///   - zone: The zone.
    ///   - transaction: The store.
    /// - Returns: The notice.
    /// - Throws: `QuarantineRefusal`, `ReplicaError`, or what the store throws.
    package func purge(
        _ dot: Dot,
        zone: ZoneID,
        in transaction: inout some NodeTransaction
    ) throws -> CommitNotice {
        var notice = CommitNotice(number: try Replica.purge(dot, zone: zone, device: device, in: &transaction))
        notice.quarantines = [zone]
        // Of two histories a checkpoint may cover what is quarantined.
        try noteTurn(zone, in: &transaction)
        return notice
    }

    /// Whether anything in a zone waits for somebody to adopt or purge it.
    /// - Parameters:
    ///   - zone: The zone.
    ///   - transaction: The store.
    /// - Returns: True when something does.
    /// - Throws: `ReplicaError`, or what the store throws.
    package func hasQuarantine(_ zone: ZoneID, in transaction: some NodeTransaction) throws -> Bool {
        try Replica.hasQuarantine(zone: zone, except: device, in: transaction)
    }
}
