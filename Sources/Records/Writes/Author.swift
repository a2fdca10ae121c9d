package import Wire

/// The identity under which a replica writes.
package struct Author: Sendable {
    /// The local device.
    package var device: DeviceID
    /// The store's incarnation.
    package var incarnation: Incarnation
    /// The right that it writes under.
    package var right: Hash
    /// The role in which it speaks by that right.
    package var role: LogRole
    /// The actor of the three.
    package var actor: ActorID
    /// Seals the author's operations; `nil` if every account may read the zone.
    package var sealer: BodySealer?

    /// An author; `actor` must be the one derived from device, incarnation and right.
    package init(
        device: DeviceID,
        incarnation: Incarnation,
        right: Hash,
        role: LogRole = .owner,
        actor: ActorID,
        sealer: BodySealer? = nil
    ) {
        self.device = device
        self.incarnation = incarnation
        self.right = right
        self.role = role
        self.actor = actor
        self.sealer = sealer
    }
}

extension Author {
    /// Finishes a data operation: seals its body, if the zone's are, and puts epoch and hash into the header.
    /// - Parameters:
    ///   - header: The rest of the header.
    ///   - bytes: The encoding of the body.
    ///   - isTombstone: Whether it deletes the record.
    /// - Returns: The operation.
    func operation(_ header: OperationHeader, body bytes: [UInt8], isTombstone: Bool) -> Operation {
        var header = header
        var body = bytes
        if let sealer {
            header.epoch = sealer.epoch
            body = sealer.seal(bytes, isTombstone: isTombstone, header: header, actor: actor)
        }
        header.bodyHash = Operation.bodyHash(body)
        return Operation(header: header, body: body)
    }

    /// A log of the author that nothing was written to yet.
    func emptyLog(_ key: LogKey) -> LogRow {
        LogRow(key: key, device: device, incarnation: incarnation, right: right, role: role)
    }

    /// The place of the author's next operation.
    /// - Parameters:
    ///   - lane: The lane.
    ///   - zone: The zone.
    ///   - transaction: The store.
    /// - Returns: Its dot.
    /// - Throws: `.unknownZone`, `.ownLogClosed`.
    package func nextPlace(_ lane: Lane, zone: ZoneID, in transaction: some ReplicaTransaction) throws -> Dot {
        let logs = try ZoneLogs(zone: try transaction.knownZone(zone), in: transaction)
        return try OwnLog(self, lane, logs: logs, in: transaction).dot()
    }
}
