package import Wire

/// A payload that this device wants to have.
package struct PayloadWant: Hashable, Sendable {
    /// The zone under which it is requested: any device that may read the zone may have the payload.
    package let zone: ZoneID
    /// Further zones with records or messages that name it, under which devices are asked that may not read the first one.
    package let others: [ZoneID]
    /// The payload.
    package let payload: PayloadID
    /// The device that is asked first, if it is there.
    package let sender: DeviceID?
    /// The chunks that are not here, ascending; `nil` while its outline is not known.
    package let missing: [UInt64]?
    /// Plain bytes of each chunk but the last, once the outline is known.
    package let chunkByteCount: Int
    /// Whether only a policy fetches it, so that it needs room beyond the part of the file system that stays free.
    package let needsRoom: Bool

    /// Describes a wanted payload.
    /// - Parameters: as the properties of the same names.
    package init(
        zone: ZoneID,
        others: [ZoneID] = [],
        payload: PayloadID,
        sender: DeviceID?,
        missing: [UInt64]?,
        chunkByteCount: Int = Limits.chunkByteCount,
        needsRoom: Bool = false
    ) {
        self.zone = zone
        self.others = others
        self.payload = payload
        self.sender = sender
        self.missing = missing
        self.chunkByteCount = chunkByteCount
        self.needsRoom = needsRoom
    }
}
