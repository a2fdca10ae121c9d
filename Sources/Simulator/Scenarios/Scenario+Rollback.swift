import Sync

extension Scenario {
    /// A disk is rolled back unnoticed, and its machine meets its peers before anything is written to it.
    static let quietRollback = Scenario(
        name: "quiet-rollback",
        summary:
            "a virtual machine is rolled back to a snapshot and connects at once: it must not write at used places",
        shape: { options, random in calm(&options, &random) },
        script: { history in
            let (victim, image, _) = try history.writeBeyondAnImage()
            try history.converge()
            try victim.stop()
            try victim.restore(image, parts: .disk)
            try victim.start()
            try history.wait(20_000)
            try history.converge()
            for _ in 0..<5 {
                try history.workload.set("r0", on: victim)
                try history.wait(history.random.number(10...2_000))
            }
            try history.conclude()
        }
    )

    /// A disk is rolled back unnoticed, and as many operations are written to it as were lost.
    static let evenRollback = Scenario(
        name: "even-rollback",
        summary: "a virtual machine is rolled back to a snapshot and writes as much as it lost: two logs of one size",
        shape: { options, random in calm(&options, &random) },
        script: { history in
            history.judge.authorship.toleratesForks = true
            let (victim, image, count) = try history.writeBeyondAnImage()
            try history.converge()
            try victim.stop()
            try victim.restore(image, parts: .disk)
            history.isolate(victim)
            try victim.start()
            for _ in 0..<count {
                try history.workload.set("r0", on: victim)
                try history.wait(history.random.number(10...2_000))
            }
            try history.conclude()
        }
    )

    private static func calm(_ options: inout SimulationOptions, _ random: inout SeededGenerator) {
        options.duration = 600_000
        options.nodeCount = 2 + random.index(below: 2)
        options.zoneCount = 1
        options.hasPartialLogs = false
        options.staticPeers = .all
        options.faults = []
    }
}

extension History {
    /// Makes an image of one machine's disk, and lets its applications write on.
    fileprivate func writeBeyondAnImage() throws -> (victim: SimulatedNode, image: DiskImage, count: Int) {
        try begin()
        try disturb(for: 60_000)
        try converge()
        let victim = nodes[random.index(below: nodes.count)]
        let image = victim.disk.image()
        let count = 1 + random.index(below: 4)
        for _ in 0..<count {
            try workload.set("r0", on: victim)
            try wait(random.number(10...2_000))
        }
        return (victim, image, count)
    }
}
