package import Queries
package import Records
package import Wire

/// A node's store in memory: the store of nodes in the simulator, and the reference for durable stores.
///
/// A value: a copy taken before a transaction is the rollback of that transaction, and a copy kept somewhere is an image of
/// the disk. Two stores that were asked for the same in the same order are equal in all that they answer.
package struct MemoryStore: NodeTransaction, Sendable {
    /// The rows of the replica alone.
    package internal(set) var replica = MemoryReplica()
    /// The keys of epochs that are open in the process that uses the store; not part of its content.
    package var keyring: EpochKeyring {
        get { replica.keyring }
        set { replica.keyring = newValue }
    }
    /// The bounds on control logs; not part of its content.
    package var controlBounds: ControlBudget.Bounds {
        get { replica.controlBounds }
        set { replica.controlBounds = newValue }
    }
    private let identity: [UInt8]
    private var feed = MemoryFeed()
    private var names: [ZoneID: MemoryNames] = [:]
    private var byteCounts: [ZoneID: Int] = [:]
    private var reserved: [ZoneID: ReservedTotals] = [:]
    private var conflicted: [ZoneID: Set<RecordTag>] = [:]
    private var entries: [[UInt8]] = []
    private var peerRows: [DeviceID: PeerRow] = [:]
    private var acknowledged: [ZoneID: [DeviceID: [LogKey: UInt64]]] = [:]
    private var values: [BytewiseString: [UInt8]] = [:]
    private var indexes: [BytewiseString: [FieldIndex]] = [:]
    private(set) var messageRows: [MessageID: MessageRow] = [:]
    private var prekeyRows: [PrekeyID: PrekeyRow] = [:]
    var payloads = MemoryPayloads()
    var assets = MemoryAssets()
    var evicting = MemoryEvictions()
    var links: [PayloadID: [LinkedPlace: AssetLinkRow]] = [:]
    /// The files beneath the roots of the device; not part of the store's content.
    package var linkedFiles: any LinkedFiles = NoLinkedFiles()
    private var post = MemoryPost()
    var notes = MemoryNotes()

    /// Makes an empty store.
    /// - Parameter feedIdentity: 16 bytes that no other store has.
    package init(feedIdentity: [UInt8]) {
        identity = feedIdentity
    }

    /// Every record of a zone, deleted ones included, ascending by tag.
    /// - Parameter zone: The zone.
    /// - Returns: The rows.
    package func allRecords(zone: ZoneID) -> [RecordRow] { replica.allRecords(zone: zone) }

    // MARK: Records as readers see them

    package func records(zone: ZoneID, after name: String?, limit: Int) throws -> RecordPage {
        guard limit > 0, let names = names[zone] else { return RecordPage(records: [], more: false) }
        let (tags, more) = names.tags(after: name, limit: limit)
        return RecordPage(records: try tags.map { try known($0, zone: zone) }, more: more)
    }

    package func query(
        _ query: Query,
        zone: ZoneID,
        after position: QueryPosition?,
        limit: Int
    ) throws -> QueryPage {
        if let container = try replica.zone(zone)?.genesis.container {
            try query.checkSearchable(indexes[BytewiseString(container)] ?? [])
        }
        var selection = QuerySelection<RecordRow>(query, after: position, limit: limit)
        for row in replica.allRecords(zone: zone) where !row.isDeleted {
            selection.offer(QueryRecord(try row.content(), modifiedMilliseconds: row.time.milliseconds), row)
        }
        return QueryPage(selection) { $0 }
    }

    package func fieldIndexes(container: String) throws -> [FieldIndexStatus] {
        (indexes[BytewiseString(container)] ?? []).map { FieldIndexStatus(index: $0, isReady: true) }
    }

    package mutating func setFieldIndexes(_ indexes: [FieldIndex], container: String) throws {
        let container = BytewiseString(container)
        var kept = (self.indexes[container] ?? []).filter(indexes.contains)
        for index in indexes where !kept.contains(index) { kept.append(index) }
        self.indexes[container] = kept.isEmpty ? nil : kept
    }

    package mutating func buildFieldIndexes(limit: Int) throws -> Bool { false }

    package func operation(zone: ZoneID, tag: RecordTag, version: RecordVersion) throws -> StoredOperation? {
        try replica.operations(zone: zone, tags: [tag], states: [.live, .superseded])
            .first { RecordVersion($0.operation.header.vector) == version }
    }

    package func recordCount(zone: ZoneID) throws -> UInt64 { UInt64(names[zone]?.count ?? 0) }

    package func recordByteCount(zone: ZoneID) throws -> UInt64 { UInt64(byteCounts[zone] ?? 0) }

    package func reservedTotals(zone: ZoneID) throws -> ReservedTotals { reserved[zone] ?? ReservedTotals() }

    package func conflictedRecords(zone: ZoneID?, limit: Int) throws -> [RecordRow] {
        let zones = zone.map { [$0] } ?? conflicted.keys.sorted()
        var rows: [RecordRow] = []
        for zone in zones {
            for tag in (conflicted[zone] ?? []).sorted() {
                guard rows.count < limit else { return rows }
                rows.append(try known(tag, zone: zone))
            }
        }
        return rows
    }

    package func conflictedRecords(zone: ZoneID, after tag: RecordTag, limit: Int) throws -> [RecordRow] {
        try (conflicted[zone] ?? []).filter { $0 > tag }.sorted().prefix(limit).map { try known($0, zone: zone) }
    }

    package func changes(zone: ZoneID?, after position: UInt64, limit: Int) throws -> [ChangeRow] {
        try feed.places(zone: zone, after: position, limit: limit).map { place in
            try change(at: place)
        }
    }

    package func changes(
        zones: [ZoneID],
        after: UInt64,
        through: UInt64,
        limit: Int,
        byteCount: Int
    ) throws -> [ChangeRow] {
        var rows: [ChangeRow] = []
        var sum = 0
        for place in feed.places(zones: Set(zones), after: after, through: through, limit: limit) {
            let row = try change(at: place)
            rows.append(row)
            sum += row.record.body.count
            if sum >= byteCount { break }
        }
        return rows
    }

    package mutating func takePosition() throws -> UInt64 { feed.take() }

    package func newestPosition() throws -> UInt64 { feed.newestPosition }

    package func feedIdentity() throws -> [UInt8] { identity }

    private func change(at place: MemoryFeed.Place) throws -> ChangeRow {
        ChangeRow(
            position: place.position,
            record: try known(place.tag, zone: place.zone),
            bySync: place.bySync,
            isRetyped: place.isRetyped
        )
    }

    private func known(_ tag: RecordTag, zone: ZoneID) throws -> RecordRow {
        guard let row = try replica.record(zone: zone, tag: tag) else {
            throw StorageError(code: .corrupt, message: "an index names a record that is not there")
        }
        return row
    }

    package mutating func save(_ records: [RecordRow], bySync: Bool) throws {
        // Before anything changes: a refused record leaves no trace.
        for record in records { try record.requireStorable() }
        try index(records)
        for record in records {
            feed.append(zone: record.zone, tag: record.tag, bySync: bySync, isMessage: Inbox.takes(record))
        }
        // The feed is kept here; the replica's own would grow with each change for ever.
        try replica.saveUnchanged(records)
    }

    package mutating func saveUnchanged(_ records: [RecordRow]) throws {
        for record in records { try record.requireStorable() }
        try index(records)
        try replica.saveUnchanged(records)
    }

    /// Moves records in the indexes from their stored to their new state, before that is stored.
    private mutating func index(_ records: [RecordRow]) throws {
        // The records that earlier rows of the same call leave behind; none of them is stored yet.
        var earlier: [ZoneID: [RecordTag: RecordRow]] = [:]
        for record in records {
            let (zone, tag) = (record.zone, record.tag)
            defer { if records.count > 1 { earlier[zone, default: [:]][tag] = record } }
            let old = try earlier[zone]?[tag] ?? replica.record(zone: zone, tag: tag)
            assets.replace(old, by: record)
            if let old {
                if !old.isDeleted {
                    names[zone]?.remove(old.name, tag: tag)
                    byteCounts[zone, default: 0] -= old.visibleByteCount
                    reserved[zone]?.remove(old)
                }
                if !old.type.isBytewiseEqual(to: record.type) { feed.retype(zone: zone, tag: tag) }
            }
            if !record.isDeleted {
                names[zone, default: MemoryNames()].insert(record.name, tag: tag)
                byteCounts[zone, default: 0] += record.visibleByteCount
                reserved[zone, default: ReservedTotals()].add(record)
            }
            if try !ReservedType.isReserved(record.type) && record.hasConflict() {
                conflicted[zone, default: []].insert(tag)
            } else {
                conflicted[zone]?.remove(tag)
            }
        }
    }

    // MARK: State of the node beside the replica

    package func accountEntries() throws -> [[UInt8]] { entries }

    package mutating func appendAccountEntries(_ entries: [[UInt8]]) throws {
        self.entries += entries
    }

    package mutating func removeAccountEntries() throws {
        entries = []
    }

    package func peers() throws -> [PeerRow] { peerRows.values.sorted { $0.device < $1.device } }

    package mutating func save(_ peer: PeerRow) throws {
        peerRows[peer.device] = try peer.storable().replacing(peerRows[peer.device])
    }

    package func acknowledgements(zone: ZoneID) throws -> [AcknowledgementRow] {
        acknowledgements(zone: zone, since: nil)
    }

    /// Returns the acknowledgements in a zone that an earlier state of the store lacks.
    /// - Parameters:
    ///   - zone: The zone.
    ///   - earlier: The earlier state; nil = an empty store.
    /// - Returns: The new rows, and those whose size has grown, ascending by device and log.
    /// - Complexity: O(devices + logs of those that have acknowledged something since).
    package func acknowledgements(zone: ZoneID, since earlier: MemoryStore?) -> [AcknowledgementRow] {
        var rows: [AcknowledgementRow] = []
        for (device, sizes) in acknowledged[zone] ?? [:] {
            let before = earlier?.acknowledged[zone]?[device] ?? [:]
            // A dictionary that was not touched is still the same storage, so this costs nothing.
            if before == sizes { continue }
            for (key, size) in sizes where before[key].map({ size > $0 }) ?? true {
                rows.append(AcknowledgementRow(device: device, key: key, size: size))
            }
        }
        return rows.sorted { ($0.device, $0.key) < ($1.device, $1.key) }
    }

    package mutating func save(_ acknowledgements: [AcknowledgementRow]) throws {
        for row in acknowledgements.map(\.storable) {
            let known = acknowledged[row.key.zone]?[row.device]?[row.key]
            if let known, known >= row.size { continue }
            acknowledged[row.key.zone, default: [:]][row.device, default: [:]][row.key] = row.size
        }
    }

    package func messageChanges(after position: UInt64, limit: Int) throws -> [ChangeRow] {
        try feed.messages(after: position, limit: limit).map { try change(at: $0) }
    }

    package func message(_ id: MessageID) throws -> MessageRow? { messageRows[id] }

    package func messages(zone: ZoneID, after number: UInt64, limit: Int) throws -> [MessageRow] {
        messages(limit) { $0.zone == zone && $0.number > number }
    }

    package func waitingMessages(after number: UInt64, limit: Int) throws -> [MessageRow] {
        messages(limit) { $0.state == .waiting && $0.number > number }
    }

    package func messages(zone: ZoneID, of section: ReceiptSection, limit: Int) throws -> [MessageRow] {
        let found = messageRows.values.filter { $0.zone == zone && ReceiptSection(of: $0.place) == section }
        return Array(
            found.sorted { ($0.place.counter, $0.number) < ($1.place.counter, $1.number) }.prefix(limit)
        )
    }

    package func zonesOwingAnswers() throws -> [ZoneID] {
        Set(messageRows.values.filter(\.owesAnswer).map(\.zone)).sorted()
    }

    package func messagesOwingAnswers(zone: ZoneID, onlySent: Bool, limit: Int) throws -> [MessageRow] {
        messages(limit) { $0.owesAnswer && $0.zone == zone && ($0.state == .sent || !onlySent) }
    }

    package func heldMessages(since times: ClosedRange<UInt64>, limit: Int) throws -> [MessageRow] {
        let held = messageRows.values.filter { row in row.heldSince.map { times.contains($0) } ?? false }
        return Array(held.sorted { ($0.heldSince ?? 0, $0.number) < ($1.heldSince ?? 0, $1.number) }.prefix(limit))
    }

    package func expiredMessages(at milliseconds: UInt64, limit: Int) throws -> [MessageRow] {
        let over = messageRows.values.filter { $0.expires.map { $0 <= milliseconds } ?? false }
        return Array(over.sorted { ($0.expires ?? 0, $0.number) < ($1.expires ?? 0, $1.number) }.prefix(limit))
    }

    private func messages(_ limit: Int, where isWanted: (MessageRow) -> Bool) -> [MessageRow] {
        Array(messageRows.values.filter(isWanted).sorted { $0.number < $1.number }.prefix(limit))
    }

    package mutating func save(_ message: MessageRow) throws {
        let message = try message.storable()
        guard !messageRows.values.contains(where: { $0.number == message.number && $0.id != message.id }) else {
            throw Self.givenTwice("the number of a message")
        }
        messageRows[message.id] = message
    }

    /// The error for a value that another row has, of which there is to be one.
    private static func givenTwice(_ what: String) -> StorageError {
        StorageError(code: .misuse, message: "\(what) is given twice")
    }

    package mutating func removeMessage(_ id: MessageID) throws { messageRows[id] = nil }

    package func failedMessageCount() throws -> Int { messageRows.values.count { $0.state == .failed } }

    package func prekey(_ id: PrekeyID) throws -> PrekeyRow? { prekeyRows[id] }

    package func presentPrekey(zone: ZoneID) throws -> PrekeyRow? {
        prekeyRows.values.first { $0.zone == zone && $0.superseded == nil }
    }

    package func prekeys(supersededBy milliseconds: UInt64, limit: Int) throws -> [PrekeyRow] {
        let over = prekeyRows.values.filter { $0.superseded.map { $0 <= milliseconds } ?? false }
        return Array(over.sorted { ($0.superseded ?? 0, $0.id) < ($1.superseded ?? 0, $1.id) }.prefix(limit))
    }

    package mutating func save(_ prekey: PrekeyRow) throws {
        let prekey = prekey.storable
        if prekey.superseded == nil, let present = try presentPrekey(zone: prekey.zone), present.id != prekey.id {
            throw Self.givenTwice("the place of a zone's present prekey")
        }
        prekeyRows[prekey.id] = prekey
    }

    package mutating func removePrekey(_ id: PrekeyID) throws { prekeyRows[id] = nil }

    package func payload(_ id: PayloadID) throws -> PayloadRow? { payloads.rows.values.first { $0.id == id } }

    package func payload(number: UInt64) throws -> PayloadRow? { payloads.rows[number] }

    package func wantedPayloads(after number: UInt64, limit: Int) throws -> [PayloadRow] {
        payloads.rows(limit) { $0.state == .wanted && $0.number > number }
    }

    package func arrivingByteCounts() throws -> [ZoneID: UInt64] {
        payloads.rows.values.reduce(into: [:]) { counts, row in
            guard row.state == .wanted, payloads.chunks[row.number]?.isEmpty == false else { return }
            counts[row.zone, default: 0] += row.byteCount
        }
    }

    package func handedInByteCounts() throws -> [ZoneID: UInt64] {
        payloads.rows.values.reduce(into: [:]) { counts, row in
            guard row.isHandedIn else { return }
            counts[row.zone, default: 0] += max(row.byteCount, Payloads.handedInByteCountMin)
        }
    }

    package mutating func save(_ payload: PayloadRow) throws {
        let payload = try payload.storable()
        if let id = payload.id, let other = try self.payload(id), other.number != payload.number {
            throw Self.givenTwice("the id of a payload")
        }
        payloads.rows[payload.number] = payload
    }

    package mutating func removePayload(number: UInt64) throws { payloads.rows[number] = nil }

    package func chunk(of payload: UInt64, at position: UInt64) throws -> ChunkRow? {
        payloads.chunks[payload]?[position]
    }

    /// No bytes are left in the memory of a chunk that is not here.
    package func unheldBytes(of payload: UInt64, at position: UInt64, count: Int) throws -> [UInt8]? { nil }

    package func chunkHashes(of payload: UInt64) throws -> [Hash] { payloads.chunks(of: payload).map(\.hash) }

    package func missingChunks(of payload: UInt64, limit: Int) throws -> [UInt64] {
        Array(payloads.chunks(of: payload).filter { $0.bytes == nil }.map(\.position).prefix(limit))
    }

    package func chunkCounts(of payload: UInt64) throws -> (present: Int, all: Int) {
        let chunks = payloads.chunks(of: payload)
        return (chunks.count { $0.bytes != nil }, chunks.count)
    }

    package mutating func save(_ chunk: ChunkRow, of payload: UInt64) throws {
        let chunkByteCount = payloads.rows[payload]?.chunkByteCount ?? Limits.chunkByteCount
        try chunk.requireStorable(of: payload, chunkByteCount: chunkByteCount)
        payloads.chunks[payload, default: [:]][chunk.position] = chunk
    }

    package mutating func removeChunks(of payload: UInt64, limit: Int) throws -> Bool {
        payloads.removeChunks(of: payload, limit: limit)
    }

    package func messages(with payload: PayloadID) throws -> [MessageRow] {
        messages(.max) { $0.payload == payload }
    }

    package func unsettledMessages(limit: Int) throws -> [MessageRow] {
        messages(limit) { $0.state == .sent && $0.payload != nil && !$0.isSettled }
    }

    package func postedParcels(on relay: RelayID?, limit: Int) throws -> [PostedParcelRow] {
        Array(post.parcels.lazy.filter { relay == nil || $0.relay == relay }.prefix(limit))
    }

    package mutating func save(_ parcel: PostedParcelRow) throws { post.save(try parcel.storable()) }

    package mutating func remove(_ parcel: PostedParcelRow) throws { post.remove(parcel) }

    package func postedSizes(for device: DeviceID, zone: ZoneID) throws -> [LogKey: UInt64] {
        (post.sizes[device] ?? [:]).filter { $0.key.zone == zone }
    }

    package mutating func setPostedSize(_ size: UInt64, of log: LogKey, for device: DeviceID) throws {
        post.sizes[device, default: [:]][log] = size.storable
    }

    package func value(named name: String) throws -> [UInt8]? { values[BytewiseString(name)] }

    package mutating func setValue(_ value: [UInt8]?, named name: String) throws {
        values[BytewiseString(name)] = value
    }
}

extension RecordRow {
    /// Whether any field has concurrent unequal values.
    fileprivate func hasConflict() throws -> Bool {
        guard !isDeleted, context.entries.count > 1 else { return false }
        return try content().fields.contains { field in
            guard let first = field.entries.first else { return false }
            return field.entries.dropFirst().contains { $0.value != first.value }
        }
    }
}

extension ReservedTotals {
    fileprivate mutating func add(_ record: RecordRow) {
        guard ReservedType.isReserved(record.type) else { return }
        count += 1
        byteCount += UInt64(record.visibleByteCount)
        if record.isMessage { messageByteCount += UInt64(record.visibleByteCount) }
    }

    fileprivate mutating func remove(_ record: RecordRow) {
        guard ReservedType.isReserved(record.type) else { return }
        count -= 1
        byteCount -= UInt64(record.visibleByteCount)
        if record.isMessage { messageByteCount -= UInt64(record.visibleByteCount) }
    }
}

extension RecordRow {
    fileprivate var isMessage: Bool { type.isBytewiseEqual(to: ReservedType.message) }
}
