import Capabilities
import Identity
import Records
import Sync
import TestSupport
import Testing
import Wire

@Suite("Redeeming invitations")
struct RedemptionTests {
    /// Alice (devices 0, 1) owns the zone; Bob (2, 3) and Carol (4) know nothing of it but that it is there.
    private func home(_ counts: [Int] = [2, 2, 1]) throws -> (Neighbours, ZoneID) {
        var neighbours = try Neighbours(counts)
        let zone = try neighbours.zone(of: 0)
        return (neighbours, zone)
    }

    // MARK: At the device that made the invitation

    @Test func `an account with the link joins and writes`() throws {
        var (neighbours, zone) = try home()
        let invite = try neighbours.invite(by: 0, zone: zone)
        let outcome = try neighbours.redeem(invite, from: 2, at: 0)
        guard case .joined(let terms, let capability) = outcome else {
            Issue.record("\(outcome)")
            return
        }
        let row = try #require(try neighbours.homes[0].store.zone(zone))
        #expect(terms == ZoneTerms(genesis: row.genesis, tagKey: row.tagKey))
        try neighbours.exchange(zone)
        let state = try neighbours.controlState(zone, on: 2)
        #expect(state.participants[neighbours.account(1)]?.via == capability)
        #expect(state.participants[neighbours.account(1)]?.rights == Rights(.write))
        #expect(try neighbours.write("a", "bob", on: 3, zone: zone) == nil)
    }

    @Test func `each outcome has its message, and each request its name`() throws {
        let terms = ZoneTerms(
            genesis: AccountZone(try Neighbours([1]).committer(0)).genesis,
            tagKey: [UInt8](repeating: 1, count: 32)
        )
        let entries: [[UInt8]] = [[1], [2]]
        func answer(_ state: JoinAnswer.State) -> PeerMessage { .joinAnswer(JoinAnswer(state, entries: entries)) }
        let joined = RedemptionOutcome.joined(terms, capability: .zero)
        #expect(joined.message(entries: entries) == answer(.joined(terms, capability: .zero)))
        #expect(RedemptionOutcome.waitingApproval.message(entries: entries) == answer(.waitingApproval))
        #expect(RedemptionOutcome.waitingInviter.message(entries: entries) == answer(.waitingInviter))
        #expect(RedemptionOutcome.waitingRelay.message(entries: entries) == answer(.waitingInviter))
        for code in JoinRefusalCode.allCases {
            let message = RedemptionOutcome.refused(code).message(entries: entries)
            #expect(message == .joinRefusal(JoinRefusal(code)))
        }
        let id = Redemption.ID(invite: [UInt8](repeating: 0, count: 16), account: .zero)
        #expect(id.text == String(repeating: "a", count: 26) + "." + String(repeating: "a", count: 52))
    }

    @Test func `a previously unknown account joins as well`() throws {
        var (neighbours, zone) = try home()
        let invite = try neighbours.invite(by: 0, zone: zone)
        let home = neighbours.homes[0]
        let alone = Committer(
            keys: home.keys,
            account: neighbours.logs[0].state,
            keyring: neighbours.keyrings[0],
            wallMilliseconds: home.wall
        )
        let attempt = JoinAttempt(
            account: neighbours.logs[1].state,
            device: neighbours.homes[2].keys.deviceID,
            invite: invite.identifier
        )
        let outcome = try Redemptions(alone)
            .redeem(attempt, random: &neighbours.random, in: &neighbours.homes[0].store).outcome
        #expect(outcome.capability != nil)
        #expect(try neighbours.participants(of: zone, on: 0) == [1])
    }

    @Test func `of two accounts with a link for one, the first joins`() throws {
        var (neighbours, zone) = try home()
        let invite = try neighbours.invite(by: 0, zone: zone)
        let bob = try neighbours.redeem(invite, from: 2, at: 0)
        #expect(bob.capability != nil)
        #expect(try neighbours.redeem(invite, from: 4, at: 0) == .refused(.spent))
        #expect(try neighbours.redeem(invite, from: 2, at: 0) == bob, "asking again is no other use")
        #expect(try neighbours.redeem(invite, from: 3, at: 0) == bob, "nor is another device of the account")
        #expect(try neighbours.state(of: invite, on: 0) == .spent)
        #expect(try neighbours.participants(of: zone, on: 0) == [1])
    }

    @Test func `a granted right never exceeds the inviter's right`() throws {
        var (neighbours, zone) = try home()
        let right = try neighbours.grant(
            .admin,
            to: 1,
            by: 0,
            caveats: Caveats(delegationDepth: 1),
            canDelegate: true,
            zone: zone
        )
        try neighbours.exchange(zone)
        let invite = try neighbours.invite(.admin, uses: 2, by: 2, zone: zone)
        #expect(try neighbours.redeem(invite, from: 4, at: 2).capability != nil)
        try neighbours.change(0) { _ = try ZoneSharing($0).revoke([right], zone: zone, reason: "", in: &$2) }
        _ = try neighbours.grant(.write, to: 1, by: 0, zone: zone)
        try neighbours.exchange(zone)
        #expect(try neighbours.redeem(invite, from: 4, at: 2) == .refused(.refused), "what was granted ended with it")
        var other = try Neighbours([2, 2, 1, 1])
        let second = try other.zone(of: 0)
        let lent = try other.grant(
            .admin,
            to: 1,
            by: 0,
            caveats: Caveats(delegationDepth: 1),
            canDelegate: true,
            zone: second
        )
        try other.exchange(second)
        let offer = try other.invite(.admin, by: 2, zone: second)
        try other.change(0) { _ = try ZoneSharing($0).revoke([lent], zone: second, reason: "", in: &$2) }
        try other.exchange(second)
        #expect(try other.redeem(offer, from: 4, at: 2) == .refused(.noRight))
        #expect(
            try other.redeem(offer, from: 0, at: 2) == .refused(.ownAccount),
            "the zone's owner needs no invitation"
        )
    }

    @Test func `expiry is judged by the clock of the granting device`() throws {
        var (neighbours, zone) = try home()
        let invite = try neighbours.invite(uses: 2, by: 0, zone: zone)
        neighbours.homes[2].wall += 8 * 86_400_000
        let bob = try neighbours.redeem(invite, from: 2, at: 0)
        #expect(bob.capability != nil, "the joiner's clock does not matter")
        neighbours.homes[0].wall = invite.terms.expires
        #expect(try neighbours.redeem(invite, from: 4, at: 0) == .refused(.expired))
        #expect(try neighbours.redeem(invite, from: 2, at: 0) == bob, "who is in stays in")
    }

    @Test func `a withdrawn, an unknown and a deleted zone's invitation admit no account`() throws {
        var (neighbours, zone) = try home()
        let invite = try neighbours.invite(uses: 2, by: 0, zone: zone)
        try neighbours.change(0) { _ = try Invitations($0).withdraw(invite.identifier, in: &$2) }
        #expect(try neighbours.change(0) { try Invitations($0).withdraw(invite.identifier, in: &$2).number } == nil)
        #expect(try neighbours.redeem(invite, from: 2, at: 0) == .refused(.expired))
        #expect(try neighbours.redeem(invite, from: 2, at: 1) == .refused(.expired), "the other device has no book")
        #expect(throws: InviteError.unknownInvite) {
            try neighbours.change(0) { _ = try Invitations($0).withdraw([UInt8](repeating: 0, count: 16), in: &$2) }
        }
        let second = try neighbours.invite(.read, by: 0, zone: zone)
        try neighbours.change(0) { _ = try ZoneLifecycle($0).delete(zone, reason: "", in: &$2) }
        #expect(try neighbours.redeem(second, from: 2, at: 0) == .refused(.zoneGone))
        #expect(try neighbours.state(of: second, on: 0) == .zoneGone)
        try neighbours.change(0) { _ = try Invitations($0).withdraw(second.identifier, in: &$2) }
        #expect(try neighbours.redeem(second, from: 2, at: 0) == .refused(.zoneGone), "whatever else is said of it")
    }

    @Test func `only an active device with all rights of another account may ask`() throws {
        var (neighbours, zone) = try home()
        let invite = try neighbours.invite(by: 0, zone: zone)
        #expect(try neighbours.redeem(invite, from: 1, at: 0) == .refused(.ownAccount))
        let old = neighbours.logs[1].state
        let removed = neighbours.homes[3].keys.deviceID
        let removal = try neighbours.logs[1].removingDevice(
            removed,
            witness: neighbours.homes[2].keys.deviceID,
            signer: .device(neighbours.homes[2].keys),
            using: &neighbours.random
        )
        try neighbours.logs[1].insert(removal.encoded)
        #expect(try neighbours.redeem(invite, from: 3, at: 0) == .refused(.badAccount))
        let attempt = JoinAttempt(account: old, device: removed, invite: invite.identifier)
        let late = try neighbours.change(0) { try Redemptions($0).redeem(attempt, random: &$1, in: &$2).outcome }
        #expect(late == .refused(.badAccount), "an old log does not bring a removed device back")
        let stranger = JoinAttempt(account: old, device: neighbours.homes[4].keys.deviceID, invite: invite.identifier)
        #expect(
            try neighbours.change(0) { try Redemptions($0).redeem(stranger, random: &$1, in: &$2).outcome }
                == .refused(.badAccount)
        )
        #expect(try neighbours.redeem(invite, from: 2, at: 0).capability != nil)
    }

    @Test func `a revoked account does not rejoin by the same link`() throws {
        var (neighbours, zone) = try home()
        let invite = try neighbours.invite(uses: 3, by: 0, zone: zone)
        let capability = try #require(try neighbours.redeem(invite, from: 2, at: 0).capability)
        try neighbours.change(0) { _ = try ZoneSharing($0).revoke([capability], zone: zone, reason: "out", in: &$2) }
        #expect(try neighbours.redeem(invite, from: 2, at: 0) == .refused(.refused))
        #expect(try neighbours.redeem(invite, from: 4, at: 0).capability != nil)
        #expect(try neighbours.participants(of: zone, on: 0) == [2])
    }

    @Test func `an account that already has the right is informed, and consumes no use`() throws {
        var (neighbours, zone) = try home()
        let invite = try neighbours.invite(by: 0, zone: zone)
        let held = try neighbours.grant(.admin, to: 1, by: 0, zone: zone)
        #expect(try neighbours.redeem(invite, from: 2, at: 0).capability == held)
        #expect(try neighbours.redeem(invite, from: 4, at: 0).capability != nil)
    }

    // MARK: At another device

    @Test func `another device notes the request, and the one that made the invitation grants it`() throws {
        var (neighbours, zone) = try home()
        let invite = try neighbours.invite(by: 0, zone: zone)
        try neighbours.exchangeBook(among: [0, 1])
        #expect(try neighbours.redeem(invite, from: 2, at: 1) == .waitingInviter)
        #expect(try neighbours.redeem(invite, from: 3, at: 1) == .waitingInviter)
        #expect(try neighbours.requests(on: 1).map(\.id.account) == [neighbours.account(1)])
        try neighbours.settle(1)
        #expect(try neighbours.participants(of: zone, on: 1).isEmpty)
        try neighbours.exchangeBook(among: [0, 1])
        try neighbours.settle(0)
        #expect(try neighbours.participants(of: zone, on: 0) == [1])
        let granted = try neighbours.redeem(invite, from: 2, at: 0)
        #expect(granted.capability != nil)
        try neighbours.exchangeBook(among: [0, 1])
        #expect(try neighbours.redeem(invite, from: 2, at: 1) == .waitingInviter, "the grant itself is not here yet")
        try neighbours.exchange(zone)
        #expect(try neighbours.redeem(invite, from: 2, at: 1) == granted)
        #expect(try neighbours.requests(on: 1).isEmpty)
    }

    /// Makes a request by the last device that the second one has noted, and that the inviting one finds in the book
    /// before the log of the requesting account.
    private func noted(
        _ deviceCounts: [Int],
        knowing limit: (inout Neighbours.Home) -> Void
    ) throws -> (neighbours: Neighbours, zone: ZoneID) {
        var neighbours = try Neighbours(deviceCounts, envelopes: BoxEnvelopes())
        let zone = try neighbours.zone(of: 0)
        try neighbours.write("a", "alice", on: 0, zone: zone)
        let invite = try neighbours.invite(by: 0, zone: zone)
        limit(&neighbours.homes[0])
        try neighbours.exchangeBook(among: [0, 1])
        let last = neighbours.homes.count - 1
        #expect(try neighbours.redeem(invite, from: last, at: 1) == .waitingInviter)
        try neighbours.exchangeBook(among: [0, 1])
        return (neighbours, zone)
    }

    @Test func `an unknown account gets no right, and later the right together with the zone's key`() throws {
        var (neighbours, zone) = try noted([2, 1]) { $0.strangers = [1] }
        try neighbours.settle(0)
        #expect(try neighbours.participants(of: zone, on: 0).isEmpty)
        neighbours.homes[0].strangers = []
        try neighbours.settle(0)
        #expect(try neighbours.participants(of: zone, on: 0) == [1])
        try neighbours.exchange(zone, among: [0, 2])
        #expect(try neighbours.text("a", on: 2, zone: zone) == "alice")
    }

    @Test func `a request without an account log is granted after two minutes, with the key from the noting device`()
        throws
    {
        var (neighbours, zone) = try noted([2, 1]) { $0.strangers = [1] }
        neighbours.homes[0].wall += 119_999
        try neighbours.settle(0)
        #expect(try neighbours.participants(of: zone, on: 0).isEmpty)
        neighbours.homes[0].wall += 1
        try neighbours.settle(0)
        #expect(try neighbours.participants(of: zone, on: 0) == [1])
        try neighbours.exchange(zone)
        #expect(try neighbours.text("a", on: 2, zone: zone) == nil)
        try neighbours.change(1) { _ = try ZoneUpkeep($0).maintain(zone, in: &$2) }
        try neighbours.exchange(zone)
        #expect(try neighbours.text("a", on: 2, zone: zone) == "alice")
    }

    @Test func `a request noted by a clock that is ahead does not wait for a log`() throws {
        var (neighbours, zone) = try home()
        let invite = try neighbours.invite(by: 0, zone: zone)
        neighbours.homes[0].strangers = [1]
        neighbours.homes[1].wall += 3_600_000
        try neighbours.exchangeBook(among: [0, 1])
        #expect(try neighbours.redeem(invite, from: 2, at: 1) == .waitingInviter)
        try neighbours.exchangeBook(among: [0, 1])
        try neighbours.settle(0)
        #expect(try neighbours.participants(of: zone, on: 0) == [1])
    }

    @Test func `an account whose requesting device is not known yet waits for its log as well`() throws {
        var (neighbours, zone) = try noted([2, 2]) { $0.beginnings = [1] }
        try neighbours.settle(0)
        #expect(try neighbours.participants(of: zone, on: 0).isEmpty)
        neighbours.homes[0].beginnings = []
        try neighbours.settle(0)
        try neighbours.exchange(zone, among: [0, 3])
        #expect(try neighbours.text("a", on: 3, zone: zone) == "alice")
    }

    @Test func `of the waiting requests, as many are granted as there are uses`() throws {
        var (neighbours, zone) = try home([2, 1, 1, 1])
        let invite = try neighbours.invite(uses: 2, by: 0, zone: zone)
        try neighbours.exchangeBook(among: [0, 1])
        for (place, joiner) in [4, 2, 3].enumerated() {
            neighbours.homes[1].wall += UInt64(place)
            #expect(try neighbours.redeem(invite, from: joiner, at: 1) == .waitingInviter)
        }
        try neighbours.exchangeBook(among: [0, 1])
        try neighbours.settle(0)
        #expect(try neighbours.participants(of: zone, on: 0) == [3, 1], "who asked first")
        #expect(try neighbours.redeem(invite, from: 3, at: 0) == .refused(.spent))
        let grants = try neighbours.change(0) { try Redemptions($0).grantWaiting(random: &$1, in: &$2) }
        #expect(grants.notice.number == nil)
    }

    @Test func `an account that asks two partitioned devices is counted once`() throws {
        var (neighbours, zone) = try home()
        let invite = try neighbours.invite(uses: 2, by: 0, zone: zone)
        try neighbours.exchangeBook(among: [0, 1])
        #expect(try neighbours.redeem(invite, from: 2, at: 1) == .waitingInviter)
        #expect(try neighbours.redeem(invite, from: 3, at: 0).capability != nil)
        try neighbours.exchangeBook(among: [0, 1])
        try neighbours.settle(0)
        #expect(try Invitations(neighbours.committer(0)).all(in: neighbours.homes[0].store).map(\.taken) == [1])
        #expect(try neighbours.redeem(invite, from: 4, at: 0).capability != nil)
    }

    @Test func `a withdrawal on another device ends waiting requests`() throws {
        var (neighbours, zone) = try home()
        let invite = try neighbours.invite(by: 0, zone: zone)
        try neighbours.exchangeBook(among: [0, 1])
        #expect(try neighbours.redeem(invite, from: 2, at: 1) == .waitingInviter)
        try neighbours.change(1) { _ = try Invitations($0).withdraw(invite.identifier, in: &$2) }
        #expect(try neighbours.requests(on: 1).isEmpty)
        try neighbours.exchangeBook(among: [0, 1])
        try neighbours.settle(0)
        #expect(try neighbours.redeem(invite, from: 2, at: 0) == .refused(.expired))
        #expect(try neighbours.participants(of: zone, on: 0).isEmpty)
    }

    @Test func `no account joins while the device that made the invitation is gone`() throws {
        var (neighbours, zone) = try home()
        let invite = try neighbours.invite(by: 1, zone: zone)
        try neighbours.exchangeBook(among: [0, 1])
        #expect(try neighbours.redeem(invite, from: 2, at: 0) == .waitingInviter)
        let removal = try neighbours.logs[0].removingDevice(
            neighbours.homes[1].keys.deviceID,
            witness: neighbours.homes[0].keys.deviceID,
            signer: .device(neighbours.homes[0].keys),
            using: &neighbours.random
        )
        try neighbours.logs[0].insert(removal.encoded)
        #expect(try neighbours.redeem(invite, from: 2, at: 0) == .refused(.expired))
        #expect(try neighbours.state(of: invite, on: 0) == .orphaned)
    }

    @Test func `a read-only device answers with noted requests, and notes none`() throws {
        var (neighbours, zone) = try home()
        let keys = DeviceIdentity(using: &neighbours.random)
        let entry = try neighbours.logs[0].addingDevice(
            try keys.certificate(name: "reader", issued: 1),
            role: .readOnly,
            name: "reader",
            signer: .device(neighbours.homes[0].keys),
            using: &neighbours.random
        )
        try neighbours.logs[0].insert(entry.encoded)
        neighbours.homes.append(neighbours.homes[1])
        neighbours.homes[5].keys = keys
        let invite = try neighbours.invite(needsApproval: true, by: 0, zone: zone)
        try neighbours.exchangeBook(among: [0, 5])
        #expect(try neighbours.redeem(invite, from: 2, at: 5) == .waitingInviter)
        #expect(try neighbours.requests(on: 5).isEmpty)
        #expect(try neighbours.redeem(invite, from: 2, at: 0) == .waitingApproval)
        try neighbours.exchangeBook(among: [0, 5])
        #expect(try neighbours.redeem(invite, from: 2, at: 5) == .waitingApproval)
        let id = Redemption.ID(invite: invite.identifier, account: neighbours.account(1))
        #expect(throws: CommitError.self) {
            try neighbours.change(5) { _ = try Redemptions($0).approve(id, random: &$1, in: &$2) }
        }
        #expect(throws: CommitError.self) { try neighbours.change(5) { _ = try Redemptions($0).deny(id, in: &$2) } }
        #expect(throws: CommitError.self) {
            let bob = neighbours.account(1)
            try neighbours.change(5) { _ = try Blocklist($0).block(bob, in: &$2) }
        }
        #expect(try neighbours.redeem(invite, from: 5, at: 0) == .refused(.ownAccount))
    }

    @Test func `a link that went everywhere does not fill the book`() throws {
        var (neighbours, zone) = try home()
        let invite = try neighbours.invite(needsApproval: true, by: 0, zone: zone)
        var accounts = SeededGenerator(seed: 5)
        func stranger() throws -> JoinAttempt {
            let keys = DeviceIdentity(using: &accounts)
            let log = try AccountLog.create(
                identity: keys,
                certificate: try keys.certificate(name: "device", issued: 1),
                recoveryKey: RecoveryKey(RecoveryPhrase(using: &accounts)).publicKey,
                name: "device",
                using: &accounts
            )
            return JoinAttempt(account: log.state, device: keys.deviceID, invite: invite.identifier)
        }
        for _ in 0..<Redemptions.waitingCountMax {
            let attempt = try stranger()
            #expect(
                try neighbours.change(0) { try Redemptions($0).redeem(attempt, random: &$1, in: &$2).outcome }
                    == .waitingApproval
            )
        }
        let last = try stranger()
        #expect(
            try neighbours.change(0) { try Redemptions($0).redeem(last, random: &$1, in: &$2).outcome }
                == .refused(.busy)
        )
        let first = try #require(try neighbours.requests(on: 0, zone: zone).first)
        try neighbours.change(0) { _ = try Redemptions($0).deny(first.id, in: &$2) }
        #expect(
            try neighbours.change(0) { try Redemptions($0).redeem(last, random: &$1, in: &$2).outcome }
                == .waitingApproval
        )
    }
}
