import Identity
import Records
import Sodium
import Sync
import Wire

/// Makes operations that state a record of other devices with other values, under the dots that these devices' values
/// have.
///
/// They break no rule of operations: their author may write the record, has seen all that they name, and states the
/// whole record, as each operation does. Only readers that compare the values with a signature see through them.
struct StatementForger {
    /// The state in which an operation leaves a record.
    private struct Forgery {
        var body: RecordBody
        /// All operations of the record that the author claims to have seen.
        var context: VersionVector
        /// The write that made the record.
        var creation: Dot
    }

    private let committer: Committer
    private let store: MemoryStore
    private var random: SeededGenerator

    /// Works within one transaction.
    init(_ committer: Committer, in store: MemoryStore, seed: UInt64) {
        (self.committer, self.store) = (committer, store)
        random = SeededGenerator(seed: seed)
    }

    /// Makes the next operation of this device's log in a zone.
    /// - Parameter misdeed: The kind of record.
    /// - Returns: The run with the operation; `nil` where no zone has such a record of other devices.
    /// - Throws: Errors of the store.
    mutating func run(_ misdeed: Misdeed) throws -> Run? {
        let zones = try store.zones().filter { $0.state == .live && !$0.isInternal }
        for zone in zones.shuffled(using: &random) {
            if let forgery = try forgery(misdeed, in: zone) { return try run(stating: forgery, in: zone) }
        }
        return nil
    }

    private mutating func forgery(_ misdeed: Misdeed, in zone: ZoneRow) throws -> Forgery? {
        switch misdeed {
        case .altersMessage: try alteredMessage(in: zone)
        case .repeatsMessage: try repeatedMessage(in: zone)
        case .altersReceipts: try alteredReceipts(in: zone)
        case .altersPrekey: try alteredPrekey(in: zone)
        case .altersAnnouncement: try alteredAnnouncement(in: zone)
        default: nil
        }
    }

    // MARK: Messages

    /// A message of another device with a text of this device's own.
    private mutating func alteredMessage(in zone: ZoneRow) throws -> Forgery? {
        guard let row = try message(in: zone) else { return nil }
        return try Forgery(body: altered(row), context: row.context, creation: row.creation)
    }

    /// The message of another device once more, as another record, whose name the sender has not chosen.
    private mutating func repeatedMessage(in zone: ZoneRow) throws -> Forgery? {
        guard let row = try message(in: zone) else { return nil }
        var body = if random.chance(0.5) { try altered(row) } else { stating(try row.content()) }
        body.name = "message/" + Hexadecimal.encode(random.bytes(MessageID.byteCount))
        return Forgery(body: body, context: row.context, creation: row.creation)
    }

    /// A message that no operation of this device has changed yet.
    private mutating func message(in zone: ZoneRow) throws -> RecordRow? {
        let authors = try authors(in: zone.id)
        let rows = store.allRecords(zone: zone.id).filter { row in
            isShown(row, ReservedType.message)
                && row.vector.entries.allSatisfy { dot in authors[dot.actor].map { $0 != committer.device } ?? false }
        }
        return random.element(of: rows)
    }

    private mutating func altered(_ row: RecordRow) throws -> RecordBody {
        let body = try row.content()
        guard let sender = body.field(named: "sender")?.winner else { return stating(body) }
        let replaced: Set<String> = ["content", "sealed", "envelopes", "payload", "size"]
        let text = FieldValue.string("forged \(random.next())")
        let content = RecordField(name: "content", entries: [entry(text, like: sender)])
        return stating(body, body.fields.filter { !replaced.contains($0.name) } + [content])
    }

    // MARK: Receipts

    /// The receipts of another device about messages of a third one, saying that one of these was read.
    private mutating func alteredReceipts(in zone: ZoneRow) throws -> Forgery? {
        guard let message = try message(in: zone), let sender = try authors(in: zone.id)[message.creation.actor] else {
            return nil
        }
        let logs = try store.logs(zone: zone.id).filter { row in
            row.key.lane == .data && row.appliedSize > 0 && row.device != sender && row.device != committer.device
        }
        guard let log = random.element(of: logs) else { return nil }
        let section = ReceiptSection(of: message.creation)
        let name = "message/receipt/\(log.key.actor.text)/\(section.actor.text)/\(section.number)"
        let tag = try RecordTag(of: name, zone: zone.id, in: store)
        let known = try store.record(zone: zone.id, tag: tag)
        let first = Dot(actor: log.key.actor, counter: 1)
        let time = HybridTime(milliseconds: committer.wallMilliseconds)
        let before = try known?.content().field(named: "states")?.winner
        let offset = UInt8(truncatingIfNeeded: message.creation.counter % ReceiptSection.counterCount)
        let mark = MessageID(zone: zone.id, tag: message.tag).bytes.prefix(4)
        // One statement: the message was read.
        let list: [UInt8] = [1, offset] + mark + [3]
        let signed = place(zone.id, tag) + list
        let value = FieldValue.bytes(signature(signed, .receiptsSignature, before?.value) + list)
        let states =
            before.map { entry(value, like: $0) } ?? FieldEntry(dot: known?.creation ?? first, time: time, value: value)
        var context = known?.context ?? VersionVector()
        context.merge(first)
        let body = RecordBody(
            name: name,
            type: ReservedType.receipt,
            isDeleted: false,
            parent: nil,
            creator: log.device,
            modifier: committer.device,
            fields: [RecordField(name: "states", entries: [states])]
        )
        return Forgery(body: body, context: context, creation: known?.creation ?? first)
    }

    // MARK: Prekeys

    /// A key of this device's own in place of another device's prekey.
    private mutating func alteredPrekey(in zone: ZoneRow) throws -> Forgery? {
        let own = committer.device.text
        let rows = try store.allRecords(zone: zone.id).filter { row in
            guard isShown(row, ReservedType.prekey) else { return false }
            return try row.content().field(named: "device")?.winner.map { $0.value != .string(own) } ?? false
        }
        guard let row = random.element(of: rows) else { return nil }
        let body = try row.content()
        guard let before = body.field(named: "key")?.winner else { return nil }
        let key = try StandInEnvelopes().encapsulationKey(seed: random.bytes(32))
        let signed = place(zone.id, row.tag) + key
        let value = FieldValue.bytes(signature(signed, .prekeySignature, before.value) + key)
        let field = RecordField(name: "key", entries: [entry(value, like: before)])
        let fields = body.fields.filter { $0.name != field.name } + [field]
        return Forgery(body: stating(body, fields), context: row.context, creation: row.creation)
    }

    // MARK: Relays

    /// A relay that does not exist, in the announcement of another account, beside those that it announces or in place
    /// of them.
    private mutating func alteredAnnouncement(in zone: ZoneRow) throws -> Forgery? {
        let own = FieldValue.string(committer.account.account.text)
        let rows = try store.allRecords(zone: zone.id).filter { row in
            guard isShown(row, ReservedType.relays) else { return false }
            return try row.content().field(named: "account")?.winner.map { $0.value != own } ?? false
        }
        guard let row = random.element(of: rows) else { return nil }
        let body = try row.content()
        guard let account = body.field(named: "account"), let stated = account.winner else { return nil }
        let link = try RelayLink(
            relay: RelayID(random.digest()),
            channelSecret: random.bytes(RelayLink.secretByteCount),
            admissionSecret: random.bytes(RelayLink.secretByteCount),
            addresses: ["forged.example:1"]
        )
        let bytes = link.exportBytes()
        let signed = place(zone.id, row.tag) + bytes
        let others = body.fields.filter { $0.name != account.name }
        let value = FieldValue.bytes(signature(signed, .relaysSignature, others.first?.winner?.value) + bytes)
        let relay = RecordField(name: link.relay.text, entries: [entry(value, like: stated)])
        let fields = (random.chance(0.5) ? others : []) + [account, relay]
        return Forgery(body: stating(body, fields), context: row.context, creation: row.creation)
    }

    // MARK: Parts

    private func authors(in zone: ZoneID) throws -> [ActorID: DeviceID] {
        Dictionary(try store.logs(zone: zone).map { ($0.key.actor, $0.device) }) { first, _ in first }
    }

    private func isShown(_ row: RecordRow, _ type: String) -> Bool {
        row.type == type && !row.isDeleted && !row.isLocked
    }

    /// The bytes that stand in front of a statement where a device signs it for a record.
    private func place(_ zone: ZoneID, _ tag: RecordTag) -> [UInt8] { zone.bytes + tag.bytes }

    /// 64 bytes in place of a signature: this device's own one, that of the value before, or any.
    private mutating func signature(_ signed: [UInt8], _ purpose: ContextString, _ before: FieldValue?) -> [UInt8] {
        if random.chance(0.5) { return committer.keys.sign(signed, context: purpose).bytes }
        guard case .bytes(let bytes)? = before, bytes.count >= Signature64.byteCount else {
            return random.bytes(Signature64.byteCount)
        }
        return Array(bytes.prefix(Signature64.byteCount))
    }

    private func entry(_ value: FieldValue, like other: FieldEntry) -> FieldEntry {
        FieldEntry(dot: other.dot, time: other.time, value: value)
    }

    /// A body with other fields, as a write of this device.
    private func stating(_ body: RecordBody, _ fields: [RecordField]? = nil) -> RecordBody {
        RecordBody(
            name: body.name,
            type: body.type,
            isDeleted: false,
            parent: body.parent,
            creator: body.creator,
            modifier: committer.device,
            fields: fields ?? body.fields,
            unknownExtension: body.unknownExtension
        )
    }

    // MARK: The operation

    private mutating func run(stating forgery: Forgery, in zone: ZoneRow) throws -> Run? {
        guard let incarnation = try store.incarnation(), case .epoch(let epoch) = zone.sealing,
            let epochKey = store.keyring.key(epoch)
        else { return nil }
        let actor = ActorID(device: committer.device, incarnation: incarnation, right: zone.right)
        let key = LogKey(zone: zone.id, actor: actor, lane: .data)
        let row = try store.log(key)
        var frontier = row?.frontier ?? TreeFrontier()
        let from = frontier.size
        let own = Dot(actor: actor, counter: from + 1)
        var vector = forgery.context
        vector.merge(own)
        var header = OperationHeader(
            counter: own.counter,
            tag: try RecordTag(of: forgery.body.name, zone: zone.id, in: store),
            vector: vector,
            creation: forgery.creation,
            controlHeads: .zero,
            epoch: epoch,
            time: HybridTime(milliseconds: committer.wallMilliseconds),
            batch: .single,
            bodyHash: .zero
        )
        let entropy = TransactionEntropy(using: &random)
        let sealer = BodySealer(zone: zone.id, epoch: epoch, key: epochKey, entropy: entropy)
        let sealed = sealer.seal(forgery.body.encoded, isTombstone: false, header: header, actor: actor)
        header.bodyHash = Operation.bodyHash(sealed)
        frontier.append(header.leafHash)
        let head = TreeHead(
            zone: zone.id,
            device: committer.device,
            incarnation: incarnation,
            lane: .data,
            size: frontier.size,
            root: frontier.root,
            right: zone.right,
            seen: try seen(in: zone.id, except: key)
        )
        let signed = SignedTreeHead(head, signature: committer.keys.sign(head.encoded, context: .treeHead))
        let operation = Operation(header: header, body: sealed)
        return Run(signedHead: signed, from: from, checkpoint: .zero, items: [.operation(operation)])
    }

    /// All operations of other logs that the store has applied, and those that the log's last head names.
    private func seen(in zone: ZoneID, except key: LogKey) throws -> VersionVector {
        var seen = VersionVector()
        for row in try store.logs(zone: zone) where row.key.lane == .data && row.key.actor != key.actor {
            seen[row.key.actor] = row.appliedSize
        }
        if let size = try store.log(key)?.size, size > 0, let last = try store.head(key, atOrBelow: size) {
            seen.merge(last.signed.head.seen)
        }
        return seen
    }
}

extension SimulatedNode {
    /// States a record of another device with other values.
    ///
    /// The node's own store takes the operation as one of its own, so that the node goes on behind it, and passes it on
    /// as any other.
    /// - Parameters:
    ///   - misdeed: The kind of record.
    ///   - seed: The seed of the forger's randomness.
    func forge(_ misdeed: Misdeed, seed: UInt64) {
        decide("forgery") { committer, random, transaction in
            var forger = StatementForger(committer, in: transaction, seed: seed)
            guard let run = try forger.run(misdeed) else { return CommitNotice() }
            let key = run.signedHead.head.key
            return try RunExchange(committer).apply(run, key: key, random: &random, in: &transaction).notice
        }
    }
}
