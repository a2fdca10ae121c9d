import Testing

@Suite("An interruption at every operation")
struct ExhaustiveTests {
    @Test func `a cut at any operation of a small workload loses nothing, whatever the disk did`() async throws {
        let start = ContinuousClock.now
        var number = Volume.place ?? 0
        var count = 0
        do {
            while try await cut(at: number, &count), Volume.place == nil {
                number += Volume.isFull ? 1 : 3
            }
        } catch {
            Issue.record(Volume.report("\(error)", place: number, suite: Self.self))
        }
        #expect(number > 100 || Volume.place != nil, "the workload is not that small")
        Volume.note("\(number) operations, \(count) power cuts", since: start)
    }

    /// Runs the workload until the power goes, and checks every state that may be left.
    /// - Returns: Whether the power went.
    private func cut(at number: UInt64, _ count: inout Int) async throws -> Bool {
        var machine = try Machine(pageByteCount: 4_096, frameCount: 25)
        machine.disk.cut(after: number)
        try await work(&machine)
        guard machine.disk.isDead else { return false }
        try await machine.die()
        for mode in FaultyDisk.Mode.allCases {
            let scratch = try Scratch()
            try machine.disk.materialise(seed: number, mode: mode, into: scratch.path)
            try scratch.setCleanMarker(machine.disk.witnessExisted)
            var copy = try Machine(
                scratch: scratch,
                settings: machine.settings,
                model: machine.model,
                pending: machine.pending
            )
            do {
                try await goOn(&copy)
            } catch {
                throw Finding("mode \(mode): \(error)")
            }
            count += 1
        }
        try await killAndCut(&machine)
        count += 1
        return true
    }

    private func work(_ machine: inout Machine) async throws {
        guard try await machine.start() else { return }
        for action in try SmallWorkload.actions() {
            guard try await machine.perform(action) else { return }
        }
        _ = try await machine.stop()
    }

    /// Starts, checks, writes, stops.
    private func goOn(_ machine: inout Machine) async throws {
        guard try await machine.start() else { throw Finding("it does not start") }
        try await machine.check()
        try await machine.goOn()
        try await machine.check()
        _ = try await machine.stop()
    }

    /// Kills the process only; the state that it shows when it is back must survive a following power failure.
    private func killAndCut(_ machine: inout Machine) async throws {
        try machine.disk.restart()
        guard try await machine.start() else { throw Finding("after a kill it does not start") }
        try await machine.check()
        try await machine.die()
        try machine.disk.materialise(seed: 0, mode: .lose)
        try await goOn(&machine)
    }
}
