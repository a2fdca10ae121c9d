import Identity
import Records
import Sync
import TestSupport
import Testing
import Wire

/// The knowledge that a device that only stores has of the zones of its account, and its work without reading them.
@Suite struct `A relay-only device` {
    private static let name = "canary-of-a-name"
    private static let type = "canary-of-a-type"
    private static let field = "canary-of-a-field"
    private static let value = "canary-of-a-value"
    private static let payload = Array("canary-of-some-bytes".utf8)
    private static let canaries = [name, type, field, value, "canary-of-some-bytes", "canary-of-another"]

    /// An account with two devices and one that only stores, and another account that may read.
    private struct Household {
        var neighbours: Neighbours
        let zone: ZoneID
        let store: Int
        let guest = 2

        init(seed: UInt64 = 1) throws {
            neighbours = try Neighbours([2, 1], seed: seed, envelopes: BoxEnvelopes())
            store = try neighbours.addDevice(of: 0, role: .relayOnly)
            let genesis = ZoneGenesis(
                owner: neighbours.account(0),
                container: "org.example.container",
                name: "name of the zone",
                salt: neighbours.random.bytes(ZoneGenesis.saltByteCount),
                history: .full,
                isDefault: false
            )
            zone = try neighbours.change(0) { try ZoneLifecycle($0).create(genesis, in: &$2).zone }
            let tagKey = try neighbours.homes[0].store.zone(zone)?.tagKey ?? []
            // The storing device's key of tags is not the real one: it does everything that follows without it.
            let none = neighbours.random.bytes(tagKey.count)
            for other in neighbours.homes.indices where other != 0 {
                let key = other == store ? none : tagKey
                try neighbours.change(other) { _ = try ZoneLifecycle($0).join(genesis, tagKey: key, in: &$2) }
            }
            _ = try neighbours.grant(.write, to: 1, by: 0, zone: zone)
            try neighbours.exchange(zone)
        }

        mutating func write(_ name: String, _ value: String, on index: Int) throws {
            let write = RecordWrite(
                name: name,
                type: `A relay-only device`.type,
                set: [
                    .init(field: `A relay-only device`.field, value: .string(value)),
                    .init(field: "payload", value: .bytes(`A relay-only device`.payload)),
                ]
            )
            let zone = zone
            let written = try neighbours.change(index) { try $0.commit([WriteRequest([write])], zone: zone, in: &$2) }
            for result in written.reply.results.joined() { _ = try result.get() }
        }

        func value(of name: String, on index: Int) throws -> String? {
            let store = neighbours.homes[index].store
            let row = try store.record(zone: zone, tag: try RecordTag(of: name, zone: zone, in: store))
            let field = `A relay-only device`.field
            guard let row, !row.isDeleted,
                case .string(let text)? = try row.content().field(named: field)?.winner?.value
            else { return nil }
            return text
        }

        /// Returns everything that a device would send, and everything that it has in memory.
        func everything(of index: Int) throws -> String {
            let home = neighbours.homes[index]
            var bytes: [UInt8] = []
            for row in try home.store.logs(zone: zone) {
                let run = try RunExchange(neighbours.committer(index)).run(
                    row.key,
                    from: 0,
                    byteCount: 1 << 22,
                    in: home.store
                )
                bytes += run?.encoded ?? []
            }
            var dumped = ""
            dump(home.store, to: &dumped, maxItems: 1_000_000)
            return String(decoding: bytes, as: UTF8.self) + dumped + textsOfNumbers(dumped)
        }

        /// Bytes are dumped as numbers, one a line: those that are letters are put together again.
        private func textsOfNumbers(_ dumped: String) -> String {
            let letters = dumped.split(separator: "\n").map { line -> UInt8 in
                let word = line.drop { $0 == " " || $0 == "-" }
                return UInt8(word) ?? 0
            }
            return String(decoding: letters, as: UTF8.self)
        }
    }

    @Test func `has all operations, no key, and no content of records`() throws {
        var household = try Household()
        try household.write(Self.name, Self.value, on: 0)
        try household.write("canary-of-another", "canary-of-another", on: household.guest)
        try household.neighbours.exchange(household.zone)
        try household.neighbours.change(0) { [zone = household.zone] in _ = try EpochKeys($0).rotate(zone, in: &$2) }
        try household.write(Self.name, Self.value + ", later", on: 1)
        try household.neighbours.exchange(household.zone)
        #expect(try household.neighbours.digests(household.zone, of: [0, 1, 2, 3]).count == 1)
        let home = household.neighbours.homes[household.store]
        for held in try HeldControl.all(zone: household.zone, in: home.store) {
            #expect(home.store.keyring.key(held.operation.header.leafHash) == nil)
            guard case .epoch(let bytes) = held.body else { continue }
            let epoch = try KeyEpoch(decoding: bytes)
            #expect(!epoch.envelopes.contains { $0.device == home.keys.deviceID })
        }
        let everything = try household.everything(of: household.store)
        for canary in Self.canaries { #expect(!everything.contains(canary), "\(canary)") }
        // The data that the page lists as visible is found, and the canaries are found in a reader's store: otherwise
        // the search would find nothing at all.
        #expect(everything.contains("org.example.container") && everything.contains("name of the zone"))
        let readers = try household.everything(of: 0)
        for canary in Self.canaries { #expect(readers.contains(canary), "\(canary)") }
    }

    @Test func `checks the data that it gets`() throws {
        var household = try Household()
        try household.write(Self.name, Self.value, on: 0)
        let source = household.neighbours.homes[0].store
        let log = try #require(try source.logs(zone: household.zone).first { $0.key.lane == .data })
        let run = try #require(
            try RunExchange(household.neighbours.committer(0)).run(log.key, from: 0, byteCount: 1 << 20, in: source)
        )
        let bytes = run.encoded
        let before = try household.neighbours.digests(household.zone, of: [household.store])
        let whole = try household.neighbours.digests(household.zone, of: [0])
        #expect(before != whole)
        var generator = SeededGenerator(seed: 4)
        for _ in 0..<200 {
            var altered = bytes
            altered[Int.random(in: altered.indices, using: &generator)] ^=
                1 << UInt8.random(in: 0..<8, using: &generator)
            guard let other = try? Run(decoding: altered), other != run else { continue }
            // A part that is not signed, such as which checkpoint the sender knows, may differ.
            _ = household.neighbours.apply(other, on: household.store)
            let held = try household.neighbours.digests(household.zone, of: [household.store])
            #expect(held == before || held == whole)
        }
        _ = household.neighbours.apply(run, on: household.store)
        #expect(try household.neighbours.digests(household.zone, of: [0, household.store]).count == 1)
    }

    @Test func `serves accounts that may read`() throws {
        var household = try Household()
        try household.write(Self.name, Self.value, on: 0)
        try household.neighbours.pull(household.zone, from: 0, to: household.store)
        try household.neighbours.pull(household.zone, from: household.store, to: household.guest)
        #expect(try household.value(of: Self.name, on: household.guest) == Self.value)
    }

    @Test func `prunes under a checkpoint the same operations as others`() throws {
        var household = try Household()
        for round in 0..<3 { try household.write(Self.name, "\(round)", on: 0) }
        try household.write("gone", "for good", on: 0)
        #expect(try household.neighbours.delete("gone", on: 0, zone: household.zone) == nil)
        try household.neighbours.exchange(household.zone)
        #expect(try household.neighbours.checkpoint(household.zone, on: 0) != nil)
        try household.neighbours.exchange(household.zone)
        let (zone, index) = (household.zone, household.store)
        try household.neighbours.change(index) { committer, _, store in
            _ = try ZoneUpkeep(committer).maintain(zone, in: &store)
            try CheckpointUpkeep(committer).pruneAll(zone, in: &store)
        }
        let row = try #require(try household.neighbours.homes[index].store.zone(zone))
        #expect(row.adopted != nil && !row.isUnverified)
        #expect(try bodies(household, index) == bodies(household, 0))
        #expect(try bodies(household, index) < 5)
        // A device that comes later gets the remaining operations from it, and reads them.
        try household.neighbours.pull(zone, from: index, to: 1)
        #expect(try household.value(of: Self.name, on: 1) == "2")
    }

    /// How many operations a device still holds with their bodies.
    private func bodies(_ household: Household, _ index: Int) throws -> Int {
        let home = household.neighbours.homes[index]
        return try home.store.logs(zone: household.zone).filter { $0.key.lane == .data }.reduce(0) { sum, row in
            let run = try RunExchange(household.neighbours.committer(index)).run(
                row.key,
                from: 0,
                byteCount: 1 << 22,
                in: home.store
            )
            return sum
                + (run?.items.count {
                    if case .operation = $0 { true } else { false }
                } ?? 0)
        }
    }
}
