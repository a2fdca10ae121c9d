import Identity
package import Records
import Sodium
package import Wire

/// A device's key for sealing messages in a zone: a record of its own.
///
/// A key that was used is followed by another one after a day.
///
/// | field | value |
/// |---|---|
/// | `device` | string: the device that states it |
/// | `key` | bytes: the device's signature over the key, and an encapsulation key |
///
/// Only a key that the device itself has written is effective. A write by another device makes others seal to the key
/// of the device's certificate instead.
package struct Prekey: Equatable {
    /// The prefix of the names of the records.
    static let namePrefix = "prekey/"

    /// The device that states it.
    package let device: DeviceID
    /// The key; it may be malformed.
    package let key: [UInt8]

    /// Its id.
    var id: PrekeyID { PrekeyID(key: key) }

    /// The name of a device's record.
    package static func name(of device: DeviceID) -> String { namePrefix + device.text }

    /// States a key.
    init(device: DeviceID, key: [UInt8]) {
        (self.device, self.key) = (device, key)
    }

    /// Reads a record; `nil` for another record, a deleted one, and one in which another device has written.
    /// - Parameters:
    ///   - row: The record.
    ///   - author: The device of an actor that writes in the zone.
    /// - Throws: `.damaged` when the stored bytes are no record's.
    package init?(_ row: RecordRow, device author: (ActorID) -> DeviceID?) throws(ReplicaError) {
        guard row.type == ReservedType.prekey, !row.isDeleted else { return nil }
        let body = try row.content()
        guard let device = body.string("device").flatMap(DeviceID.init(text:)),
            case .bytes(let value) = body.value("key"),
            let signature = Signature64(value.prefix(Signature64.byteCount)),
            body.fields.allSatisfy({ $0.entries.allSatisfy { author($0.dot.actor) == device } })
        else { return nil }
        self.init(device: device, key: Self.key(in: value))
        guard
            row.isWorkOf(device, author)
                || StatementPlace(row).isSigned(key, signature, for: .prekeySignature, by: device)
        else { return nil }
    }

    /// The key in the value of the field, behind the signature.
    static func key(in value: [UInt8]) -> [UInt8] { Array(value.dropFirst(Signature64.byteCount)) }

    /// The write that states it.
    /// - Parameters:
    ///   - place: The record.
    ///   - keys: The device's keys.
    /// - Returns: The write.
    func write(in place: StatementPlace, signedBy keys: DeviceIdentity) -> RecordWrite {
        let signature = place.signature(over: key, for: .prekeySignature, by: keys)
        return .statement(
            Self.name(of: device),
            type: ReservedType.prekey,
            [
                .init(field: "device", value: .string(device.text)),
                .init(field: "key", value: .bytes(signature.bytes + key)),
            ]
        )
    }
}
