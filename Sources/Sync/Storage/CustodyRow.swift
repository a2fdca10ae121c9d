package import Wire

/// A relay's promise to this device to keep a payload for other devices.
package struct CustodyRow: Hashable, Sendable {
    /// The payload.
    package let payload: PayloadID
    /// The zone that it belongs to.
    package let zone: ZoneID
    /// The relay.
    package let relay: DeviceID
    /// The end of the promise, in milliseconds since 1970, by the relay's clock.
    package var until: UInt64
    /// The data for which it was asked: a record's until the content is dropped here, or its zone keeps none at relays.
    package var kind: CustodyRequest.Kind

    /// Describes a promise.
    /// - Parameters: as the properties of the same names.
    package init(payload: PayloadID, zone: ZoneID, relay: DeviceID, until: UInt64, kind: CustodyRequest.Kind = .message)
    {
        self.payload = payload
        self.zone = zone
        self.relay = relay
        self.until = until
        self.kind = kind
    }
}
