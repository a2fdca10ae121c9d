import struct KairanInterface.ZoneTransfer
import Testing
import Wire

@testable import Node

@Suite(.timeLimit(.minutes(5))) struct `Sharing a zone` {
    private static func account(_ byte: UInt8) -> AccountID {
        AccountID(Digest32(Array(repeating: byte, count: 32)) ?? .zero)
    }

    private static let bob = account(7)
    private static let carol = account(8)

    private static func withZone(_ body: (RunningNode, ZoneID) async throws -> Void) async throws {
        try await withNodes { nodes in
            let desk = try await nodes.start("desk")
            let zone = try await desk.makeZone("notes")
            try await body(desk, zone)
        }
    }

    @Test func `hands a right to an account, once, and lists it with its limits`() async throws {
        try await Self.withZone { desk, zone in
            let terms = ShareTerms(
                level: .append,
                delegationDepth: 2,
                recordTypes: ["note"],
                namePrefix: "n-",
                lifetimeMilliseconds: nil
            )
            let first = try await desk.node.sharing.share(zone: "notes", with: Self.bob.text, terms: terms)
            let again = try await desk.node.sharing.share(zone: "notes", with: Self.bob.text, terms: terms)
            #expect(first.isNew && !again.isNew && first.participant == again.participant)
            let more = try await desk.node.sharing.share(
                zone: "notes",
                with: Self.bob.text,
                terms: ShareTerms(level: .write)
            )
            #expect(more.isNew && more.participant.capabilities.map(\.level) == [.write, .append])
            let share = try await desk.node.sharing.share(of: "notes")
            #expect(share.zone == zone && share.owner == desk.node.identity.account)
            #expect(share.ownerDevices == [DeviceName(device: desk.node.identity.device, name: "desk")])
            #expect(share.participants == [more.participant])
            let limited = try #require(share.participants.first?.capabilities.last)
            #expect(limited.delegationDepth == 2 && limited.recordTypes == ["note"] && limited.namePrefix == "n-")
            #expect(limited.issuer == desk.node.identity.account && limited.expiresMilliseconds == nil)
            #expect(limited.sinceMilliseconds > 1_700_000_000_000)
            #expect(try await desk.node.zones.zone("notes").database == .private)
        }
    }

    @Test func `for a time ends when it is over, by the clock that it was given by`() async throws {
        try await withNodes { nodes in
            let desk = try await nodes.start(clock: NodeClock(monotonic: NodeClock.system.monotonic, wall: { 5_000 }))
            try await desk.makeZone("notes")
            let terms = ShareTerms(level: .read, lifetimeMilliseconds: 60_000)
            let shared = try await desk.node.sharing.share(zone: "notes", with: Self.bob.text, terms: terms)
            #expect(shared.participant.capabilities.map(\.expiresMilliseconds) == [65_000])
        }
    }

    @Test func `names accounts by a part of their id that is long enough, known, and of one only`() async throws {
        try await Self.withZone { desk, _ in
            var near = Self.bob.bytes
            near[31] ^= 1
            let lookalike = try #require(AccountID(near))
            let part = String(Self.bob.text.prefix(8))
            let terms = ShareTerms(level: .read)
            try await expectRefusal(.accountUnknown) {
                try await desk.node.sharing.share(zone: "notes", with: part, terms: terms)
            }
            _ = try await desk.node.sharing.share(zone: "notes", with: Self.bob.text.uppercased(), terms: terms)
            #expect(try await !desk.node.sharing.share(zone: "notes", with: part, terms: terms).isNew)
            for short in [String(part.prefix(7)), "", "x"] {
                try await expectRefusal(.accountUnknown) {
                    try await desk.node.sharing.revokeShare(
                        zone: "notes",
                        account: short,
                        reason: "",
                        keepsBelow: false
                    )
                }
            }
            _ = try await desk.node.sharing.share(zone: "notes", with: lookalike.text, terms: terms)
            try await expectRefusal(.accountAmbiguous) {
                try await desk.node.sharing.revokeShare(zone: "notes", account: part, reason: "", keepsBelow: false)
            }
            let own = String(desk.node.identity.account.text.prefix(10))
            try await expectRefusal(.shareNeedless) {
                try await desk.node.sharing.share(zone: "notes", with: own, terms: terms)
            }
        }
    }

    @Test func `refuses terms that cannot be written down`() async throws {
        try await Self.withZone { desk, _ in
            let long = String(repeating: "x", count: 256)
            for terms in [
                ShareTerms(level: .read, delegationDepth: 8), ShareTerms(level: .read, recordTypes: [""]),
                ShareTerms(level: .read, recordTypes: [long]), ShareTerms(level: .read, namePrefix: long),
                ShareTerms(level: .read, recordTypes: (0..<17).map { "t\($0)" }),
            ] {
                try await expectRefusal(.invalidArgument) {
                    try await desk.node.sharing.share(zone: "notes", with: Self.bob.text, terms: terms)
                }
            }
            #expect(try await desk.node.sharing.share(of: "notes").participants.isEmpty)
        }
    }

    @Test func `revokes rights with a reason, and names their accounts`() async throws {
        try await Self.withZone { desk, zone in
            for level in [AccessLevel.read, .write] {
                _ = try await desk.node.sharing.share(
                    zone: "notes",
                    with: Self.bob.text,
                    terms: ShareTerms(level: level)
                )
            }
            _ = try await desk.node.sharing.share(zone: "notes", with: Self.carol.text, terms: ShareTerms(level: .read))
            let revoked = try await desk.node.sharing.revokeShare(
                zone: "notes",
                account: Self.bob.text,
                reason: "moved out",
                keepsBelow: false
            )
            #expect(
                revoked.accounts == [Self.bob] && revoked.quarantined == 0 && revoked.remaining == nil
            )
            #expect(try await desk.node.sharing.share(of: "notes").participants.map(\.account) == [Self.carol])
            try await expectRefusal(.shareUnknown) {
                try await desk.node.sharing.revokeShare(
                    zone: "notes",
                    account: Self.bob.text,
                    reason: "",
                    keepsBelow: false
                )
            }
            try await expectRefusal(.invalidArgument) {
                let reason = String(repeating: "x", count: 256)
                return try await desk.node.sharing.revokeShare(
                    zone: "notes",
                    account: Self.carol.text,
                    reason: reason,
                    keepsBelow: false
                )
            }
            // An account that is admitted again has a new right.
            let again = try await desk.node.sharing.share(
                zone: "notes",
                with: Self.bob.text,
                terms: ShareTerms(level: .read)
            )
            #expect(again.isNew && again.participant.capabilities.count == 1)
            #expect(try await desk.node.sharing.raiseCut(zone: "notes", account: Self.bob.text).raised == 0)
            try await expectRefusal(.shareUnknown) {
                try await desk.node.sharing.raiseCut(zone: "notes", account: Self.carol.text)
            }
        }
    }

    @Test func `offers a zone only to participants, and stays the owner's until the offered account accepts`()
        async throws
    {
        try await Self.withZone { desk, zone in
            let (node, heir) = (desk.node, try KnownAccount(knownTo: desk))
            let bob = heir.account
            try await expectRefusal(.shareUnknown) {
                try await node.transfers.offerTransfer(of: "notes", to: bob.text, keeping: .write)
            }
            #expect(try await node.sharing.share(of: "notes").transfer == nil, "what is refused has no effect")
            try await expectRefusal(.rightOwnerLeaves) { try await node.sharing.leave(zone: "notes") }
            _ = try await node.sharing.share(zone: "notes", with: bob.text, terms: ShareTerms(level: .read))
            let own = node.identity.account
            let offer = try await node.transfers.offerTransfer(of: "notes", to: bob.text, keeping: .admin)
            #expect(offer == TransferStatus(zone: zone, owner: own, account: bob, keeps: .admin, state: .offered))
            #expect(try await node.sharing.share(of: "notes").transfer == offer)
            #expect(try await node.zones.zone("notes").isOwn)
            try await expectRefusal(.transferUnknown) {
                try await node.transfers.answerTransfer(of: "notes", accepting: true)
            }
            #expect(try await node.transfers.withdrawTransfer(of: "notes").state == .withdrawn)
            #expect(try await node.sharing.share(of: "notes").transfer == nil)
            try await expectRefusal(.transferUnknown) { try await node.transfers.withdrawTransfer(of: "notes") }
            try await desk.transfer(zone, to: heir, keeping: .admin)
            let status = try await node.zones.zone("notes")
            #expect(status.owner == bob && !status.isOwn && status.database == .shared && status.rights == .admin)
            try await desk.put("n1", in: "notes", text: "x")
        }
    }

    @Test func `by another account reaches as far as its right, and each refusal shows the way out`() async throws {
        try await Self.withZone { desk, zone in
            let heir = try KnownAccount(knownTo: desk)
            _ = try await desk.node.sharing.share(
                zone: "notes",
                with: heir.account.text,
                terms: ShareTerms(level: .read)
            )
            _ = try await desk.node.sharing.share(zone: "notes", with: Self.carol.text, terms: ShareTerms(level: .read))
            try await desk.transfer(zone, to: heir, keeping: .admin)
            let node = desk.node
            let dave = Self.account(9)
            let own = try await node.sharing.share(zone: "notes", with: dave.text, terms: ShareTerms(level: .write))
            #expect(own.isNew && own.participant.capabilities.map(\.issuer) == [node.identity.account])
            try await expectRefusal(.rightWidened) {
                try await node.sharing.share(
                    zone: "notes",
                    with: dave.text,
                    terms: ShareTerms(level: .read, delegationDepth: 7)
                )
            }
            try await expectRefusal(.rightNotDescendant) {
                try await node.sharing.revokeShare(
                    zone: "notes",
                    account: Self.carol.text,
                    reason: "",
                    keepsBelow: false
                )
            }
            try await expectRefusal(.shareNeedless) {
                try await node.sharing.share(zone: "notes", with: heir.account.text, terms: ShareTerms(level: .read))
            }
            try await expectRefusal(.shareNeedless) {
                try await node.sharing.revokeShare(
                    zone: "notes",
                    account: node.identity.account.text,
                    reason: "",
                    keepsBelow: false
                )
            }
            try await expectRefusal(.rightOwnerOnly) {
                try await node.transfers.offerTransfer(of: "notes", to: dave.text, keeping: nil)
            }
            #expect(
                try await node.sharing.setPublicAccess(zone: "notes", PublicAccessChange(world: .read)).access.world
                    == .read
            )
            try await expectRefusal(.zoneForeign) { try await node.zones.deleteZone("notes") }
            let revoked = try await node.sharing.revokeShare(
                zone: "notes",
                account: dave.text,
                reason: "",
                keepsBelow: false
            )
            #expect(revoked.accounts == [dave] && revoked.remaining == nil)
        }
    }

    @Test func `is given up permanently, and the zone disappears for watchers`() async throws {
        try await Self.withZone { desk, zone in
            let heir = try KnownAccount(knownTo: desk)
            _ = try await desk.node.sharing.share(
                zone: "notes",
                with: heir.account.text,
                terms: ShareTerms(level: .read)
            )
            try await desk.transfer(zone, to: heir, keeping: .write)
            let events = try await desk.node.feed.events(zone: nil, since: nil)
            #expect(try await desk.node.sharing.leave(zone: "notes") == zone)
            try await expectRefusal(.zoneDeleted) { try await desk.node.zones.zone(zone.text) }
            #expect(try await desk.node.zones.list().isEmpty)
            for await event in events {
                guard case .zone(let change, _) = event else { continue }
                #expect(change.status.zone == zone && change.departure == "left" && change.status.rights == nil)
                break
            }
            // The name is free again.
            try await desk.makeZone("notes")
        }
    }

    @Test func `lets an account with read rights read`() async throws {
        try await Self.withZone { desk, zone in
            let heir = try KnownAccount(knownTo: desk)
            try await desk.put("n1", in: "notes", text: "x")
            _ = try await desk.node.sharing.share(
                zone: "notes",
                with: heir.account.text,
                terms: ShareTerms(level: .read)
            )
            try await desk.transfer(zone, to: heir, keeping: .read)
            try await expectRefusal(.rightTooNarrow) { try await desk.put("n2", in: "notes", text: "x") }
            try await expectRefusal(.rightNotDelegable) {
                try await desk.node.sharing.share(zone: "notes", with: Self.carol.text, terms: ShareTerms(level: .read))
            }
            try await expectRefusal(.rightLevel) {
                try await desk.node.sharing.setPublicAccess(zone: "notes", PublicAccessChange(world: .read))
            }
            let status = try await desk.node.zones.zone("notes")
            #expect(status.rights == .read && status.records == 1)
            #expect(try await desk.names(in: "notes") == ["n1"])
        }
    }

    @Test func `with the public is granted in parts, and revoked`() async throws {
        try await Self.withZone { desk, _ in
            let node = desk.node
            #expect(
                try await node.sharing.setPublicAccess(zone: "notes", PublicAccessChange(world: .read, creator: .write))
                    .access
                    == PublicAccess(world: .read, authenticated: [], creator: .write)
            )
            let both = try await node.sharing.setPublicAccess(
                zone: "notes",
                PublicAccessChange(authenticated: [.read, .create])
            )
            #expect(both.access == PublicAccess(world: .read, authenticated: [.read, .create], creator: .write))
            #expect(try await node.sharing.share(of: "notes").publicAccess == both)
            #expect(try await node.zones.zone("notes").database == .public)
            let none = PublicAccessChange(world: [], authenticated: [], creator: [])
            #expect(try await node.sharing.setPublicAccess(zone: "notes", none).access == .none)
            #expect(try await node.zones.zone("notes").database == .private)
        }
    }
}
