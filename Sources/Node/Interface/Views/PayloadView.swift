package import Wire

/// A payload that a program has uploaded.
package struct PayloadView: Sendable, Hashable {
    /// The id, by which a message names the payload as its content.
    package var id: PayloadID
    /// The zone that it is for.
    package var zone: ZoneID
    /// The size in bytes.
    package var byteCount: UInt64

    /// Describes a payload.
    /// - Parameters: as the properties of the same names.
    package init(id: PayloadID, zone: ZoneID, byteCount: UInt64) {
        (self.id, self.zone, self.byteCount) = (id, zone, byteCount)
    }
}
