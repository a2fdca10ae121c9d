import Records
import ReplicaBehaviour
import TestSupport
import Testing
import Wire

@Suite struct `Adoptions and purges, at random` {
    /// Three replicas write and exchange, one author is cut somewhere, the two others adopt and purge at random.
    fileprivate struct Story {
        var history: RandomHistory
        let removed: TestAuthor

        init(seed: UInt64) throws {
            history = try RandomHistory(seed: seed, replicaCount: 3)
            for _ in 0..<60 { try history.step() }
            removed = history.authors[2]
        }

        /// Cuts the author at the two that stay.
        mutating func cut() throws {
            for index in 0...1 { try history.replicas[index].pull(from: history.replicas[2], at: 3_000_000) }
            let log = try history.replicas[0].log(removed.log())
            guard let log, log.size > 0 else { return }
            let size = UInt64(history.number(0...Int(log.size)))
            let root = try StoredLog(log).root(at: size, in: history.replicas[0])
            for index in 0...1 { try history.replicas[index].cut(removed, at: size, root: root) }
        }

        mutating func meet() throws {
            for _ in 0..<2 {
                try history.replicas[0].pull(from: history.replicas[1], at: 3_000_000)
                try history.replicas[1].pull(from: history.replicas[0], at: 3_000_000)
            }
        }

        func entries(_ index: Int) throws -> [QuarantineEntry] {
            try Quarantine(of: TestZone.id).entries(limit: .max, in: history.replicas[index])
        }
    }

    @Test(arguments: 0..<120) func `replicas agree, and a lifted cut restores the author's operations`(
        seed: UInt64
    ) throws {
        var story = try Story(seed: seed)
        let whole = story.history.replicas[2]
        try story.cut()
        try story.meet()
        #expect(try story.entries(0) == story.entries(1), "seed \(seed)")
        for _ in 0..<12 {
            let index = story.history.number(0...1)
            guard let entry = try story.entries(index).randomElement(using: &story.history.random) else { break }
            let author = story.history.authors[index]
            let before = try story.others(index)
            if story.history.flip(3) {
                let digest = try story.history.replicas[index].digestOfAll()
                do {
                    try story.history.replicas[index].purge(entry.dot, at: author)
                } catch let refusal as QuarantineRefusal {
                    // Its batch reaches below the cut.
                    #expect(refusal == .needed(entry.dot), "seed \(seed)")
                    continue
                }
                #expect(try story.history.replicas[index].digestOfAll() == digest, "seed \(seed)")
            } else {
                let adopted = try story.history.replicas[index].adopt(entry.dot, by: author)
                #expect(adopted.number != nil, "seed \(seed)")
                let once = try Trace(story.history.replicas[index])
                #expect(try story.history.replicas[index].adopt(entry.dot, by: author).number == nil, "seed \(seed)")
                #expect(try Trace(story.history.replicas[index]) == once, "seed \(seed)")
            }
            #expect(try story.others(index) == before, "seed \(seed)")
            #expect(try !story.entries(index).contains(entry), "seed \(seed)")
            if story.history.flip(3) { try story.meet() }
        }
        try story.meet()
        #expect(try story.history.replicas[0].digestOfAll() == story.history.replicas[1].digestOfAll(), "seed \(seed)")
        let shown = (0...1).map { story.history.replicas[$0].allRecords(zone: TestZone.id).filter { !$0.isDeleted } }
        #expect(shown[0] == shown[1], "seed \(seed)")

        for index in 0...1 { try story.history.replicas[index].cut(story.removed, at: nil) }
        for index in 0...1 { try story.history.replicas[index].pull(from: whole, at: 3_000_000) }
        try story.meet()
        #expect(try story.history.replicas[0].digestOfAll() == story.history.replicas[1].digestOfAll(), "seed \(seed)")
        let log = story.removed.log()
        #expect(try story.history.replicas[0].log(log)?.size == whole.log(log)?.size, "seed \(seed)")
        #expect(try story.entries(0).isEmpty && story.entries(1).isEmpty, "seed \(seed)")
        let restored = (0...1).map { story.history.replicas[$0].allRecords(zone: TestZone.id).filter { !$0.isDeleted } }
        #expect(restored[0] == restored[1], "seed \(seed)")
        for index in 0...1 {
            #expect(try story.history.replicas[index].shape(log).allSatisfy { $0 == "o" }, "seed \(seed)")
        }
    }
}

extension `Adoptions and purges, at random`.Story {
    /// Returns the roots of the effective operations of all logs but the replica's own.
    fileprivate func others(_ index: Int) throws -> [Hash] {
        let own = history.authors[index].log()
        return try ZonePositions(of: TestZone.id).all(in: history.replicas[index])
            .filter { $0.row.key != own }.map(\.root)
    }
}
