import Capabilities
import Identity
import Records
import Sodium
import Sync
import TestSupport
import Testing
import Wire

/// Alice has the devices 0 and 1, Bob the devices 2 and 3, Carol the device 4.
@Suite struct `A zone of two accounts` {
    private static let container = "org.example.chat"

    private func neighbours(seed: UInt64 = 1) throws -> Neighbours {
        var neighbours = try Neighbours([2, 2, 1], seed: seed)
        try neighbours.statePairKeys()
        return neighbours
    }

    /// Alice's and Bob's first devices make the zone apart, and all devices of both get to know it.
    private func made(seed: UInt64 = 1) throws -> (Neighbours, ZoneID) {
        var neighbours = try neighbours(seed: seed)
        let zone = try neighbours.enter(with: 1, on: 0)
        #expect(try neighbours.enter(with: 0, on: 2) == zone)
        for index in [1, 3] { try neighbours.tell(zone, from: index - 1, to: index) }
        return (neighbours, zone)
    }

    private static let members = [0, 1, 2, 3]

    @Test(arguments: [1, 2, 3] as [UInt64])
    func `that both make while partitioned is one zone, with all writes of both`(seed: UInt64) throws {
        var (neighbours, zone) = try made(seed: seed)
        for index in Self.members {
            #expect(try neighbours.write("from \(index)", "\(index)", on: index, zone: zone) == nil)
            #expect(try neighbours.write("same", "\(index)", on: index, zone: zone) == nil)
        }
        try neighbours.exchange(zone, among: Self.members)
        for index in Self.members {
            for other in Self.members {
                #expect(try neighbours.text("from \(other)", on: index, zone: zone) == "\(other)", "seed \(seed)")
            }
        }
        #expect(try neighbours.digests(zone, of: Self.members).count == 1, "seed \(seed)")
        #expect(try Set(Self.members.map { try neighbours.text("same", on: $0, zone: zone) }).count == 1)
        // Making it again finds it.
        let bob = neighbours.account(1)
        let notice = try neighbours.change(1) { committer, _, store in
            let terms = try PairZones(committer).terms(with: bob, container: Self.container, name: "chat")
            return try PairZones(committer).enter(terms, in: &store).notice
        }
        #expect(notice.number == nil)
        let overview = try ZoneViews(neighbours.committer(0)).overview(of: zone, in: neighbours.homes[0].store)
        #expect(overview.level == .write && overview.isPair && overview.others.count == 3)
    }

    @Test func `is found by no other account, and sent to none`() throws {
        var (neighbours, zone) = try made()
        let carol = neighbours.committer(4)
        for other in [0, 1] {
            let guess = try PairZones(carol).terms(
                with: neighbours.account(other),
                container: Self.container,
                name: "chat"
            )
            #expect(ZoneID(guess.genesis) != zone)
        }
        let row = try #require(try neighbours.homes[0].store.zone(zone))
        let terms = ZoneTerms(genesis: row.genesis, tagKey: row.tagKey)
        #expect(!PairZones(carol).derives(terms))
        #expect(throws: CommitError.self) {
            try neighbours.change(4) { _ = try ZoneLifecycle($0).join(row.genesis, tagKey: row.tagKey, in: &$2) }
        }
        let authority = try #require(try neighbours.authorities(on: 0).first)
        let (bob, third) = (neighbours.account(1), neighbours.account(2))
        #expect(authority.members.sorted() == [neighbours.account(0), bob].sorted())
        #expect(authority.access(of: neighbours.homes[2].keys.deviceID, in: bob, at: 1) == .everything)
        #expect(authority.access(of: neighbours.homes[4].keys.deviceID, in: third, at: 1) == .nothing)
        // A device of Carol's that claims to be of Bob's account.
        #expect(authority.access(of: neighbours.homes[4].keys.deviceID, in: bob, at: 1) == .control)
    }

    @Test func `is accepted from no account that does not derive it`() throws {
        var neighbours = try neighbours()
        let mine = try PairZones(neighbours.committer(0)).terms(
            with: neighbours.account(1),
            container: Self.container,
            name: "chat"
        )
        let genesis = ZoneGenesis(
            owners: (neighbours.account(0), neighbours.account(1)),
            container: Self.container,
            name: "chat",
            salt: Array(repeating: 1, count: ZoneGenesis.saltByteCount)
        )
        for terms in [
            ZoneTerms(genesis: genesis, tagKey: mine.tagKey),
            ZoneTerms(genesis: mine.genesis, tagKey: Array(repeating: 1, count: ZoneTerms.tagKeyByteCount)),
        ] {
            #expect(!PairZones(neighbours.committer(2)).derives(terms))
            #expect(throws: CommitError.self) {
                try neighbours.change(2) {
                    _ = try ZoneLifecycle($0).join(terms.genesis, tagKey: terms.tagKey, in: &$2)
                }
            }
        }
        #expect(PairZones(neighbours.committer(2)).derives(mine))
        let zone = try neighbours.change(2) {
            try ZoneLifecycle($0).join(mine.genesis, tagKey: mine.tagKey, in: &$2).zone
        }
        #expect(try neighbours.write("a", "b", on: 2, zone: zone) == nil)
    }

    @Test func `is not made with an account whose key is not known`() throws {
        var neighbours = try Neighbours([1, 1])
        #expect(throws: CommitError.self) { try neighbours.enter(with: 1, on: 0) }
        try neighbours.statePairKeys()
        #expect(throws: CommitError.self) { try neighbours.enter(with: 0, on: 0) }
        _ = try neighbours.enter(with: 1, on: 0)
    }

    @Test func `neither ends for the other, shares, or opens, whatever its daemon says`() throws {
        var (neighbours, zone) = try made()
        try neighbours.write("a", "alice", on: 0, zone: zone)
        try neighbours.exchange(zone, among: Self.members)
        #expect(throws: CommitError.self) {
            try neighbours.change(2) { _ = try ZoneLifecycle($0).delete(zone, reason: "mine", in: &$2) }
        }
        #expect(throws: CommitError.self) { try neighbours.grant(.read, to: 2, by: 2, zone: zone) }
        let right = try #require(try neighbours.homes[0].store.zone(zone)?.right)
        for body: ControlBody in [
            .zoneDeletion(reason: "mine"),
            .revoke(Revocation(capabilities: [right], cuts: [], regrants: [])),
            .transfer(OwnershipTransfer(consent: try neighbours.consent(of: 2, zone: zone, from: 2))),
            .transferOffer(TransferOffer(to: neighbours.account(1))),
            .publicAccess(PublicAccess(world: .read, authenticated: [], creator: [])),
        ] {
            try neighbours.say(body, on: 2, zone: zone)
        }
        try neighbours.exchange(zone, among: Self.members)
        for index in Self.members {
            #expect(try neighbours.homes[index].store.zone(zone)?.state == .live)
            let state = try neighbours.controlState(zone, on: index)
            #expect(state.owners.count == 2 && state.publicAccess == .none)
        }
        #expect(try neighbours.write("b", "alice", on: 1, zone: zone) == nil)
        try neighbours.exchange(zone, among: Self.members)
        #expect(try neighbours.text("b", on: 3, zone: zone) == "alice")
        #expect(try neighbours.digests(zone, of: Self.members).count == 1)
    }

    @Test func `continues for one account when the other leaves, which may come back`() throws {
        var (neighbours, zone) = try made()
        try neighbours.write("a", "alice", on: 0, zone: zone)
        try neighbours.exchange(zone, among: Self.members)
        try neighbours.change(0) { _ = try ZoneSharing($0).leave(zone, in: &$2) }
        let row = try #require(try neighbours.homes[0].store.zone(zone))
        #expect(try !ZoneViews(neighbours.committer(0)).isShown(row, in: neighbours.homes[0].store))
        #expect(throws: CommitError.self) { try neighbours.write("b", "late", on: 0, zone: zone) }
        // The other device does not know of it, and its writes are above the cut.
        try neighbours.write("c", "apart", on: 1, zone: zone)
        try neighbours.exchange(zone, among: Self.members)
        #expect(throws: CommitError.self) { try neighbours.write("d", "late", on: 1, zone: zone) }
        #expect(
            try neighbours.text("a", on: 2, zone: zone) == "alice" && neighbours.text("c", on: 2, zone: zone) == nil
        )
        let authority = try #require(try neighbours.authorities(on: 2).first)
        let alice = (neighbours.homes[0].keys.deviceID, neighbours.account(0))
        #expect(authority.access(of: alice.0, in: alice.1, at: 1) == .control && authority.hasEnded(alice.1))
        #expect(try neighbours.write("e", "bob", on: 2, zone: zone) == nil)

        #expect(try neighbours.enter(with: 1, on: 1) == zone)
        try neighbours.settle(zone, among: Self.members)
        for index in [0, 1] {
            #expect(try neighbours.write("back \(index)", "alice", on: index, zone: zone) == nil)
        }
        try neighbours.settle(zone, among: Self.members)
        for index in Self.members {
            #expect(try neighbours.text("e", on: index, zone: zone) == "bob")
            #expect(try neighbours.text("back 0", on: index, zone: zone) == "alice")
            #expect(try neighbours.text("back 1", on: index, zone: zone) == "alice")
        }
        #expect(try neighbours.digests(zone, of: Self.members).count == 1)
        #expect(try neighbours.authorities(on: 2).first?.members.count == 2)
    }

    @Test func `loses a device's writes from after its removal, on both sides`() throws {
        var (neighbours, zone) = try made()
        try neighbours.write("before", "x", on: 1, zone: zone)
        try neighbours.exchange(zone, among: Self.members)
        try neighbours.remove(1, by: 0)
        try neighbours.write("after", "x", on: 1, zone: zone)
        try neighbours.settle(zone, among: Self.members)
        for index in [0, 2, 3] {
            #expect(try neighbours.text("before", on: index, zone: zone) == "x")
            #expect(try neighbours.text("after", on: index, zone: zone) == nil)
        }
        #expect(try neighbours.digests(zone, of: [0, 2, 3]).count == 1)
        let authority = try #require(try neighbours.authorities(on: 2).first)
        let removed = neighbours.homes[1].keys.deviceID
        #expect(authority.access(of: removed, in: neighbours.account(0), at: 1) == .control)
    }

    @Test func `is made final by either, and the writes of both stay`() throws {
        var (neighbours, zone) = try made()
        for index in Self.members {
            for version in 0..<3 { try neighbours.write("r\(index)", "\(version)", on: index, zone: zone) }
        }
        try neighbours.exchange(zone, among: Self.members)
        let checkpoint = try #require(try neighbours.checkpoint(zone, on: 2))
        #expect(checkpoint.logs.contains { $0.lane == .control })
        try neighbours.exchange(zone, among: Self.members)
        #expect(try neighbours.digests(zone, of: Self.members).count == 1)
        for index in Self.members {
            for other in Self.members { #expect(try neighbours.text("r\(other)", on: index, zone: zone) == "2") }
            try neighbours.write("r\(index)", "new", on: index, zone: zone)
        }
        try neighbours.exchange(zone, among: Self.members)
        #expect(try neighbours.digests(zone, of: Self.members).count == 1)
    }
}

extension Neighbours {
    /// Lets the first device of each account state its pair key.
    mutating func statePairKeys() throws {
        for account in logs.indices {
            guard let home = homes.first(where: { $0.account == account }) else { continue }
            let key = try keyrings[account].pairKey().publicKey
            guard let entry = try logs[account].statingPairKey(key, by: home.keys, using: &random) else { continue }
            try logs[account].insert(entry.encoded)
        }
    }

    /// Makes a device's account be in the pair zone with another account.
    mutating func enter(with other: Int, on index: Int) throws -> ZoneID {
        let partner = account(other)
        return try change(index) { committer, _, store in
            let terms = try PairZones(committer).terms(with: partner, container: "org.example.chat", name: "chat")
            return try PairZones(committer).enter(terms, in: &store).zone
        }
    }

    /// Informs a device of a zone that another one has.
    mutating func tell(_ zone: ZoneID, from source: Int, to target: Int) throws {
        guard let row = try homes[source].store.zone(zone) else { return }
        try change(target) { _ = try ZoneLifecycle($0).join(row.genesis, tagKey: row.tagKey, in: &$2) }
    }
}
