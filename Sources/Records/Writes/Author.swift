package import Wire

/// Under whose name a replica writes.
package struct Author: Hashable, Sendable {
    /// The local device.
    package var device: DeviceID
    /// The store's incarnation.
    package var incarnation: Incarnation
    /// The right that it writes under.
    package var right: Hash
    /// As whom it speaks by that right.
    package var role: LogRole
    /// The actor of the three.
    package var actor: ActorID

    /// An author; `actor` must be the one derived from device, incarnation and right.
    package init(
        device: DeviceID,
        incarnation: Incarnation,
        right: Hash,
        role: LogRole = .owner,
        actor: ActorID
    ) {
        self.device = device
        self.incarnation = incarnation
        self.right = right
        self.role = role
        self.actor = actor
    }
}

extension Author {
    /// A log of the author that nothing was written to yet.
    func emptyLog(_ key: LogKey) -> LogRow {
        LogRow(key: key, device: device, incarnation: incarnation, right: right, role: role)
    }
}
