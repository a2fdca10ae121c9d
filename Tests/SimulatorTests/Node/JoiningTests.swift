import Identity
import Peering
import Sync
import Testing
import Wire

@testable import Simulator

@Suite struct JoiningTests {
    /// A key to join by.
    enum Way: CaseIterable, Sendable { case ticket, token, words }

    /// A place at which a machine loses its power.
    enum Interruption: CaseIterable, Sendable { case host, newcomer, hostDisk, newcomerDisk }

    private func newcomer(in simulation: Simulation) throws -> SimulatedNode {
        let own = try FoundedAccount(
            deviceCount: 1,
            hasPartialLogs: false,
            isSealed: true,
            hasWords: true,
            random: &simulation.random
        )
        let member = own.members[0]
        let node = try simulation.insert(device: member.device, log: member.log, keyring: own.keyring)
        try node.start()
        return node
    }

    private func secret(_ way: Way, by host: SimulatedNode, in simulation: Simulation) throws -> JoiningSecret {
        let process = try #require(host.process)
        return switch way {
        case .ticket: .ticket(try process.offer())
        case .token: .token(try process.makeToken(uses: 3, lifetimeMilliseconds: 3_600_000))
        case .words: .words(simulation.accounts[0].recoveryKey)
        }
    }

    private func world() throws -> Simulation {
        try HandMadeWorld.running(2) { options in
            options.isSealed = true
            options.hasAccountKeys = true
            options.hasRooms = true
        }.0
    }

    @Test(arguments: Way.allCases, Interruption.allCases)
    func `a machine that is interrupted at any step ends as one device when it asks again`(
        _ way: Way,
        _ interruption: Interruption
    ) throws {
        for step in 0..<9 {
            let simulation = try world()
            // The words are answered by each device, so the other one is out of the way.
            try simulation.nodes[1].stop()
            let host = simulation.nodes[0]
            let node = try newcomer(in: simulation)
            let first = try secret(way, by: host, in: simulation)
            switch interruption {
            case .host: host.joiningStepsUntilPowerLoss = step
            case .newcomer: node.joiningStepsUntilPowerLoss = step
            case .hostDisk: host.disk.faults.operationsUntilPowerLoss = step
            case .newcomerDisk: node.disk.faults.operationsUntilPowerLoss = step
            }
            try node.process?.search(with: first)
            try simulation.run(until: simulation.now + 50_000)
            for machine in [host, node] {
                machine.joiningStepsUntilPowerLoss = nil
                machine.disk.faults.operationsUntilPowerLoss = nil
                if !machine.isRunning { try machine.start() }
            }
            let account = simulation.accounts[0]
            if node.accountID != account.id {
                try node.process?.search(with: try secret(way, by: host, in: simulation))
            }
            let time = try simulation.run(within: 60_000) { node.accountID == account.id }
            #expect(time != nil, "step \(step)")
            let (log, own) = (try #require(host.process?.log), try #require(node.process))
            #expect(log.state.activeDevices.count == 3, "step \(step)")
            #expect(log.state.standing(of: node.device) == .active(.full), "step \(step)")
            #expect(own.log.state.activeDevices.count == 3, "step \(step)")
            #expect(own.keyring.exportParts() == account.keyring.exportParts(), "step \(step)")
        }
    }

    @Test func `a device that was off gets the new fleet key, and a removed one does not have it`() throws {
        let (simulation, _) = try HandMadeWorld.running(3) { options in
            options.isSealed = true
            options.hasAccountKeys = true
        }
        let (host, removed, absent) = (simulation.nodes[0], simulation.nodes[1], simulation.nodes[2])
        try absent.stop()
        try host.remove(removed.device)
        let present = try #require(host.process?.fleet.order.present.entry)
        #expect(!present.isZero)
        try simulation.run(until: simulation.now + 10_000)
        try absent.start()
        let time = try simulation.run(within: 60_000) { absent.process?.fleet.order.present.entry == present }
        #expect(time != nil)
        try simulation.run(until: simulation.now + 60_000)
        #expect(absent.process?.sessionDevices == [host.device])
        #expect(removed.process?.fleet.order.present.entry == .zero)
        #expect(removed.process?.standing(of: removed.device) == .removed)
    }

    @Test func `the judge sees each device that a key admits, and objects to one too many and one too late`() {
        var ledger = JoiningLedger()
        let key = JoiningKey.ticket(identifier: [1])
        let (first, second) = (DeviceID(Digest32(word0: 1, word1: 0, word2: 0, word3: 0)), DeviceID(Digest32.zero))
        #expect(ledger.admitted(first, by: key, at: 0) != nil)
        ledger.made(key, uses: 1, end: 10)
        #expect(ledger.admitted(first, by: key, at: 9) == nil)
        #expect(ledger.admitted(first, by: key, at: 9) == nil)
        #expect(ledger.admitted(second, by: key, at: 9) != nil)
        #expect(ledger.admitted(first, by: key, at: 10) != nil)
    }
}
