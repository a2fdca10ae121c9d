package import Wire

/// A write that counts nowhere, and waits for somebody to decide about it.
package struct QuarantineView: Sendable, Hashable {
    /// Why it counts nowhere; the raw value is part of the API.
    package enum Reason: String, Sendable, CaseIterable {
        /// It came after the place where its device, or its right, was cut off.
        case aboveCut = "above_cut"
        /// It stands on a history of a log that has two; it is taken over by itself.
        case forked
        /// It is not within what its author may write.
        case outOfRight = "out_of_right"
        /// It breaks the schema in force, which its author had seen.
        case outOfSchema = "out_of_schema"
        /// What its author sealed is no record, or that of another write.
        case unsound
    }

    /// What it is called by within its zone: its place in its log, and the log.
    package var id: String
    /// Its zone.
    package var zone: ZoneID
    /// The record's name.
    package var record: String
    /// The record's type.
    package var type: String
    /// Whether it deletes the record.
    package var isDeletion: Bool
    /// The device that wrote it.
    package var author: DeviceID
    /// Why it counts nowhere.
    package var reason: Reason
    /// When, by its author's clock; milliseconds since 1970.
    package var writtenAt: UInt64
    /// Bytes that it takes.
    package var byteCount: UInt64

    /// Makes an entry.
    package init(
        id: String,
        zone: ZoneID,
        record: String,
        type: String,
        isDeletion: Bool,
        author: DeviceID,
        reason: Reason,
        writtenAt: UInt64,
        byteCount: UInt64
    ) {
        self.id = id
        self.zone = zone
        self.record = record
        self.type = type
        self.isDeletion = isDeletion
        self.author = author
        self.reason = reason
        self.writtenAt = writtenAt
        self.byteCount = byteCount
    }
}
