import Records
import Sync
import Wire

extension Scenario {
    /// A disk is rolled back, and something on the machine shows it.
    static let restoredBackup = Scenario(
        name: "restored-backup",
        summary: "an old image of a database is restored, and written to before any session",
        shape: { options, random in
            options.duration = 900_000
            options.nodeCount = 2 + random.index(below: 3)
            options.faults = [.crash, .restart, .partition]
        },
        script: { history in
            try history.bringBack(history.random.chance(0.5) ? .database : .files)
        }
    )

    /// A disk is rolled back, and nothing on the machine shows it: neither sentinel, machine nor file times.
    static let virtualMachineRollback = Scenario(
        name: "vm-rollback",
        summary: "a whole virtual machine is rolled back to a snapshot, and written to before any session",
        shape: { options, random in
            options.duration = 900_000
            options.nodeCount = 2 + random.index(below: 3)
            options.faults = []
        },
        // A rollback of database and sentinel without the key file looks the same as one of the whole disk.
        script: { history in
            history.judge.authorship.toleratesForks = true
            try history.bringBack(history.random.chance(0.5) ? .disk : .databaseAndSentinel)
        }
    )

    /// A disk is copied to another machine, and both run.
    static let clonedDisk = Scenario(
        name: "cloned-disk",
        summary: "a copy of a machine's disk runs beside the original on other hardware",
        shape: { options, random in
            options.duration = 900_000
            options.nodeCount = 2 + random.index(below: 3)
            options.faults = [.crash, .restart, .partition]
            // With one device on two machines, a peer that met the newer program does not go back to the older one's
            // version.
            options.hasOldPrograms = false
        },
        script: { try $0.runCopy(parts: .files) }
    )

    /// A machine is copied with everything that distinguishes it from its copy.
    static let clonedMachine = Scenario(
        name: "cloned-machine",
        summary: "a virtual machine is copied with its machine id, and both run",
        shape: { options, random in
            options.duration = 900_000
            options.nodeCount = 2 + random.index(below: 3)
            options.faults = []
            options.hasOldPrograms = false
        },
        script: { history in
            history.judge.authorship.toleratesForks = true
            try history.runCopy(parts: .disk)
        }
    )

    /// A device that comes back after a year.
    static let yearAway = Scenario(
        name: "year-away",
        summary: "a device is away for up to a year while the others delete, prune and adopt checkpoints",
        shape: { options, random in
            options.duration = 900_000
            options.nodeCount = 3 + random.index(below: 2)
            options.faults = []
            options.zoneCount = 1 + random.index(below: 2)
            options.hasPartialLogs = false
        },
        script: { try $0.spendAYear() }
    )

    /// A store is lost.
    static let lostStore = Scenario(
        name: "lost-store",
        summary: "a store is missing or cannot be read: never taken for a deletion, and restored from the peers",
        shape: { options, random in
            options.duration = 900_000
            options.nodeCount = 2 + random.index(below: 3)
            options.faults = [.restart, .cut]
        },
        script: { history in
            try history.begin()
            try history.disturb(for: 120_000)
            try history.settle()
            let lost = history.nodes[history.random.index(below: history.nodes.count)]
            let known = try history.visible(on: lost)
            for _ in 0..<(1 + history.random.index(below: 3)) {
                if history.random.chance(0.5), lost.isRunning { try lost.stop() }
                try lost.loseDatabase()
                if history.random.chance(0.3) { lost.disk.faults.isFull = true }
                try lost.start()
                // The first applications do not wait for peers.
                if history.random.chance(0.5) {
                    try lost.createZone(lost.zoneGenesis(0))
                    try history.wait(history.random.number(0...2_000))
                    try history.workload.set("r0", on: lost)
                }
                try history.wait(history.random.number(100...20_000))
                lost.disk.faults.isFull = false
            }
            try history.settle()
            let after = try history.visible(on: lost)
            for (key, count) in known.sorted(by: { $0.key < $1.key }) where after[key] ?? 0 < min(count, 1) {
                throw Violation(
                    .acknowledgedIsKept,
                    at: lost,
                    "zone \(key.shortText) had \(count) records before its store was lost, and has none"
                )
            }
            try history.finish()
        }
    )
}

extension History {
    /// Rolls a disk back to an image and writes before the machine meets any peer.
    func bringBack(_ parts: DiskImage.Parts) throws {
        try begin()
        try disturb(for: 60_000)
        let victim = nodes[random.index(below: nodes.count)]
        if !victim.isRunning { try victim.start() }
        try wait(random.number(0...20_000))
        let image = victim.disk.image()
        // The image lacks the writes made from now on.
        let isSeen = random.chance(0.7)
        if !isSeen { isolate(victim) }
        try write(on: victim, times: 1 + random.index(below: 20))
        if isSeen { try wait(5_000) }
        // A power loss may leave an old sentinel behind; that is the other scenario.
        if random.chance(0.5) || parts == .database, victim.isRunning { try victim.stop() }
        try victim.restore(image, parts: parts)
        isolate(victim)
        try victim.start()
        try write(on: victim, times: random.index(below: 20))
        try wait(random.number(0...10_000))
        simulation.network.heal()
        try disturb(for: 60_000)
        try conclude()
    }

    /// Runs a copy of a disk beside the original.
    func runCopy(parts: DiskImage.Parts) throws {
        try begin()
        try disturb(for: 60_000)
        let original = nodes[random.index(below: nodes.count)]
        if random.chance(0.5), original.isRunning { try original.stop() }
        let copy = try simulation.copy(original, parts: parts)
        if random.chance(0.5) { isolate(copy) }
        try copy.start()
        if !original.isRunning { try original.start() }
        for _ in 0..<(2 + random.index(below: 20)) {
            try workload.write(on: random.chance(0.5) ? copy : original)
            try wait(random.number(10...3_000))
        }
        simulation.network.heal()
        try disturb(for: 120_000)
        try conclude()
    }

    /// Cuts a machine off from all others.
    func isolate(_ node: SimulatedNode) {
        simulation.network.divide(nodes.map { $0.index == node.index ? 1 : 0 }, isFatal: random.chance(0.5))
    }

    /// The number of records that each zone shows on a node.
    func visible(on node: SimulatedNode) throws -> [ZoneID: UInt64] {
        guard let store = node.store else { return [:] }
        return try store.zones().reduce(into: [:]) { counts, zone in
            guard case .live = zone.state else { return }
            counts[zone.id] = try store.recordCount(zone: zone.id)
        }
    }

    // MARK: A year

    /// One device leaves, the others work on for days far apart, and it returns with writes of its own.
    func spendAYear() throws {
        try begin()
        try disturb(for: 120_000)
        try settle()
        let away = nodes[nodes.count - 1]
        isolate(away)
        try write(on: away, times: random.index(below: 6))
        if away.isRunning { try away.stop() }
        faults.kept.insert(away.index)
        simulation.network.heal()
        let days: UInt64 = random.chance(0.5) ? random.number(100...365) : random.number(3...60)
        let active = 3 + random.index(below: 5)
        for _ in 0..<active {
            try workADay()
            for node in nodes where node.isRunning { try node.stop() }
            try wait(days * 86_400_000 / UInt64(active))
            for node in nodes where node.index != away.index { try node.start() }
        }
        try workADay()
        faults.kept.remove(away.index)
        if random.chance(0.5) { isolate(away) }
        try away.start()
        try write(on: away, times: random.index(below: 6))
        try settle()
        try workADay()
        try conclude()
    }

    /// Some minutes of work and rest, in which checkpoints are made and adopted.
    private func workADay() throws {
        workload.plan(until: simulation.now + 120_000, perMinute: 10)
        try wait(300_000)
    }
}
