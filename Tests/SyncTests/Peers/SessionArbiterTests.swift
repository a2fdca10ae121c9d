import Sync
import TestSupport
import Testing
import Wire

@Suite struct SessionArbiterTests {
    /// One side of two: the decisions of its arbiter, and the channels that it believes to stand.
    private struct Side {
        let index: Int
        var arbiter: SessionArbiter
        var boot: [UInt8]
        var kept: UInt64?

        init(_ index: Int) {
            self.index = index
            arbiter = SessionArbiter(localDevice: Sample.device(index + 1))
            boot = [UInt8](repeating: UInt8(index), count: 16)
        }

        var peer: DeviceID { Sample.device(2 - index) }
    }

    /// An event at one side.
    private enum Event: Equatable {
        case opened(UInt64)
        case closed(UInt64)
    }

    @Test func `of two channels dialled at once both sides keep the same, in every order of events`() {
        // Channel 1 is dialled by side 0, channel 2 by side 1. Opening and closing of one channel keep their order.
        for seed in 0..<500 as Range<UInt64> {
            var random = SeededGenerator(seed: seed)
            var sides = [Side(0), Side(1)]
            var waiting: [[Event]] = [[.opened(1), .opened(2)], [.opened(1), .opened(2)]]
            var ended: Set<UInt64> = []
            while !waiting.allSatisfy(\.isEmpty) {
                let index = Int.random(in: 0..<2, using: &random)
                guard !waiting[index].isEmpty else { continue }
                let place = waiting[index].indices.filter { place in
                    guard case .closed(let channel) = waiting[index][place] else { return true }
                    return !waiting[index].contains(.opened(channel))
                }.randomElement(using: &random)
                guard let place else { continue }
                for channel in perform(
                    waiting[index].remove(at: place),
                    at: &sides[index],
                    peerBoot: sides[1 - index].boot
                )
                where ended.insert(channel).inserted {
                    for other in 0..<2 { waiting[other].append(.closed(channel)) }
                }
            }
            #expect(sides[0].kept == 1, "seed \(seed)")
            #expect(sides[1].kept == 1, "seed \(seed)")
        }
    }

    /// - Returns: The channels that this side closes.
    private func perform(_ event: Event, at side: inout Side, peerBoot: [UInt8]) -> [UInt64] {
        switch event {
        case .opened(let channel):
            let isInitiator = Int(channel) == side.index + 1
            let entry = SessionArbiter.Entry(connection: channel, boot: peerBoot, isInitiator: isInitiator)
            switch side.arbiter.opened(entry, device: side.peer) {
            case .keep: side.kept = channel
            case .refuse: return [channel]
            case .replace(let older):
                side.kept = channel
                return [older]
            }
        case .closed(let channel):
            if side.arbiter.closed(channel, device: side.peer) { side.kept = nil }
        }
        return []
    }

    @Test func `a peer that was started anew replaces its old session`() {
        for isInitiator in [true, false] {
            var arbiter = SessionArbiter(localDevice: Sample.device(1))
            #expect(
                arbiter.opened(.init(connection: 1, boot: [1], isInitiator: true), device: Sample.device(2)) == .keep
            )
            let entry = SessionArbiter.Entry(connection: 2, boot: [2], isInitiator: isInitiator)
            #expect(arbiter.opened(entry, device: Sample.device(2)) == .replace(connection: 1))
        }
    }

    @Test func `a second dial of the same side replaces its first`() {
        var arbiter = SessionArbiter(localDevice: Sample.device(1))
        _ = arbiter.opened(.init(connection: 1, boot: [1], isInitiator: false), device: Sample.device(2))
        let entry = SessionArbiter.Entry(connection: 2, boot: [1], isInitiator: false)
        #expect(arbiter.opened(entry, device: Sample.device(2)) == .replace(connection: 1))
    }

    @Test func `a peer that lost an old channel gets a new one at once`() {
        var arbiter = SessionArbiter(localDevice: Sample.device(1))
        let older = SessionArbiter.Entry(connection: 1, boot: [1], isInitiator: true, openedAt: 5_000)
        _ = arbiter.opened(older, device: Sample.device(2))
        var entry = SessionArbiter.Entry(connection: 2, boot: [1], isInitiator: false, openedAt: 24_999)
        #expect(arbiter.opened(entry, device: Sample.device(2)) == .refuse)
        entry.openedAt = 25_000
        #expect(arbiter.opened(entry, device: Sample.device(2)) == .replace(connection: 1))
    }

    @Test func `the end of a refused or replaced channel changes nothing`() {
        let peer = Sample.device(2)
        var arbiter = SessionArbiter(localDevice: Sample.device(1))
        _ = arbiter.opened(.init(connection: 1, boot: [1], isInitiator: true), device: peer)
        #expect(arbiter.opened(.init(connection: 2, boot: [1], isInitiator: false), device: peer) == .refuse)
        #expect(arbiter.closed(2, device: peer) == false)
        #expect(
            arbiter.opened(.init(connection: 3, boot: [2], isInitiator: true), device: peer) == .replace(connection: 1)
        )
        #expect(arbiter.closed(1, device: peer) == false)
        #expect(arbiter.closed(3, device: Sample.device(3)) == false)
        #expect(arbiter.closed(3, device: peer) == true)
        #expect(arbiter.closed(3, device: peer) == false)
    }

    @Test func `devices do not get into each other's way`() {
        var arbiter = SessionArbiter(localDevice: Sample.device(1))
        for device in 2...5 {
            let entry = SessionArbiter.Entry(connection: UInt64(device), boot: [1], isInitiator: true)
            #expect(arbiter.opened(entry, device: Sample.device(device)) == .keep)
        }
    }
}
