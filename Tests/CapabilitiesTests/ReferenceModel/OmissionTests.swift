import Testing

@testable import Capabilities

/// The comparison of the resolution with the plain model, itself tested: a model that leaves out a clause disagrees
/// with the resolution in some world.
///
/// If the omission of a clause went unnoticed, the worlds would be too poor for that clause, and the resolution might
/// have it wrong.
@Suite struct OmissionTests {
    /// Worlds that together notice every omission.
    ///
    /// When the dice fall otherwise, others are looked for, and the test takes longer.
    static let seeds: [UInt64] = [
        3288, 2482, 1968, 1568, 1478, 1417, 1336, 961, 849, 586, 576, 548, 547, 481, 435, 303, 247, 214, 212, 182, 137,
        135, 118, 117, 114, 110, 98, 72, 70, 46, 44, 23, 11, 9, 2,
    ]
    static let pairSeeds: [UInt64] = [19_263, 11_929, 1588, 159, 134, 101, 51, 45, 32, 24, 23, 19, 14, 4]
    /// The number of worlds of each kind to look at if those above do not suffice.
    static let worldCount: UInt64 = 20_000

    @Test func `a model that leaves out a clause is noticed, whichever clause it is`() {
        var left = Omission.allCases
        func look(at world: World) {
            let comparison = Comparison(world, entries: world.entries)
            left.removeAll { comparison.difference(omitting: $0) != nil }
        }
        for seed in Self.seeds { look(at: World(seed: seed)) }
        for seed in Self.pairSeeds { look(at: World(seed: seed, isPair: true)) }
        for seed in 0..<Self.worldCount where !left.isEmpty {
            look(at: World(seed: seed))
            look(at: World(seed: seed, isPair: true))
        }
        #expect(left.isEmpty, "nothing notices that these are left out: \(left)")
    }

    @Test func `a model that leaves out nothing agrees in the same worlds`() {
        for seed in Self.seeds {
            let world = World(seed: seed)
            #expect(Comparison(world, entries: world.entries).difference == nil, "seed \(seed)")
        }
        for seed in Self.pairSeeds {
            let world = World(seed: seed, isPair: true)
            #expect(Comparison(world, entries: world.entries).difference == nil, "seed \(seed)")
        }
    }
}
