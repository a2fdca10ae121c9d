extension Scenario {
    /// Deletions whose tombstones the other devices have pruned.
    static let forgottenDeletions = Scenario(
        name: "forgotten-deletions",
        summary: "a device returns with records whose deletions others have pruned; one may lie about the live set",
        shape: { options, random in
            options.duration = 900_000
            options.nodeCount = 3 + random.index(below: 3)
            options.faults = options.nodeCount > 3 && random.chance(0.5) ? [.byzantine] : []
            options.zoneCount = 1
            options.hasPartialLogs = false
        },
        script: { try $0.forgetDeletions() }
    )
}

extension History {
    /// Lets one device leave, the others delete some records and adopt checkpoints, and the device return.
    fileprivate func forgetDeletions() throws {
        faults.misdeeds = Misdeed.ofLiveSets
        try begin()
        let names = (0..<(2 + random.index(below: 8))).map { "r\($0)" }
        for name in names { try workload.set(name, on: nodes[0]) }
        try settle()
        let away = nodes[nodes.count - 1]
        if away.isRunning { try away.stop() }
        faults.kept.insert(away.index)
        let others = nodes.filter { $0.index != away.index }
        let deleted = names.shuffled(using: &random).prefix(1 + random.index(below: names.count))
        for name in deleted {
            try workload.delete(name, on: random.element(of: others) ?? nodes[0])
            try wait(random.number(10...2_000))
        }
        let days = random.number(100...365)
        let active = 3 + UInt64(random.index(below: 3))
        for _ in 0..<active {
            // Without new operations there is no checkpoint.
            try workload.set("kept", on: nodes[0])
            try wait(120_000)
            for node in others where node.isRunning { try node.stop() }
            try wait(days * 86_400_000 / active)
            for node in others { try node.start() }
        }
        try workload.set("kept", on: nodes[0])
        try wait(120_000)
        faults.kept.remove(away.index)
        if options.allows(.byzantine) { try comeBack(away, to: 1 + random.index(below: others.count - 1)) }
        if !away.isRunning { try away.start() }
        try conclude()
    }

    /// Lets a returning device meet for a while only a peer that lies about the live set.
    private func comeBack(_ away: SimulatedNode, to liar: Int) throws {
        faults.byzantineNode = liar
        try faults.happen(.byzantine)
        for other in nodes where other.index != liar && other.index != away.index {
            simulation.network.block(from: away.index, to: other.index)
            simulation.network.block(from: other.index, to: away.index)
        }
        try away.start()
        try wait(random.number(60_000...600_000))
    }
}
