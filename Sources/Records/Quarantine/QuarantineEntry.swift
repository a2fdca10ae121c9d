package import Wire

/// An operation that has no effect and whose content lives on in no effective operation.
package struct QuarantineEntry: Equatable, Sendable {
    /// The reason why an operation has no effect.
    package enum Reason: Hashable, Sendable, CaseIterable {
        /// It stands above the place where its log was cut, because its device or its right was removed.
        case aboveCut
        /// It stands behind the place where its log has two histories; it is restated by itself when it can be.
        case forked
        /// It is outside of its author's right.
        case outOfRight
        /// It breaks the schema in force, which its author had seen.
        case outOfSchema
        /// The bytes that its author sealed are no body, or the body of another operation.
        case unsound
    }

    /// The zone.
    package var zone: ZoneID
    /// The operation's log and its number in that log, by which the operation is identified.
    package var dot: Dot
    /// The device that wrote it.
    package var device: DeviceID
    /// The reason why it has no effect.
    package var reason: Reason
    /// The record's name; empty if it is sealed under a key that is not here.
    package var name: String
    /// The record's type; empty if it is sealed under a key that is not here.
    package var type: String
    /// True when it deletes the record.
    package var isDeletion: Bool
    /// The payloads that it names by assets, ascending; empty if it is sealed under a key that is not here.
    package var assets: [PayloadID]
    /// Its author's clock.
    package var time: HybridTime
    /// Bytes that it takes.
    package var byteCount: UInt64
}
