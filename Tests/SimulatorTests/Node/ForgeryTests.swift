import Records
import Sync
import Testing
import Wire

@testable import Simulator

/// Statements of a device that another one states with other values, and their treatment by honest devices.
@Suite struct ForgeryTests {
    private static let text = "as it was said"

    private func draft() -> SentMessages.Draft {
        SentMessages.Draft(content: .text(Self.text), contentType: "text/plain")
    }

    /// Three devices of an account, of which the first one has sent a message to the others; the last one lies.
    private func world(seed: UInt64) throws -> (simulation: Simulation, zone: ZoneID) {
        let (simulation, zone) = try HandMadeWorld.running(3, seed: seed) { options in
            options.isSealed = true
            options.hasMessages = true
        }
        let draft = draft()
        simulation.nodes[0].process?.commits.enqueue { process, transaction in
            try SentMessages(process.committer()).send([draft], zone: zone, in: &transaction).notice
        }
        try simulation.run(until: simulation.now + 10_000)
        return (simulation, zone)
    }

    private func law(_ simulation: Simulation) -> StatementLaw {
        let evidence = Evidence()
        evidence.watch(simulation)
        evidence.byzantine.insert(simulation.nodes[2].device)
        return StatementLaw(evidence)
    }

    private func forge(_ misdeed: Misdeed, in simulation: Simulation, seed: UInt64) throws {
        let member = try #require(ByzantineMember(simulation.nodes[2], judge: nil, seed: seed))
        try member.commit(misdeed)
        try simulation.run(until: simulation.now + 10_000)
    }

    /// The states of all operations of the liar on records, at the first device.
    private func states(in simulation: Simulation, _ zone: ZoneID) throws -> [OperationState] {
        let (store, liar) = (try #require(simulation.nodes[0].store), simulation.nodes[2].device)
        return try store.logs(zone: zone).filter { $0.device == liar && $0.key.lane == .data }.flatMap { row in
            try store.items(row.key, from: 0, to: row.size).compactMap { item in
                if case .operation(let stored) = item.content { stored.state } else { nil }
            }
        }
    }

    /// The sent message at a device; nil where it is none there.
    private func message(at node: SimulatedNode, _ zone: ZoneID) throws -> (row: MessageRow, content: Message?) {
        let store = try #require(node.store)
        let committer = try #require(node.process?.committer())
        let row = try #require(try store.messages(zone: zone, after: 0, limit: 1).first)
        return (row, try MessageRecords(committer).message(of: row, in: store))
    }

    @Test(arguments: [Misdeed.altersMessage, .repeatsMessage, .altersReceipts, .altersPrekey])
    func `is accepted by all devices, and believed by none`(_ misdeed: Misdeed) throws {
        for seed in UInt64(1)...4 {
            let (simulation, zone) = try world(seed: seed)
            var law = law(simulation)
            law.handsIn(draft(), saying: Self.text, on: simulation.nodes[0])
            let before = try states(in: simulation, zone).count
            try forge(misdeed, in: simulation, seed: seed)
            let after = try states(in: simulation, zone)
            #expect(after.count > before && !after.contains(.void), "seed \(seed)")
            for node in simulation.nodes { try law.check(node, strictly: true) }
            let waiting = try simulation.nodes[1].store?.waitingMessages(after: 0, limit: 9)
            // An altered message is hidden.
            #expect(waiting?.count == (misdeed == .altersMessage ? 0 : 1), "seed \(seed)")
        }
    }

    @Test func `of a message makes it none`() throws {
        let (simulation, zone) = try world(seed: 1)
        for node in simulation.nodes { #expect(try message(at: node, zone).content != nil) }
        try forge(.altersMessage, in: simulation, seed: 1)
        for node in simulation.nodes { #expect(try message(at: node, zone).content == nil) }
    }

    @Test func `of receipts makes their device state them again`() throws {
        let (simulation, zone) = try world(seed: 1)
        try forge(.altersReceipts, in: simulation, seed: 1)
        let (sender, receiver) = (simulation.nodes[0], simulation.nodes[1])
        let (row, content) = try message(at: sender, zone)
        let store = try #require(sender.store)
        let committer = try #require(sender.process?.committer())
        let deliveries = try SentMessages(committer).deliveries(of: row, try #require(content), in: store)
        #expect(deliveries.first { $0.device == receiver.device }?.state == .delivered)
    }

    @Test func `would be seen by the judge`() throws {
        let (simulation, zone) = try world(seed: 1)
        let (sender, receiver) = (simulation.nodes[0], simulation.nodes[1])
        var law = law(simulation)
        #expect(throws: Violation.self) { try law.check(receiver) }
        law.handsIn(draft(), saying: Self.text, on: sender)
        try law.check(receiver)
        let id = try message(at: receiver, zone).row.id
        receiver.process?.commits.enqueue { process, transaction in
            try InboxRound(process.committer()).finish([id], in: &transaction).intake.notice
        }
        try simulation.run(until: simulation.now + 10_000)
        for node in [sender, receiver] { #expect(throws: Violation.self) { try law.check(node) } }
        law.finishes(id, on: receiver)
        for node in [sender, receiver] { try law.check(node) }
    }
}
