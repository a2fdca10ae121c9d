package import Wire

/// A relay's promise to keep a payload of this device for the payload's recipients.
package struct CustodyRow: Hashable, Sendable {
    /// The payload.
    package let payload: PayloadID
    /// The zone that it belongs to.
    package let zone: ZoneID
    /// The relay.
    package let relay: DeviceID
    /// The end of the promise, in milliseconds since 1970, by the relay's clock.
    package var until: UInt64

    /// Describes a promise.
    /// - Parameters: as the properties of the same names.
    package init(payload: PayloadID, zone: ZoneID, relay: DeviceID, until: UInt64) {
        self.payload = payload
        self.zone = zone
        self.relay = relay
        self.until = until
    }
}
