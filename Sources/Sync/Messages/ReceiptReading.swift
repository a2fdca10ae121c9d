package import Records
package import Wire

/// The receipts in a zone as one transaction has them; each record is read once.
///
/// A value is valid as long as the transaction writes no receipts.
package struct ReceiptReading {
    private struct Place: Hashable {
        let device: DeviceID
        let section: ReceiptSection
    }

    let zone: ZoneID
    /// Returns the device of an actor that writes in the zone.
    let author: (ActorID) -> DeviceID?
    private let actors: [DeviceID: [ActorID]]
    private var known: [Place: [ReceiptSubject: MessageReceipts.State]] = [:]

    /// Looks up the actors that write in a zone.
    /// - Parameters:
    ///   - zone: The zone.
    ///   - transaction: The store.
    /// - Throws: Any error of the store.
    /// - Complexity: O(logs).
    package init(_ zone: ZoneID, in transaction: some NodeTransaction) throws {
        let rows = try transaction.logs(zone: zone)
        let devices = Dictionary(rows.map { ($0.key.actor, $0.device) }) { first, _ in first }
        var actors: [DeviceID: [ActorID]] = [:]
        for (actor, device) in devices.sorted(by: { $0.key < $1.key }) { actors[device, default: []].append(actor) }
        self.zone = zone
        self.actors = actors
        author = { devices[$0] }
    }

    /// The records in which a device states receipts about a section, whether they are effective or not: one of each
    /// of its actors that has written one, in the order of the actors.
    /// - Parameters:
    ///   - device: The device that has the messages.
    ///   - section: The section in which they were made.
    ///   - transaction: The store.
    /// - Returns: The records.
    /// - Throws: `ReplicaError.unknownZone`, or an error of the store.
    package func records(
        of device: DeviceID,
        about section: ReceiptSection,
        in transaction: some NodeTransaction
    ) throws -> [RecordRow] {
        try (actors[device] ?? []).compactMap { actor in
            let name = ReceiptName(writer: actor, section: section)
            let tag = try RecordTag(of: name.text, zone: zone, in: transaction)
            return try transaction.record(zone: zone, tag: tag)
        }
    }

    /// The progress of the messages of a section on a device, as it has stated it from whichever incarnation of its
    /// store.
    mutating func states(
        of device: DeviceID,
        about section: ReceiptSection,
        in transaction: some NodeTransaction
    ) throws -> [ReceiptSubject: MessageReceipts.State] {
        let place = Place(device: device, section: section)
        if let states = known[place] { return states }
        var entries: [FieldEntry] = []
        for record in try records(of: device, about: section, in: transaction) {
            entries += try MessageReceipts(record, device: author)?.entries ?? []
        }
        let states = MessageReceipts.states(entries)
        known[place] = states
        return states
    }

    /// The stated progress of a message on a device.
    /// - Parameters:
    ///   - device: The device.
    ///   - id: The message.
    ///   - place: The write that made the message's record.
    ///   - transaction: The store.
    /// - Returns: The state; `nil` where the device has stated none.
    /// - Throws: `ReplicaError`, or an error of the store.
    mutating func state(
        of device: DeviceID,
        about id: MessageID,
        madeBy place: Dot,
        in transaction: some NodeTransaction
    ) throws -> MessageReceipts.State? {
        try states(of: device, about: ReceiptSection(of: place), in: transaction)[ReceiptSubject(id, madeBy: place)]
    }
}
