package import Records
package import Wire

/// A device's key for sealing messages in a zone: a record of its own.
///
/// A key that was used is followed by another one after a day.
///
/// | field | value |
/// |---|---|
/// | `device` | string: the device that states it |
/// | `key` | bytes: an encapsulation key |
///
/// It is signed like all writes of a device, and only writes by the device itself are effective. A write by another
/// device makes others seal to the key of the device's certificate instead.
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
            case .bytes(let key) = body.value("key"),
            body.fields.allSatisfy({ $0.entries.allSatisfy { author($0.dot.actor) == device } })
        else { return nil }
        self.init(device: device, key: key)
    }

    /// The write that states it.
    var write: RecordWrite {
        RecordWrite(
            name: Self.name(of: device),
            type: ReservedType.prekey,
            set: [
                .init(field: "device", value: .string(device.text)), .init(field: "key", value: .bytes(key)),
            ],
            replaceAll: true,
            resolve: true
        )
    }
}
