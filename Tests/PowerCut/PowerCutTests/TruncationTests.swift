import Store
import Testing

/// A log that is cut to nothing and comes back in part holds old commits without the newer ones.
///
/// SQLite would replay them over the newer pages in the database.
@Suite("A half-truncated log")
struct TruncationTests {
    /// The occasion on which the log is truncated.
    enum Occasion: String, CaseIterable, CustomTestStringConvertible {
        case checkpoint
        case close

        var testDescription: String { rawValue }
    }

    @Test(arguments: Occasion.allCases)
    func `loses nothing, however much of it is left`(_ occasion: Occasion) async throws {
        var machine = try Machine(pageByteCount: 1_024, frameCount: 10_000)
        machine.settings.checkpoints.byteCountKept = 0
        #expect(try await machine.start())
        for action in try SmallWorkload.actions() {
            switch action {
            case .checkpoint, .reopen: continue
            case .commit, .read: #expect(try await machine.perform(action))
            }
        }
        let log = machine.scratch.state.databasePath + "-wal"
        #expect(try machine.scratch.byteCount(log) > 10_000, "nothing to cut")
        switch occasion {
        case .checkpoint: #expect(try await machine.perform(.checkpoint))
        case .close: #expect(try await machine.stop())
        }
        #expect(try machine.scratch.byteCount(log) == 0, "not cut")
        try await machine.die()
        for seed in Volume.seeds {
            do {
                try await start(machine, seed: seed)
            } catch {
                Issue.record(Volume.report("\(error)", seed: seed, suite: Self.self))
                return
            }
        }
    }

    /// Starts from the contents of one disk.
    private func start(_ machine: Machine, seed: UInt64) async throws {
        let scratch = try Scratch()
        try machine.disk.materialise(seed: seed, mode: .subset, into: scratch.path)
        try scratch.setCleanMarker(machine.disk.witnessExisted)
        var copy = try Machine(scratch: scratch, settings: machine.settings, model: machine.model, pending: [])
        guard try await copy.start() else { throw Finding("it does not start") }
        try await copy.check()
        try await copy.goOn()
        _ = try await copy.stop()
    }
}
