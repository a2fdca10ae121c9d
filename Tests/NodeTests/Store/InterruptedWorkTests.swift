import KairanInterface
import Sync
import Synchronization
import Testing
import Wire

@testable import Node

@Suite(.timeLimit(.minutes(5))) struct `Work that a crash interrupted` {
    /// Waits until no warnings are left: a commit's changes are shown a moment before the end of the warnings that it
    /// ends; the time limit bounds the wait.
    private func untilCalm(_ node: RunningNode) async throws {
        while try await !node.troubles().isEmpty { await Task.yield() }
    }

    @Test func `is done at the next start: records of the left account are moved`() async throws {
        try await withNodes { nodes in
            let desk = try await nodes.start("desk")
            var lap = try await nodes.start("lap")
            try await lap.makeZone("notes")
            try await lap.put("milk", in: "notes", text: "two")
            // The account changes on the disk; the commit that moves the records does not come through.
            lap.storage.fail(with: .diskFull)
            try await pair(desk, lap)
            #expect(try await lap.node.zones.list().isEmpty)
            // It stands, and is not shown beside its cause.
            #expect(lap.node.commitService.health.contains("account.not_settled"))
            #expect(try await lap.node.health.status().health.map(\.code).contains("storage.disk_full"))
            try await nodes.kill(lap)
            lap = try await nodes.start("lap", in: lap.directory)
            #expect(try await lap.node.records.field("text", of: "milk", in: "notes") == .string("two"))
            #expect(try await lap.node.zones.list().count == 1)
            await lap.node.sync.add(peers: [desk.address])
            try await desk.untilField("text", of: "milk", in: "notes", is: .string("two"))
        }
    }

    @Test func `is done at the next start: new readers are given the keys`() async throws {
        try await withNodes { nodes in
            let lap = try await nodes.start("lap")
            var desk = try await nodes.start("desk")
            try await desk.makeZone("notes")
            try await desk.put("milk", in: "notes", text: "two")
            // The account changes on the disk; the commit that seals the keys to the newcomer does not come through.
            desk.storage.fail(with: .diskFull)
            try await pair(desk, lap)
            try await nodes.kill(desk)
            desk = try await nodes.start("desk", in: desk.directory)
            await lap.node.sync.add(peers: [desk.address])
            try await lap.untilField("text", of: "milk", in: "notes", is: .string("two"))
        }
    }

    @Test func `is done by the maintenance, if the daemon lives on`() async throws {
        try await withNodes { nodes in
            let (desk, lap) = (try await nodes.start("desk"), try await nodes.start("lap"))
            try await lap.makeZone("notes")
            try await lap.put("milk", in: "notes", text: "two")
            lap.storage.fail(with: .diskFull)
            try await pair(desk, lap)
            await lap.node.maintenance.work()
            #expect(try await lap.node.zones.list().isEmpty)
            lap.storage.fail(with: nil)
            await lap.node.maintenance.work()
            try await lap.untilField("text", of: "milk", in: "notes", is: .string("two"))
            try await untilCalm(lap)
        }
    }

    @Test func `is done by the maintenance after next, if the store cannot be read in the next`() async throws {
        try await withNodes { nodes in
            let (desk, lap) = (try await nodes.start("desk"), try await nodes.start("lap"))
            try await lap.makeZone("notes")
            try await lap.put("milk", in: "notes", text: "two")
            lap.storage.fail(with: .diskFull)
            try await pair(desk, lap)
            lap.storage.fail(with: nil)
            lap.storage.failReads(with: .inputOutput)
            await lap.node.maintenance.work()
            lap.storage.failReads(with: nil)
            #expect(try await lap.troubles().contains("account.not_settled"))
            await lap.node.maintenance.work()
            try await lap.untilField("text", of: "milk", in: "notes", is: .string("two"))
            try await untilCalm(lap)
        }
    }

    @Test func `is done by the next maintenance, if it is left while this one looks`() async throws {
        try await withNodes { nodes in
            let (desk, lap) = (try await nodes.start("desk"), try await nodes.start("lap"))
            try await lap.makeZone("notes")
            try await lap.put("milk", in: "notes", text: "two")
            lap.node.commitService.hasUnfinishedRulings.store(true, ordering: .relaxed)
            lap.storage.afterNextAnswer {
                lap.storage.fail(with: .diskFull)
                try await pair(desk, lap)
                // No event reports the moment in which the failure is noted; it is near.
                while !lap.node.commitService.health.contains("account.not_settled") { await Task.yield() }
                lap.storage.fail(with: nil)
            }
            await FaultyStorage.$isWatched.withValue(true) { await lap.node.maintenance.work() }
            await lap.node.maintenance.work()
            try await lap.untilField("text", of: "milk", in: "notes", is: .string("two"))
            try await untilCalm(lap)
        }
    }

    @Test func `is done at the next start: late writes of a removed device lose their effect`() async throws {
        try await withNodes { nodes in
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
            try await converged(zone, lost, desk)
            try await nodes.stop(lost)
            // The remover has not seen the late record; the device that has seen it learns of the removal and cannot
            // commit.
            try await nodes.stop(desk)
            lap = try await nodes.start("lap", in: lap.directory)
            try await lap.node.devices.removeDevice(lost.node.identity.device, words: nil)
            desk = try await nodes.start("desk", in: desk.directory)
            desk.storage.fail(with: .diskFull)
            await desk.node.sync.add(peers: [lap.address])
            try await desk.until("two devices") { try await $0.devices.account().devices.count == 2 }
            #expect(try await desk.names(in: "notes") == ["early", "late"])
            try await nodes.kill(desk)
            desk = try await nodes.start("desk", in: desk.directory)
            await desk.node.sync.add(peers: [lap.address])
            try await desk.until("late is gone") { try await $0.records.field("text", of: "late", in: "notes") == nil }
            #expect(try await desk.names(in: "notes") == ["early"])
        }
    }

    @Test func `is done some zones a transaction: what a removed device's logs count for in many zones`() async throws {
        try await withNodes { nodes in
            var desk = try await nodes.start("desk")
            let lost = try await nodes.start("lost")
            try await pair(desk, lost)
            let zones = 2 * AccountUpkeep.ruledZoneCount + 1
            for index in 0..<zones { try await desk.makeZone("zone-\(index)") }
            // The account changes on the disk; the commits that say it in the zones do not come through.
            desk.storage.fail(with: .diskFull)
            try await desk.node.devices.removeDevice(lost.node.identity.device, words: nil)
            try await nodes.kill(desk)
            desk = try await nodes.start("desk", in: desk.directory)
            let counts = desk.storage.changedZoneCounts
            #expect(counts.reduce(0, +) >= zones)
            #expect(counts.allSatisfy { $0 <= AccountUpkeep.ruledZoneCount }, "\(counts)")
            #expect(try await desk.troubles().isEmpty)
        }
    }
}

@Suite(.timeLimit(.minutes(5))) struct `A damaged store` {
    @Test func `is shown in the status until the next start`() async throws {
        try await withNodes { nodes in
            let desk = try await nodes.start()
            try await desk.makeZone("notes")
            desk.storage.fail(with: .corrupt)
            try await expectRefusal(.storageFailed) { try await desk.put("milk", in: "notes", text: "x") }
            desk.storage.fail(with: nil)
            try await desk.put("milk", in: "notes", text: "x")
            #expect(try await desk.troubles() == ["storage.damaged"])
            #expect(try await desk.node.health.status().state == .degraded)
        }
    }
}

@Suite(.timeLimit(.minutes(5))) struct `A full disk` {
    @Test func `refuses writes with its own code, warns, and is over with the first good commit`() async throws {
        try await withNodes { nodes in
            let desk = try await nodes.start()
            try await desk.makeZone("notes")
            desk.storage.fail(with: .diskFull)
            try await expectRefusal(.diskFull) { try await desk.put("milk", in: "notes", text: "x") }
            #expect(try await desk.node.health.status().state == .degraded)
            #expect(try await desk.troubles() == ["storage.disk_full"])
            #expect(try await desk.names(in: "notes").isEmpty)
            desk.storage.fail(with: nil)
            try await desk.put("milk", in: "notes", text: "x")
            #expect(try await desk.troubles().isEmpty)
        }
    }

    @Test func `is found to be over by the maintenance, if no write finds it`() async throws {
        try await withNodes { nodes in
            let desk = try await nodes.start()
            try await desk.makeZone("notes")
            desk.storage.fail(with: .diskFull)
            _ = try await refusal { try await desk.put("milk", in: "notes", text: "x") }
            await desk.node.maintenance.work()
            #expect(try await desk.node.health.status().state == .degraded)
            desk.storage.fail(with: nil)
            await desk.node.maintenance.work()
            #expect(try await desk.node.health.status().state == .ready)
        }
    }

    @Test func `at a receiver pauses its peer, and nothing is lost`() async throws {
        try await withNodes { nodes in
            let (desk, lap) = (try await nodes.start(), try await nodes.start())
            try await pair(desk, lap)
            let zone = try await desk.makeZone("notes")
            try await converged(zone, desk, lap)
            lap.storage.fail(with: .diskFull)
            try await desk.put("milk", in: "notes", text: "x")
            try await lap.until("a warning") { _ in lap.node.commitService.health.contains("storage.disk_full") }
            lap.storage.fail(with: nil)
            // A pause ends by itself, or with a new session.
            let back = try await nodes.restart(lap)
            await back.node.sync.add(peers: [desk.address])
            try await converged(zone, desk, back)
        }
    }
}
