import Capabilities
import FuzzKit
import TestSupport
import Wire

/// Control logs: the input decides which accounts exist, and the author, the right, the view and the content of each
/// operation.
///
/// The worlds are those of the tests (`World`), as is the plain model that they are compared with.
///
/// Laws: the model agrees; operations in reverse, and twice, give the same state; nothing above its log's cut is
/// effective except the operation that made the cut; a decision allows an action only under a right that holds.
let controlLogTarget = FuzzTarget(
    "control-logs",
    inputByteCountMax: 400,
    run: { bytes in
        let world = World(WorldDice(bytes))
        let pair = World(WorldDice(bytes), isPair: true)
        demand(Comparison(pair, entries: pair.entries).difference == nil, "the plain model agrees about two owners")
        let state = world.state
        demand(Comparison(world, entries: world.entries).difference == nil, "the plain model agrees")
        demand(world.state(of: world.entries.reversed() + world.entries) == state, "order and repetition do not matter")
        for entry in world.entries where state.verdicts[entry.hash] == .counts {
            let cut = state.cut(of: entry.log, device: entry.device, under: entry.right, directory: world.directory)
            demand(cut.admits(entry.place.counter) || entry.endsOwnRight, "nothing above a cut counts")
        }
        decide(in: world, state)
    },
    seeds: {
        var generator = SeededGenerator(seed: 23)
        return (0..<200).map { _ in generator.bytes(60 + generator.below(300)) }
    }
)

private func decide(in world: World, _ state: ControlState) {
    for (log, (device, right)) in world.logs {
        guard let account = state.account(of: right) else { continue }
        let decision = Authorisation.decide(
            .serve(.data, sealed: false),
            by: .device(device, of: account),
            state: state,
            directory: world.directory,
            now: 0
        )
        guard case .allowed(let under) = decision else { continue }
        let holds =
            under == state.ownership.right || under == state.publicAccessEntry || state.status(of: under) == .live
        demand(holds, "\(log.actor.shortText) is served under a right that holds")
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
