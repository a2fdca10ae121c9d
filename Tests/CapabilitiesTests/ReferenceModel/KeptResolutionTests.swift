import Identity
import TestSupport
import Testing
import Wire

@testable import Capabilities

/// A resolution that is kept while operations come equals, at each moment, one from nothing.
@Suite("Resolutions that are kept") struct KeptResolutionTests {
    /// A thousand when the rules of entering change: that takes minutes.
    static let worldsPerCase: UInt64 = 100

    /// Enters the operations of a world one by one, in an order made by dice.
    private func check(_ world: World, seed: UInt64) -> Bool {
        var generator = SeededGenerator(seed: seed)
        let shuffled = (world.entries + world.entries.prefix(2)).shuffled(using: &generator)
        let order = seed % 3 == 0 ? world.entries : shuffled
        var kept = KeptResolution(
            zone: WorldPool.zone,
            owners: world.owners,
            entries: [],
            directory: world.directory
        )
        for index in order.indices {
            kept.add([order[index]])
            let expected = world.state(of: Array(order[...index]))
            guard let difference = Self.difference(kept.state, expected) else { continue }
            Issue.record("seed \(seed): operation \(index) of \(order.count): \(difference)")
            return false
        }
        return true
    }

    /// Returns the part in which two states differ.
    private static func difference(_ left: ControlState, _ right: ControlState) -> String? {
        guard left != right else { return nil }
        let parts = zip(Mirror(reflecting: left).children, Mirror(reflecting: right).children)
        return parts.first { String(describing: $0.0.value) != String(describing: $0.1.value) }
            .map { "\($0.0.label ?? "") is \($0.0.value) and should be \($0.1.value)" } ?? "somewhere"
    }

    @Test(arguments: 0..<UInt64(100))
    func `one more operation leads to the same state as resolving all from scratch`(part: UInt64) {
        for seed in part * Self.worldsPerCase..<(part + 1) * Self.worldsPerCase {
            guard check(World(seed: seed), seed: seed) else { return }
        }
    }

    @Test(arguments: 0..<UInt64(30))
    func `so does one more in a zone of two owners`(part: UInt64) {
        for seed in part * Self.worldsPerCase..<(part + 1) * Self.worldsPerCase {
            guard check(World(seed: seed, isPair: true), seed: seed) else { return }
        }
    }

    @Test func `several at once have the same effect as one by one, with the accounts' present state`() {
        for seed in UInt64(0)..<2_000 {
            let world = World(seed: seed)
            let half = world.entries.count / 2
            var kept = KeptResolution(
                zone: WorldPool.zone,
                owners: world.owners,
                entries: Array(world.entries.prefix(half)),
                directory: WorldDirectory()
            )
            kept.follow(world.directory) { account, old in
                // An empty directory has no witnesses.
                world.directory.witnesses.isEmpty && old.standings[account] == world.directory.standings[account]
            }
            kept.add(Array(world.entries.dropFirst(half)))
            #expect(kept.state == world.state, "seed \(seed)")
            #expect(kept.stateAnew == world.state, "seed \(seed)")
        }
    }

    @Test func `a statement about removed devices that changes no cut decides one operation`() {
        let (owner, second) = (ControlStory.owner, ControlStory.ownerSecond)
        let removed = ControlStory.Author(account: 0, device: 2, right: .zero)
        var story = ControlStory()
        let writer = story.grant(by: owner, to: 1)
        for _ in 0..<20 { story.say(.unknown(tag: 99, bytes: []), by: writer) }
        story.markRemoved(removed)
        story.directory.witnesses[removed.deviceID] = [owner.deviceID]
        story.state(removed, at: 7, by: 0)
        var kept = KeptResolution(
            zone: ControlStory.zone,
            owners: [ControlStory.accounts[0]],
            entries: story.entries,
            directory: story.directory
        )
        /// Returns the number of operations that the last one causes to be decided.
        func decided() -> UInt64 {
            let before = kept.decidedCount
            kept.add([story.entries[story.entries.count - 1]])
            #expect(kept.state == kept.stateAnew)
            return kept.decidedCount - before
        }
        story.say(.deviceCuts(DeviceCuts(devices: [second.deviceID], cuts: [])), by: writer)
        #expect(decided() == 1, "its account has not removed the device")
        story.state(second, at: 3, by: 0)
        #expect(decided() == 1, "the device is there")
        story.state(removed, at: 7, by: 0)
        #expect(decided() == 1, "it was said before")
        story.state(removed, at: 9, by: 1)
        #expect(decided() > 20, "nothing here tells whether the witness has spoken")
        story.state(removed, at: 8, by: 0)
        #expect(decided() > 20, "more counts")
        #expect(kept.state.cut(removed, in: story) == removed.position(.data, 8).cut)
    }

    @Test func `most operations of sensible logs are entered without deciding all anew`() {
        var (decided, count) = (UInt64(0), UInt64(0))
        for seed in UInt64(0)..<2_000 {
            let world = World(seed: seed)
            var kept = KeptResolution(
                zone: WorldPool.zone,
                owners: world.owners,
                entries: [],
                directory: world.directory
            )
            for entry in world.entries { kept.add([entry]) }
            decided += kept.decidedCount
            count += UInt64(world.entries.count)
        }
        // These logs are made to hurt: an operation decides again the few that there are in one of three cases or so.
        #expect(decided < count * 3, "\(decided) of \(count)")
    }
}
