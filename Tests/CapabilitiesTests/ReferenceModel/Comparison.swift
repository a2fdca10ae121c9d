import Wire

@testable import Capabilities

/// Both answers about one world.
struct Comparison {
    let world: World
    let entries: [ControlEntry]

    init(_ world: World, entries: [ControlEntry]) {
        (self.world, self.entries) = (world, entries)
    }

    /// The first thing about which they disagree.
    var difference: String? {
        let state = world.state(of: entries)
        let model = ReferenceModel(
            zone: WorldPool.zone,
            genesisOwners: world.owners,
            entries: entries,
            directory: world.directory
        )
        // Those of one owner in their order; those of two have none among the accounts.
        let lists = [
            state.ownerships.map { [$0.account.digest, $0.right.digest] },
            model.owners.map { [$0.account.digest, $0.right.digest] },
        ]
        if model.isPair ? Set(lists[0]) != Set(lists[1]) : lists[0] != lists[1] { return "owners" }
        if state.owners != model.present { return "present owners" }
        for (index, entry) in entries.enumerated() {
            let answer: ReferenceModel.Answer =
                switch state.verdicts[entry.hash] {
                case .counts: .yes
                case .void: .no
                case .waiting: .unknown
                case nil: .unknown
                }
            if answer != model.verdict(entry) {
                return "operation \(index): \(String(describing: state.verdicts[entry.hash]))"
            }
        }
        for id in model.tokens.keys.sorted() {
            let isHeld = model.isHeld(id)
            if isHeld != (state.capabilities[id] != nil) { return "capability \(id.shortText) is granted: \(isHeld)" }
            guard isHeld else { continue }
            let isLive = model.endings(id, leavesAbove: .max).isEmpty
            if isLive != (state.status(of: id) == .live) { return "capability \(id.shortText) holds: \(isLive)" }
        }
        for (log, (device, right)) in world.logs.sorted(by: { $0.key < $1.key }) {
            guard let account = model.account(right), model.directory.standings[account] != nil else { continue }
            for lane in Lane.allCases {
                let log = ActorLane(actor: log.actor, lane: lane)
                let cut = model.cut(log, device, right, leavesAbove: .max)
                if cut != state.cut(of: log, device: device, under: right, directory: world.directory) {
                    return "\(lane) cut \(cut)"
                }
            }
        }
        if (model.lastPublicAccess()?.hash ?? .zero) != state.publicAccessEntry { return "public access" }
        return guestDifference(model, state)
    }

    /// What those may do of whom nothing is known.
    private func guestDifference(_ model: ReferenceModel, _ state: ControlState) -> String? {
        let guest = AccountID(WorldPool.digest(7, 7))
        let requests: [AccessRequest] = [
            .serve(.control, sealed: false), .serve(.data, sealed: false),
            .write(.init(type: "t", name: "n", creator: nil)), .write(.init(type: "t", name: "n", creator: guest)),
            .write(.init(type: "t", name: "n", creator: World.owner)), .administer(.publicAccess),
        ]
        for request in requests {
            for (subject, account) in [(AccessSubject.guest(guest), guest), (.world, nil)]
                as [(AccessSubject, AccountID?)]
            {
                let decision = Authorisation.decide(
                    request,
                    by: subject,
                    state: state,
                    directory: world.directory,
                    now: 5
                )
                let isAllowed = decision == .allowed(under: state.publicAccessEntry)
                if isAllowed != model.guestMay(request, account) { return "\(request) by \(subject): \(decision)" }
            }
        }
        return nil
    }

    /// Leaves out whatever can be left out with some difference remaining.
    static func shrink(_ world: World) -> String {
        var entries = world.entries
        var index = 0
        while index < entries.count {
            var fewer = entries
            fewer.remove(at: index)
            if Comparison(world, entries: fewer).difference == nil { index += 1 } else { entries = fewer }
        }
        let lines = entries.map { "\($0.place) right \($0.right.shortText) \($0.hash.shortText) \($0.body)" }
        return "\(Comparison(world, entries: entries).difference ?? "")\n\(lines.joined(separator: "\n"))"
    }
}
