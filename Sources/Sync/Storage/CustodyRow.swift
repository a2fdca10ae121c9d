package import Wire

/// What a relay has promised: that it keeps a payload of this device for those whom it is for.
package struct CustodyRow: Hashable, Sendable {
    /// The payload.
    package let payload: PayloadID
    /// The zone that it belongs to.
    package let zone: ZoneID
    /// Who keeps it.
    package let relay: DeviceID
    /// Until when, in milliseconds since 1970, by the relay's clock.
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
