import Capabilities
import Identity
import Records
import Sync
import Testing
import Wire

@Suite("Writes of a member for a guest of a public zone")
struct GuestWriteTests {
    private static let readCreate = PublicAccess(world: [.read, .create], authenticated: [], creator: .write)

    @Test func `a guest makes a record of which it is the creator, and changes no record of others`() throws {
        var scene = try GuestScene(Self.readCreate)
        try scene.neighbours.write("hers", "alice", on: 0, zone: scene.zone)
        #expect(try scene.ask([.note("a", "one")]) == [nil])
        #expect(try scene.ask([.note("a", "two")]) == [nil])
        #expect(try scene.ask([.note("hers", "mine")]) == [.notAllowed])
        let row = try scene.row("a")
        let body = try row.content()
        #expect(body.creator == scene.guest && body.modifier == scene.neighbours.homes[0].keys.deviceID)
        #expect(try scene.text("a") == "two" && scene.text("hers") == "alice")
    }

    @Test func `an account that changes a record does not become its creator`() throws {
        var scene = try GuestScene(PublicAccess(world: .all, authenticated: [], creator: []))
        try scene.neighbours.write("hers", "alice", on: 0, zone: scene.zone)
        #expect(try scene.ask([.note("hers", "changed")]) == [nil])
        let body = try scene.row("hers").content()
        #expect(body.creator == scene.neighbours.homes[0].keys.deviceID)
        #expect(try scene.text("hers") == "changed")
        // A record that is deleted and made anew is another matter.
        #expect(try scene.ask([RecordWrite(name: "hers", delete: true), .note("hers", "anew")]) == [nil, nil])
        #expect(try scene.row("hers").content().creator == scene.guest)
    }

    @Test func `a record that another write of the same request deletes is not remade`() throws {
        var scene = try GuestScene(PublicAccess(world: [.read, .create], authenticated: [], creator: []))
        try scene.neighbours.write("hers", "alice", on: 0, zone: scene.zone)
        let writes = [RecordWrite(name: "hers", delete: true), RecordWrite.note("hers", "mine")]
        #expect(try scene.ask(writes) == [.notAllowed, .notAllowed])
        #expect(try scene.ask([.note("new", "1"), .note("new", "2")]) == [nil, .notAllowed])
        #expect(try scene.text("hers") == "alice" && scene.text("new") == "1")
    }

    @Test func `of an atomic request nothing is written if any of it is refused`() throws {
        var scene = try GuestScene(Self.readCreate)
        try scene.neighbours.write("hers", "alice", on: 0, zone: scene.zone)
        let before = try scene.neighbours.digests(scene.zone, of: [0])
        let writes: [RecordWrite] = [.note("a", "one"), .note("hers", "mine"), .note("b", "two")]
        let refused = try scene.ask(writes, isAtomic: true)
        #expect(refused == [.batchRefused(index: 1), .notAllowed, .batchRefused(index: 1)])
        #expect(try scene.neighbours.digests(scene.zone, of: [0]) == before && scene.number == nil)
        #expect(try scene.ask(writes) == [nil, .notAllowed, nil])
        #expect(try scene.text("a") == "one" && scene.text("b") == "two")
    }

    @Test func `conditions are those of every write`() throws {
        var scene = try GuestScene(PublicAccess(world: .all, authenticated: [], creator: []))
        #expect(try scene.ask([.note("a", "one")]) == [nil])
        let version = try scene.row("a").version
        var wrong = RecordWrite.note("a", "two")
        wrong.ifVersion = RecordVersion([UInt8](repeating: 1, count: 16))
        var right = RecordWrite.note("a", "two")
        right.ifVersion = version
        var absent = RecordWrite.note("a", "three")
        absent.ifAbsent = true
        #expect(try scene.ask([wrong]) == [.versionMismatch(current: version.bytes)])
        #expect(try scene.ask([absent]) == [.alreadyExists(current: version.bytes)])
        #expect(try scene.ask([right]) == [nil])
        #expect(try scene.ask([RecordWrite(name: "none", delete: true)]) == [.notFound])
        #expect(try scene.ask([RecordWrite(name: "untyped")]) == [.typeMissing])
        #expect(try scene.ask([RecordWrite(name: "a", type: "other")]) == [.typeMismatch(current: "note")])
        let long = RecordWrite.note("long", String(repeating: "x", count: 1_100_000))
        guard case .tooLarge? = try scene.ask([long])?[0] else {
            Issue.record("a record has the size that every record has")
            return
        }
    }

    @Test(arguments: [ReservedType.message, ReservedType.receipt, ReservedType.prekey, ReservedType.relays])
    func `a guest has no record of a daemon's type written, which would be that of the device that writes it`(
        type: String
    ) throws {
        var scene = try GuestScene(PublicAccess(world: .all, authenticated: .all, creator: .all))
        let set = [FieldAssignment(field: "sender", value: .string(scene.neighbours.homes[0].keys.deviceID.text))]
        #expect(try scene.ask([RecordWrite(name: "message/a", type: type, set: set)]) == [.notAllowed])
    }

    @Test func `rights of authenticated accounts apply only to guests whose account is known`() throws {
        let access = PublicAccess(world: .read, authenticated: .create, creator: [])
        var scene = try GuestScene(access)
        #expect(try scene.ask([.note("a", "one")]) == [.notAllowed])
        scene.isKnown = true
        #expect(try scene.ask([.note("a", "one")]) == [nil])
    }

    @Test func `a record belongs to its creator's device, not to others that an account log claims`() throws {
        var scene = try GuestScene(Self.readCreate)
        #expect(try scene.ask([.note("a", "one")]) == [nil])
        // Another account claims in its log that the first one's device is its own.
        let thief = scene.neighbours.homes[2]
        let log = scene.neighbours.logs[2]
        var stolen = log
        let entry = try stolen.addingDevice(
            try scene.neighbours.homes[1].keys.certificate(name: "device", issued: 1),
            role: .full,
            name: "stolen",
            signer: .device(thief.keys),
            using: &scene.neighbours.random
        )
        try stolen.insert(entry.encoded)
        let refused = try scene.ask([.note("a", "mine")], by: thief.keys.deviceID, of: stolen)
        #expect(refused == [.notAllowed])
        #expect(try scene.text("a") == "one")
    }

    @Test func `a guest without its own log, with another device's, or from a removed device is refused`() throws {
        var scene = try GuestScene(Self.readCreate)
        let other = scene.neighbours.homes[2].keys.deviceID
        #expect(try scene.refused([.note("a", "1")], by: other, of: scene.neighbours.logs[1]) == .badAccount)
        let own = scene.neighbours.homes[0].keys.deviceID
        #expect(try scene.refused([.note("a", "1")], by: own, of: scene.neighbours.logs[0]) == .badAccount)
        // It was removed, as is known here; the log that it shows is older.
        let old = scene.neighbours.logs[3]
        let removed = scene.neighbours.homes[4].keys.deviceID
        let entry = try scene.neighbours.logs[3].removingDevice(
            removed,
            witness: scene.neighbours.homes[3].keys.deviceID,
            signer: .device(scene.neighbours.homes[3].keys),
            using: &scene.neighbours.random
        )
        try scene.neighbours.logs[3].insert(entry.encoded)
        #expect(try scene.ask([.note("a", "1")], by: removed, of: old) == [nil])
        scene.isKnown = true
        #expect(try scene.refused([.note("a", "2")], by: removed, of: old) == .badAccount)
        scene.isKnown = false
        #expect(try scene.refused([.note("a", "2")], by: removed, of: scene.neighbours.logs[3]) == .badAccount)
    }

    @Test func `a device of the guest's that only reads is refused`() throws {
        var scene = try GuestScene(PublicAccess(world: .all, authenticated: .all, creator: .all))
        let keys = DeviceIdentity(using: &scene.neighbours.random)
        let entry = try scene.neighbours.logs[1].addingDevice(
            try keys.certificate(name: "device", issued: 1),
            role: .readOnly,
            name: "reader",
            signer: .device(scene.neighbours.homes[1].keys),
            using: &scene.neighbours.random
        )
        try scene.neighbours.logs[1].insert(entry.encoded)
        let log = scene.neighbours.logs[1]
        #expect(try scene.refused([.note("a", "1")], by: keys.deviceID, of: log) == .badAccount)
    }

    @Test func `a zone that is closed to the public, or not public, or deleted, accepts nothing`() throws {
        var scene = try GuestScene(.none)
        #expect(try scene.ask([.note("a", "1")]) == [.notAllowed])
        try scene.open(Self.readCreate)
        #expect(try scene.ask([.note("a", "1")]) == [nil])
        try scene.open(.none)
        #expect(try scene.ask([.note("a", "2")]) == [.notAllowed])
        let zone = scene.zone
        try scene.neighbours.change(0) { _ = try ZoneLifecycle($0).delete(zone, reason: "", in: &$2) }
        #expect(try scene.refused([.note("b", "1")]) == .zoneGone)
        let unknown = ZoneID(Hash(Digest32(word0: 7, word1: 0, word2: 0, word3: 0)).digest)
        #expect(try scene.refused([.note("b", "1")], zone: unknown) == .unknownZone)
    }

    @Test func `a blocked account gets nothing, whatever is public`() throws {
        var scene = try GuestScene(PublicAccess(world: .all, authenticated: .all, creator: .all))
        let account = scene.neighbours.account(1)
        try scene.neighbours.change(0) { _ = try Blocklist($0).block(account, in: &$2) }
        #expect(try scene.refused([.note("a", "1")]) == .refused)
    }

    @Test func `only devices that rule the zone answer`() throws {
        var scene = try GuestScene(PublicAccess(world: .all, authenticated: [], creator: []))
        _ = try scene.neighbours.grant(.write, to: 2, by: 0, zone: scene.zone)
        try scene.neighbours.exchange(scene.zone)
        scene.host = 2
        #expect(try scene.refused([.note("a", "1")]) == .notHere)
        let caveats = Caveats(namePrefix: "in/", expires: scene.neighbours.homes[2].wall + 1_000)
        _ = try scene.neighbours.grant(.admin, to: 2, by: 0, caveats: caveats, zone: scene.zone)
        try scene.neighbours.exchange(scene.zone)
        // An administrator writes nothing for guests that it may not write itself.
        #expect(try scene.ask([.note("in/a", "1"), .note("a", "1")]) == [nil, .notAllowed])
        scene.neighbours.homes[2].wall += 1_000
        #expect(try scene.refused([.note("in/b", "1")]) == .notHere)
        try scene.neighbours.exchange(scene.zone)
        #expect(try scene.neighbours.text("in/a", on: 0, zone: scene.zone) == "1")
    }

    @Test func `an answer that would not fit a message leaves nothing behind`() throws {
        var scene = try GuestScene(PublicAccess(world: .all, authenticated: [], creator: []))
        let long = String(repeating: "x", count: 600_000)
        try scene.neighbours.write("long", long, on: 0, zone: scene.zone)
        let before = try scene.neighbours.digests(scene.zone, of: [0])
        let write = RecordWrite(name: "long", set: [.init(field: "more", value: .bool(true))])
        #expect(try scene.refused([write]) == .tooLarge)
        #expect(try scene.neighbours.digests(scene.zone, of: [0]) == before)
    }

    @Test func `the answer has the saved record as it is stored`() throws {
        var scene = try GuestScene(Self.readCreate)
        _ = try scene.ask([.note("a", "one")])
        guard case .decided(let results)? = scene.outcome,
            case .saved(let version, let time, let record)? = results.first
        else {
            Issue.record("it is saved")
            return
        }
        let row = try scene.row("a")
        #expect(version == row.version.bytes && time == row.time.milliseconds)
        #expect(try record.body() == row.content())
    }
}

/// Alice's zone (device 0) with strangers: Bob (1), Carol (2), Dora (3 and 4).
private struct GuestScene {
    var neighbours: Neighbours
    let zone: ZoneID
    /// The device whose store decides.
    var host = 0
    /// Whether the guests are known there.
    var isKnown = false
    var outcome: GuestAnswer.Outcome?
    var number: UInt64?

    init(_ access: PublicAccess) throws {
        neighbours = try Neighbours([1, 1, 1, 2])
        zone = try neighbours.zone(of: 0)
        if access != .none { try open(access) }
    }

    /// Bob's device.
    var guest: DeviceID { neighbours.homes[1].keys.deviceID }

    mutating func open(_ access: PublicAccess) throws {
        let zone = zone
        try neighbours.change(0) { _ = try ZoneSharing($0).setPublicAccess(access, zone: zone, in: &$2) }
    }

    func row(_ name: String) throws -> RecordRow {
        let store = neighbours.homes[0].store
        return try #require(try store.record(zone: zone, tag: try RecordTag(of: name, zone: zone, in: store)))
    }

    func text(_ name: String) throws -> String? { try neighbours.text(name, on: 0, zone: zone) }

    /// Asks as Bob, if no other guest is named; returns the refusals of each write, nil for those that were saved.
    mutating func ask(
        _ writes: [RecordWrite],
        isAtomic: Bool = false,
        by device: DeviceID? = nil,
        of log: AccountLog? = nil,
        zone: ZoneID? = nil
    ) throws -> [GuestResult.Refusal?]? {
        let write = GuestWrite(
            number: 1,
            zone: zone ?? self.zone,
            isAtomic: isAtomic,
            writes: try writes.map { try $0.forGuest() },
            entries: []
        )
        let shown = (log ?? neighbours.logs[1]).state
        let attempt = GuestAttempt(device: device ?? guest, account: shown, write: write)
        let home = neighbours.homes[host]
        var contacts: [AccountID: AccountState] = [:]
        for known in neighbours.logs { contacts[known.account] = known.state }
        if !isKnown { contacts[attempt.account.account] = nil }
        let committer = Committer(
            keys: home.keys,
            account: neighbours.logs[home.account].state,
            contacts: contacts,
            keyring: neighbours.keyrings[home.account],
            wallMilliseconds: home.wall
        )
        let result = Result {
            try neighbours.change(host) { try GuestWrites(committer).serve(attempt, in: &$2) }
        }
        number = try? result.get().notice.number  // Without a notice there is no number.
        let outcome = GuestAnswer.Outcome(result.map(\.reply))
        self.outcome = outcome
        guard case .decided(let results) = outcome else { return nil }
        return results.map { if case .refused(let refusal) = $0 { refusal } else { nil } }
    }

    /// Returns the reason why a request was refused as a whole.
    mutating func refused(
        _ writes: [RecordWrite],
        by device: DeviceID? = nil,
        of log: AccountLog? = nil,
        zone: ZoneID? = nil
    ) throws -> GuestRefusalCode? {
        _ = try ask(writes, by: device, of: log, zone: zone)
        guard case .refused(let code)? = outcome else { return nil }
        return GuestRefusalCode(rawValue: code)
    }
}

extension RecordWrite {
    static func note(_ name: String, _ text: String) -> RecordWrite {
        RecordWrite(name: name, type: "note", set: [.init(field: "text", value: .string(text))])
    }
}
