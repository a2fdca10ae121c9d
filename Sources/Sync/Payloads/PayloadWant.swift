package import Wire

/// A payload that this device wants to have.
package struct PayloadWant: Hashable, Sendable {
    /// The zone under which it is requested: any device that may read the zone may have the payload.
    package let zone: ZoneID
    /// The payload.
    package let payload: PayloadID
    /// The device that is asked first, if it is there.
    package let sender: DeviceID?
    /// The chunks that are not here, ascending; `nil` while its outline is not known.
    package let missing: [UInt64]?

    /// Describes a wanted payload.
    /// - Parameters: as the properties of the same names.
    package init(zone: ZoneID, payload: PayloadID, sender: DeviceID?, missing: [UInt64]?) {
        self.zone = zone
        self.payload = payload
        self.sender = sender
        self.missing = missing
    }
}
