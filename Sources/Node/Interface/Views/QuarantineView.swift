package import KairanInterface
package import Wire

/// A write that is ignored and waits for a decision.
package struct QuarantineView: Sendable, Hashable {
    /// The write's id within its zone: its place in its log, and the log.
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
    /// The reason why it is ignored.
    package var reason: QuarantinedWrite.Reason
    /// The time of the write by its author's clock, in milliseconds since 1970.
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
        reason: QuarantinedWrite.Reason,
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
