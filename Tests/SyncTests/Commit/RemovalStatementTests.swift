import Capabilities
import Identity
import Records
import Sync
import TestSupport
import Testing
import Wire

/// The effective size of a removed device's logs: stated in each zone by a device of its account.
@Suite struct RemovalStatementTests {
    private static let day: UInt64 = 24 * 60 * 60 * 1_000

    private func statements(_ n: Neighbours, _ zone: ZoneID, by index: Int) throws -> Int {
        let store = n.homes[index].store
        return try store.logs(zone: zone).filter {
            $0.key.lane == .control && $0.device == n.homes[index].keys.deviceID
        }
        .flatMap { try store.items($0.key, from: 0, to: $0.size) }
        .count { item in
            guard case .operation(let stored) = item.content,
                case .deviceCuts = try? ControlBody(decoding: stored.operation.body)
            else { return false }
            return true
        }
    }

    /// Enters the removal of a device into its account's log, without any device acting on it yet.
    private func enter(_ removed: Int, by index: Int, witness: Int?, _ n: inout Neighbours) throws -> Int {
        let account = n.homes[removed].account
        let entry = try n.logs[account].removingDevice(
            n.homes[removed].keys.deviceID,
            witness: witness.map { n.homes[$0].keys.deviceID },
            signer: .device(n.homes[index].keys),
            using: &n.random
        )
        try n.logs[account].insert(entry.encoded)
        return entry.encoded.count
    }

    @Test func `a device with writes in many zones is removed by one small entry, and each zone states its end`()
        throws
    {
        var n = try Neighbours([2])
        let zones = try (0..<60).map { _ in try n.zone(of: 0) }
        for zone in zones {
            try n.write("a", "1", on: 1, zone: zone)
            try n.pull(zone, from: 1, to: 0)
        }
        #expect(try enter(1, by: 0, witness: 0, &n) <= 1_024)
        try n.change(0) { _ = try AccountUpkeep($0).applyCuts(in: &$2) }
        for zone in zones {
            #expect(try statements(n, zone, by: 0) == 1)
            try n.write("a", "late", on: 1, zone: zone)
            try n.exchange(zone)
            #expect(try n.text("a", on: 0, zone: zone) == "1")
        }
        // Again there is no statement to make.
        #expect(try n.change(0) { try AccountUpkeep($0).applyCuts(in: &$2).number } == nil)
    }

    /// Makes zones in which the second device wrote, and the first one holds it, without a transaction for each step.
    private func fill(_ n: inout Neighbours, zones count: Int) throws -> [ZoneID] {
        let (first, second) = (n.committer(0), n.committer(1))
        let write = WriteRequest([RecordWrite(name: "a", type: "note", set: [.init(field: "x", value: .bool(true))])])
        return try (0..<count).map { number in
            let genesis = ZoneGenesis(
                owner: n.account(0),
                container: "org.example.notes",
                name: "zone \(number)",
                salt: n.random.bytes(ZoneGenesis.saltByteCount),
                history: .full,
                isDefault: false
            )
            let zone = try ZoneLifecycle(first).create(genesis, in: &n.homes[0].store).zone
            _ = try ZoneLifecycle(second).learn(zone, genesis: genesis, in: &n.homes[1].store)
            _ = try second.commit([write], zone: zone, in: &n.homes[1].store)
            for log in try n.homes[1].store.logs(zone: zone) where log.size > 0 {
                let run = try RunExchange(second).run(log.key, from: 0, byteCount: 1 << 20, in: n.homes[1].store)
                _ = try RunExchange(first).apply(
                    try #require(run),
                    key: log.key,
                    random: &n.random,
                    in: &n.homes[0].store
                )
            }
            return zone
        }
    }

    @Test
    func `a device with two thousand zones is removed by an entry as small as any, and they are ruled some at a time`()
        throws
    {
        var (many, none) = (try Neighbours([2]), try Neighbours([2]))
        let zones = try fill(&many, zones: 2_000)
        #expect(try enter(1, by: 0, witness: 0, &many) == enter(1, by: 0, witness: 0, &none))
        let remover = many.committer(0)
        let waiting = try AccountUpkeep(remover).zonesToRule(in: &many.homes[0].store)
        #expect(Set(zones).isSubset(of: waiting))
        // As the daemon does it: a transaction each, in which nothing is done but what its zones need.
        for start in stride(from: 0, to: waiting.count, by: AccountUpkeep.ruledZoneCount) {
            let now = waiting[start..<min(start + AccountUpkeep.ruledZoneCount, waiting.count)]
            let notice = try AccountUpkeep(remover).applyCuts(to: now, in: &many.homes[0].store)
            #expect(notice.zones.map(\.snapshot.zone) == Array(now))
        }
        #expect(try zones.allSatisfy { try statements(many, $0, by: 0) == 1 })
        #expect(try AccountUpkeep(remover).applyCuts(to: zones.prefix(100), in: &many.homes[0].store).number == nil)
    }

    @Test func `zones that are ruled one after the other end like zones that are ruled together`() throws {
        var n = try Neighbours([2])
        let zones = try (0..<3).map { _ in try n.zone(of: 0) }
        for zone in zones { try n.write("a", "1", on: 1, zone: zone) }
        for zone in zones { try n.exchange(zone) }
        _ = try enter(1, by: 0, witness: 0, &n)
        var waiting: [ZoneID] = []
        try n.change(0) { committer, _, transaction in
            waiting = try AccountUpkeep(committer).zonesToRule(in: &transaction)
        }
        #expect(Set(zones).isSubset(of: waiting))
        for (index, zone) in zones.enumerated() {
            try n.change(0) { _ = try AccountUpkeep($0).applyCuts(to: [zone], in: &$2) }
            for (other, later) in zones.enumerated() {
                #expect(try statements(n, later, by: 0) == (other <= index ? 1 : 0))
            }
        }
        // Those that have had their turn have nothing left to do.
        #expect(try n.change(0) { try AccountUpkeep($0).applyCuts(in: &$2).number } == nil)
    }

    @Test func `others wait for the witness for a day, and then make the statement themselves`() throws {
        var n = try Neighbours([3])
        let zone = try n.zone(of: 0)
        for index in 0...2 { try n.write("r\(index)", "x", on: index, zone: zone) }
        try n.exchange(zone)
        _ = try enter(2, by: 0, witness: 0, &n)
        try n.change(1) { _ = try AccountUpkeep($0).applyCuts(in: &$2) }
        #expect(try statements(n, zone, by: 1) == 0)
        // Until a device has stated it, all operations are effective that come by way of others.
        try n.write("r2", "y", on: 2, zone: zone)
        try n.pull(zone, from: 2, to: 1)
        #expect(try n.text("r2", on: 1, zone: zone) == "y")
        n.homes[1].wall += Self.day
        try n.change(1) { _ = try ZoneUpkeep($0).maintain(zone, in: &$2) }
        #expect(try statements(n, zone, by: 1) == 0)
        n.homes[1].wall += 1
        try n.change(1) { _ = try ZoneUpkeep($0).maintain(zone, in: &$2) }
        #expect(try statements(n, zone, by: 1) == 1)
        // The witness holds less, and its statement goes first.
        try n.change(0) { _ = try AccountUpkeep($0).applyCuts(in: &$2) }
        #expect(try statements(n, zone, by: 0) == 1)
        try n.settle(zone, among: [0, 1])
        #expect(try n.text("r2", on: 1, zone: zone) == "x")
        #expect(try n.digests(zone, of: [0, 1]).count == 1)
    }

    @Test func `without a witness the device with the most operations is believed`() throws {
        var n = try Neighbours([3])
        let zone = try n.zone(of: 0)
        for index in 0...2 { try n.write("r\(index)", "x", on: index, zone: zone) }
        try n.exchange(zone)
        try n.write("r2", "y", on: 2, zone: zone)
        try n.pull(zone, from: 2, to: 1)
        _ = try enter(2, by: 0, witness: nil, &n)
        for index in 0...1 { try n.change(index) { _ = try AccountUpkeep($0).applyCuts(in: &$2) } }
        try n.settle(zone, among: [0, 1])
        for index in 0...1 { #expect(try n.text("r2", on: index, zone: zone) == "y") }
        #expect(try n.digests(zone, of: [0, 1]).count == 1)
    }

    @Test func `a remover's statement is restated when the remover is removed itself`() throws {
        var n = try Neighbours([3])
        let zone = try n.zone(of: 0)
        for index in 0...2 { try n.write("r\(index)", "x", on: index, zone: zone) }
        try n.exchange(zone)
        _ = try enter(2, by: 1, witness: 1, &n)
        // The remover lies: it states a size that does not exist yet.
        let held = try n.positions(of: 2, in: zone, on: 1)
        let lie = DeviceCuts(
            devices: [n.homes[2].keys.deviceID],
            cuts: held.map { LogPosition(actor: $0.actor, lane: $0.lane, size: 1 << 40, root: $0.root) }
        )
        try n.change(1) { _ = try ControlStatements($0).say(.deviceCuts(lie), zone: zone, in: &$2) }
        try n.exchange(zone, among: [0, 1])
        _ = try enter(1, by: 0, witness: 0, &n)
        try n.change(0) { _ = try AccountUpkeep($0).applyCuts(in: &$2) }
        #expect(try statements(n, zone, by: 0) == 1)
        try n.write("r2", "late", on: 2, zone: zone)
        try n.pull(zone, from: 2, to: 0)
        #expect(try n.text("r2", on: 0, zone: zone) == "x")
        let state = try n.controlState(zone, on: 0)
        #expect(state.unsaidRemovals(of: n.account(0), removed: n.logs[0].state.removedDevices).isEmpty)
    }

    @Test func `a zone that is made later states that nothing of removed devices is effective`() throws {
        var n = try Neighbours([2])
        _ = try enter(1, by: 0, witness: 0, &n)
        let zone = try n.zone(of: 0)
        #expect(try statements(n, zone, by: 0) == 1)
        try n.write("a", "by the removed one", on: 1, zone: zone)
        try n.exchange(zone)
        #expect(try n.text("a", on: 0, zone: zone) == nil)
    }

    @Test func `a participant states it under each of its rights`() throws {
        var n = try Neighbours([1, 2])  // Alice 0, Bob 1 2
        let zone = try n.zone(of: 0)
        let rights = [
            try n.grant(.write, to: 1, by: 0, zone: zone), try n.grant(.read, to: 1, by: 0, zone: zone),
        ]
        try n.exchange(zone)
        try n.write("a", "bob", on: 2, zone: zone)
        try n.exchange(zone)
        _ = try enter(2, by: 1, witness: 1, &n)
        try n.change(1) { _ = try AccountUpkeep($0).applyCuts(in: &$2) }
        let own = try n.homes[1].store.logs(zone: zone).filter { log in
            log.key.lane == .control && log.device == n.homes[1].keys.deviceID
        }
        #expect(Set(own.map(\.right)) == Set(rights))
        try n.write("a", "late", on: 2, zone: zone)
        try n.settle(zone)
        for index in 0...1 { #expect(try n.text("a", on: index, zone: zone) == "bob") }
    }

    @Test func `a participant that only reads states it for each device that is removed`() throws {
        var n = try Neighbours([1, 3])  // Alice 0, Bob 1 2 3
        let zone = try n.zone(of: 0)
        _ = try n.grant(.read, to: 1, by: 0, zone: zone)
        try n.write("a", "alice", on: 0, zone: zone)
        try n.exchange(zone)
        for removed in [2, 3] {
            _ = try enter(removed, by: 1, witness: 1, &n)
            try n.change(1) { _ = try AccountUpkeep($0).applyCuts(in: &$2) }
        }
        let state = try n.controlState(zone, on: 1)
        #expect(state.unsaidRemovals(of: n.account(1), removed: n.logs[1].state.removedDevices).isEmpty)
    }

    @Test func `a device that accepts late writes first states how much is effective`() throws {
        var n = try Neighbours([3])
        let zone = try n.zone(of: 0)
        for index in 0...2 { try n.write("r\(index)", "x", on: index, zone: zone) }
        try n.exchange(zone)
        _ = try enter(2, by: 0, witness: 0, &n)
        try n.write("r2", "late", on: 2, zone: zone)
        #expect(try n.deposit(zone, from: 2, to: 1) == [.durable(size: 2, operations: 1)])
        #expect(try statements(n, zone, by: 1) == 1)
        #expect(try n.text("r2", on: 1, zone: zone) == "x")
        #expect(try n.quarantine(zone, on: 1).map(\.reason) == [.aboveCut])
    }
    @Test func `a device with late writes of one removed device states nothing about another within its day`()
        throws
    {
        var n = try Neighbours([4])
        let zone = try n.zone(of: 0)
        for index in 0...3 { try n.write("r\(index)", "x", on: index, zone: zone) }
        try n.exchange(zone)
        for removed in 2...3 { _ = try enter(removed, by: 0, witness: 0, &n) }
        try n.write("r2", "late", on: 2, zone: zone)
        #expect(try n.deposit(zone, from: 2, to: 1) == [.durable(size: 2, operations: 1)])
        #expect(try statements(n, zone, by: 1) == 1)
        let state = try n.controlState(zone, on: 1)
        let unsaid = state.unsaidRemovals(of: n.account(0), removed: n.logs[0].state.removedDevices)
        #expect(unsaid.map(\.devices) == [[n.homes[3].keys.deviceID]])
        // The other one's statement still goes first there.
        try n.write("r3", "y", on: 3, zone: zone)
        try n.pull(zone, from: 3, to: 1)
        #expect(try n.text("r3", on: 1, zone: zone) == "y")
    }
}
