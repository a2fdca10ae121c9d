import Capabilities
import Identity
import Records
import Sync
import Testing
import Wire

@Suite("Invitations")
struct InviteTests {
    /// Alice (devices 0, 1) owns the zone; Bob (2, 3) and Carol (4) know nothing of it but that it is there.
    private func home(_ counts: [Int] = [2, 2, 1]) throws -> (Neighbours, ZoneID) {
        var neighbours = try Neighbours(counts)
        let zone = try neighbours.zone(of: 0)
        return (neighbours, zone)
    }

    // MARK: Making them

    @Test func `inviting again gives the invitation that is open`() throws {
        var (neighbours, zone) = try home()
        let invite = try neighbours.invite(by: 0, zone: zone)
        #expect(try neighbours.invite(by: 0, zone: zone) == invite)
        neighbours.homes[0].wall += 86_400_000
        #expect(try neighbours.invite(by: 0, zone: zone) == invite, "most of its time is left")
        #expect(try neighbours.invite(.read, by: 0, zone: zone) != invite)
        #expect(try neighbours.invite(uses: 2, by: 0, zone: zone) != invite)
        #expect(try neighbours.invite(needsApproval: true, by: 0, zone: zone) != invite)
        let soon = try neighbours.invite(expires: neighbours.homes[0].wall + 1_000, by: 0, zone: zone)
        #expect(soon != invite, "it would last longer than is asked for")
        try neighbours.exchangeBook(among: [0, 1])
        let other = try neighbours.invite(by: 1, zone: zone)
        #expect(other != invite && other.maker == neighbours.homes[1].keys.deviceID)
        neighbours.homes[0].wall += 3 * 86_400_000
        #expect(try neighbours.invite(by: 0, zone: zone) != invite, "most of its time is over")
    }

    @Test func `an account that may not grant may not invite`() throws {
        var (neighbours, zone) = try home()
        #expect(throws: CommitError.self) { try neighbours.invite(by: 2, zone: zone) }
        _ = try neighbours.grant(.admin, to: 1, by: 0, zone: zone)
        try neighbours.exchange(zone)
        #expect(throws: CommitError.self) { try neighbours.invite(by: 2, zone: zone) }
        let caveats = Caveats(recordTypes: ["note"], delegationDepth: 2)
        let right = try neighbours.grant(.admin, to: 1, by: 0, caveats: caveats, canDelegate: true, zone: zone)
        try neighbours.exchange(zone)
        #expect(
            try neighbours.controlState(zone, on: 2).status(of: right) == .live
        )
        #expect(throws: CapabilityError.widened(.types)) { try neighbours.invite(by: 2, zone: zone) }
        #expect(throws: Never.self) {
            try neighbours.invite(caveats: Caveats(recordTypes: ["note"]), by: 2, zone: zone)
        }
    }

    @Test func `terms for no account, or for too many, are refused`() throws {
        var (neighbours, zone) = try home()
        #expect(throws: InviteError.badUses(0)) { try neighbours.invite(uses: 0, by: 0, zone: zone) }
        #expect(throws: InviteError.badUses(1_001)) { try neighbours.invite(uses: 1_001, by: 0, zone: zone) }
        let now = neighbours.homes[0].wall
        #expect(throws: InviteError.alreadyOver) { try neighbours.invite(expires: now, by: 0, zone: zone) }
        let long = Caveats(namePrefix: String(repeating: "x", count: 256))
        #expect(throws: CapabilityError.self) { try neighbours.invite(caveats: long, by: 0, zone: zone) }
    }

    @Test func `an account has so many open invitations and no more`() throws {
        var (neighbours, zone) = try home([1])
        var invites: [Invite] = []
        for uses in 1...UInt32(Invitations.openCountMax) {
            invites.append(try neighbours.invite(uses: uses, by: 0, zone: zone))
        }
        #expect(throws: InviteError.tooManyOpen(limit: 64)) { try neighbours.invite(uses: 99, by: 0, zone: zone) }
        try neighbours.change(0) { _ = try Invitations($0).withdraw(invites[0].identifier, in: &$2) }
        #expect(throws: Never.self) { try neighbours.invite(uses: 99, by: 0, zone: zone) }
        let answered = try Invitations(neighbours.committer(0)).answered(in: neighbours.homes[0].store)
        #expect(answered.count == 64 && !answered.contains { $0.identifier == invites[0].identifier })
        let more = try Invitations(neighbours.committer(0)).answered(limit: 65, in: neighbours.homes[0].store)
        #expect(more.last?.identifier == invites[0].identifier)
    }

    @Test func `old invitations leave the book when a new one is made`() throws {
        var (neighbours, zone) = try home()
        let old = try neighbours.invite(uses: 2, by: 0, zone: zone)
        try neighbours.redeem(old, from: 2, at: 0)
        neighbours.homes[0].wall += 7 * 86_400_000
        _ = try neighbours.invite(.read, by: 0, zone: zone)
        #expect(try neighbours.state(of: old, on: 0) == .expired)
        neighbours.homes[0].wall += 30 * 86_400_000
        // Whether so much time has passed is confirmed by others.
        _ = try neighbours.invite(.read, uses: 4, by: 0, zone: zone)
        #expect(try neighbours.state(of: old, on: 0) == .expired)
        neighbours.homes[0].witnesses = ClockWitnesses(count: 2, median: .max)
        neighbours.homes[0].wall += ClockWitnesses.marginMilliseconds
        _ = try neighbours.invite(.read, uses: 3, by: 0, zone: zone)
        #expect(try neighbours.state(of: old, on: 0) == nil)
        #expect(try neighbours.redeem(old, from: 4, at: 0) == .refused(.expired))
        let book = ZoneID(AccountZone(neighbours.committer(0)).genesis)
        #expect(try neighbours.homes[0].store.recordCount(zone: book) == 3)
    }

    // MARK: The book

    @Test func `each device of an account finds the same book, and it is the daemon's own`() throws {
        var (neighbours, zone) = try home()
        let books = try (0..<3).map { index in
            try neighbours.change(index) { try AccountZone($0).establish(in: &$2).zone }
        }
        #expect(books[0] == books[1] && books[0] != books[2])
        try neighbours.exchangeBook(among: [0, 1])
        let row = try #require(try neighbours.homes[0].store.zone(books[0]))
        #expect(row.isInternal && ZoneGenesis.isReserved(container: row.genesis.container))
        #expect(try neighbours.homes[0].store.zone(zone)?.isInternal == false)
        #expect(!ZoneGenesis.isReserved(container: "org.kairan.notes") && !ZoneGenesis.isReserved(container: "kairan"))
        #expect(throws: InviteError.internalZone(books[0])) { try neighbours.invite(by: 0, zone: books[0]) }
        #expect(throws: CommitError.self, "nobody is let into somebody else's book") {
            try neighbours.change(2) { _ = try ZoneLifecycle($0).join(row.genesis, tagKey: row.tagKey, in: &$2) }
        }
    }

    @Test func `the book stays where it is when the device goes to another account`() throws {
        var (neighbours, zone) = try home()
        try neighbours.write("a", "alice", on: 0, zone: zone)
        let invite = try neighbours.invite(by: 0, zone: zone)
        neighbours.homes[0].account = 2
        let old = try AccountMove(neighbours.committer(0)).oldZones(neighbours.homes[0].store)
        #expect(old.count == 2)
        for zone in old {
            try neighbours.change(0) { _ = try AccountMove($0).move(zone, random: &$1, in: &$2) }
        }
        let zones = try neighbours.homes[0].store.zones().filter { $0.genesis.owner == neighbours.account(2) }
        #expect(zones.map(\.genesis.container) == ["org.example.notes"])
        #expect(try neighbours.state(of: invite, on: 0) == nil)
    }

    @Test func `concurrent decisions of two devices are combined`() throws {
        var (neighbours, zone) = try home()
        let invite = try neighbours.invite(needsApproval: true, by: 0, zone: zone)
        try neighbours.redeem(invite, from: 2, at: 0)
        try neighbours.exchangeBook(among: [0, 1])
        let id = try #require(try neighbours.requests(on: 1).first?.id)
        try neighbours.change(1) { _ = try Redemptions($0).approve(id, random: &$1, in: &$2) }
        try neighbours.change(0) { _ = try Redemptions($0).deny(id, in: &$2) }
        try neighbours.exchangeBook(among: [0, 1])
        try neighbours.settle(0)
        #expect(try neighbours.redeem(invite, from: 2, at: 0) == .refused(.refused))
        #expect(try neighbours.redeem(invite, from: 3, at: 1) == .refused(.refused))
        #expect(try neighbours.participants(of: zone, on: 0).isEmpty)
    }

    // MARK: Petnames

    @Test func `a petname is the same on all devices of the account, and on no other's`() throws {
        var (neighbours, _) = try home()
        let bob = neighbours.account(1)
        #expect(try neighbours.change(0) { try Petnames($0).set(of: bob, "Bob from work", in: &$2).number } != nil)
        try neighbours.exchangeBook(among: [0, 1])
        #expect(try Petnames(neighbours.committer(1)).all(neighbours.homes[1].store) == [bob: "Bob from work"])
        #expect(try neighbours.change(1) { try Petnames($0).set(of: bob, "Bob from work", in: &$2).number } == nil)
        #expect(try Petnames(neighbours.committer(2)).all(neighbours.homes[2].store).isEmpty)
        try neighbours.change(1) { _ = try Petnames($0).set(of: bob, nil, in: &$2) }
        #expect(try neighbours.change(1) { try Petnames($0).set(of: bob, nil, in: &$2).number } == nil)
        try neighbours.exchangeBook(among: [0, 1])
        #expect(try Petnames(neighbours.committer(0)).all(neighbours.homes[0].store).isEmpty)
        let alice = neighbours.account(0)
        #expect(throws: InviteError.ownAccount) {
            try neighbours.change(0) { _ = try Petnames($0).set(of: alice, "me", in: &$2) }
        }
    }

    @Test func `of two petnames at the same time both devices show one`() throws {
        var (neighbours, _) = try home()
        let bob = neighbours.account(1)
        try neighbours.change(0) { _ = try Petnames($0).set(of: bob, "Bob", in: &$2) }
        try neighbours.change(1) { _ = try Petnames($0).set(of: bob, "Robert", in: &$2) }
        try neighbours.exchangeBook(among: [0, 1])
        let names = try (0...1).map { try Petnames(neighbours.committer($0)).all(neighbours.homes[$0].store)[bob] }
        #expect(names[0] == names[1] && ["Bob", "Robert"].contains(names[0]))
    }

    // MARK: Blocks

    @Test func `a blocked account is refused on all devices until it is unblocked`() throws {
        var (neighbours, zone) = try home()
        let invite = try neighbours.invite(by: 0, zone: zone)
        let bob = neighbours.account(1)
        try neighbours.change(1) { _ = try Blocklist($0).block(bob, in: &$2) }
        try neighbours.exchangeBook(among: [0, 1])
        #expect(try Blocklist(neighbours.committer(0)).contains(bob, in: neighbours.homes[0].store))
        #expect(try Blocklist(neighbours.committer(0)).all(neighbours.homes[0].store).map(\.account) == [bob])
        #expect(try neighbours.redeem(invite, from: 2, at: 0) == .refused(.refused))
        #expect(try neighbours.change(0) { try Blocklist($0).block(bob, in: &$2).number } == nil)
        try neighbours.change(0) { _ = try Blocklist($0).unblock(bob, in: &$2) }
        #expect(try Blocklist(neighbours.committer(0)).all(neighbours.homes[0].store).isEmpty)
        #expect(try neighbours.redeem(invite, from: 2, at: 0).capability != nil)
        #expect(try neighbours.change(0) { try Blocklist($0).unblock(bob, in: &$2).number } == nil)
        let alice = neighbours.account(0)
        #expect(throws: InviteError.ownAccount) {
            try neighbours.change(0) { _ = try Blocklist($0).block(alice, in: &$2) }
        }
    }

    @Test func `of a concurrent block and its end the block is effective`() throws {
        var (neighbours, _) = try home()
        let bob = neighbours.account(1)
        try neighbours.change(0) { _ = try Blocklist($0).block(bob, in: &$2) }
        try neighbours.exchangeBook(among: [0, 1])
        try neighbours.change(0) { _ = try Blocklist($0).unblock(bob, in: &$2) }
        try neighbours.change(0) { _ = try Blocklist($0).block(bob, in: &$2) }
        // The end of the block is written later, and is the value that a reader sees.
        neighbours.homes[1].wall += 60_000
        try neighbours.change(1) { _ = try Blocklist($0).unblock(bob, in: &$2) }
        try neighbours.exchangeBook(among: [0, 1])
        for index in 0...1 {
            #expect(try Blocklist(neighbours.committer(index)).contains(bob, in: neighbours.homes[index].store))
        }
        try neighbours.change(1) { _ = try Blocklist($0).unblock(bob, in: &$2) }
        try neighbours.exchangeBook(among: [0, 1])
        for index in 0...1 {
            #expect(try !Blocklist(neighbours.committer(index)).contains(bob, in: neighbours.homes[index].store))
        }
    }

    @Test func `a block ends no right`() throws {
        var (neighbours, zone) = try home()
        let invite = try neighbours.invite(by: 0, zone: zone)
        try neighbours.redeem(invite, from: 2, at: 0)
        let bob = neighbours.account(1)
        try neighbours.change(0) { _ = try Blocklist($0).block(bob, in: &$2) }
        #expect(try neighbours.participants(of: zone, on: 0) == [1])
    }
}
