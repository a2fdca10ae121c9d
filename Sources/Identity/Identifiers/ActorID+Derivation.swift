import Sodium
package import Wire

extension Identifier where Kind == ActorKind {
    /// The actor that a device is during one incarnation, under one right: a hash of the three.
    ///
    /// Under another right a device is another actor with logs of its own, so that a log is written under one right for
    /// all its life.
    /// - Parameters:
    ///   - device: The device.
    ///   - incarnation: The life of its store.
    ///   - right: The right that its heads name; zero for the account that the zone's genesis names, and left out
    ///     of the hash then.
    package init(device: DeviceID, incarnation: Incarnation, right: Hash) {
        let bytes = device.bytes + incarnation.bytes
        self = .hash(.actorID, right.isZero ? bytes : bytes + right.bytes)
    }
}

extension TreeHead {
    /// The actor that signs.
    package var actor: ActorID { ActorID(device: device, incarnation: incarnation, right: right) }

    /// The log that it speaks of.
    package var key: LogKey { LogKey(zone: zone, actor: actor, lane: lane) }
}

extension LogState {
    /// The actor whose log it is.
    package var actor: ActorID { ActorID(device: device, incarnation: incarnation, right: right) }
}
