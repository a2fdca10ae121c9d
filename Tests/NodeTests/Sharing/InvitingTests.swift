import KairanInterface
import Identity
import Sodium
import Sync
import Testing
import Wire

@testable import Node

@Suite(.timeLimit(.minutes(5))) struct `Inviting to a zone` {
    private static let read = ShareTerms(level: .read)

    /// Sends an account's request by an invitation, as a device does that answers.
    private static func ask(_ desk: RunningNode, by link: String, isKept: Bool = true) async throws -> AccountID {
        let invite = try InviteLink(typed: link).secret.identifier
        var random = SystemRandom()
        let keys = DeviceIdentity(using: &random)
        let log = try AccountLog.create(
            identity: keys,
            certificate: try keys.certificate(name: "hers", issued: 1),
            recoveryKey: RecoveryKey(RecoveryPhrase(using: &random)).publicKey,
            name: "hers",
            using: &random
        )
        let (state, device) = (log.state, keys.deviceID)
        try await desk.change { committer, random, transaction in
            let attempt = JoinAttempt(account: state, device: device, invite: invite)
            return try Redemptions(committer).redeem(attempt, random: &random, in: &transaction).notice
        }
        // As the answering device does.
        if isKept { _ = try desk.node.identity.contacts.insert(log.entries, of: log.account) }
        return log.account
    }

    @Test func `gives one link for the same terms, and lists it until it is withdrawn`() async throws {
        try await withNodes { nodes in
            let desk = try await nodes.start()
            let zone = try await desk.makeZone("notes")
            try await desk.makeZone("other")
            let first = try await desk.node.inviting.invite(zone: "notes", terms: Self.read, limits: InviteLimits())
            let again = try await desk.node.inviting.invite(zone: zone.text, terms: Self.read, limits: InviteLimits())
            #expect(first.isNew && !again.isNew && first.invite.link == again.invite.link)
            let link = try InviteLink(typed: first.invite.link)
            #expect(link.account == desk.node.identity.account && link.addresses.isEmpty)
            let hinted = InviteLimits(uses: 2, needsApproval: true, addresses: ["192.0.2.1:4711"])
            let terms = ShareTerms(level: .write, delegationDepth: 1)
            let second = try await desk.node.inviting.invite(zone: "notes", terms: terms, limits: hinted).invite
            #expect(try InviteLink(typed: second.link).addresses == ["192.0.2.1:4711"])
            #expect(second.uses == 2 && second.needsApproval && second.level == .write && second.delegationDepth == 1)
            let listed = try await desk.node.sharing.share(of: "notes").invites
            #expect(listed.map(\.id) == [first.invite.id, second.id] && listed.map(\.state) == [.open, .open])
            #expect(try await desk.node.sharing.share(of: "other").invites.isEmpty)
            try await expectRefusal(.inviteUnknown) {
                try await desk.node.inviting.withdrawInvite(first.invite.id, zone: "other")
            }
            try await desk.node.inviting.withdrawInvite(first.invite.id, zone: "notes")
            #expect(try await desk.node.sharing.share(of: "notes").invites.map(\.state) == [.withdrawn, .open])
            // The zone in which the account keeps them is not listed.
            #expect(try await desk.node.zones.list().map(\.name) == ["notes", "other"])
            #expect(try await desk.node.feed.changes(zone: nil, since: nil, limit: 9).changes.isEmpty)
        }
    }

    @Test func `names the relay that counts, once the account uses one`() async throws {
        try await withNodes { nodes in
            let desk = try await nodes.start()
            try await desk.makeZone("notes")
            let link = try RelayLink(
                relay: RelayID(Digest32(word0: 1, word1: 2, word2: 3, word3: 4)),
                channelSecret: [UInt8](repeating: 1, count: 32),
                admissionSecret: [UInt8](repeating: 2, count: 32),
                addresses: ["127.0.0.1:1"]
            )
            _ = try await desk.node.relaying.useRelay(link: link.text)
            let counted = InviteLimits(isCountedByRelay: true)
            let first = try await desk.node.inviting.invite(zone: "notes", terms: Self.read, limits: counted)
            let again = try await desk.node.inviting.invite(zone: "notes", terms: Self.read, limits: counted)
            #expect(first.isNew && !again.isNew && first.invite.relay == link.relay)
            #expect(first.invite.device == desk.node.identity.device)
            let own = try await desk.node.inviting.invite(zone: "notes", terms: Self.read, limits: InviteLimits())
            #expect(own.isNew && own.invite.relay == nil)
            try await desk.node.relaying.forgetRelay(link.relay.text)
            #expect(try await desk.node.sharing.share(of: "notes").invites.map(\.state) == [.orphaned, .open])
        }
    }

    @Test func `is refused for terms that no link can hold, and to accounts that may not share`() async throws {
        try await withNodes { nodes in
            let desk = try await nodes.start()
            try await desk.makeZone("notes")
            for limits in [
                InviteLimits(uses: 0), InviteLimits(uses: 1_001), InviteLimits(lifetimeMilliseconds: 1),
                InviteLimits(lifetimeMilliseconds: .max), InviteLimits(addresses: ["nowhere"]),
                InviteLimits(addresses: ["a:1", "b:1", "c:1", "d:1", "e:1"]),
            ] {
                try await expectRefusal(.invalidArgument) {
                    try await desk.node.inviting.invite(zone: "notes", terms: Self.read, limits: limits)
                }
            }
            try await expectRefusal(.relayUnknown) {
                let counted = InviteLimits(isCountedByRelay: true)
                return try await desk.node.inviting.invite(zone: "notes", terms: Self.read, limits: counted)
            }
            #expect(try await desk.node.sharing.share(of: "notes").invites.isEmpty)
            let heir = try KnownAccount(knownTo: desk)
            _ = try await desk.node.sharing.share(zone: "notes", with: heir.account.text, terms: Self.read)
            try await desk.transfer(try await desk.node.zones.zone("notes").zone, to: heir, keeping: .write)
            try await expectRefusal(.rightNotDelegable) {
                try await desk.node.inviting.invite(zone: "notes", terms: Self.read, limits: InviteLimits())
            }
        }
    }

    @Test func `with approval waits for a yes or a no, by the account's name`() async throws {
        try await withNodes { nodes in
            let desk = try await nodes.start()
            try await desk.makeZone("notes")
            let limits = InviteLimits(uses: 5, needsApproval: true)
            let invite = try await desk.node.inviting.invite(zone: "notes", terms: Self.read, limits: limits).invite
            let (bob, carol) = (
                try await Self.ask(desk, by: invite.link), try await Self.ask(desk, by: invite.link)
            )
            let asking = try await desk.node.sharing.share(of: "notes").requests
            #expect(Set(asking.map(\.account)) == [bob, carol])
            #expect(asking.allSatisfy { $0.waitsForApproval && $0.invite == invite.id })
            let part = String(bob.text.prefix(8))
            try await expectRefusal(.requestUnknown) {
                try await desk.node.inviting.approveRequest(String(part.prefix(7)), zone: "notes")
            }
            #expect(try await desk.node.inviting.approveRequest(part, zone: "notes"))
            try await desk.node.inviting.denyRequest("\(invite.id).\(carol.text)", zone: "notes")
            #expect(try await desk.node.sharing.share(of: "notes").requests.isEmpty)
            #expect(try await desk.node.sharing.share(of: "notes").participants.map(\.account) == [bob])
            try await expectRefusal(.requestGranted) {
                try await desk.node.inviting.denyRequest("\(invite.id).\(bob.text)", zone: "notes")
            }
            try await expectRefusal(.requestDenied) {
                try await desk.node.inviting.approveRequest("\(invite.id).\(carol.text)", zone: "notes")
            }
            let dave = try await Self.ask(desk, by: invite.link)
            try await desk.node.inviting.withdrawInvite(invite.id, zone: "notes")
            try await expectRefusal(.inviteOver) {
                try await desk.node.inviting.approveRequest("\(invite.id).\(dave.text)", zone: "notes")
            }
        }
    }

    @Test func `does not reach blocked accounts, and a block ends`() async throws {
        try await withNodes { nodes in
            let desk = try await nodes.start()
            try await desk.makeZone("notes")
            let limits = InviteLimits(uses: 5, needsApproval: true)
            let invite = try await desk.node.inviting.invite(zone: "notes", terms: Self.read, limits: limits).invite
            let bob = try await Self.ask(desk, by: invite.link, isKept: false)
            try await expectRefusal(.accountUnknown) {
                try await desk.node.inviting.block(account: String(bob.text.prefix(8)))
            }
            #expect(try await desk.node.inviting.block(account: bob.text).account == bob)
            #expect(try await desk.node.inviting.blocks().map(\.account) == [bob])
            #expect(try await desk.node.sharing.share(of: "notes").requests.isEmpty)
            try await expectRefusal(.accountBlocked) {
                try await desk.node.inviting.approveRequest("\(invite.id).\(bob.text)", zone: "notes")
            }
            // A blocked account is known, and so is one that takes part in a zone.
            try await desk.node.inviting.unblock(account: String(bob.text.prefix(8)))
            #expect(try await desk.node.inviting.blocks().isEmpty)
            _ = try await desk.node.sharing.share(zone: "notes", with: bob.text, terms: Self.read)
            #expect(try await desk.node.inviting.block(account: String(bob.text.prefix(8))).account == bob)
            try await expectRefusal(.shareNeedless) {
                try await desk.node.inviting.block(account: desk.node.identity.account.text)
            }
        }
    }
}
