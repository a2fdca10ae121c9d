import Identity
import Records
import Sync
import Testing
import Wire

@testable import Simulator

@Suite struct SimulatedNodeTests {
    private func write(_ value: Int64, on node: SimulatedNode, _ zone: ZoneID, _ simulation: Simulation) throws -> Bool
    {
        var isDone = false
        try node.submit(HandMadeWorld.write(value), zone: zone) { answer in
            if case .done = answer { isDone = true }
        }
        try simulation.run(until: simulation.now + 100)
        return isDone
    }

    @Test func `nodes find each other and come to the same`() throws {
        let (simulation, zone) = try HandMadeWorld.running(4)
        #expect(try write(1, on: simulation.nodes[2], zone, simulation))
        try simulation.run(until: simulation.now + 5_000)
        for node in simulation.nodes { #expect(try node.value(zone) == 1) }
        #expect(simulation.nodes.allSatisfy { $0.process?.sessionDevices.count == 3 })
    }

    @Test func `acknowledged writes survive a loss of power at any step of a commit`() throws {
        for step in 0..<12 {
            let (simulation, zone) = try HandMadeWorld.running(2, seed: UInt64(step))
            let node = simulation.nodes[0]
            #expect(try write(1, on: node, zone, simulation))
            node.disk.faults.operationsUntilPowerLoss = step
            let isDone = try write(2, on: node, zone, simulation)
            if node.isRunning { try node.crash() }
            let value = try node.value(zone)
            #expect(value == 2 || (!isDone && value == 1), "step \(step)")
            try node.start()
            #expect(node.isRunning, "step \(step)")
        }
    }

    @Test func `a crash and a restart keep the store's lifetime, a restored database begins another`() throws {
        let (simulation, zone) = try HandMadeWorld.running(2)
        let node = simulation.nodes[0]
        let first = try #require(node.process?.incarnation)
        let image = node.disk.image()
        #expect(try write(1, on: node, zone, simulation))
        try node.restart()
        #expect(node.process?.incarnation == first)
        try node.stop()
        try node.restore(image, parts: .database)
        try node.start()
        #expect(node.process?.incarnation != first)
        let time = try simulation.run(within: 60_000) { try node.value(zone) == 1 }
        #expect(time != nil, "its peer gives back what it had written")
    }

    @Test func `a fault that restores a running machine's database does nothing that a start would not notice`() throws
    {
        for seed in 0..<24 as Range<UInt64> {
            let (simulation, zone) = try HandMadeWorld.running(2, seed: seed)
            let node = simulation.nodes[0]
            let faults = FaultPlan(simulation)
            faults.images = [0: [node.disk.image()]]
            #expect(try write(1, on: node, zone, simulation))
            let incarnation = try #require(node.process?.incarnation)
            // The machine is chosen by chance, and only one has an image.
            while node.isRunning { try faults.happen(.restoreDatabase) }
            let isSetBack = try node.value(zone) == nil
            try node.start()
            #expect(!isSetBack || node.process?.incarnation != incarnation, "seed \(seed)")
        }
    }

    @Test func `a full disk refuses writes and accepts them again when there is space`() throws {
        let (simulation, zone) = try HandMadeWorld.running(2)
        let node = simulation.nodes[0]
        node.disk.faults.isFull = true
        #expect(try !write(1, on: node, zone, simulation))
        node.disk.faults.isFull = false
        #expect(try write(2, on: node, zone, simulation))
    }

    @Test func `one failing job leaves the others of its group alone`() throws {
        let (simulation, zone) = try HandMadeWorld.running(1)
        let node = simulation.nodes[0]
        let process = try #require(node.process)
        var outcomes: [Bool] = []
        func note(_ result: Result<CommitNotice, any Error>) {
            if case .success = result { outcomes.append(true) } else { outcomes.append(false) }
        }
        try node.submit(HandMadeWorld.write(1), zone: zone)
        process.commits.enqueue { process, transaction in
            _ = try process.committer().commit([HandMadeWorld.write(66)], zone: zone, in: &transaction)
            throw NodeRefusal.busy
        } completion: {
            note($0)
        }
        process.commits.enqueue { _, _ in
            CommitNotice()
        } completion: {
            note($0)
        }
        try simulation.run(until: simulation.now + 100)
        #expect(outcomes == [false, true])
        #expect(try node.value(zone) == 1)
    }

    @Test func `a device that is added late gets everything, a removed one nothing more`() throws {
        let (simulation, zone) = try HandMadeWorld.running(2)
        let newcomer = try HandMadeWorld.newcomer(of: simulation.nodes[0])
        try newcomer.start()
        #expect(try write(1, on: simulation.nodes[1], zone, simulation))
        let time = try simulation.run(within: 60_000) { try newcomer.value(zone) == 1 }
        #expect(time != nil)
        try simulation.nodes[0].remove(newcomer.device)
        try simulation.run(until: simulation.now + 10_000)
        #expect(try write(2, on: simulation.nodes[1], zone, simulation))
        try simulation.run(until: simulation.now + 120_000)
        #expect(try simulation.nodes[0].value(zone) == 2)
        #expect(try newcomer.value(zone) == 1)
    }

    @Test func `the feed continues from its token, and a token of another lifetime has expired`() throws {
        let (simulation, zone) = try HandMadeWorld.running(2)
        let node = simulation.nodes[0]
        #expect(try write(1, on: node, zone, simulation))
        let first = try node.readFeed(since: nil)
        let token = first.token.text(of: FeedView())
        #expect(first.records.map(\.record.name) == [HandMadeWorld.record])
        #expect(try node.readFeed(since: token).entries.isEmpty)
        #expect(try write(2, on: simulation.nodes[1], zone, simulation))
        try simulation.run(until: simulation.now + 1_000)
        let second = try node.readFeed(since: token)
        #expect(second.records.map(\.bySync) == [true])
        try node.loseDatabase()
        try node.start()
        #expect(throws: NodeRefusal.tokenExpired) { try node.readFeed(since: second.token.text(of: FeedView())) }
    }

    @Test func `an idle hour of two nodes is pings and comparisons, and nothing else`() throws {
        let (simulation, _) = try HandMadeWorld.running(2)
        try simulation.run(until: simulation.now + 120_000)
        let before = simulation.statistics
        try simulation.run(until: simulation.now + 3_600_000)
        let messages = simulation.statistics.messages - before.messages
        #expect((500...1_200).contains(messages))
        #expect(simulation.statistics.events - before.events < messages * 3)
    }

    @Test func `a clock that is turned back while the disk works was where it was read`() throws {
        let (simulation, zone) = try HandMadeWorld.running(1) { $0.commitMilliseconds = 500 }
        simulation.judge = Judge()
        let node = simulation.nodes[0]
        node.setWallOffset(1_000_000_000)
        try node.submit(HandMadeWorld.write(1), zone: zone)
        try simulation.run(until: simulation.now + 1)
        #expect(try node.value(zone) == nil)
        node.setWallOffset(0)
        try simulation.run(until: simulation.now + 1_000)
        #expect(try node.value(zone) == 1)
    }
}
