import TestSupport
import Testing
import Wire

@testable import Capabilities

/// Laws that hold for every control log, on worlds made by dice.
@Suite struct ControlLawTests {
    static let seeds = UInt64(500_000)..<502_000

    @Test func `the order in which operations come, and how often, does not matter`() {
        for seed in Self.seeds {
            let world = World(seed: seed)
            var generator = SeededGenerator(seed: seed)
            let shuffled = (world.entries + world.entries.prefix(3)).shuffled(using: &generator)
            #expect(world.state == world.state(of: shuffled), "seed \(seed)")
        }
    }

    @Test func `nothing above its log's cut is effective but the operation that made the cut`() {
        for seed in Self.seeds {
            let world = World(seed: seed)
            let state = world.state
            for entry in world.entries where state.verdicts[entry.hash] == .counts {
                let cut = state.cut(
                    of: entry.log,
                    device: entry.device,
                    under: entry.right,
                    directory: world.directory
                )
                #expect(cut.admits(entry.place.counter) || entry.endsOwnRight, "seed \(seed)")
            }
        }
    }

    @Test func `operations under a checkpoint are never above a cut`() {
        for seed in Self.seeds {
            let world = World(seed: seed)
            let state = world.state
            for entry in world.entries where state.verdicts[entry.hash] == .void(.aboveCut) {
                #expect(state.watermarks[entry.log]?.size ?? 0 < entry.place.counter, "seed \(seed)")
            }
        }
    }

    @Test func `ownerships and the verdicts on owners' operations do not depend on other accounts`() {
        for seed in Self.seeds {
            let world = World(seed: seed)
            let state = world.state
            let owners = world.entries.filter { state.ownership(with: $0.right) != nil }
            let alone = world.state(of: owners)
            #expect(alone.ownerships == state.ownerships, "seed \(seed)")
            #expect(alone.watermarks == state.watermarks, "seed \(seed)")
            for entry in owners {
                #expect(alone.verdicts[entry.hash] == state.verdicts[entry.hash], "seed \(seed)")
            }
        }
    }

    @Test func `a right that an owner ended stays ended whatever others add, and none of its cuts rises`() {
        var found = 0
        for seed in Self.seeds {
            let world = World(seed: seed)
            let state = world.state
            let owners = Set(world.entries.filter { state.ownership(with: $0.right) != nil }.map(\.hash))
            for (id, record) in state.capabilities {
                let byOwners = record.revocations.filter { owners.contains($0.entry) }
                guard !byOwners.isEmpty else { continue }
                found += 1
                // The operations without those of others than owners, except the ones that grant it.
                let needed = world.entries.filter { entry in
                    owners.contains(entry.hash) || entry.carried.contains { record.chain.contains($0.id) }
                }
                let fewer = world.state(of: needed)
                guard let before = fewer.capabilities[id] else { continue }
                #expect(byOwners.allSatisfy(before.revocations.contains), "seed \(seed)")
                for (log, (device, right)) in world.logs where right == id {
                    let cuts = [fewer, state].map {
                        $0.cut(of: log, device: device, under: id, directory: world.directory)
                    }
                    #expect(cuts[1].reach <= cuts[0].reach, "seed \(seed)")
                }
            }
        }
        #expect(found > 50)
    }

    @Test func `statements for an unknown account have no effect`() {
        for seed in Self.seeds {
            let world = World(seed: seed)
            let state = world.state
            for entry in world.entries {
                guard let account = state.account(of: entry.right), world.directory.standings[account] == nil else {
                    continue
                }
                #expect(state.verdicts[entry.hash] == .waiting(.account(account)), "seed \(seed)")
                #expect(state.unknownAccounts.contains(account), "seed \(seed)")
            }
        }
    }

    @Test func `every operation has a verdict, and every capability that is carried a status`() {
        for seed in Self.seeds {
            let world = World(seed: seed)
            let state = world.state
            #expect(world.entries.allSatisfy { state.verdicts[$0.hash] != nil }, "seed \(seed)")
            #expect(world.entries.flatMap(\.carried).allSatisfy { state.status(of: $0.id) != nil }, "seed \(seed)")
        }
    }

    @Test func `a chain that holds narrows step by step from an owner`() throws {
        for seed in Self.seeds {
            let state = World(seed: seed).state
            for record in state.capabilities.values {
                let steps = record.chain.compactMap { state.capabilities[$0]?.capability }
                #expect(steps.count == record.chain.count, "seed \(seed)")
                #expect(state.ownerships.contains { $0.account == steps.first?.issuer }, "seed \(seed)")
                for (parent, child) in zip(steps, steps.dropFirst()) { try child.checkNarrows(parent) }
            }
        }
    }
}

extension ControlEntry {
    fileprivate var endsOwnRight: Bool {
        switch body {
        case .leave, .transfer: true
        default: false
        }
    }
}

extension EffectiveCut {
    fileprivate var reach: UInt64 {
        switch self {
        case .none: .max
        case .at(let size, _): size
        case .zero, .waiting: 0
        }
    }
}
