import Identity
import Records
import Sodium
import Wire

/// The record in which a device states something, as the device signs it: `zone 32 ‖ tag 32 ‖ statement`.
///
/// The dots of its fields do not show that the device wrote them. An operation states a whole record, so an author
/// repeats the values of others under the dots that these have, and a modified program can give other values the same
/// dots. The signature shows it, whichever device states the record again.
struct StatementPlace {
    private let zone: ZoneID
    private let tag: RecordTag

    /// The place of a statement.
    init(zone: ZoneID, tag: RecordTag) {
        (self.zone, self.tag) = (zone, tag)
    }

    /// The place of the statement that a record holds.
    init(_ row: RecordRow) {
        self.init(zone: row.zone, tag: row.tag)
    }

    /// Signs a statement.
    func signature(over statement: [UInt8], for purpose: ContextString, by keys: DeviceIdentity) -> Signature64 {
        keys.sign(signed(statement), context: purpose)
    }

    /// Whether a device has signed a statement for this place.
    /// - Complexity: one check of an Ed25519 signature.
    func isSigned(
        _ statement: [UInt8],
        _ signature: Signature64,
        for purpose: ContextString,
        by device: DeviceID
    ) -> Bool {
        device.verifyingKey.isValid(signature.signature, over: signed(statement), context: purpose)
    }

    private func signed(_ statement: [UInt8]) -> [UInt8] { zone.bytes + tag.bytes + statement }
}

extension RecordRow {
    /// Whether the visible state is the work of one device: no operation of another device is in its past.
    ///
    /// Then the signature of a statement of this device need not be checked. The vector names the authors of all
    /// operations that make up the state, since each names itself, and all operations that these authors had seen of
    /// the record. So each of them is in a log that the device has signed, and the device made none of them on top of
    /// an operation of another one: neither by a write, nor when it restated operations behind a fork, adopted one, or
    /// wrote its own again after its log was truncated. All of these take over the vector of the operations whose
    /// values they take over.
    /// - Parameters:
    ///   - device: The device.
    ///   - author: The device of an actor that writes in the zone.
    /// - Returns: False also where the vector names an actor whose device is not known.
    /// - Complexity: O(vector).
    func isWorkOf(_ device: DeviceID, _ author: (ActorID) -> DeviceID?) -> Bool {
        isWork(author) { $0 == device }
    }

    /// Whether the visible state is the work of some devices, as ``isWorkOf(_:_:)`` for one: no operation of another
    /// device is in its past.
    /// - Parameters:
    ///   - author: The device of an actor that writes in the zone.
    ///   - isOne: Whether a device is one of them.
    /// - Returns: False also where the vector names an actor whose device is not known.
    /// - Complexity: O(vector).
    func isWork(_ author: (ActorID) -> DeviceID?, ofDevicesWhere isOne: (DeviceID) -> Bool) -> Bool {
        vector.entries.allSatisfy { dot in author(dot.actor).map { isOne($0) } ?? false }
    }
}
