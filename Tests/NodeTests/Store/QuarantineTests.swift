import KairanInterface
import Testing
import Wire

@testable import Node

@Suite(.timeLimit(.minutes(5))) struct `A late write of a removed device` {
    /// Desk holds two late records of a lost device, lap has removed it without them.
    private func removed(_ nodes: Neighbourhood) async throws -> (desk: RunningNode, lap: RunningNode) {
        var (desk, lap) = (try await nodes.start("desk"), try await nodes.start("lap"))
        let lost = try await nodes.start("lost")
        try await pair(desk, lap)
        try await pair(desk, lost)
        let zone = try await lost.makeZone("notes")
        try await lost.put("early", in: "notes", text: "x")
        try await lap.untilField("text", of: "early", in: "notes", is: .string("x"))
        try await lap.until("three devices") { try await $0.devices.account().devices.count == 3 }
        try await nodes.stop(lap)
        try await lost.put("late", in: "notes", text: "x")
        try await lost.put("later", in: "notes", text: "y")
        try await converged(zone, lost, desk)
        try await nodes.stop(lost)
        try await nodes.stop(desk)
        lap = try await nodes.start("lap", in: lap.directory)
        try await lap.node.devices.removeDevice(lost.node.identity.device, words: nil)
        desk = try await nodes.start("desk", in: desk.directory)
        await desk.node.sync.add(peers: [lap.address])
        try await desk.until("late is gone") { try await $0.records.field("text", of: "late", in: "notes") == nil }
        return (desk, lap)
    }

    @Test func `is listed, adopted for all devices, and purged`() async throws {
        try await withNodes { nodes in
            let (desk, lap) = try await removed(nodes)
            let found = try await desk.node.quarantine.list(zone: "notes")
            #expect(found.map(\.record).sorted() == ["late", "later"])
            #expect(found.allSatisfy { $0.reason == .aboveCut && !$0.isDeletion && $0.byteCount > 0 })
            #expect(try await desk.node.quarantine.list(zone: nil) == found)
            #expect(try await lap.node.quarantine.list(zone: nil).isEmpty)
            await desk.node.maintenance.work()
            #expect(try await desk.troubles() == ["quarantine.waiting"])

            let late = try #require(found.first { $0.record == "late" })
            #expect(try await desk.node.quarantine.adoptQuarantined(late.id, zone: "notes"))
            try await lap.untilField("text", of: "late", in: "notes", is: .string("x"))
            #expect(try await !desk.node.quarantine.adoptQuarantined(late.id, zone: "notes"))
            try await expectRefusal(.quarantineNeeded) {
                try await desk.node.quarantine.purgeQuarantined(late.id, zone: "notes")
            }

            let later = try #require(found.first { $0.record == "later" })
            try await desk.node.quarantine.purgeQuarantined(later.id, zone: "notes")
            try await expectRefusal(.quarantineUnknown) {
                try await desk.node.quarantine.purgeQuarantined(later.id, zone: "notes")
            }
            try await expectRefusal(.quarantineUnknown) {
                try await desk.node.quarantine.adoptQuarantined("x", zone: "notes")
            }
            #expect(try await desk.node.quarantine.list(zone: nil).isEmpty)
            await desk.node.maintenance.work()
            #expect(try await desk.troubles().isEmpty)
            #expect(try await desk.names(in: "notes") == ["early", "late"])
        }
    }

    @Test func `is uploaded when the device learns of its removal, and can be adopted`() async throws {
        try await withNodes { nodes in
            var (desk, lap, lost) = (
                try await nodes.start("desk"), try await nodes.start("lap"), try await nodes.start("lost")
            )
            try await pair(desk, lap)
            try await pair(desk, lost)
            let zone = try await desk.makeZone("notes")
            try await lost.until("the zone") { try await $0.zones.zoneIfKnown(zone.text) != nil }
            try await lost.put("before", in: "notes", text: "counts")
            try await converged(zone, lost, desk)
            try await converged(zone, desk, lap)
            try await nodes.stop(lost)
            try await desk.node.devices.removeDevice(lost.node.identity.device, words: nil)
            try await lap.until("two devices") { try await $0.devices.account().devices.count == 2 }
            // While the others are off it goes on writing, as it does not know of its removal.
            try await nodes.stop(desk)
            try await nodes.stop(lap)
            lost = try await nodes.start("lost", in: lost.directory)
            try await lost.put("late", in: "notes", text: "on the train")
            // A run with it is longer than any that is accepted from a device that is still to be confirmed.
            let long = String(repeating: "still there ", count: 20_000)
            try await lost.put("later", in: "notes", text: long)

            desk = try await nodes.start("desk", in: desk.directory)
            lap = try await nodes.start("lap", in: lap.directory)
            await lap.node.sync.add(peers: [desk.address])
            await lost.node.sync.add(peers: [desk.address])
            try await desk.until("both are there") {
                try await $0.quarantine.list(zone: "notes").map(\.record).sorted() == ["late", "later"]
            }
            try await lost.until("it is notified") {
                try await $0.health.status().health.map(\.code).contains("account.removed")
            }
            #expect(try await desk.names(in: "notes") == ["before"])
            try await desk.put("secret", in: "notes", text: "not for the lost one")
            try await converged(zone, desk, lap)

            let late = try #require(try await desk.node.quarantine.list(zone: "notes").first { $0.record == "late" })
            #expect(late.author == lost.node.identity.device)
            #expect(try await desk.node.quarantine.adoptQuarantined(late.id, zone: "notes"))
            try await lap.untilField("text", of: "late", in: "notes", is: .string("on the train"))
            let later = try #require(try await desk.node.quarantine.list(zone: "notes").first { $0.record == "later" })
            #expect(try await desk.node.quarantine.adoptQuarantined(later.id, zone: "notes"))
            try await lap.untilField("text", of: "later", in: "notes", is: .string(long))
            // It receives nothing of the zone.
            #expect(try await lost.names(in: "notes") == ["before", "late", "later"])
        }
    }
}
