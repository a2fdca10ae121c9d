package import Wire

/// A payload that a program has handed in.
package struct PayloadView: Sendable, Hashable {
    /// Its id, by which a message is made to say it.
    package var id: PayloadID
    /// The zone that it is for.
    package var zone: ZoneID
    /// How many bytes are in it.
    package var byteCount: UInt64

    /// Describes a payload.
    /// - Parameters: as the properties of the same names.
    package init(id: PayloadID, zone: ZoneID, byteCount: UInt64) {
        (self.id, self.zone, self.byteCount) = (id, zone, byteCount)
    }
}
