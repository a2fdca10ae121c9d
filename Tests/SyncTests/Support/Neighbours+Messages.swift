import Identity
import Records
import Sync
import TestSupport
import Testing
import Wire

extension Neighbours {
    static func draft(
        _ text: String,
        _ recipients: [AccountID] = [],
        _ reference: Message.Reference? = nil,
        _ expires: UInt64? = nil
    ) -> SentMessages.Draft {
        SentMessages.Draft(
            content: .text(text),
            contentType: "text/plain",
            recipients: recipients,
            reference: reference,
            expires: expires
        )
    }

    mutating func send(
        _ text: String,
        to recipients: [AccountID] = [],
        about reference: Message.Reference? = nil,
        expires: UInt64? = nil,
        on index: Int,
        zone: ZoneID
    ) throws -> MessageID {
        let draft = Self.draft(text, recipients, reference, expires)
        homes[index].wall += 1
        return try change(index) { try SentMessages($0).send([draft], zone: zone, in: &$2).reply.get()[0].id }
    }

    mutating func refusal(
        of text: String,
        to recipients: [AccountID] = [],
        about reference: Message.Reference? = nil,
        on index: Int,
        zone: ZoneID
    ) throws -> MessageRefusal? {
        let draft = Self.draft(text, recipients, reference, nil)
        do {
            _ = try change(index) { try SentMessages($0).send([draft], zone: zone, in: &$2).reply.get() }
        } catch let refusal as SentMessages.Refusal {
            if case .message(let reason) = refusal.reason { return reason }
            throw refusal
        }
        return nil
    }

    /// Enters and answers on one device.
    mutating func settleInbox(_ index: Int) throws {
        while try change(index, { try Inbox($0).take(in: &$2) }).hasMore {}
        for step in try InboxRound(committer(index)).steps(in: homes[index].store) {
            switch step {
            case .statePrekeys, .answer, .resumeSealing:
                try change(index) { _ = try InboxRound($0).perform(step, in: &$2) }
            case .dropMessages, .dropPrekeys, .dropPayloads: break
            }
        }
    }

    /// Lets all devices exchange everything, enter it and answer, until nothing changes any more.
    mutating func exchangeMessages(_ zone: ZoneID, among indices: [Int]? = nil) throws {
        for _ in 0..<2 {
            try settle(zone, among: indices)
            for index in indices ?? Array(homes.indices) { try settleInbox(index) }
        }
        try settle(zone, among: indices)
    }

    /// Returns the contents of the messages that wait on a device.
    func inbox(_ index: Int) throws -> [String] {
        let store = homes[index].store
        return try store.waitingMessages(after: 0, limit: 1_000)
            .filter { try !Inbox(committer(index)).hasFinished($0, in: store) }
            .compactMap { try content(of: $0.id, on: index) }
    }

    func content(of id: MessageID, on index: Int) throws -> String? {
        let (store, committer) = (homes[index].store, committer(index))
        guard let row = try store.message(id), let message = try MessageRecords(committer).message(of: row, in: store)
        else {
            return nil
        }
        return MessageRecords(committer).content(of: message, row).map { String(decoding: $0, as: UTF8.self) }
    }

    mutating func finish(_ id: MessageID, on index: Int) throws {
        #expect(try change(index) { try Inbox($0).finish([id], in: &$2) }.notice.number != nil)
    }

    func deliveries(of id: MessageID, on index: Int) throws -> [SentMessages.Delivery.State] {
        let (store, committer) = (homes[index].store, committer(index))
        let row = try #require(try store.message(id))
        let message = try #require(try MessageRecords(committer).message(of: row, in: store))
        return try SentMessages(committer).deliveries(of: row, message, in: store).map(\.state)
    }

    /// Writes a record of any type, as a daemon may that keeps no rules.
    mutating func write(
        _ name: String,
        _ fields: [String: FieldValue],
        type: String = "kairan.message",
        on index: Int,
        zone: ZoneID
    ) throws {
        let set = fields.sorted { $0.key < $1.key }.map { FieldAssignment(field: $0.key, value: $0.value) }
        let write = RecordWrite(name: name, type: type, set: set)
        let commit = try change(index) { try $0.commit([WriteRequest([write])], zone: zone, in: &$2).reply }
        _ = try commit.results[0][0].get()
    }

    /// Adds one more device to an account, a day after all others.
    mutating func enter(account: Int) throws -> Int {
        let keys = DeviceIdentity(using: &random)
        let wall = homes[0].wall + 24 * 60 * 60 * 1_000
        for index in homes.indices { homes[index].wall = wall }
        let certificate = try keys.certificate(
            name: "device",
            issued: wall,
            encapsulationKey: envelopes?.encapsulationKey(seed: keys.encapsulationSeed()) ?? []
        )
        let signer = try #require(homes.first { $0.account == account }).keys
        let entry = try logs[account].addingDevice(
            certificate,
            role: .full,
            name: "device",
            signer: .device(signer),
            using: &random
        )
        try logs[account].insert(entry.encoded)
        var store = MemoryStore(feedIdentity: random.bytes(16))
        _ = try StoreLifetime.begin(hasKeys: false, sentinel: .missing, machine: [], random: &random, in: &store)
        homes.append(Home(account: account, keys: keys, store: store, wall: wall))
        for index in homes.indices.dropLast() { try change(index) { _ = try AccountUpkeep($0).applyCuts(in: &$2) } }
        return homes.count - 1
    }

    /// Gives a device an empty store in a new incarnation, with the zone as another one has it.
    mutating func loseStore(_ index: Int, zone: ZoneID, from source: Int) throws {
        var store = MemoryStore(feedIdentity: random.bytes(16))
        _ = try StoreLifetime.begin(hasKeys: true, sentinel: .missing, machine: [], random: &random, in: &store)
        homes[index].store = store
        try join(zone, on: index, from: source)
    }

    /// Begins another incarnation of a store that was rolled back.
    mutating func renewLifetime(_ index: Int) throws {
        _ = try StoreLifetime.begin(
            hasKeys: true,
            sentinel: .missing,
            machine: [],
            random: &random,
            in: &homes[index].store
        )
    }

    mutating func join(_ zone: ZoneID, on index: Int, from source: Int) throws {
        let row = try #require(try homes[source].store.zone(zone))
        try change(index) { _ = try ZoneLifecycle($0).join(row.genesis, tagKey: row.tagKey, in: &$2) }
    }
}
