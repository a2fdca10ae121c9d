import Testing
import Wire

@testable import Node

/// The time at which a device was last in a session, as its owner is shown it.
@Suite(.timeLimit(.minutes(5))) struct `The time at which a device was last seen` {
    private static func lastSeen(_ other: RunningNode, by node: RunningNode) async throws -> UInt64? {
        let device = other.node.identity.device
        return try await node.node.devices.account().devices.first { $0.device == device }?.lastSeenMilliseconds
    }

    @Test func `moves as long as a session lasts, and stays where it was when the session is over`() async throws {
        try await withNodes { nodes in
            let clock = TurnedClock()
            let desk = try await nodes.start("desk", clock: clock.clock)
            let lap = try await nodes.start("lap")
            try await pair(desk, lap)
            try await desk.untilConnected(to: lap)
            let begun = try #require(try await Self.lastSeen(lap, by: desk))
            // Less than the silence that ends a session.
            clock.pass(20_000)
            let later = try #require(try await Self.lastSeen(lap, by: desk))
            #expect(later >= begun + 20_000)
            // By the wall clock alone it lasts for a day.
            clock.advance(by: 86_400_000)
            let end = try #require(try await Self.lastSeen(lap, by: desk))
            #expect(end >= later + 86_400_000)
            try await nodes.stop(lap)
            try await desk.untilDisconnected(from: lap)
            // Behind the commit that notes the end of the session.
            try await desk.makeZone("notes")
            let over = try #require(try await Self.lastSeen(lap, by: desk))
            #expect(over >= end, "the end is noted, not the beginning")
            clock.advance(by: 86_400_000)
            #expect(try await Self.lastSeen(lap, by: desk) == over)
            // And it outlives the process.
            let again = try await nodes.restart(desk)
            #expect(try await Self.lastSeen(lap, by: again) == over)
        }
    }
}
