import Sodium
import TestSupport
import Testing
import Wire

@testable import Identity

/// Laws that hold for every account log, tried on random ones.
@Suite struct AccountLogPropertyTests {
    typealias Fixture = AccountFixture

    @Test(arguments: 0..<40)
    func `the state is a function of the set of entries`(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let log = try RandomAccount(using: &generator).log
        for _ in 0..<4 {
            var copy = try AccountLog(genesis: log.genesisBytes)
            try copy.insertInRandomOrder(log.entries, using: &generator)
            #expect(copy.state == log.state, "seed \(seed)")
            #expect(copy.heads == log.heads, "seed \(seed)")
            #expect(copy.entries == log.entries, "seed \(seed)")
            #expect(copy.announcedHeads == log.announcedHeads, "seed \(seed)")
        }
    }

    @Test(arguments: 100..<125)
    func `two replicas that exchange what the other lacks agree`(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let log = try RandomAccount(using: &generator).log
        var left = try log.randomPart(using: &generator)
        var right = try log.randomPart(using: &generator)
        let toRight = left.entries(notIn: right.heads)
        try left.insert(contentsOf: right.entries(notIn: left.heads))
        try right.insert(contentsOf: toRight)
        #expect(left.state == right.state && left.heads == right.heads, "seed \(seed)")
        #expect(left.missing(from: right.heads).isEmpty, "seed \(seed)")
    }

    @Test(arguments: 200..<240)
    func `an entry counts exactly if something supports it and nothing of higher rank speaks against it`(
        seed: UInt64
    ) throws {
        var generator = SeededGenerator(seed: seed)
        let nodes = try RandomAccount(using: &generator).log.nodes
        let counting = AccountResolution(nodes: nodes).counting
        let graph = AccountArguments(nodes: nodes)
        let ranks = nodes.map { Rank($0, in: nodes) }
        #expect(counting[0], "the genesis always counts; seed \(seed)")
        for index in nodes.indices {
            let supporters = graph.supporters[index]
            let isSupported = supporters.isEmpty || supporters.contains { counting[$0] }
            let attackers = graph.attackers[index].filter { counting[$0] }
            if counting[index] {
                #expect(isSupported, "entry \(index), seed \(seed)")
                #expect(attackers.allSatisfy { ranks[$0] >= ranks[index] }, "entry \(index), seed \(seed)")
            } else {
                // Support from later-added devices does not help inside of a circle.
                let isWellSupported =
                    supporters.isEmpty || supporters.contains { counting[$0] && ranks[$0] <= ranks[index] }
                #expect(!isWellSupported || !attackers.isEmpty, "entry \(index), seed \(seed)")
            }
            if nodes[index].authorDevice == nil {
                #expect(graph.attackers[index].allSatisfy { nodes[$0].authorDevice == nil }, "seed \(seed)")
            }
        }
    }

    @Test func `the dice reach contradictions`() throws {
        var (circleCount, voidCount, replacementCount) = (0, 0, 0)
        for seed in UInt64(200)..<240 {
            var generator = SeededGenerator(seed: seed)
            let log = try RandomAccount(using: &generator).log
            let graph = AccountArguments(nodes: log.nodes)
            circleCount += DependencyCircles.find(in: graph).count { $0.count > 1 }
            voidCount += AccountResolution(nodes: log.nodes).counting.count { !$0 }
            replacementCount += log.state.recoveryKey == AccountFixture.recoveryKeys[0].publicKey ? 0 : 1
        }
        // Otherwise the laws above would be about peaceful accounts only.
        #expect(circleCount > 20 && voidCount > 100 && replacementCount > 5)
    }

    @Test(arguments: 300..<320)
    func `a backdating device that the first device removed changes nothing`(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        var log = try Fixture.newLog()
        for index in 1...5 {
            _ = try log.add(try Fixture.addition(index), by: Fixture.signer(0))
        }
        let before = log.heads
        _ = try log.add(Fixture.removal(3, keeping: before), by: Fixture.signer(0))
        let expected = log.state
        // Whatever it invents: additions, removals, chains of them, by itself and by those whom it lets in.
        for round in 0..<20 {
            let author = generator.below(3) == 0 ? 3 : 10 + generator.below(4)
            let isKnown = author == 3 || log.nodes.contains { $0.addition?.device == Fixture.device(author) }
            let action =
                generator.below(2) == 0
                ? try Fixture.addition(10 + generator.below(4)) : Fixture.removal(generator.below(6))
            let bytes = try Fixture.forge(
                action,
                in: log,
                parents: author == 3 ? before : log.heads,
                signer: Fixture.signer(isKnown ? author : 3),
                nonce: UInt8(round)
            )
            do {
                try log.insert(bytes)
            } catch {
                // A past in which the author did not exist yet: refused at once is as good as ignored.
                #expect(error == .authorNotAdded, "seed \(seed)")
            }
        }
        #expect(log.state.activeDevices == expected.activeDevices, "seed \(seed)")
        #expect(log.standing(3) == .removed, "seed \(seed)")
    }
}

/// The tests' own reading of precedence: the recovery key, then devices by their first addition.
private struct Rank: Comparable {
    let tier: Int
    let generation: Int
    let hash: Hash

    init(_ node: AccountNode, in nodes: [AccountNode]) {
        guard let device = node.authorDevice else {
            (tier, generation, hash) = (0, node.generation, node.hash)
            return
        }
        let first = nodes.filter { $0.addition?.device == device }.min { $0.place < $1.place } ?? node
        (tier, generation, hash) = (1, first.generation, first.hash)
    }

    static func < (left: Self, right: Self) -> Bool {
        (left.tier, left.generation, left.hash) < (right.tier, right.generation, right.hash)
    }
}

/// A log in which devices add and remove each other at random, most of them with an old past.
private struct RandomAccount {
    var log: AccountLog
    private let certificates: [AccountAction]

    init(using generator: inout SeededGenerator) throws {
        log = try AccountFixture.newLog()
        certificates = try (0..<8).map { index in
            try AccountFixture.addition(index, role: index == 7 ? .readOnly : .full)
        }
        for index in 1...3 {
            _ = try log.add(certificates[index], by: AccountFixture.signer(0))
        }
        for round in 0..<24 {
            try grow(round, using: &generator)
        }
    }

    private mutating func grow(_ round: Int, using generator: inout SeededGenerator) throws {
        let hashes = log.entryHashes
        let tips = (0..<1 + generator.below(3)).map { _ in hashes[generator.below(hashes.count)] }
        let parents = generator.below(3) == 0 ? log.heads : log.maximal(tips)
        let past = log.past(of: parents)
        let keeping = generator.below(3) == 0 ? [] : log.maximal([hashes[generator.below(hashes.count)]])
        let action: AccountAction =
            switch generator.below(7) {
            case 0, 1, 2: certificates[generator.below(certificates.count)]
            case 3, 4, 5:
                AccountFixture.removal(
                    generator.below(8),
                    keeping: keeping.filter { log.indices[$0].map(past.contains) == true }
                )
            default: .replaceRecoveryKey(AccountFixture.recoveryKeys[generator.below(6)].publicKey.bytes)
            }
        let isReplacement = if case .replaceRecoveryKey = action { true } else { false }
        let signer: AccountSigner =
            isReplacement || generator.below(8) == 0
            ? .recovery(AccountFixture.recoveryKeys[generator.below(6)]) : AccountFixture.signer(generator.below(7))
        let bytes = try AccountFixture.forge(action, in: log, parents: parents, signer: signer, nonce: UInt8(round))
        do {
            try log.insert(bytes)
        } catch {
            // The dice gave an author or a target that does not exist in that past.
            guard error == .authorNotAdded || error == .badSignature || error.isUnknownDevice else { throw error }
        }
    }
}

extension AccountLog {
    /// Those of some entries that are no ancestors of the others.
    fileprivate func maximal(_ hashes: [Hash]) -> [Hash] {
        Set(hashes).filter { hash in
            guard let index = indices[hash] else { return false }
            return !Set(hashes).contains { other in indices[other].map { nodes[$0].ancestors.contains(index) } == true }
        }
    }

    /// Inserts everything, again and again in new orders, until nothing is missing.
    fileprivate mutating func insertInRandomOrder(
        _ entries: [[UInt8]],
        using generator: inout SeededGenerator
    ) throws {
        var waiting = entries.shuffled(using: &generator)
        while !waiting.isEmpty {
            var later: [[UInt8]] = []
            for bytes in waiting {
                do {
                    try insert(bytes)
                } catch {
                    guard error.isMissingParents else { throw error }
                    later.append(bytes)
                }
            }
            try #require(later.count < waiting.count, "some entry must fit in each round")
            waiting = later.shuffled(using: &generator)
        }
    }

    /// A log with a random part of the entries, closed under parents.
    fileprivate func randomPart(using generator: inout SeededGenerator) throws -> AccountLog {
        var part = try AccountLog(genesis: genesisBytes)
        for bytes in entries.dropFirst() where generator.below(4) > 0 {
            do {
                try part.insert(bytes)
            } catch {
                guard error.isMissingParents else { throw error }
            }
        }
        return part
    }
}

extension AccountError {
    // Patterns with payloads in `catch` after a typed throw crash the compiler of Swift 6.3.1.
    fileprivate var isMissingParents: Bool {
        if case .missingParents = self { true } else { false }
    }

    fileprivate var isUnknownDevice: Bool {
        if case .unknownDevice = self { true } else { false }
    }
}

extension SeededGenerator {
    /// A number in 0..<bound; the bias does not matter here.
    fileprivate mutating func below(_ bound: Int) -> Int {
        Int(next() % UInt64(bound))
    }
}
