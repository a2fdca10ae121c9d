package import Wire

/// Under whose name a replica writes.
package struct Author: Hashable, Sendable {
    /// The local device.
    package var device: DeviceID
    /// The store's incarnation.
    package var incarnation: Incarnation
    /// The actor of the two.
    package var actor: ActorID

    /// An author; `actor` must be the one derived from device and incarnation.
    package init(device: DeviceID, incarnation: Incarnation, actor: ActorID) {
        self.device = device
        self.incarnation = incarnation
        self.actor = actor
    }
}
