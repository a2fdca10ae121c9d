import Identity
import Records
import Sync
import Testing
import Wire

@testable import Node

@Suite(.timeLimit(.minutes(5))) struct `Roles of devices` {
    @Test func `a read-only device gets everything, writes nothing, and is shown the way out`() async throws {
        try await withNodes { nodes in
            let (desk, lap) = (try await nodes.start("desk"), try await nodes.start("lap"))
            try await pair(desk, lap, role: .readOnly)
            try await desk.makeZone("notes")
            try await desk.put("milk", in: "notes", text: "two")
            try await lap.untilField("text", of: "milk", in: "notes", is: .string("two"))
            for node in [desk, lap] {
                #expect(try await node.node.devices.account().devices.map(\.role) == [.full, .readOnly])
            }
            #expect(try await desk.node.peers.list().map(\.role) == [.readOnly])
            try await expectRefusal(.deviceReadOnly) { try await lap.put("bread", in: "notes", text: "one") }
            try await expectRefusal(.deviceReadOnly) { try await lap.remove("milk", in: "notes") }
            try await expectRefusal(.deviceReadOnly) { try await lap.makeZone("mine") }
            try await expectRefusal(.deviceReadOnly) { try await lap.node.zones.deleteZone("notes") }
            try await expectRefusal(.forbidden) { try await lap.node.pairing.offerPairing(role: .readOnly) }
            try await expectRefusal(.forbidden) {
                try await lap.node.pairing.makeEnrolmentToken(uses: 1, lifetimeMilliseconds: 60_000, role: .readOnly)
            }
            try await expectRefusal(.forbidden) {
                try await lap.node.devices.removeDevice(desk.node.identity.device, words: nil)
            }
            #expect(try await lap.names(in: "notes") == ["milk"])
        }
    }

    @Test func `its writes are not applied, and the session continues`() async throws {
        try await withNodes { nodes in
            let (desk, lap) = (try await nodes.start("desk"), try await nodes.start("lap"))
            try await pair(desk, lap, role: .readOnly)
            let zone = try await desk.makeZone("notes")
            try await desk.put("milk", in: "notes", text: "two")
            try await lap.untilField("text", of: "milk", in: "notes", is: .string("two"))
            // Past the refusal, as a modified program would.
            let commitService = lap.node.commitService
            _ = try await lap.node.store.commits.perform { transaction in
                try commitService.change(&transaction) { committer, _, transaction in
                    let write = RecordWrite(
                        name: "bread",
                        type: "note",
                        set: [FieldAssignment(field: "text", value: .string("one"))]
                    )
                    return try committer.commit([WriteRequest([write])], zone: zone, in: &transaction).notice
                }
            } whenDurable: {
                commitService.announce($0)
            }
            let actor = lap.node.identity.actor
            let storage = lap.storage
            // The other's answer is kept with the next transaction.
            while try await !storage.read({ try $0.acknowledgements(zone: zone) })
                .contains(where: { $0.key.actor == actor })
            {
                try await lap.node.store.commits.perform { _ in () }
            }
            #expect(try await desk.names(in: "notes") == ["milk"])
            try await desk.put("butter", in: "notes", text: "three")
            try await lap.untilField("text", of: "butter", in: "notes", is: .string("three"))
            #expect(try await desk.names(in: "notes") == ["butter", "milk"])
        }
    }

    @Test func `a device that has zones does not give them up for a role in which it may not write`() async throws {
        try await withNodes { nodes in
            let (desk, lap) = (try await nodes.start("desk"), try await nodes.start("lap"))
            try await lap.makeZone("notes")
            try await lap.put("milk", in: "notes", text: "two")
            let offer = try await desk.node.pairing.offerPairing(role: .readOnly)
            await lap.node.sync.add(peers: [desk.address])
            try await expectRefusal(.deviceHasZones) { try await lap.node.pairing.acceptPairing(ticket: offer.ticket) }
            #expect(try await lap.node.records.field("text", of: "milk", in: "notes") == .string("two"))
            // No device was added, so another role is still possible.
            #expect(try await desk.node.devices.account().devices.count == 1)
            try await pair(desk, lap)
            try await desk.untilField("text", of: "milk", in: "notes", is: .string("two"))
            #expect(try await desk.node.devices.account().devices.map(\.role) == [.full, .full])
        }
    }

    @Test func `a token gives the role that it was made for`() async throws {
        try await withNodes { nodes in
            let desk = try await nodes.start("desk")
            let token = try await desk.node.pairing.makeEnrolmentToken(
                uses: 2,
                lifetimeMilliseconds: 3_600_000,
                role: .relayOnly
            )
            let full = try await nodes.start("full", peers: [desk.address])
            try await full.makeZone("notes")
            try await expectRefusal(.deviceHasZones) {
                try await Enrolment(full.node.sync).enrol(EnrolmentToken(typed: token.token))
            }
            for name in ["one", "two"] {
                let new = try await nodes.start(name, peers: [desk.address])
                _ = try await Enrolment(new.node.sync).enrol(EnrolmentToken(typed: token.token))
            }
            #expect(try await desk.node.devices.account().devices.map(\.role) == [.full, .relayOnly, .relayOnly])
        }
    }
}
