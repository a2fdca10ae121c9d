import Sodium
package import Wire

extension Identifier where Kind == ActorKind {
    /// The actor that a device is during one incarnation: a hash of both.
    /// - Parameters:
    ///   - device: The device.
    ///   - incarnation: The life of its store.
    package init(device: DeviceID, incarnation: Incarnation) {
        self = .hash(.actorID, device.bytes + incarnation.bytes)
    }
}
