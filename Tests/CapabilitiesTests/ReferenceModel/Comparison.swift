import Wire

@testable import Capabilities

/// Both answers about one world.
struct Comparison {
    let world: World
    let entries: [ControlEntry]
    let state: ControlState

    init(_ world: World, entries: [ControlEntry]) {
        (self.world, self.entries, state) = (world, entries, world.state(of: entries))
    }

    /// The first point on which they disagree.
    var difference: String? { difference(omitting: nil) }

    /// Returns the first point on which the resolution disagrees with a model that leaves out a clause.
    func difference(omitting omission: Omission?) -> String? {
        let model = ReferenceModel(
            zone: WorldPool.zone,
            genesisOwners: world.owners,
            entries: entries,
            directory: world.directory,
            omitting: omission
        )
        return ownerDifference(model) ?? verdictDifference(model) ?? offerDifference(model) ?? capabilityDifference(
            model
        ) ?? cutDifference(model)
            ?? guestDifference(model)
    }

    private func ownerDifference(_ model: ReferenceModel) -> String? {
        // Those of one owner in their order; those of two have none among the accounts.
        let lists = [
            state.ownerships.map { [$0.account.digest, $0.right.digest] },
            model.ownerships.map { [$0.account.digest, $0.right.digest] },
        ]
        if model.isPair ? Set(lists[0]) != Set(lists[1]) : lists[0] != lists[1] { return "owners" }
        let isPresent = model.isPair ? Set(state.owners) == Set(model.present) : [state.owner] == model.present
        return isPresent ? nil : "present owners"
    }

    private func verdictDifference(_ model: ReferenceModel) -> String? {
        for (index, entry) in entries.enumerated() {
            let answer: ReferenceModel.Answer =
                switch state.verdicts[entry.hash] {
                case .counts: .yes
                case .void: .no
                case .waiting, nil: .unknown
                }
            if answer != model.verdict(entry) {
                return "operation \(index): \(String(describing: state.verdicts[entry.hash]))"
            }
        }
        if (model.lastPublicAccess()?.hash ?? .zero) != state.publicAccessEntry { return "public access" }
        if model.promotions != state.promotions.map(\.entry) { return "promotions" }
        let isDeleted = state.deletion.map { model.deletions.contains($0) } ?? model.deletions.isEmpty
        return isDeleted ? nil : "the end of the zone"
    }

    private func offerDifference(_ model: ReferenceModel) -> String? {
        let expected = model.offer
        if expected?.entry.hash != state.offer?.entry { return "the offer" }
        guard let answer = expected?.answer else { return state.offer?.answer == nil ? nil : "the answer to the offer" }
        return answer.body == state.offer?.answer.map(ControlBody.transferAnswer) ? nil : "the answer to the offer"
    }

    private func capabilityDifference(_ model: ReferenceModel) -> String? {
        for id in model.tokens.keys.sorted() {
            let isHeld = model.isHeld(id)
            if isHeld != (state.capabilities[id] != nil) { return "capability \(id.shortText) is granted: \(isHeld)" }
            guard isHeld else { continue }
            let endings = model.endings(id, leavesUpTo: .max).map(\.hash).sorted()
            let isSame =
                switch state.status(of: id) {
                case .live: endings.isEmpty
                case .ended(let hashes): hashes == endings
                case .void, .waiting, nil: false
                }
            if !isSame { return "capability \(id.shortText) is ended by \(endings.map(\.shortText))" }
        }
        return nil
    }

    private func cutDifference(_ model: ReferenceModel) -> String? {
        for (log, (device, right)) in world.logs.sorted(by: { $0.key < $1.key }) {
            if model.stands(device, under: right) != state.stands(device, under: right, directory: world.directory) {
                return "\(log.actor.shortText) stands"
            }
            for lane in Lane.allCases {
                let log = ActorLane(actor: log.actor, lane: lane)
                let cut = state.cut(of: log, device: device, under: right, directory: world.directory)
                let expected = model.effectiveCut(log, device, right)
                if cut.told != expected { return "\(lane) cut \(cut), not \(String(describing: expected))" }
                let open = state.openCut(of: log, device: device, under: right, directory: world.directory)
                let expectedOpen = model.effectiveCut(log, device, right, isOpen: true)
                if open.told != expectedOpen {
                    return "\(lane) open cut \(open), not \(String(describing: expectedOpen))"
                }
            }
        }
        return nil
    }

    /// Returns a difference in the rights of accounts about which nothing is known.
    private func guestDifference(_ model: ReferenceModel) -> String? {
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

    /// Leaves out every operation that can be left out with some difference remaining.
    static func shrink(_ world: World) -> String {
        var entries = world.entries
        var index = 0
        while index < entries.count {
            var fewer = entries
            fewer.remove(at: index)
            if Comparison(world, entries: fewer).difference == nil { index += 1 } else { entries = fewer }
        }
        let lines = entries.map { entry in
            "\(entry.place) \(entry.device.shortText) right \(entry.right.shortText) \(entry.hash.shortText) "
                + "seen \(entry.seen) \(entry.body)"
        }
        let accounts = world.directory.standings.map { account, devices in
            "\(account.shortText): "
                + devices.map { "\($0.key.shortText) \($0.value)" }.joined(separator: ", ")
        }
        return ([Comparison(world, entries: entries).difference ?? ""] + accounts + lines).joined(separator: "\n")
    }
}

extension EffectiveCut {
    /// The same in the model's words; nil while it is undecided.
    fileprivate var told: Cut? {
        switch self {
        case .none: .all
        case .at(let size, let root): .at(Position(size: size, root: root))
        case .zero: .zero
        case .waiting: nil
        }
    }
}
