package import Records
package import Wire

/// What a device wants messages in a zone to be sealed to: a record of its own, with a key that is followed by another one a day
/// after it was used.
///
/// | field | value |
/// |---|---|
/// | `device` | string: the device that states it |
/// | `key` | bytes: an encapsulation key |
///
/// It is signed as all that a device writes is, and only what the device itself wrote counts. Somebody else who writes in it
/// makes others seal to the key of the device's certificate instead.
package struct Prekey: Equatable {
    /// What the names of the records begin with.
    static let namePrefix = "prekey/"

    /// The device that states it.
    package let device: DeviceID
    /// The key; it may be none.
    package let key: [UInt8]

    /// Its id.
    var id: PrekeyID { PrekeyID(key: key) }

    /// The name of a device's record.
    package static func name(of device: DeviceID) -> String { namePrefix + device.text }

    /// States a key.
    init(device: DeviceID, key: [UInt8]) {
        (self.device, self.key) = (device, key)
    }

    /// Reads what a record says; `nil` for another record, a deleted one, and what another device has written in.
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
