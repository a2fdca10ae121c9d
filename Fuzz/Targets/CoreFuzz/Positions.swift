import Capabilities
import FuzzKit
import Identity
import TestSupport
import Wire

/// Statements of the future: control logs in which authors state positions that no log has reached, in checkpoints,
/// leaves, transfers, revocations and corrections, and in which more devices are removed than in `control-logs`.
///
/// Laws: the model agrees; operations in reverse, and twice, give the same state; the resolution that is kept while
/// operations come equals the one from nothing at each of them; a log that stands has no cut, and no cut lies above
/// the positions that effective operations state, within their authors' views, by checkpoints only while their
/// authors stand.
let positionTarget = FuzzTarget(
    "positions",
    inputByteCountMax: 300,
    run: { bytes in
        // One kind of zone each: the resolutions are most of the cost of an execution.
        let isPair = bytes.reduce(0, ^) & 3 == 3
        let world = World(WorldDice(bytes), isPair: isPair, isWild: true)
        let state = world.state
        demand(Comparison(world, entries: world.entries).difference == nil, "the plain model agrees")
        demand(world.state(of: world.entries.reversed() + world.entries) == state, "order and repetition do not matter")
        checkKept(world, isReversed: bytes.count & 1 == 1)
        checkCuts(world, state)
    },
    seeds: {
        var generator = SeededGenerator(seed: 63)
        return (0..<200).map { _ in generator.bytes(60 + generator.below(240)) }
    }
)

/// Enters the operations one by one, and compares after each.
private func checkKept(_ world: World, isReversed: Bool) {
    let order = isReversed ? world.entries.reversed() : world.entries
    var kept = KeptResolution(zone: WorldPool.zone, owners: world.owners, entries: [], directory: world.directory)
    for index in order.indices {
        kept.add([order[index]])
        demand(kept.state == world.state(of: Array(order[...index])), "what is kept equals what is resolved anew")
    }
}

private func checkCuts(_ world: World, _ state: ControlState) {
    let ceilings = ceilings(of: world, state)
    for (log, (device, right)) in world.logs {
        for lane in Lane.allCases {
            let log = ActorLane(actor: log.actor, lane: lane)
            let directory = world.directory
            let cut = state.cut(of: log, device: device, under: right, directory: directory)
            if state.stands(device, under: right, directory: directory) {
                demand(cut == .none, "a log that stands has no cut")
            }
            guard case .at(let size, _) = cut else { continue }
            demand(size <= ceilings[log] ?? 0, "no cut lies above what was stated within a view")
        }
    }
}

/// Returns the furthest position of each log that an effective operation states, as far as its author can know.
private func ceilings(of world: World, _ state: ControlState) -> [ActorLane: UInt64] {
    var ceilings: [ActorLane: UInt64] = [:]
    for entry in world.entries {
        let positions: [LogPosition]
        switch entry.body {
        // Whether a statement about removed devices is believed does not decide whether it is effective otherwise.
        case .deviceCuts(let statement): positions = statement.cuts
        case _ where state.verdicts[entry.hash] != .counts: continue
        case .checkpoint(let checkpoint):
            guard state.stands(entry.device, under: entry.right, directory: world.directory) else { continue }
            positions = checkpoint.logs
        case .revoke(let revocation): positions = revocation.cuts
        case .leave(let leave): positions = leave.cuts
        case .transfer(let transfer): positions = transfer.cuts
        case .raiseCut(let raise): positions = raise.cuts
        default: continue
        }
        for position in positions {
            let log = ActorLane(actor: position.actor, lane: position.lane)
            let view = log.actor == entry.place.actor ? entry.place.counter - 1 : entry.seen[log.actor]
            guard log.lane == .data || position.size <= view else { continue }
            ceilings[log] = max(ceilings[log] ?? 0, position.size)
        }
    }
    return ceilings
}
