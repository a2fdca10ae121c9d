import KairanInterface
import Records
import Sync
import Testing
import Wire

@testable import Node

@Suite(.timeLimit(.minutes(10))) struct `A flood of bad capabilities` {
    /// The work of a node on capabilities and control logs so far.
    private struct Work: Equatable {
        /// The number of signatures that were checked.
        var checks: UInt64
        /// The number of control operations that were read, and of those that were decided.
        var read: UInt64
        var decided: UInt64

        static let none = Work(checks: 0, read: 0, decided: 0)

        init(checks: UInt64, read: UInt64, decided: UInt64) {
            (self.checks, self.read, self.decided) = (checks, read, decided)
        }

        init(_ node: RunningNode) {
            let work = node.node.identity.controls.work
            (checks, read, decided) = (node.node.identity.signatureCheckCount, work.readCount, work.decidedCount)
        }

        static func - (left: Self, right: Self) -> Self {
            var work = left
            work.checks -= right.checks
            work.read -= right.read
            work.decided -= right.decided
            return work
        }
    }

    /// Returns the number of a node's control operations in a zone that another one holds.
    private func held(of author: RunningNode, in zone: ZoneID, by node: RunningNode) async throws -> UInt64 {
        let device = author.node.identity.device
        return try await node.storage.read { transaction in
            try transaction.logs(zone: zone).first { $0.device == device && $0.key.lane == .control }?.size ?? 0
        }
    }

    @Test
    func `costs a check for each, and a member's writes are applied meanwhile at the same cost`()
        async throws
    {
        try await withNodes { nodes in
            let (alice, bob) = (try await nodes.start("alice"), try await nodes.start("bob"))
            let mallory = try await nodes.start("mallory")
            let zone = try await alice.makeZone("notes")
            for guest in [bob, mallory] {
                await guest.node.sync.add(peers: [alice.address])
                #expect(try await guest.join(try await alice.invite(to: zone, .write)).state == .joined)
            }
            try await bob.put("before", in: zone.text, text: "x")
            try await alice.untilField("text", of: "before", in: "notes", is: .string("x"))

            let start = Work(alice)
            let (batchCount, batch) = (14, 64)
            for number in 0..<batchCount {
                try await mallory.say(mallory.forgedGrants(batch, in: zone), in: zone)
                try await bob.put("r\(number)", in: zone.text, text: "x")
                try await alice.untilField("text", of: "r\(number)", in: "notes", is: .string("x"))
            }
            let count = UInt64(batchCount * batch)
            try await alice.until("all of it is here") { _ in
                try await held(of: mallory, in: zone, by: alice) >= count
            }
            #expect((Work(alice) - start).checks == count, "no signature is checked twice")

            // The writes of honest members cause no such work.
            let quiet = Work(alice)
            for number in 0..<10 {
                try await bob.put("after\(number)", in: zone.text, text: "x")
                try await alice.untilField("text", of: "after\(number)", in: "notes", is: .string("x"))
            }
            #expect(Work(alice) - quiet == Work.none)
        }
    }
}
