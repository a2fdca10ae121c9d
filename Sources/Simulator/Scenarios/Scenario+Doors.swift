import Identity
import Session
import Sync
import Wire

extension Scenario {
    /// Strangers take all places that they can get, and a member must find one.
    static let doors = Scenario(
        name: "doors",
        summary: "strangers connect: silent, with half messages, guessed codes, known tickets, recorded bytes",
        shape: { options, random in
            options.nodeCount = 3 + random.index(below: 2)
            options.duration = 600_000
            options.faultDuration = 60_000
            options.hasPartialLogs = false
            options.hasOldPrograms = false
            options.staticPeers = .all
            options.hasAccountKeys = true
            options.hasRooms = true
            options.requestsPerMinute = 10
            options.delayMilliseconds = Double(random.number(2...20))
            options.bytesPerMillisecond = nil
            options.faults = [.replay]
            options.faultsPerMinute = 0
        },
        script: { history in
            try history.begin()
            try history.converge()
            let siege = try Siege(history, of: history.nodes[0], drawing: \.random)
            try siege.hold()
            try history.conclude()
        }
    )
}

extension Siege {
    /// Occupies doors for some minutes while members come and go, each of which must get through at once.
    fileprivate func hold() throws {
        let end = simulation.now + history.random.number(60_000...180_000)
        simulation.awaitsMembers = true
        try knock(until: end, every: Self.periodMilliseconds)
        let others = Array(history.nodes.dropFirst())
        if hasOutcast, others.count > 2 { try besieged.remove(others[others.count - 1].device) }
        while simulation.now < end {
            try history.wait(history.random.number(2_000...15_000))
            let node = others[history.random.index(below: 2)]
            try history.workload.write(on: node)
            if history.random.chance(0.7) { try node.restart() }
        }
        try history.wait(5_000)
        simulation.awaitsMembers = false
        hangUp()
    }

    /// The interval between connections, in milliseconds: long enough that the oldest of 32 can complete its
    /// handshake.
    private static var periodMilliseconds: UInt64 { 25 }
}
