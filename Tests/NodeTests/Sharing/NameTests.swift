import KairanInterface
import Sync
import Testing
import Wire

@testable import Node

@Suite(.timeLimit(.minutes(5))) struct `Names of accounts and devices` {
    private static func account(_ byte: UInt8) -> AccountID {
        AccountID(Digest32(Array(repeating: byte, count: 32)) ?? .zero)
    }

    private static let read = ShareTerms(level: .read)

    /// Two accounts that have met, as each takes part in a zone of the first.
    private static func meet(_ alice: RunningNode, _ bob: RunningNode) async throws -> ZoneID {
        let zone = try await alice.makeZone("notes")
        await bob.node.sync.add(peers: [alice.address])
        let terms = ShareTerms(level: .write)
        let invite = try await alice.node.inviting.invite(zone: "notes", terms: terms, limits: InviteLimits())
        _ = try await bob.join(invite.invite.link)
        try await bob.until("the zone is there") { try await $0.zones.zoneIfKnown(zone.text)?.rights != nil }
        return zone
    }

    /// Starts two devices of one account, and one of another account that takes part in a zone of theirs.
    private static func startAll(
        _ nodes: Neighbourhood
    ) async throws -> (desk: RunningNode, lap: RunningNode, bob: RunningNode) {
        let (desk, lap) = (try await nodes.start("desk"), try await nodes.start("lap"))
        let bob = try await nodes.start("bob")
        try await pair(desk, lap)
        _ = try await meet(desk, bob)
        return (desk, lap, bob)
    }

    /// Waits until a condition holds that no event reports.
    private static func untilThere(on node: RunningNode, _ fact: (Node) async throws -> Bool) async throws {
        // Each write gives the node's tasks a turn.
        while try await !fact(node.node) { try await node.put("turn", in: "turns", text: "mine") }
    }

    @Test func `reach the account's other devices and those of accounts that meet it, and new ones take their place`()
        async throws
    {
        try await withNodes { nodes in
            let (desk, lap, bob) = try await Self.startAll(nodes)
            for node in [lap, bob] { try await node.makeZone("turns") }
            let account = desk.node.identity.account
            for name in ["Alice", "Alice Liddell"] {
                try await desk.node.naming.nameAccount(name)
                try await desk.node.naming.renameDevice(lap.node.identity.device, to: name + "'s lap")
                for node in [lap, bob] {
                    try await Self.untilThere(on: node) {
                        try await $0.naming.accountNames()[account].displayName == name
                    }
                }
                try await Self.untilThere(on: lap) {
                    try await $0.devices.account().devices.map(\.name) == ["desk", name + "'s lap"]
                }
            }
            #expect(
                try await desk.node.sharing.share(of: "notes").ownerDevices.map(\.name) == [
                    "desk", "Alice Liddell's lap",
                ]
            )
            // A name is kept over a restart.
            let again = try await nodes.restart(desk)
            #expect(try await again.node.naming.accountNames()[account].displayName == "Alice Liddell")
        }
    }

    @Test func `of devices are events of peers, on the account's devices and on those of accounts that meet it`()
        async throws
    {
        try await withNodes { nodes in
            let (desk, lap, bob) = try await Self.startAll(nodes)
            for node in [lap, bob] { try await node.untilConnected(to: desk) }
            let device = desk.node.identity.device
            let feeds = [
                try await lap.node.feed.events(zone: nil, since: nil),
                try await bob.node.feed.events(zone: nil, since: nil),
            ]
            try await desk.node.naming.renameDevice(device, to: "Desk by the window")
            for feed in feeds {
                let isReported = await feed.contains { event in
                    guard case .peer(let peer) = event else { return false }
                    return peer.device == device && peer.name == "Desk by the window"
                }
                #expect(isReported)
            }
        }
    }

    @Test func `of others are this account's own, on all its devices and nowhere else`() async throws {
        try await withNodes { nodes in
            let (desk, lap, bob) = try await Self.startAll(nodes)
            try await lap.makeZone("turns")
            let account = bob.node.identity.account
            let named = try await desk.node.naming.setPetname(of: account.text, "Bob from work")
            #expect(named == NamedAccountStatus(account: account, petname: "Bob from work"))
            try await Self.untilThere(on: lap) {
                try await $0.naming.accountNames()[account].petname == "Bob from work"
            }
            #expect(try await bob.node.naming.accountNames()[account].name == nil)
            try await bob.node.naming.nameAccount("Robert")
            try await desk.until("the display name is there") {
                try await $0.naming.accountNames()[account].displayName == "Robert"
            }
            #expect(try await desk.node.naming.accountNames()[account].name == "Bob from work")
            #expect(try await desk.node.naming.setPetname(of: "Bob from work", nil).name == "Robert")
            try await Self.untilThere(on: lap) { try await $0.naming.accountNames()[account].petname == nil }
            try await expectRefusal(.shareNeedless) {
                try await desk.node.naming.setPetname(of: desk.node.identity.account.text, "me")
            }
        }
    }

    @Test func `denote the intended account, a petname before a display name`() async throws {
        try await withNodes { nodes in
            let (desk, bob) = (try await nodes.start("desk"), try await nodes.start("bob"))
            let mallory = try await nodes.start("mallory")
            let zone = try await Self.meet(desk, bob)
            try await expectRefusal(.accountUnknown) {
                try await desk.node.sharing.share(zone: "notes", with: "Bob", terms: Self.read)
            }
            try await bob.node.naming.nameAccount("Bob")
            let account = bob.node.identity.account
            try await desk.until("it has the name") { try await $0.naming.accountNames()[account].displayName == "Bob" }
            let participant = try await desk.node.sharing.share(zone: "notes", with: "Bob", terms: Self.read)
                .participant
            #expect(participant.account == account)

            // Another account takes a name that looks the same: the name is ambiguous now.
            await mallory.node.sync.add(peers: [desk.address])
            let invite = try await desk.node.inviting.invite(zone: zone.text, terms: Self.read, limits: InviteLimits())
            _ = try await mallory.join(invite.invite.link)
            let other = mallory.node.identity.account
            try await mallory.node.naming.nameAccount("bob")
            try await desk.until("both have it") { try await $0.naming.accountNames()[other].displayName == "bob" }
            do {
                _ = try await desk.node.sharing.revokeShare(
                    zone: "notes",
                    account: "Bob",
                    reason: "",
                    keepsBelow: false
                )
                Issue.record("the name was taken for one of them")
            } catch let error as NodeError {
                #expect(error.code == .accountAmbiguous)
                #expect(error.facts == [.accounts([account, other].sorted().map(\.text))])
                #expect(error.message.contains(account.shortText) && error.message.contains(other.shortText))
            }

            // A petname is this account's own choice.
            _ = try await desk.node.naming.setPetname(of: account.text, "Bob")
            let revoked = try await desk.node.sharing.revokeShare(
                zone: "notes",
                account: "Bob",
                reason: "",
                keepsBelow: false
            )
            #expect(revoked.accounts == [account])
            // No name takes the place of a whole id.
            let text = Self.account(7).text
            _ = try await desk.node.naming.setPetname(of: other.text, text)
            let named = try await desk.node.sharing.share(zone: "notes", with: text, terms: Self.read).participant
            #expect(named.account == Self.account(7))
        }
    }

    @Test func `that are none are refused, and so is an unknown device`() async throws {
        try await withNodes { nodes in
            let desk = try await nodes.start("desk")
            for name in ["", " ", "a\u{202E}b", "a\nb", String(repeating: "n", count: 65)] {
                try await expectRefusal(.invalidArgument) { try await desk.node.naming.nameAccount(name) }
                try await expectRefusal(.invalidArgument) {
                    try await desk.node.naming.renameDevice(desk.node.identity.device, to: name)
                }
                try await expectRefusal(.invalidArgument) {
                    try await desk.node.naming.setPetname(of: Self.account(7).text, name)
                }
            }
            let stranger = DeviceID(Digest32(Array(repeating: 7, count: 32)) ?? .zero)
            try await expectRefusal(.deviceUnknown) { try await desk.node.naming.renameDevice(stranger, to: "lap") }
            #expect(
                try await desk.node.naming.accountNames().accounts == [
                    NamedAccountStatus(account: desk.node.identity.account, isThis: true)
                ]
            )
        }
    }

    @Test func `are not given on a device that may only read`() async throws {
        try await withNodes { nodes in
            let (desk, display) = (try await nodes.start("desk"), try await nodes.start("display"))
            try await pair(desk, display, role: .readOnly)
            try await expectRefusal(.deviceReadOnly) { try await display.node.naming.nameAccount("Alice") }
            try await expectRefusal(.deviceReadOnly) {
                try await display.node.naming.setPetname(of: Self.account(7).text, "Bob")
            }
        }
    }
}
