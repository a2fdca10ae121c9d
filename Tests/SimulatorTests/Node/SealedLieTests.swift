import Records
import Sync
import Testing
import Wire

@testable import Simulator

/// Falsely sealed operations of a member, and their treatment by another one.
@Suite struct SealedLieTests {
    private static let record = "r0"

    /// Returns the states of all operations of a device, at a node.
    private func states(by device: SimulatedNode, at node: SimulatedNode, _ zone: ZoneID) throws -> [OperationState] {
        let store = try #require(node.store)
        return try store.logs(zone: zone).filter { $0.device == device.device && $0.key.lane == .data }.flatMap { row in
            try store.items(row.key, from: 0, to: row.size).compactMap { item in
                if case .operation(let stored) = item.content { stored.state } else { nil }
            }
        }
    }

    /// Writes the record, and returns the refusal if there is one.
    private func write(
        _ text: String,
        on node: SimulatedNode,
        _ zone: ZoneID,
        replaceUnread: Bool = false
    ) throws -> WriteRefusal? {
        var refusal: WriteRefusal?
        let assignment = FieldAssignment(field: "title", value: .string(text))
        var write = RecordWrite(name: Self.record, type: Workload.type, set: [assignment])
        (write.replaceAll, write.replaceUnread) = (replaceUnread, replaceUnread)
        let request = WriteRequest([write])
        try node.submit(request, zone: zone) { answer in
            guard case .done(let commit?) = answer, case .failure(let why) = commit.results.first?.first else { return }
            refusal = why
        }
        try node.simulation.run(until: node.simulation.now + 5_000)
        return refusal
    }

    /// Returns the title of the record as a node shows it.
    private func title(at node: SimulatedNode, _ zone: ZoneID) throws -> [FieldValue]? {
        let tag = try RecordTag(of: Self.record, zone: zone, in: try #require(node.store))
        let row = try #require(try node.store?.record(zone: zone, tag: tag))
        return try row.content().field(named: "title")?.entries.map(\.value)
    }

    @Test(arguments: Misdeed.ofSeals) func `is accepted, and hides or shows nothing`(_ misdeed: Misdeed) throws {
        for seed in UInt64(1)...6 {
            let (simulation, zone) = try HandMadeWorld.running(2, seed: seed) { options in
                options.isSealed = true
                options.recordCount = 1
            }
            let (honest, liar) = (simulation.nodes[0], simulation.nodes[1])
            #expect(try write("first", on: honest, zone) == nil)
            let member = try #require(ByzantineMember(liar, judge: nil, seed: seed))
            try member.commit(misdeed)
            try simulation.run(until: simulation.now + 5_000)
            let states = try states(by: liar, at: honest, zone)
            #expect(!states.isEmpty, "seed \(seed)")
            #expect(states.contains(.void) == (misdeed != .unknownEpoch), "seed \(seed)")
            let refusal: WriteRefusal? = misdeed == .unknownEpoch ? .notReadable : nil
            #expect(try write("second", on: honest, zone) == refusal, "seed \(seed)")
            // The earlier content is still there, although the lie claims to replace it.
            let shown = try title(at: honest, zone)
            #expect(shown == [.string(refusal == nil ? "second" : "first")], "seed \(seed)")
            guard refusal != nil else { continue }
            // No device will ever read it, so a write that states the whole record may replace it.
            #expect(try write("third", on: honest, zone, replaceUnread: true) == nil, "seed \(seed)")
            #expect(try write("fourth", on: honest, zone) == nil, "seed \(seed)")
            for node in [honest, liar] { #expect(try title(at: node, zone) == [.string("fourth")], "seed \(seed)") }
        }
    }
}
