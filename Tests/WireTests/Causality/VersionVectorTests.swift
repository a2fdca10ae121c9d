import TestSupport
import Testing
import Wire

/// Vectors form a join semilattice; the laws are named by the tests.
@Suite struct VersionVectorTests {
    private static let seed: UInt64 = 11

    /// Runs a law on random small vectors.
    private func forAll(_ law: (VersionVector, VersionVector, VersionVector) -> Bool) {
        var generator = SeededGenerator(seed: Self.seed)
        for index in 0..<3_000 {
            let holds = law(.small(&generator), .small(&generator), .small(&generator))
            #expect(holds, "seed \(Self.seed), sample \(index)")
        }
    }

    @Test func `merge is commutative`() {
        forAll { first, second, _ in first.merged(with: second) == second.merged(with: first) }
    }

    @Test func `merge is associative`() {
        forAll { first, second, third in
            first.merged(with: second).merged(with: third) == first.merged(with: second.merged(with: third))
        }
    }

    @Test func `merge is idempotent`() {
        forAll { first, _, _ in first.merged(with: first) == first }
    }

    @Test func `the empty vector changes nothing`() {
        forAll { first, _, _ in
            first.merged(with: VersionVector()) == first && VersionVector().merged(with: first) == first
        }
    }

    @Test func `a merge covers both sides and nothing that neither covers`() {
        forAll { first, second, third in
            let merged = first.merged(with: second)
            return merged.covers(first) && merged.covers(second)
                && third.entries.allSatisfy { merged.covers($0) == (first.covers($0) || second.covers($0)) }
        }
    }

    @Test func `a merge is the least vector that covers both`() {
        forAll { first, second, third in
            !(third.covers(first) && third.covers(second)) || third.covers(first.merged(with: second))
        }
    }

    @Test func `covering is by dots`() {
        forAll { first, second, _ in first.covers(second) == second.entries.allSatisfy { first.covers($0) } }
    }

    @Test func `comparing is antisymmetric and agrees with covering`() {
        forAll { first, second, _ in
            switch first.compare(second) {
            case .equal: first == second && second.compare(first) == .equal
            case .before: second.covers(first) && first != second && second.compare(first) == .after
            case .after: first.covers(second) && first != second && second.compare(first) == .before
            case .concurrent:
                !first.covers(second) && !second.covers(first) && second.compare(first) == .concurrent
            }
        }
    }

    @Test func `merging a dot covers it and its predecessors`() {
        var generator = SeededGenerator(seed: Self.seed)
        for _ in 0..<1_000 {
            var vector = VersionVector.small(&generator)
            let before = vector
            let dot = Dot(actor: .sample(&generator), counter: 1 + UInt64(generator.below(4)))
            vector.merge(dot)
            #expect(vector == before.merged(with: VersionVector(covering: [dot])))
        }
    }

    @Test func `a vector agrees with a dictionary`() {
        var generator = SeededGenerator(seed: Self.seed)
        var vector = VersionVector()
        var reference: [ActorID: UInt64] = [:]
        for _ in 0..<3_000 {
            let actor = ActorID(Digest32(word0: UInt64(generator.below(20)), word1: 0, word2: 0, word3: 0))
            let counter = UInt64(generator.below(4))
            vector[actor] = counter
            reference[actor] = counter == 0 ? nil : counter
            #expect(vector[actor] == counter)
            #expect(vector == VersionVector(reference))
            #expect(vector.entries.map(\.actor) == reference.keys.sorted())
        }
    }

    @Test func `the newest dot of an actor covers all`() {
        let actor: ActorID = Layout.id(1)
        let vector = VersionVector(covering: [Dot(actor: actor, counter: 3), Dot(actor: actor, counter: 2)])
        #expect(vector.entries == [Dot(actor: actor, counter: 3)])
        #expect(vector.covers(Dot(actor: actor, counter: 1)))
        #expect(!vector.covers(Dot(actor: actor, counter: 4)))
        #expect(!vector.covers(Dot(actor: Layout.id(2), counter: 1)))
    }

    @Test func `a vector is written as an ascending map`() {
        let vector: VersionVector = [Layout.id(2): 300, Layout.id(1): 1]
        #expect(vector.isEncoded(as: Layout.bytes("02", Layout.fill(1), "01", Layout.fill(2), "ac02")))
    }

    @Test func `a counter of zero is not written`() {
        #expect(throws: WireError.invalidValue("counter")) {
            try VersionVector(decoding: Layout.bytes("01", Layout.fill(1), "00"))
        }
    }

    @Test func `a counter beyond 2^62 is refused`() {
        let edge = Dot(actor: Layout.id(1), counter: Limits.counterMax)
        #expect(throws: Never.self) { try edge.checkedEncoding() }
        let beyond = Dot(actor: Layout.id(1), counter: Limits.counterMax + 1)
        #expect(throws: WireError.invalidValue("counter")) { try beyond.checkedEncoding() }
    }

    @Test func `an actor named twice is refused`() {
        #expect(throws: WireError.notAscending) {
            try VersionVector(decoding: Layout.bytes("02", Layout.fill(1), "01", Layout.fill(1), "02"))
        }
    }
}
