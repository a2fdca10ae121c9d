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
            try copy.insertInRandomOrder(log.storedEntries, using: &generator)
            #expect(copy.state == log.state, "seed \(seed)")
            #expect(copy.heads == log.heads, "seed \(seed)")
            #expect(copy.countingHashes == log.countingHashes, "seed \(seed)")
            #expect(copy.entries == log.entries, "seed \(seed)")
            #expect(copy.announcedHeads == log.announcedHeads, "seed \(seed)")
        }
    }

    @Test(arguments: 100..<125)
    func `two replicas that exchange missing runs agree`(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let log = try RandomAccount(using: &generator).log
        var left = try log.randomPart(using: &generator)
        var right = try log.randomPart(using: &generator)
        var roundCount = 0
        while left.heads != right.heads, roundCount < 24 {
            let toRight = left.entries(notIn: right.heads)
            try left.insert(contentsOf: right.entries(notIn: left.heads))
            try right.insert(contentsOf: toRight)
            roundCount += 1
        }
        #expect(left.state == right.state && left.heads == right.heads, "seed \(seed)")
        #expect(left.countingHashes == right.countingHashes && left.entries == right.entries, "seed \(seed)")
        #expect(left.missing(from: right.heads).isEmpty, "seed \(seed)")
    }

    @Test(arguments: 400..<440)
    func `effective entries do not depend on ineffective ones`(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let log = try RandomAccount(using: &generator).log
        for _ in 0..<4 {
            // Any part that is closed under parents and has all effective entries.
            var dropped: Set<Hash> = []
            for (index, node) in log.nodes.enumerated() where !log.needed.contains(index) {
                if generator.below(3) == 0 || node.entry.parents.contains(where: dropped.contains) {
                    dropped.insert(node.hash)
                }
            }
            let rest = log.nodes.filter { !dropped.contains($0.hash) }.map(\.verified.bytes)
            var copy = try AccountLog(genesis: log.genesisBytes)
            try copy.insertInRandomOrder(rest, using: &generator)
            #expect(copy.countingHashes == log.countingHashes && copy.state == log.state, "seed \(seed)")
            #expect(copy.entries == log.entries && copy.announcedHeads == log.announcedHeads, "seed \(seed)")
        }
    }

    @Test(arguments: 500..<530)
    func `logs that keep few ineffective entries agree with each other and with one that keeps all`(
        seed: UInt64
    ) throws {
        var generator = SeededGenerator(seed: seed)
        let log = try RandomAccount(using: &generator).log
        for room in [0, 1, 3] {
            var small = try AccountLog(genesis: log.genesisBytes, looseCountMax: room)
            // In any order, and only once: an entry that comes before its parents, or has no room, is not kept.
            for bytes in log.storedEntries.shuffled(using: &generator) { _ = try? small.insert(bytes) }
            try small.insert(contentsOf: log.entries(notIn: small.announcedHeads))
            #expect(small.countingHashes == log.countingHashes && small.state == log.state, "seed \(seed)")
            #expect(small.announcedHeads == log.announcedHeads && small.entries == log.entries, "seed \(seed)")
            #expect(small.count <= log.entries.count + room, "seed \(seed)")
        }
    }

    @Test(arguments: 200..<240)
    func `an entry is effective exactly if the rules, applied one by one, say so`(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let nodes = try RandomAccount(using: &generator).log.nodes
        let counting = AccountResolution(nodes: nodes).counting
        let rules = Rules(nodes: nodes)
        for index in nodes.indices {
            #expect(counting[index] == rules.counts(index), "entry \(index), seed \(seed)")
        }
    }

    @Test func `the dice reach contradictions`() throws {
        var (contestedCount, voidCount, replacementCount) = (0, 0, 0)
        for seed in UInt64(200)..<240 {
            var generator = SeededGenerator(seed: seed)
            let log = try RandomAccount(using: &generator).log
            let removals = log.nodes.indices.filter { log.counting[$0] && log.nodes[$0].isRemoval }
            // Removals that are effective although their author is removed, which it had not seen.
            contestedCount += removals.count { index in
                removals.contains { other in
                    guard other != index, case .removeDevice(let removal) = log.nodes[other].entry.action else {
                        return false
                    }
                    return removal.device == log.nodes[index].authorDevice
                        && !log.nodes[index].ancestors.contains(other)
                }
            }
            voidCount += AccountResolution(nodes: log.nodes).counting.count { !$0 }
            replacementCount += log.state.recoveryKey == AccountFixture.recoveryKeys[0].publicKey ? 0 : 1
        }
        // Otherwise the laws above would be about peaceful accounts only.
        #expect(contestedCount > 10 && voidCount > 100, "\(contestedCount) contested, \(voidCount) void")
        #expect(replacementCount > 5)
    }

    @Test(arguments: 300..<320)
    func `a removed device neither comes back nor adds a device, whatever it writes`(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        var log = try Fixture.newLog()
        for index in 1...5 {
            _ = try log.add(try Fixture.addition(index), by: Fixture.signer(0))
        }
        let before = log.heads
        _ = try log.add(Fixture.removal(3, keeping: before), by: Fixture.signer(0))
        let expected = log.state
        // All that it invents: additions, removals, chains of them, by itself and by the devices that it adds.
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
        #expect(Set(log.state.activeDevices).isSubset(of: expected.activeDevices), "seed \(seed)")
        #expect(log.standing(3) == .removed, "seed \(seed)")
    }
}

/// The rules of the page on identity, word by word and without regard to time.
private final class Rules {
    let nodes: [AccountNode]
    private var verdicts: [Int: Bool] = [:]

    init(nodes: [AccountNode]) {
        self.nodes = nodes
    }

    func counts(_ index: Int) -> Bool {
        if let verdict = verdicts[index] { return verdict }
        let verdict = decide(index)
        verdicts[index] = verdict
        return verdict
    }

    private func decide(_ index: Int) -> Bool {
        let node = nodes[index]
        guard index > 0 else { return true }
        if let origin = node.recoveryOrigin { return countsByRecovery(index, origin) }
        if node.isRemoval {
            return stands(index, under: { counts($0) && node.ancestors.contains($0) }, in: node.ancestors)
        }
        return additions(ofAuthorOf: index).contains(where: counts) && !attackers(of: index).contains(where: counts)
    }

    private func countsByRecovery(_ index: Int, _ origin: Int) -> Bool {
        let rivals = nodes.indices.filter { nodes[$0].recoveryOrigin == origin && nodes[$0].recoveryKeyBytes != nil }
        let isNamed =
            nodes[origin].recoveryOrigin.map { countsByRecovery(origin, $0) } ?? (origin == 0)
        guard isNamed else { return false }
        guard let first = rivals.min(by: { nodes[$0].place < nodes[$1].place }) else { return true }
        return index == first || nodes[first].ancestors.contains(index)
    }

    /// Returns whether an entry stands by the state of a past, and by the recovery key.
    private func stands(_ index: Int, under isSeen: (Int) -> Bool, in past: EntrySet) -> Bool {
        guard index > 0 else { return true }
        if nodes[index].authorDevice == nil { return counts(index) }
        let isAttacked = attackers(of: index).contains { attacker in
            nodes[attacker].authorDevice == nil ? counts(attacker) : past.contains(attacker) && isSeen(attacker)
        }
        return !isAttacked
            && additions(ofAuthorOf: index).contains { stands($0, under: isSeen, in: past) }
    }

    private func additions(ofAuthorOf index: Int) -> [Int] {
        nodes.indices.filter { other in
            guard let addition = nodes[other].addition, addition.role == .full else { return false }
            return addition.device == nodes[index].authorDevice && nodes[index].ancestors.contains(other)
        }
    }

    private func attackers(of index: Int) -> [Int] {
        nodes.indices.filter { other in
            guard other != index, case .removeDevice(let removal) = nodes[other].entry.action,
                removal.device == nodes[index].authorDevice
            else { return false }
            return !removal.keeping.contains { head in
                head == nodes[index].hash
                    || nodes.contains { $0.hash == head && $0.ancestors.contains(index) }
            }
        }
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
    mutating func insertInRandomOrder(
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
