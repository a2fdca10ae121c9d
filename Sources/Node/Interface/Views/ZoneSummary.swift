package import Wire

/// A zone, in few words.
package struct ZoneSummary: Sendable {
    /// The zone.
    package var zone: ZoneID
    /// Its name.
    package var name: String
    /// The form of the zone: custom, default or pair.
    package var kind: ZoneForm
    /// Records that are not deleted.
    package var records: UInt64
    /// Their bytes, as `RecordRow.visibleByteCount` counts.
    package var bytes: UInt64

    /// Makes a summary.
    package init(zone: ZoneID, name: String, kind: ZoneForm, records: UInt64, bytes: UInt64) {
        self.zone = zone
        self.name = name
        self.kind = kind
        self.records = records
        self.bytes = bytes
    }
}
