import KairanInterface
import Testing
import Wire

@testable import Node

@Suite(.timeLimit(.minutes(5))) struct `A guest of a public zone` {
    /// Alice's zone, which Bob may read by a right; its public access gives him the rest.
    private func share(
        _ access: PublicAccessChange,
        _ nodes: Neighbourhood
    ) async throws -> (alice: RunningNode, bob: RunningNode, zone: ZoneID) {
        let (alice, bob) = (try await nodes.start("desk"), try await nodes.start("lap"))
        let zone = try await alice.makeZone("notes")
        try await alice.put("hers", in: "notes", text: "alice")
        await bob.node.sync.add(peers: [alice.address])
        let limits = InviteLimits()
        let invite = try await alice.node.inviting.invite(
            zone: "notes",
            terms: ShareTerms(level: .read),
            limits: limits
        )
        try await bob.join(invite.invite.link)
        _ = try await alice.node.sharing.setPublicAccess(zone: "notes", access)
        try await bob.untilField("text", of: "hers", in: zone.text, is: .string("alice"))
        try await bob.until("he has heard that it is public") {
            try await $0.zones.zone(zone.text).publicAccess == access.applied(to: .none)
        }
        return (alice, bob, zone)
    }

    private func change(_ name: String, _ text: String, version: String? = nil) -> RecordDraft {
        RecordDraft(name: name, fields: [("text", .string(text))], ifVersion: version)
    }

    @Test func `writes by way of the owner, is the creator, and changes its own records`() async throws {
        try await withNodes { nodes in
            let access = PublicAccessChange(authenticated: .create, creator: .write)
            let (alice, bob, zone) = try await share(access, nodes)
            let made = try await bob.node.records.write([change("n1", "his")], zone: zone.text, atomic: true)
            let view = try #require(try made.first?.get())
            #expect(view.createdBy == bob.node.identity.device && view.modifiedBy == alice.node.identity.device)
            // It is the owner's already, and comes back.
            #expect(try await alice.node.records.record(zone: "notes", name: "n1").version == view.version)
            try await bob.until("it comes back") {
                try await $0.records.list(zone: zone.text, after: nil, limit: 10).records.count == 2
            }
            let changed = try await bob.node.records.write(
                [change("n1", "again", version: view.version), change("hers", "mine")],
                zone: zone.text,
                atomic: false
            )
            #expect(try changed[0].get().fields.map(\.value) == [.string("again")])
            #expect(changed[1].code == .rightTooNarrow)
            let late = try await bob.node.records.write(
                [change("n1", "late", version: view.version)],
                zone: zone.text,
                atomic: false
            )
            #expect(late.first?.code == .versionMismatch)
            try await expectRefusal(.versionMismatch) {
                try await bob.node.records.write(
                    [change("n1", "late", version: view.version)],
                    zone: zone.text,
                    atomic: true
                )
            }
            let gone = RecordDraft(name: "n1", isDeletion: true)
            #expect(
                try await bob.node.records.write([gone], zone: zone.text, atomic: true).first?.get().isDeleted == true
            )
            try await expectRefusal(.recordDeleted) { try await alice.node.records.record(zone: "notes", name: "n1") }
            #expect(
                try await alice.node.records.record(zone: "notes", name: "hers").fields.map(\.value) == [
                    .string("alice")
                ]
            )
        }
    }

    @Test func `learns its public rights, and is refused all others`() async throws {
        try await withNodes { nodes in
            let (alice, bob, zone) = try await share(PublicAccessChange(world: .create), nodes)
            let status = try await bob.node.zones.zone(zone.text)
            #expect(status.rights == .read && status.database == .public && status.publicAccess.world == .create)
            // Decided here, like every write that nothing allows.
            let refused = try await bob.node.records.write([change("hers", "mine")], zone: zone.text, atomic: false)
            #expect(refused.first?.code == .rightTooNarrow)
            let large = change("large", String(repeating: "x", count: 600_000))
            try await expectRefusal(.recordTooLarge) {
                try await bob.node.records.write([large], zone: zone.text, atomic: true)
            }
            let many = (0..<1_025).map { change("n\($0)", "x") }
            try await expectRefusal(.batchTooLarge) {
                try await bob.node.records.write(many, zone: zone.text, atomic: false)
            }
            _ = try await alice.node.sharing.setPublicAccess(zone: "notes", PublicAccessChange(world: []))
            try await bob.until("it is closed") { try await $0.zones.zone(zone.text).publicAccess == .none }
            #expect(
                try await bob.node.records.write([change("n1", "x")], zone: zone.text, atomic: false).first?.code
                    == .rightTooNarrow
            )
        }
    }

    @Test(arguments: [true, false])
    func `writes with an account log that does not fit into its request`(_ takesPart: Bool) async throws {
        try await withNodes { nodes in
            let (alice, bob) = (try await nodes.start("desk"), try await nodes.start("lap"))
            try bob.fillAccountLog(to: 3_000_000)
            let zone = try await alice.makeZone("notes")
            try await alice.put("hers", in: "notes", text: "alice")
            await bob.node.sync.add(peers: [alice.address])
            let access = PublicAccessChange(world: [.read, .create], creator: .write)
            let link = try #require(try await alice.node.sharing.setPublicAccess(zone: "notes", access).link)
            try await bob.join(takesPart ? try await alice.invite(to: zone, .read) : link)
            try await bob.untilField("text", of: "hers", in: zone.text, is: .string("alice"))
            try await bob.until("he has heard that he may write") {
                try await $0.zones.zone(zone.text).publicAccess == access.applied(to: .none)
            }
            let made = try await bob.node.records.write([change("n1", "his")], zone: zone.text, atomic: true)
            #expect(try made.first?.get().createdBy == bob.node.identity.device)
            #expect(
                try await alice.node.records.record(zone: "notes", name: "n1").fields.map(\.value) == [.string("his")]
            )
            #expect(alice.node.identity.contacts.all.isEmpty == !takesPart)
        }
    }

    @Test func `learns that no device in reach can write for it`() async throws {
        try await withNodes { nodes in
            let (alice, bob, zone) = try await share(PublicAccessChange(world: .create), nodes)
            try await nodes.stop(alice)
            try await bob.untilDisconnected(from: alice)
            try await expectRefusal(.guestUnreachable) {
                try await bob.node.records.write([change("n1", "x")], zone: zone.text, atomic: true)
            }
            #expect(try await bob.names(in: zone.text) == ["hers"])
        }
    }
}

extension Result where Failure == NodeError {
    fileprivate var code: NodeError.Code? {
        if case .failure(let error) = self { error.code } else { nil }
    }
}
