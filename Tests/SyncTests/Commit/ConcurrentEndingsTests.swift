import Capabilities
import Records
import Sync
import Testing
import Wire

@Suite("Rights that several devices end at once")
struct ConcurrentEndingsTests {
    private func owners(_ n: Neighbours, _ zone: ZoneID) throws -> Set<AccountID> {
        Set(try n.homes.indices.map { try n.controlState(zone, on: $0).owner })
    }

    private func texts(_ name: String, _ n: Neighbours, _ zone: ZoneID) throws -> Set<String> {
        Set(try n.homes.indices.map { try n.text(name, on: $0, zone: zone) ?? "-" })
    }

    /// Some pulls in any order, then a full exchange.
    private func meet(_ n: inout Neighbours, _ zone: ZoneID) throws {
        for _ in 0..<12 {
            let source = Int.random(in: n.homes.indices, using: &n.random)
            let target = Int.random(in: n.homes.indices, using: &n.random)
            if source != target { try n.pull(zone, from: source, to: target) }
        }
        try n.settle(zone)
    }

    @Test func `all replicas keep both of two concurrent transfers, whichever came first`() throws {
        var n = try Neighbours([2, 1, 1])
        let zone = try n.zone(of: 0)
        try n.exchange(zone)
        let bob = n.account(1)
        try n.transfer(zone, by: 0, to: 1)
        try n.transfer(zone, by: 1, to: 2)
        try n.pull(zone, from: 0, to: 2)
        try n.pull(zone, from: 1, to: 3)
        try n.exchange(zone)
        #expect(try owners(n, zone) == [bob])
        #expect(try n.digests(zone, of: [0, 1, 2, 3]).count == 1)
    }

    @Test func `all replicas keep both of two leaves of one account, whichever came first`() throws {
        var n = try Neighbours([1, 2, 1])
        let zone = try n.zone(of: 0)
        _ = try n.grant(.write, to: 1, by: 0, zone: zone)
        _ = try n.grant(.read, to: 2, by: 0, zone: zone)
        try n.exchange(zone)
        try n.write("a", "1", on: 1, zone: zone)
        try n.exchange(zone)
        // Bob's second device has not seen this one.
        try n.write("b", "1", on: 1, zone: zone)
        try n.change(1) { _ = try ZoneSharing($0).leave(zone, in: &$2) }
        try n.change(2) { _ = try ZoneSharing($0).leave(zone, in: &$2) }
        try n.pull(zone, from: 1, to: 0)
        try n.pull(zone, from: 2, to: 3)
        try n.exchange(zone)
        #expect(try texts("a", n, zone) == ["1"])
        #expect(try texts("b", n, zone) == ["-"])
        #expect(try n.digests(zone, of: [0, 1, 2, 3]).count == 1)
    }

    @Test(arguments: 0..<20)
    func `transfers, leaves and concurrent writes lead to equal states in any order`(seed: UInt64) throws {
        var n = try Neighbours([2, 2, 1], seed: seed)
        let zone = try n.zone(of: 0)
        _ = try n.grant(.write, to: 1, by: 0, zone: zone)
        _ = try n.grant(.write, to: 2, by: 1, zone: zone)
        try n.exchange(zone)
        for index in n.homes.indices { try n.write("\(index)", "before", on: index, zone: zone) }
        try n.exchange(zone)
        for index in n.homes.indices.shuffled(using: &n.random) {
            try end(on: index, zone, &n)
            let other = Int.random(in: n.homes.indices, using: &n.random)
            if Bool.random(using: &n.random), other != index { try n.pull(zone, from: index, to: other) }
        }
        try meet(&n, zone)
        #expect(try owners(n, zone).count == 1, "seed \(seed)")
        #expect(try n.digests(zone, of: Array(n.homes.indices)).count == 1, "seed \(seed)")
        for index in n.homes.indices { #expect(try texts("\(index)", n, zone).count == 1, "seed \(seed)") }
    }

    /// Writes a record, and as a rule ends the account's right; a device that knows that it has none does nothing.
    private func end(on index: Int, _ zone: ZoneID, _ n: inout Neighbours) throws {
        guard let role = try n.homes[index].store.zone(zone)?.role, role != .unknown else { return }
        try n.write("\(index)", "after", on: index, zone: zone)
        let heirs = n.logs.indices.filter { $0 != n.homes[index].account }
        let heir = heirs[Int.random(in: heirs.indices, using: &n.random)]
        guard Int.random(in: 0..<4, using: &n.random) > 0 else { return }
        if role == .owner {
            try n.transfer(zone, by: index, to: heir)
        } else {
            try n.change(index) { _ = try ZoneSharing($0).leave(zone, in: &$2) }
        }
    }

    @Test func `an owner's operations between the cut and the transfer that makes it have no effect`() throws {
        var n = try Neighbours([1, 1])
        let zone = try n.zone(of: 0)
        try n.write("a", "1", on: 0, zone: zone)
        try n.exchange(zone)
        let row = try #require(try n.homes[0].store.logs(zone: zone).first { $0.key.lane == .control })
        let data = try #require(try n.homes[0].store.logs(zone: zone).first { $0.key.lane == .data })
        let cuts = [row, data].map {
            LogPosition(actor: $0.key.actor, lane: $0.key.lane, size: $0.size, root: $0.frontier.root)
        }.sorted { $0.key < $1.key }
        try n.say(.zoneDeletion(reason: "out of spite"), on: 0, zone: zone)
        try n.say(
            .transfer(OwnershipTransfer(consent: try n.consent(of: 1, zone: zone, from: 0), cuts: cuts)),
            on: 0,
            zone: zone
        )
        try n.exchange(zone)
        for index in 0...1 {
            #expect(try n.homes[index].store.zone(zone)?.state == .live, "device \(index)")
            #expect(try n.text("a", on: index, zone: zone) == "1", "device \(index)")
        }
        #expect(try n.write("a", "bob", on: 1, zone: zone) == nil)
        try n.exchange(zone)
        #expect(try n.digests(zone, of: [0, 1]).count == 1)
    }

    @Test func `a checkpoint does not restore an account's operations above the cut of its leave`() throws {
        var n = try Neighbours([1, 1, 1])
        let zone = try n.zone(of: 0)
        let caveats = Caveats(delegationDepth: 1)
        _ = try n.grant(.admin, to: 1, by: 0, caveats: caveats, canDelegate: true, zone: zone)
        try n.exchange(zone)
        let carols = try n.grant(.write, to: 2, by: 1, zone: zone)
        try n.say(.leave(Leave()), on: 1, zone: zone)
        try n.write("a", "1", on: 0, zone: zone)
        try n.settle(zone)
        for _ in 0..<2 {
            let state = try n.controlState(zone, on: 0)
            #expect(state.account(of: carols) == nil)
            _ = try n.checkpoint(zone, on: 0)
            try n.settle(zone)
        }
        #expect(try n.homes[0].store.zone(zone)?.adopted != nil)
        #expect(throws: CommitError.self) { try n.write("b", "carol", on: 2, zone: zone) }
        #expect(try n.digests(zone, of: [0, 1, 2]).count == 1)
    }
}
