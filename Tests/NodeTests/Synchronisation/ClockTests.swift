import Testing
import Wire

@testable import Node

/// The clocks of two machines, compared over a real connection.
@Suite(.timeLimit(.minutes(5))) struct `Two nodes whose clocks differ` {
    private static let minute: UInt64 = 60 * 1_000

    @Test func `warn on both sides, each of its own clock, until one of them is set`() async throws {
        try await withNodes { nodes in
            let (late, early) = (TurnedClock(), TurnedClock())
            early.advance(by: 10 * Self.minute)
            let desk = try await nodes.start("desk", clock: late.clock)
            let lap = try await nodes.start("lap", clock: early.clock)
            try await pair(desk, lap)
            try await desk.until("its clock is behind") { try await Self.codes($0) == ["clock.behind"] }
            try await lap.until("its clock is ahead") { try await Self.codes($0) == ["clock.ahead"] }
            let warning = try #require(try await lap.node.health.status().health.first { $0.code == "clock.ahead" })
            #expect(warning.message.contains("10 minutes ahead of"))
            #expect(warning.message.contains(desk.node.identity.device.shortText))
            late.advance(by: 10 * Self.minute)
            await desk.node.maintenance.work()
            #expect(try await Self.codes(desk.node).isEmpty)
        }
    }

    @Test func `report nothing about a difference of a minute`() async throws {
        try await withNodes { nodes in
            let early = TurnedClock()
            early.advance(by: Self.minute)
            let desk = try await nodes.start("desk")
            let lap = try await nodes.start("lap", clock: early.clock)
            try await pair(desk, lap)
            try await desk.untilConnected(to: lap)
            try await lap.untilConnected(to: desk)
            for node in [desk.node, lap.node] {
                await node.maintenance.work()
                #expect(try await Self.codes(node).isEmpty)
            }
        }
    }

    /// The codes of the warnings about clocks.
    private static func codes(_ node: Node) async throws -> [String] {
        try await node.health.status().health.map(\.code).filter { $0.hasPrefix("clock.") }
    }
}
