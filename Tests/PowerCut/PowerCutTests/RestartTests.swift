import Records
import Store
import TestSupport
import Testing
import Wire

@Suite("A power cut after a crash")
struct RestartTests {
    @Test func `data served after a crash survive a power cut`() async throws {
        do {
            try await crashAndCut()
        } catch {
            Issue.record("\(error)")
        }
    }

    private func crashAndCut() async throws {
        var machine = try Machine(pageByteCount: 4_096, frameCount: 1_000)
        #expect(try await machine.start())
        #expect(try await machine.perform(.commit([.createZone])))
        // The process dies when the commit is written and not synced yet. The system has it, the disk has not.
        machine.disk.fail(.sync, after: 0, times: .max, with: .inputOutput)
        let write = RecordWrite(name: "r1", type: "note")
        let action = Workload.Action.commit([.write([WriteRequest([write])], wall: 1)])
        // Its refusal is the matter of another test.
        let isAnswered = await (try? machine.perform(action)) ?? false
        #expect(!isAnswered)
        try await machine.die()
        machine.disk.clear()
        try machine.disk.restart()
        #expect(try await machine.start())
        try await machine.check()
        #expect(machine.model.replica.allRecords(zone: Workload.zone).count == 1, "the commit came back")
        machine.disk.cut(after: 0)
        let hasPower = try await machine.perform(.commit([.setValue("a", [1])]))
        #expect(!hasPower)
        try await machine.die()
        try machine.disk.materialise(seed: 1, mode: .lose)
        #expect(try await machine.start())
        try await machine.check()
        #expect(try await machine.stop())
    }

    @Test func `first starts that are cut off leave nothing behind that could empty the store later`() async throws {
        for seed in Volume.seeds {
            do {
                try await cutFirstStarts(seed)
            } catch {
                Issue.record(Volume.report("\(error)", seed: seed, suite: Self.self))
                return
            }
        }
    }

    /// Cuts two starts off, starts again, writes, and lets the power go once more.
    private func cutFirstStarts(_ seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        var machine = try Machine(pageByteCount: 1_024, frameCount: 1_000)
        for _ in 0..<2 {
            machine.disk.cut(after: .random(in: 0...30, using: &random))
            _ = try await machine.start()
            try await machine.die()
            let mode: FaultyDisk.Mode = Bool.random(using: &random) ? .subset : .tear
            try machine.disk.materialise(seed: random.next(), mode: mode)
        }
        guard try await machine.start() else { throw Finding("it does not start") }
        try await machine.goOn()
        try await machine.die()
        try machine.disk.materialise(seed: seed, mode: .lose)
        guard try await machine.start() else { throw Finding("it does not start again") }
        try await machine.check()
        _ = try await machine.stop()
    }
}
