import Identity
import Wire

@testable import Capabilities

/// The rules of `control-log.md` and `positions.md` once more, written from these pages and not from the resolution.
///
/// It remembers nothing but which operations count and which are void: every other answer is computed when it is asked for. Slow, and short enough
/// to be held against the pages sentence by sentence.
struct ReferenceModel {
    enum Answer: Equatable { case yes, no, unknown }

    let zone: ZoneID
    let isPair: Bool
    let entries: [ControlEntry]
    let directory: WorldDirectory
    // Every capability that some operation carries under a valid signature.
    let tokens: [Hash: Capability]
    // Ownerships, each with the operation that ended it.
    private(set) var owners: [(account: AccountID, right: Hash, end: ControlEntry?)] = []
    private var counting: [ControlEntry] = []
    private var void: Set<Hash> = []

    init(zone: ZoneID, genesisOwners: [AccountID], entries: [ControlEntry], directory: WorldDirectory) {
        (self.zone, self.entries, self.directory) = (zone, entries, directory)
        isPair = genesisOwners.count > 1
        var tokens: [Hash: Capability] = [:]
        for token in entries.flatMap(\.carried) { tokens[token.id] = token.verified?.capability ?? tokens[token.id] }
        self.tokens = tokens
        // "Find the ownerships, then the owners' operations that count. For each depth from 1 …" (control-log.md, Resolving)
        for account in genesisOwners { follow(account, isPair ? Hash(pairRightOf: account, in: zone) : .zero) }
        decideOwners()
        // "A chain is a root and what was handed on from it …; at most 8." (capabilities.md, 2)
        for depth in 1...8 { decide(depth: depth) }
        decideVoid()
    }

    // MARK: Ownership (control-log.md, Order of ownership)

    // "Its new owner's ownership follows"; of a pair zone "the leave's hash is the account's next right".
    private mutating func follow(_ account: AccountID, _ right: Hash) {
        let end = end(account, right)
        owners.append((account, right, end))
        guard let end else { return }
        if case .transfer(let transfer) = end.body {
            follow(transfer.newOwner, end.hash)
        } else {
            follow(account, end.hash)
        }
    }

    private func end(_ account: AccountID, _ right: Hash) -> ControlEntry? {
        // "An ownership's candidates are the transfers under it, by devices that may speak, to another account, not above
        // `device(log)`." Of a pair zone, leaves "chosen as among transfers".
        let candidates = entries.filter { entry in
            guard entry.right == right, speaks(entry, for: account) == .yes else { return false }
            let cut = deviceCut(entry.log, entry.device, right, account)
            guard EffectiveCut(cut).admits(entry.place.counter) else { return false }
            return switch entry.body {
            case .transfer(let transfer): !isPair && transfer.newOwner != account
            case .leave: isPair
            default: false
            }
        }
        // "A transfer that another candidate precedes drops out. Of the rest the one by the device that its account added first counts, then the one
        // with the smaller hash."
        return candidates.filter { entry in !candidates.contains { precedes($0, entry) } }
            .min { (place($0.device, account), $0.hash) < (place($1.device, account), $1.hash) }
    }

    // "*a precedes b* if b's author had seen a, and a has the smaller pair of rank and hash".
    private func precedes(_ a: ControlEntry, _ b: ControlEntry) -> Bool {
        hasSeen(b, a.place) && (rank(a), a.hash) < (rank(b), b.hash)
    }

    // "the *rank* is the counter plus the sum of `seen` over all other logs".
    private func rank(_ entry: ControlEntry) -> UInt64 {
        entry.seen.entries.reduce(entry.place.counter) { $1.actor == entry.place.actor ? $0 : $0 + $1.counter }
    }

    private func hasSeen(_ entry: ControlEntry, _ place: Dot) -> Bool {
        place.actor == entry.place.actor
            ? place.counter < entry.place.counter : place.counter <= entry.seen[place.actor]
    }

    private func place(_ device: DeviceID, _ account: AccountID) -> Int {
        switch directory.standing(of: device, in: account) {
        case .active(_, let place), .removed(_, let place): place
        case .unknownAccount, .unknownDevice: .max
        }
    }

    // One owner has the zone: the last. Of two each has it by a right that no leave ended: its first, or one to which it came back, which takes
    // "one control operation under that right" that counts (pair-zones.md, 3).
    var present: [AccountID] {
        guard isPair else { return owners.suffix(1).map(\.account) }
        return owners.filter { owner in
            owner.end == nil
                && (owner.right == Hash(pairRightOf: owner.account, in: zone)
                    || counting.contains { $0.right == owner.right })
        }.map(\.account).sorted()
    }

    // MARK: Rights (control-log.md, Rights)

    private func isOwnership(_ right: Hash) -> Bool { owners.contains { $0.right == right } }

    // "The right says which account speaks: the owner, or the capability's audience."
    func account(_ right: Hash) -> AccountID? {
        owners.first { $0.right == right }?.account ?? (isHeld(right) ? tokens[right]?.audience : nil)
    }

    // "An ownership has depth 0. A capability has the depth of its chain: 1 for a root."
    private func depth(_ right: Hash) -> Int {
        guard !isOwnership(right), let token = tokens[right] else { return 0 }
        return token.parent.isZero ? 1 : depth(token.parent) + 1
    }

    private func descends(_ right: Hash, from ancestor: Hash) -> Bool {
        guard let parent = tokens[right]?.parent, !parent.isZero else { return false }
        return parent == ancestor || descends(parent, from: ancestor)
    }

    // "The log's device must be one of that account's, with the role *full* … If the account's log is not held, the operation *waits*."
    private func speaks(_ entry: ControlEntry, for account: AccountID) -> Answer {
        switch directory.standing(of: entry.device, in: account) {
        case .unknownAccount: .unknown
        case .unknownDevice: .no
        case .active(let role, _), .removed(let role, _): role == .full ? .yes : .no
        }
    }

    // A control log *stands* if it is written "under … an ownership that has not ended" by "an active member with the role *full*" (positions.md).
    private func stands(_ entry: ControlEntry) -> Bool {
        guard let owner = owners.first(where: { $0.right == entry.right && $0.end == nil }) else { return false }
        guard case .active(.full, _) = directory.standing(of: entry.device, in: owner.account) else { return false }
        return true
    }

    // MARK: Grants (control-log.md, Grants)

    func isHeld(_ id: Hash) -> Bool { counting.contains { grants($0, id) } }

    // Whether an operation that counts grants a capability.
    private func grants(_ entry: ControlEntry, _ id: Hash) -> Bool {
        guard let token = entry.carried.first(where: { $0.id == id })?.verified?.capability,
            let speaker = account(entry.right), token.resource == .zone(zone), token.issuer == speaker,
            place(token.signer, speaker) < .max
        else { return false }
        guard !isPair else { return false }
        if isOwnership(entry.right) { return token.parent.isZero }
        // "below an ownership: it narrows its parent, and a checkpoint that counts covers the operation or all that count were in its author's view".
        guard token.parent == entry.right, let parent = tokens[entry.right], narrows(token, parent) else {
            return false
        }
        let checkpoints = counting.filter { if case .checkpoint = $0.body { true } else { false } }
        return checkpoints.allSatisfy { hasSeen(entry, $0.place) }
            || checkpoints.contains { (position(entry.log, in: $0)?.size ?? 0) >= entry.place.counter }
    }

    // The token's rule, which is no part of this model.
    private func narrows(_ child: Capability, _ parent: Capability) -> Bool {
        (try? child.checkNarrows(parent)) != nil
    }

    // MARK: Endings (control-log.md, What ends a capability)

    // The operations that count and end a right; of leaves only those that lie at a smaller depth than the one given.
    func endings(_ right: Hash, leavesAbove limit: Int) -> [ControlEntry] {
        if let owner = owners.first(where: { $0.right == right }) { return owner.end.map { [$0] } ?? [] }
        return counting.filter { entry in
            switch entry.body {
            case .revoke(let revocation):
                // "each capability it names that descends from its own right, or any if the owner makes it; with it all descendants".
                revocation.capabilities.contains { named in
                    (named == right || descends(right, from: named))
                        && (isOwnership(entry.right) || descends(named, from: entry.right))
                }
            case .leave:
                // "each capability of its account whose depth is not below that of the leave's own right, but for one that is granted only by
                // operations whose authors had seen the leave".
                !isOwnership(entry.right) && depth(entry.right) < limit && account(entry.right) == account(right)
                    && depth(right) >= depth(entry.right)
                    && counting.contains { grants($0, right) && !hasSeen($0, entry.place) }
            default: false
            }
        }
    }

    // MARK: Cuts (positions.md)

    // The position of a log that an operation states, if it is *within its author's view*.
    private func position(_ log: ActorLane, in entry: ControlEntry) -> LogPosition? {
        let stated: [LogPosition] =
            switch entry.body {
            case .checkpoint(let checkpoint): checkpoint.logs
            case .revoke(let revocation): revocation.cuts
            case .transfer(let transfer): transfer.cuts
            case .leave(let leave): leave.cuts
            case .raiseCut(let raise): raise.cuts
            case .deviceCuts(let statement): statement.cuts
            default: []
            }
        guard let position = stated.first(where: { $0.actor == log.actor && $0.lane == log.lane }) else { return nil }
        // "it names a data log; or … the author's own control log and its size is *below* the counter …; or … its size is at most what `seen` names".
        if log.lane == .data { return position }
        let limit = log.actor == entry.place.actor ? entry.place.counter - 1 : entry.seen[log.actor]
        return position.size <= limit ? position : nil
    }

    // "Of several positions of one log the *further* one has the larger size, of equal sizes the smaller root."
    private func furthest(_ log: ActorLane, in entries: [ControlEntry]) -> LogPosition? {
        entries.compactMap { position(log, in: $0) }
            .min { $0.size == $1.size ? $0.root < $1.root : $0.size > $1.size }
    }

    // "To *raise* a cut to a position: the position if the cut's size is at most the position's, else the cut … A log without a cut is not cut by it."
    private func raise(_ cut: LogCut, to position: LogPosition?) -> LogCut {
        guard let position, position.size > 0 else { return cut }
        switch cut {
        case .none: return .none
        case .at(let size, _) where size > position.size: return cut
        case .at, .zero: return .at(size: position.size, root: position.root)
        }
    }

    // "The *stricter* of two cuts has the smaller size, of equal sizes the smaller root; no position is a cut at zero."
    private func stricter(_ one: LogCut, _ other: LogCut) -> LogCut {
        switch (one, other) {
        case (.zero, _), (_, .zero): .zero
        case (.none, let cut), (let cut, .none): cut
        case (.at(let size, let root), .at(let otherSize, let otherRoot)):
            size == otherSize ? (root < otherRoot ? one : other) : size < otherSize ? one : other
        }
    }

    // "if at least one of them stands, then only those that stand are corrections of that right; otherwise all that count are".
    private func corrections(_ right: Hash) -> [ControlEntry] {
        let all = counting.filter {
            if case .raiseCut(let raise) = $0.body { raise.capability == right } else { false }
        }
        let standing = all.filter(stands)
        return standing.isEmpty ? all : standing
    }

    // Rule 2.
    private func cut(_ ending: ControlEntry, _ log: ActorLane, _ right: Hash) -> LogCut {
        let corrections = corrections(right)
        let (p, k) = (LogCut(position(log, in: ending)), LogCut(furthest(log, in: corrections)))
        let f = furthest(log, in: corrections.filter { hasSeen($0, ending.place) })
        let isBounded = !stands(ending) && corrections.contains(where: stands)
        return raise(isBounded ? stricter(p, k) : p, to: f)
    }

    // Rule 3: "none if the log's device is active in a with the role full, or is removed, had that role, and nothing is said about it under r; what is
    // said about it under r if it is removed and had the role full; zero if a does not know it, or it has another role".
    private func deviceCut(_ log: ActorLane, _ device: DeviceID, _ right: Hash, _ account: AccountID) -> LogCut {
        switch directory.standing(of: device, in: account) {
        case .active(.full, _): .none
        case .removed(.full, _): said(log, device, right, account) ?? .none
        default: .zero
        }
    }

    // "Let S be the admitted statements about a device d under r by active authors, or, if there are none, those by removed authors."
    private func said(_ log: ActorLane, _ device: DeviceID, _ right: Hash, _ account: AccountID) -> LogCut? {
        let all = statements(about: device, right, account)
        let active = all.filter { isActive($0.device, account) && isWithinRevocations($0) }
        if !active.isEmpty { return combined(log, device, active, account) }
        // "… and, for a removed author, of what the statements by active authors that are admitted say about that author's log".
        let removed = all.filter { statement in
            guard !isActive(statement.device, account), isWithinRevocations(statement) else { return false }
            let bounds = statements(about: statement.device, right, account)
                .filter { isActive($0.device, account) && isWithinRevocations($0) }
            guard !bounds.isEmpty else { return true }
            let bound = combined(statement.log, statement.device, bounds, account)
            return EffectiveCut(bound).admits(statement.place.counter)
        }
        return removed.isEmpty ? nil : combined(log, device, removed, account)
    }

    // A statement "is *about* a device if it lists it, its author is another device …. Its author has to be a device that a knows with the role *full*".
    private func statements(about device: DeviceID, _ right: Hash, _ account: AccountID) -> [ControlEntry] {
        entries.filter { entry in
            guard case .deviceCuts(let statement) = entry.body, entry.right == right, entry.device != device else {
                return false
            }
            return statement.devices.contains(device) && speaks(entry, for: account) == .yes
        }
    }

    private func isActive(_ device: DeviceID, _ account: AccountID) -> Bool {
        if case .active = directory.standing(of: device, in: account) { true } else { false }
    }

    // "the strictest of cut(e) for the revocations e that end r (none if r is an ownership)".
    private func isWithinRevocations(_ statement: ControlEntry) -> Bool {
        if isOwnership(statement.right) || !tokens.keys.contains(statement.right) { return true }
        let cuts = endings(statement.right, leavesAbove: 0).map { cut($0, statement.log, statement.right) }
        return EffectiveCut(cuts.reduce(.none, stricter)).admits(statement.place.counter)
    }

    // "Of the statements of one author the furthest position of each log holds. If witnesses of d are among the authors in S, only theirs are asked, and of
    // what they say the strictest holds; else the furthest of what all say. A log that a statement does not list … is stated at zero."
    private func combined(
        _ log: ActorLane,
        _ device: DeviceID,
        _ statements: [ControlEntry],
        _ account: AccountID
    ) -> LogCut {
        let authors = Set(statements.map(\.device))
        let witnesses = authors.intersection(directory.witnesses(of: device, in: account))
        if witnesses.isEmpty { return LogCut(furthest(log, in: statements)) }
        return witnesses.map { author in LogCut(furthest(log, in: statements.filter { $0.device == author })) }
            .reduce(.none, stricter)
    }

    // "cut(log) = raise( strictest( device(log), cut(e) for each ending e of the log's right ), final(log) )"
    func cut(_ log: ActorLane, _ device: DeviceID, _ right: Hash, leavesAbove limit: Int) -> EffectiveCut {
        guard let account = account(right) else { return .zero }
        let cuts = endings(right, leavesAbove: limit).map { cut($0, log, right) }
        let strictest = cuts.reduce(deviceCut(log, device, right, account), stricter)
        // Rule 1: "the furthest position of the log … in the checkpoints that count **and stand**".
        let final = counting.filter { if case .checkpoint = $0.body { stands($0) } else { false } }
        return EffectiveCut(raise(strictest, to: furthest(log, in: final)))
    }

    // MARK: Resolving (control-log.md)

    // "The set of the owners' operations that count is the least one …: begin with what lies under the cuts, add what checkpoints and corrections in
    // the set let count, until nothing is added." What stands has no cut and comes first.
    private mutating func decideOwners() {
        let all = entries.filter { entry in
            account(entry.right).map { speaks(entry, for: $0) == .yes && isAllowed(entry) } ?? false
        }
        counting = all.filter(stands)
        while true {
            let more = all.filter { isUnderCut($0, leavesAbove: .max) && !isCounting($0) }
            if more.isEmpty { break }
            counting += more
        }
        void.formUnion(entries.filter { isOwnership($0.right) && !isCounting($0) && isAnswered($0) }.map(\.hash))
    }

    // "Decide the leaves of this depth by those cuts. Then decide all other operations, the leaves now included in the cuts."
    private mutating func decide(depth: Int) {
        let all = entries.filter {
            !isOwnership($0.right) && isHeld($0.right) && self.depth($0.right) == depth && isAnswered($0)
        }
        let able = all.filter { entry in
            account(entry.right).map { speaks(entry, for: $0) == .yes } ?? false && isAllowed(entry)
        }
        counting += able.filter { isLeave($0) && isUnderCut($0, leavesAbove: depth) }
        counting += able.filter { !isLeave($0) && isUnderCut($0, leavesAbove: .max) }
        void.formUnion(all.filter { !isCounting($0) }.map(\.hash))
    }

    // "A capability that no operation grants is void if all operations that carry it are decided, else it waits. The ownership that a void transfer
    // would have made is void too. What is written under a right waits or is void with it."
    private mutating func decideVoid() {
        while true {
            let more = entries.filter { verdict($0) == .unknown && account($0.right) == nil && isVoid($0.right) }
            if more.isEmpty { return }
            void.formUnion(more.map(\.hash))
        }
    }

    private func isVoid(_ right: Hash) -> Bool {
        let makers = entries.filter { entry in
            switch entry.body {
            case .transfer where entry.hash == right: true
            case .leave where isPair && entry.hash == right: true
            default: entry.carried.contains { $0.id == right }
            }
        }
        return !makers.isEmpty && makers.allSatisfy { verdict($0) != .unknown }
    }

    func verdict(_ entry: ControlEntry) -> Answer {
        isCounting(entry) ? .yes : void.contains(entry.hash) ? .no : .unknown
    }

    private func isCounting(_ entry: ControlEntry) -> Bool { counting.contains { $0.hash == entry.hash } }

    private func isAnswered(_ entry: ControlEntry) -> Bool {
        account(entry.right).map { speaks(entry, for: $0) != .unknown } ?? false
    }

    private func isLeave(_ entry: ControlEntry) -> Bool { if case .leave = entry.body { true } else { false } }

    // "A leave and a transfer stand although they lie above the cut that they make."
    private func isUnderCut(_ entry: ControlEntry, leavesAbove limit: Int) -> Bool {
        owners.contains { $0.end?.hash == entry.hash }
            || cut(entry.log, entry.device, entry.right, leavesAbove: limit).admits(entry.place.counter)
    }

    // The column *who* of the table of operations; for two owners the table of pair-zones.md, 3.
    private func isAllowed(_ entry: ControlEntry) -> Bool {
        let isOwner = isOwnership(entry.right)
        let level = isOwner ? .admin : tokens[entry.right]?.rights.level ?? .relay
        switch entry.body {
        case .unknown, .deviceCuts: return true
        case .genesis: return isOwner
        case .checkpoint: return isOwner
        case .zoneDeletion, .raiseCut: return isOwner && !isPair
        // "An operation whose only capability is not granted is void itself; of others the part is."
        case .grant: return entry.carried.allSatisfy { grants(entry, $0.id) }
        case .revoke: return !isPair
        case .transfer: return owners.contains { $0.end?.hash == entry.hash }
        case .leave: return isOwner ? owners.contains { $0.end?.hash == entry.hash } : true
        case .publicAccess: return level >= .admin && !isPair
        case .schema: return level >= .admin
        case .epoch, .delivery, .epochAgain: return level >= .append
        }
    }

    // MARK: Public access (control-log.md, Resolving and Decisions)

    // "Public access is what the operation says that none follows; of several an owner's, then the one last by rank and hash."
    func lastPublicAccess() -> ControlEntry? {
        let all = counting.filter { if case .publicAccess = $0.body { true } else { false } }
        let last = all.filter { entry in !all.contains { precedes(entry, $0) } }
        let byOwners = last.filter { isOwnership($0.right) }
        return (byOwners.isEmpty ? last : byOwners).max { (rank($0), $0.hash) < (rank($1), $1.hash) }
    }

    // The column *public*, for an account that is proven and not held, or nil for everybody.
    func guestMay(_ request: AccessRequest, _ account: AccountID?) -> Bool {
        guard case .publicAccess(let access)? = lastPublicAccess()?.body else { return false }
        switch request {
        case .serve: return access.world.contains(.read)
        case .write(let write):
            guard let creator = write.creator else { return access.world.contains(.create) }
            return access.world.contains(.write) || (creator == account && access.creator.contains(.write))
        case .administer: return false
        }
    }
}
