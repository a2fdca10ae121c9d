import Capabilities
import Records
package import Wire

/// A device's statement about a message that it has: a record of its own, which is deleted with the message's.
///
/// | field | value |
/// |---|---|
/// | `message` | anchor: the message's record |
/// | `device` | string: the device that states it |
/// | `state` | string: ``State`` |
/// | `content_hash` | bytes: the hash of the message's content that it has |
///
/// It is signed like all writes of a device, and only writes by the device itself are effective.
package struct MessageReceipt: Equatable {
    /// The progress of the message; the raw values are protocol.
    enum State: String {
        /// The device has it, and can read it.
        case delivered
        /// An application has finished it.
        case read
        /// The device has it, and cannot open it.
        case failed

        /// The furthest stated progress: a rolled-back store that lost an earlier statement cannot withdraw it.
        fileprivate init?(_ entries: [FieldEntry]) {
            guard let latest = entries.winner.flatMap(Self.init) else { return nil }
            self = entries.lazy.compactMap(Self.init).contains(.read) ? .read : latest
        }

        private init?(_ entry: FieldEntry) {
            guard case .string(let text) = entry.value else { return nil }
            self.init(rawValue: text)
        }
    }

    /// The device that states it.
    let device: DeviceID
    /// The progress of the message.
    let state: State
    /// The name of the message's record.
    let message: String
    /// The hash of the content that the device has, see ``Message/contentHash``.
    let contentHash: Hash

    /// Whether a right lets its holder write receipts of a message, or the message itself.
    /// - Parameters:
    ///   - level: The level of the right.
    ///   - caveats: The caveats that narrow it.
    ///   - type: The type of the record: a receipt, or a message.
    ///   - message: The name of the message's record.
    ///   - wall: The time, in milliseconds since 1970.
    /// - Returns: False where it does not let its holder write, names other types or names, or is not in its time.
    static func isAllowed(
        _ level: AccessLevel,
        _ caveats: Caveats,
        type: String = ReservedType.receipt,
        about message: String,
        at wall: UInt64
    ) -> Bool {
        guard level >= .append, caveats.allows(type: type), caveats.allows(name: message) else { return false }
        // It makes no difference whether it is too early or too late.
        return (try? caveats.checkTime(wall)) != nil
    }

    /// The name of a device's receipt.
    /// - Parameters:
    ///   - message: The name of the message's record.
    ///   - device: The device.
    /// - Returns: The receipt's own.
    package static func name(of message: String, by device: DeviceID) -> String { message + "/" + device.text }

    /// Returns the message for which a record of a given name would be a device's receipt; `nil` for another name.
    static func message(named name: String, by device: DeviceID) -> String? {
        let suffix = "/" + device.text
        guard name.utf8.count > suffix.utf8.count, name.utf8.reversed().starts(with: suffix.utf8.reversed()) else {
            return nil
        }
        return String(name.utf8.dropLast(suffix.utf8.count))
    }

    /// Says something about a message.
    init(message: String, device: DeviceID, state: State, contentHash: Hash) {
        (self.message, self.device, self.state, self.contentHash) = (message, device, state, contentHash)
    }

    /// Reads a record; `nil` for another record, a deleted one, and one in which another device has written.
    /// - Parameters:
    ///   - row: The record.
    ///   - author: The device of an actor that writes in the zone.
    /// - Throws: `.damaged` when the stored bytes are no record's.
    init?(_ row: RecordRow, device author: (ActorID) -> DeviceID?) throws(ReplicaError) {
        guard row.type == ReservedType.receipt, !row.isDeleted else { return nil }
        let body = try row.content()
        guard case .anchor(let message) = body.value("message"),
            let device = body.string("device").flatMap(DeviceID.init(text:)),
            let state = State(body.field(named: "state")?.entries ?? []),
            case .bytes(let hash) = body.value("content_hash"), let contentHash = Hash(hash),
            body.fields.allSatisfy({ $0.entries.allSatisfy { author($0.dot.actor) == device } })
        else { return nil }
        self.init(message: message, device: device, state: state, contentHash: contentHash)
    }

    /// Reads the record of a device's receipt of a message; `nil` for any other record.
    /// - Parameters:
    ///   - row: The record.
    ///   - device: The device.
    ///   - message: The name of the message's record.
    ///   - author: The device of an actor that writes in the zone.
    /// - Throws: `.damaged` when the stored bytes are no record's.
    init?(
        _ row: RecordRow,
        of device: DeviceID,
        about message: String,
        author: (ActorID) -> DeviceID?
    ) throws(ReplicaError) {
        guard let receipt = try Self(row, device: author), receipt.device == device,
            receipt.message.isBytewiseEqual(to: message)
        else { return nil }
        self = receipt
    }

    /// The write that states it.
    var write: RecordWrite {
        RecordWrite(
            name: Self.name(of: message, by: device),
            type: ReservedType.receipt,
            set: [
                .init(field: "message", value: .anchor(record: message)),
                .init(field: "device", value: .string(device.text)),
                .init(field: "state", value: .string(state.rawValue)),
                .init(field: "content_hash", value: .bytes(contentHash.bytes)),
            ],
            // Statements of an earlier lifetime of this store are not kept beside this.
            resolve: true
        )
    }
}

extension MessageRow {
    /// The state to report in a receipt; `nil` for a message that needs none.
    var receiptState: MessageReceipt.State? {
        switch state {
        case .waiting: .delivered
        case .finished: .read
        case .failed: .failed
        case .sent, .forOthers, .earlier, .fetching: nil
        }
    }
}
