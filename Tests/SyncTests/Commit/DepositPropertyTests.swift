import Capabilities
import Identity
import Records
import Sync
import TestSupport
import Testing
import Wire

/// Alice (0, 1, 2) owns the zone, Bob (3) administers it; Carol (4, 5) and a device of Alice's (2) write, are
/// removed, and go on.
@Suite struct `Deposits above cuts, at random` {
    private struct Story {
        var n: Neighbours
        let zone: ZoneID
        let right: Hash
        let keepers = [0, 1, 3]
        let outcasts = [2, 4, 5]

        init(seed: UInt64) throws {
            n = try Neighbours([3, 1, 2], seed: seed)
            zone = try n.zone(of: 0)
            _ = try n.grant(.admin, to: 1, by: 0, zone: zone)
            right = try n.grant(.write, to: 2, by: 0, zone: zone)
            try n.exchange(zone)
        }

        mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &n.random) }

        mutating func one(of indices: [Int]) -> Int { indices[number(0...indices.count - 1)] }

        mutating func write(by indices: [Int]) throws {
            let index = one(of: indices)
            let name = "r\(number(0...3))"
            guard try n.homes[index].store.zone(zone)?.role != .unknown else { return }
            if number(0...5) == 0 {
                _ = try n.delete(name, on: index, zone: zone)
            } else {
                try n.write(name, "\(index).\(number(0...999))", on: index, zone: zone)
            }
        }

        func shown(_ index: Int) throws -> [String] {
            try (0...3).map { try n.text("r\($0)", on: index, zone: zone) ?? "-" }
        }

        /// Returns the part of a store that other devices can see, and programs.
        func face(_ index: Int) throws -> [String] {
            let told = try n.told(zone, on: index).filter { $0.size > 0 }.map { "\($0)" }
            return try [ZonePositions(of: zone).digest(in: n.homes[index].store).shortText] + told + shown(index)
        }
    }

    @Test(arguments: 0..<16)
    func `operations above a cut have no effect before an adoption, and then they have it everywhere`(
        seed: UInt64
    ) throws {
        var story = try Story(seed: seed)
        for _ in 0..<14 {
            try story.write(by: story.keepers + story.outcasts)
            let (source, target) = (story.number(0...5), story.number(0...5))
            if source != target { try story.n.pull(story.zone, from: source, to: target) }
        }
        // Carol's right ends, and a device of Alice's; all of them go on.
        let (zone, right) = (story.zone, story.right)
        try story.n.change(story.one(of: [0, 1])) {
            _ = try ZoneSharing($0).revoke([right], zone: zone, reason: "out", in: &$2)
        }
        try story.n.remove(2, by: story.one(of: [0, 1]))
        for _ in 0..<8 {
            try story.write(by: story.outcasts)
            try story.n.exchange(zone, among: [4, 5])
        }
        try story.n.settle(zone, among: story.keepers)
        for outcast in story.outcasts where story.number(0...1) == 0 {
            try story.n.pull(zone, from: 0, to: outcast)
        }
        let keepers = story.keepers
        #expect(Set(try keepers.map { try story.face($0) }).count == 1, "seed \(seed)")
        for _ in 0..<10 {
            let keeper = story.one(of: keepers)
            let before = try story.face(keeper)
            for outcome in try story.n.deposit(zone, from: story.one(of: story.outcasts), to: keeper) {
                if case .violation(let why) = outcome { Issue.record("seed \(seed): \(why)") }
            }
            #expect(try story.face(keeper) == before, "seed \(seed)")
        }
        for _ in 0..<6 { try adopt(&story, seed: seed) }
        try story.n.settle(zone, among: keepers)
        #expect(Set(try keepers.map { try story.face($0) }).count == 1, "seed \(seed)")
    }

    private func adopt(_ story: inout Story, seed: UInt64) throws {
        let zone = story.zone
        let keeper = story.one(of: story.keepers)
        guard let entry = try story.n.quarantine(zone, on: keeper).randomElement(using: &story.n.random) else { return }
        do {
            let isWritten = try story.n.change(keeper) {
                try QuarantineDecisions($0).adopt(entry.dot, zone: zone, in: &$2).reply
            }
            #expect(isWritten, "seed \(seed)")
        } catch let refusal as QuarantineRefusal {
            // Its author had seen operations above the cut of a log that was not deposited.
            #expect(refusal == .waiting(entry.dot), "seed \(seed)")
            return
        }
        let once = try story.face(keeper)
        #expect(
            try !story.n.change(keeper) { try QuarantineDecisions($0).adopt(entry.dot, zone: zone, in: &$2).reply },
            "seed \(seed)"
        )
        #expect(try story.face(keeper) == once, "seed \(seed)")
        try story.n.settle(zone, among: story.keepers)
        let faces = try story.keepers.map { try story.shown($0) }
        #expect(Set(faces).count == 1, "seed \(seed)")
        for index in story.keepers {
            #expect(try !story.n.quarantine(zone, on: index).contains { $0.dot == entry.dot }, "seed \(seed)")
        }
    }
}
