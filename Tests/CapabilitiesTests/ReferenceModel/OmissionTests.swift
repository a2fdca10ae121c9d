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
    /// When a change makes other worlds of the same seeds, the test looks for others, which takes a minute, and prints those that suffice.
    static let seeds: [UInt64] = [
        15_763, 6770, 6671, 6583, 5075, 4229, 3288, 2482, 2063, 1995, 1956, 1941, 1748, 1659, 1568, 1478,
        1417, 1336, 1315, 1279, 961, 903, 849, 845, 786, 703, 598, 576, 540, 481, 425, 400, 334, 303, 262,
        255, 247, 212, 188, 183, 172, 156, 146, 143, 135, 114, 94, 93, 80, 76, 70, 69, 68, 60, 53, 44, 43,
        40, 32, 31, 17, 9, 5, 2, 1,
    ]
    static let pairSeeds: [UInt64] = [
        19_263, 11_929, 3479, 1998, 1588, 676, 303, 181, 159, 134, 108, 101, 51, 24, 21, 19, 16, 11, 4, 3,
    ]
    /// The number of worlds of each kind to look at if those above do not suffice.
    static let worldCount: UInt64 = 20_000

    @Test func `a model that leaves out a clause is noticed, whichever clause it is`() {
        var left = Omission.allCases
        var useful: (single: [UInt64], pair: [UInt64]) = ([], [])
        func look(at seed: UInt64, isPair: Bool) {
            let world = World(seed: seed, isPair: isPair)
            let comparison = Comparison(world, entries: world.entries)
            let before = left.count
            left.removeAll { comparison.difference(omitting: $0) != nil }
            guard left.count < before else { return }
            if isPair { useful.pair.append(seed) } else { useful.single.append(seed) }
        }
        for seed in Self.seeds { look(at: seed, isPair: false) }
        for seed in Self.pairSeeds { look(at: seed, isPair: true) }
        if !left.isEmpty {
            for seed in 0..<Self.worldCount where !left.isEmpty {
                look(at: seed, isPair: false)
                look(at: seed, isPair: true)
            }
            print("OmissionTests: seeds that suffice now: \(useful.single), and of pairs: \(useful.pair)")
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
