import Store
import TestSupport

/// One seed's worth of power failures: several lives of one machine, each ended by a cut.
struct Trial {
    /// Bugs to plant.
    enum Plant: Sendable {
        case nothing
        /// The disk reports a sync that it has not made.
        case ignoredSync
    }

    let seed: UInt64
    private var machine: Machine
    private var workload: Workload
    /// Lives that were ended by a cut.
    private(set) var cutCount = 0

    init(seed: UInt64, plant: Plant = .nothing) throws {
        self.seed = seed
        workload = try Workload(seed: seed)
        machine = try Machine(
            pageByteCount: workload.number(1...2) == 1 ? 1_024 : 4_096,
            frameCount: workload.number(20...200)
        )
        if plant == .ignoredSync { machine.disk.ignoreSync() }
    }

    /// Lives through the trial.
    /// - Throws: The finding.
    mutating func run() async throws {
        let lifeCount = workload.number(2...5)
        for _ in 0..<lifeCount {
            try await live()
        }
        machine.disk.neverCut()
        try await recover()
        _ = try await machine.stop()
    }

    /// Starts, checks, works until the power goes, and switches the disk on again.
    private mutating func live() async throws {
        // Half of the lives end early, in recovery above all.
        let range = workload.number(1...2) == 1 ? 0...30 : 0...400
        machine.disk.cut(after: UInt64(workload.number(range)))
        // The power may go while the reading connections are opened, which the store can do without.
        guard try await machine.start(), !machine.disk.isDead else { return try await cut() }
        try await machine.check()
        for _ in 0..<60 {
            let action = try workload.next(machine.model)
            guard try await machine.perform(action), !machine.disk.isDead else { return try await cut() }
        }
        try await cut()
    }

    private mutating func cut() async throws {
        let wasKilled = workload.number(1...6) == 1
        try await machine.die()
        cutCount += 1
        if wasKilled {
            try machine.disk.restart()
        } else {
            let mode = FaultyDisk.Mode.allCases[workload.number(0...3)]
            try machine.disk.materialise(seed: workload.random.next(), mode: mode)
        }
    }

    private mutating func recover() async throws {
        guard try await machine.start() else { throw Finding("the machine does not start") }
        try await machine.check()
    }
}
