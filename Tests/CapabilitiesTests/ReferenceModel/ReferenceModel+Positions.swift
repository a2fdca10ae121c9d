import Identity
import Wire

@testable import Capabilities

/// A position without the log's name; one of size zero is none.
struct Position: Equatable {
    static let zero = Position(size: 0, root: .zero)

    let size: UInt64
    let root: Hash

    init(size: UInt64, root: Hash) { (self.size, self.root) = (size, size == 0 ? .zero : root) }
}

/// The effective part of a log.
enum Cut: Equatable {
    case all
    case at(Position)

    static let zero = Cut.at(.zero)

    func reaches(_ counter: UInt64) -> Bool {
        switch self {
        case .all: true
        case .at(let position): counter <= position.size
        }
    }

    // "To raise a cut to a position: the position if the cut's size is at most the position's, else the cut. Of equal
    // sizes the position's root holds, also if it is the larger one".
    func raised(to position: Position, in model: ReferenceModel) -> Cut {
        guard case .at(let own) = self else { return self }
        if own.size == position.size, !model.keeps(.raisedRootIsThePositions) {
            return own.root < position.root ? self : .at(position)
        }
        return own.size <= position.size ? .at(position) : self
    }

    // "The stricter of two cuts has the smaller size, of equal sizes the smaller root; no position is a cut at zero."
    // "A log without a cut is not cut by it."
    static func strictest(_ cuts: [Cut], in model: ReferenceModel) -> Cut {
        cuts.reduce(.all) { one, other in
            guard case .at(let left) = one else { return other }
            guard case .at(let right) = other else { return one }
            if left.size != right.size { return left.size < right.size ? one : other }
            return (left.root < right.root) == model.keeps(.stricterIsTheSmallerRoot) ? one : other
        }
    }
}

// MARK: - positions.md, Definitions

extension ReferenceModel {
    /// Whether an operation's author had seen another one.
    func hasSeen(_ author: ControlEntry, _ entry: ControlEntry) -> Bool {
        if entry.place.actor == author.place.actor { return entry.place.counter < author.place.counter }
        return author.seen[entry.place.actor] >= entry.place.counter
    }

    // "A position is within its author's view if it names a data log; or if it names the author's own control log and
    // its size is below the counter of the operation that states it; or if it names another control log and its size
    // is at most what the operation's seen names of that log."
    private func isInView(_ position: LogPosition, of entry: ControlEntry) -> Bool {
        if position.lane == .data {
            return keeps(.dataPositionsAreInView) || position.size <= entry.seen[position.actor]
        }
        if position.actor == entry.place.actor {
            if !keeps(.ownPositionIsBelow) { return position.size <= entry.place.counter }
            return position.size < entry.place.counter || !keeps(.viewOfTheOwnLog)
        }
        return position.size <= entry.seen[position.actor] || !keeps(.viewOfOtherLogs)
    }

    // The position of a log that an operation states. "A position outside of the view is treated as absent. This
    // holds for the positions of all six kinds of operation, whichever account writes it."
    func position(_ log: ActorLane, in entry: ControlEntry) -> Position {
        let (positions, kind): ([LogPosition], Omission) =
            switch entry.body {
            case .checkpoint(let checkpoint): (checkpoint.logs, .viewOfCheckpoints)
            case .revoke(let revocation): (revocation.cuts, .viewOfRevocations)
            case .leave(let leave): (leave.cuts, .viewOfLeaves)
            case .transfer(let transfer): (transfer.cuts, .viewOfTransfers)
            case .raiseCut(let raise): (raise.cuts, .viewOfCorrections)
            case .deviceCuts(let statement): (statement.cuts, .viewOfStatements)
            default: ([], .viewOfCheckpoints)
            }
        guard let position = positions.first(where: { $0.key == log }) else { return .zero }
        guard isInView(position, of: entry) || !keeps(kind) else { return .zero }
        return Position(size: position.size, root: position.root)
    }

    // "Of several positions of one log the further one has the larger size, of equal sizes the smaller root."
    func furthest(_ positions: [Position]) -> Position {
        positions.reduce(.zero) { one, other in
            if one.size != other.size { return one.size > other.size ? one : other }
            return (one.root < other.root) == keeps(.furtherIsTheSmallerRoot) ? one : other
        }
    }

    // "A control log stands if the right that it is written under is an ownership that has not ended, and the account
    // that this ownership belongs to has the log's device as an active member with the role full."
    func stands(_ device: DeviceID, under right: Hash) -> Bool {
        guard let ownership = ownerships.first(where: { $0.right == right }) else { return false }
        guard ownership.end == nil || !keeps(.formerOwnerDoesNotStand) else { return false }
        return switch directory.standing(of: device, in: ownership.account) {
        case .active(let role, _): role == .full || !keeps(.standingTakesTheRoleFull)
        case .removed(let role, _): !keeps(.removedDoesNotStand) && role == .full
        case .unknownAccount, .unknownDevice: false
        }
    }

    // "An operation stands if its log does."
    func stands(_ entry: ControlEntry) -> Bool { stands(entry.device, under: entry.right) }

    // "The corrections of a right are the effective raiseCut operations that name that right. If at least one of them
    // stands, then only those that stand are corrections of that right; otherwise all effective ones are."
    private func corrections(_ right: Hash) -> [ControlEntry] {
        let all = counting.filter {
            if case .raiseCut(let raise) = $0.body {
                raise.capability == right || !keeps(.correctionNamesTheRight)
            } else {
                false
            }
        }
        let standing = all.filter { stands($0) }
        return standing.isEmpty && keeps(.formerCorrectionsHold) || !keeps(.standingCorrectionsGoFirst) ? all : standing
    }
}

// MARK: - positions.md, Rules 1 and 2, and the cut of a log

extension ReferenceModel {
    // "final(log) is the furthest position of the log, within the author's view, in the checkpoints that are
    // effective and stand."
    func final(_ log: ActorLane) -> Position {
        let checkpoints = counting.filter {
            if case .checkpoint = $0.body { stands($0) || !keeps(.finalTakesACheckpointThatStands) } else { false }
        }
        return furthest(checkpoints.map { position(log, in: $0) })
    }

    // Rule 2. With `isOpen` "the first line of rule 2 for every ending that is not confirmed".
    private func cut(_ ending: ControlEntry, _ log: ActorLane, _ right: Hash, isOpen: Bool) -> Cut {
        let corrections = corrections(right)
        let stated = Cut.at(position(log, in: ending))
        let informed = corrections.filter { hasSeen($0, ending) || !keeps(.correctionRaisesWhatItHadSeen) }
        let raise = keeps(.correctionRaises) ? furthest(informed.map { position(log, in: $0) }) : .zero
        let bounding = keeps(.correctionBoundsWhatItHadNotSeen) ? corrections : informed
        let bound = furthest(bounding.map { position(log, in: $0) })
        let isConfirmed = stands(ending) && keeps(.confirmedEndingIsNotBounded)
        let isCorrected =
            keeps(.formerCorrectionsDoNotBound) ? corrections.contains { stands($0) } : !corrections.isEmpty
        // cut(e) = raise(p, F)                   if e is confirmed, or no correction of the right stands
        // cut(e) = raise(stricter(p, K), F)      otherwise
        if isConfirmed || !isCorrected || !keeps(.correctionBounds) || isOpen && keeps(.openIsNotBounded) {
            return stated.raised(to: raise, in: self)
        }
        return Cut.strictest([stated, .at(bound)], in: self).raised(to: raise, in: self)
    }

    // `cut(log) = raise( strictest( device(log), cut(e) for each ending e of the log's right ), final(log) )`, of a
    // right that some account has; nil while its account is not known.
    func cut(
        _ log: ActorLane,
        _ device: DeviceID,
        _ right: Hash,
        leavesUpTo limit: Int,
        isOpen: Bool = false
    ) -> Cut? {
        guard let account = account(right), directory.standings[account] != nil else { return nil }
        let endings = endings(right, leavesUpTo: limit).map { cut($0, log, right, isOpen: isOpen) }
        let ended = keeps(.strictestEndingHolds) ? endings : Array(endings.prefix(1))
        let byDevices = keeps(.devicesCut) ? deviceCut(log, device, right, account) : .all
        return Cut.strictest([byDevices] + ended, in: self).raised(
            to: keeps(.finalRaises) ? final(log) : .zero,
            in: self
        )
    }
}

// MARK: - positions.md, Rule 3

extension ReferenceModel {
    private func isActive(_ device: DeviceID, _ account: AccountID) -> Bool {
        if case .active = directory.standing(of: device, in: account) { true } else { false }
    }

    private func isRemoved(_ device: DeviceID, _ account: AccountID) -> Bool {
        if case .removed = directory.standing(of: device, in: account) { true } else { false }
    }

    // `device(log)`.
    func deviceCut(_ log: ActorLane, _ device: DeviceID, _ right: Hash, _ account: AccountID) -> Cut {
        // "A store does not apply its account's statements about its own device …: device(log) is none for that
        // device's logs"
        if directory.ownDevice == device, keeps(.ownRemovalIsNotApplied) { return .all }
        switch directory.standing(of: device, in: account) {
        // "none if the log's device is active in a with the role full"; "zero if … it has another role"
        case .active(let role, _): return role == .full || !keeps(.activeOfAnotherRoleIsCut) ? .all : .zero
        case .removed(let role, _):
            if role != .full, keeps(.removedOfAnotherRoleIsCut) { return .zero }
            // "what is said about it under r"; "none if … nothing is said about it under r"
            let said = said(log, about: device, right, account, byRemoved: keeps(.removedStateWhereNobodyActiveDoes))
            return said.map(Cut.at) ?? (keeps(.nothingSaidIsNoCut) ? .all : .zero)
        // "zero if a does not know it"
        case .unknownAccount, .unknownDevice: return keeps(.unknownDeviceIsCut) ? .zero : .all
        }
    }

    /// The admitted statements about a device under a right by authors of one kind.
    private func statements(
        about device: DeviceID,
        _ right: Hash,
        _ account: AccountID,
        byActive isActive: Bool,
        isAdmitted: Bool = true
    ) -> [ControlEntry] {
        entries.filter { entry in
            guard case .deviceCuts(let statement) = entry.body else { return false }
            // "It is about a device if it lists it, its author is another device, and the account a that speaks under
            // the operation's right r has removed the listed device. It concerns the logs that this device wrote
            // under r."
            guard statement.devices.contains(device) || !keeps(.statementListsTheDevice) else { return false }
            guard entry.device != device || !keeps(.statementIsByAnotherDevice) else { return false }
            guard isRemoved(device, account) else { return false }
            guard entry.right == right || !keeps(.statementIsUnderTheRight) && self.account(entry.right) == account
            else {
                return false
            }
            // "Its author has to be a device that a knows with the role full, active or removed."
            switch directory.standing(of: entry.device, in: account) {
            case .active(let role, _):
                guard isActive, role == .full || !keeps(.statingTakesTheRoleFull) else { return false }
            case .removed(let role, _):
                guard !isActive, role == .full || !keeps(.statingTakesTheRoleFull) else { return false }
            case .unknownAccount, .unknownDevice:
                guard !isActive, !keeps(.statementIsByTheAccount) else { return false }
            }
            return !isAdmitted || self.isAdmitted(entry, right, account)
        }
    }

    // "the log's own bound has to reach it, which is the strictest of cut(e) for the revocations e that end r (none
    // if r is an ownership), and, for a removed author, of the admitted statements by active authors about that
    // author's log (no bound if there are none). Nothing else bears on it".
    private func isAdmitted(_ statement: ControlEntry, _ right: Hash, _ account: AccountID) -> Bool {
        let log = statement.log
        var bounds: [Cut] = []
        if keeps(.revocationsBoundStatements), !isOwnership(right) {
            bounds = revocations(right).map { cut($0, log, right, isOpen: false) }
        }
        // "and its own statements are not bounded by what others say about it"
        let isOwn = directory.ownDevice == statement.device && keeps(.ownStatementsAreNotBounded)
        if isRemoved(statement.device, account), !isOwn, keeps(.statementsBoundStatements) {
            let said = said(log, about: statement.device, right, account, byRemoved: false)
            if let said { bounds.append(.at(said)) }
        }
        if !keeps(.removedDoNotBoundStatements), isRemoved(statement.device, account) {
            let others = statements(about: statement.device, right, account, byActive: false, isAdmitted: false)
            bounds += others.map { .at(position(log, in: $0)) }
        }
        if !keeps(.leavesDoNotBoundStatements), !isOwnership(right) {
            bounds += endings(right, leavesUpTo: .max).map { cut($0, log, right, isOpen: false) }
        }
        if !keeps(.transfersDoNotBoundStatements), isOwnership(right) {
            bounds += endings(right, leavesUpTo: .max).map { cut($0, log, right, isOpen: false) }
        }
        var bound = Cut.strictest(bounds, in: self)
        if !keeps(.finalDoesNotAdmitStatements) { bound = bound.raised(to: final(log), in: self) }
        return bound.reaches(statement.place.counter)
    }

    // "Let S be the admitted statements about a device d under r by active authors, or, if there are none, those by
    // removed authors." Nil if nothing is said.
    private func said(
        _ log: ActorLane,
        about device: DeviceID,
        _ right: Hash,
        _ account: AccountID,
        byRemoved: Bool
    ) -> Position? {
        var statements = statements(about: device, right, account, byActive: true)
        if statements.isEmpty || !keeps(.activeStateFirst), byRemoved {
            statements += self.statements(about: device, right, account, byActive: false)
        }
        // "Of the statements of one author the furthest position of each log holds." "A log that a statement does not
        // list, or outside of its view, is stated at zero."
        var byAuthor: [DeviceID: [Position]] = [:]
        for statement in statements {
            let position = position(log, in: statement)
            if position == .zero, !keeps(.unlistedIsZero) { continue }
            byAuthor[statement.device, default: []].append(position)
        }
        if byAuthor.isEmpty { return nil }
        let words = byAuthor.mapValues { keeps(.furthestOfOneAuthorHolds) ? furthest($0) : strictest($0) }
        // "If witnesses of d are among the authors in S, only their statements are used, and the strictest of them
        // holds; else the furthest of all statements."
        let witnesses = directory.witnesses(of: device, in: account)
        let asked = words.filter { witnesses.contains($0.key) && keeps(.witnessesGoFirst) }
        if !keeps(.witnessHasToSpeak), !witnesses.isEmpty, asked.isEmpty { return nil }
        if !asked.isEmpty {
            return keeps(.strictestWitnessHolds) ? strictest(Array(asked.values)) : furthest(Array(asked.values))
        }
        return keeps(.furthestOfAllHolds) ? furthest(Array(words.values)) : strictest(Array(words.values))
    }

    private func strictest(_ positions: [Position]) -> Position {
        guard case .at(let position) = Cut.strictest(positions.map(Cut.at), in: self) else { return .zero }
        return position
    }
}
