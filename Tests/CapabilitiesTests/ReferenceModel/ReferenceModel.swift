import Identity
import Wire

@testable import Capabilities

/// The rules of the control log once more, as plainly as they can be said: sets, recursion, nothing kept.
///
/// Slow on purpose, written from `docs/protocol/control-log.md`, `positions.md` and `pair-zones.md`. `ControlState` has to agree with it.
struct ReferenceModel {
    enum Answer: Equatable { case yes, no, unknown }

    let zone: ZoneID
    let isPair: Bool
    let entries: [ControlEntry]
    let directory: WorldDirectory
    let tokens: [Hash: Capability]
    var owners: [(account: AccountID, right: Hash, end: ControlEntry?)] = []
    var ownerEntries: [ControlEntry] = []

    /// `genesisOwners` are those whom the genesis names: one account, or the two of a pair zone.
    init(zone: ZoneID, genesisOwners: [AccountID], entries: [ControlEntry], directory: WorldDirectory) {
        (self.zone, self.entries, self.directory) = (zone, entries, directory)
        isPair = genesisOwners.count > 1
        let carried = entries.flatMap(\.carried).compactMap { token in token.verified.map { (token.id, $0.capability) }
        }
        tokens = Dictionary(carried) { first, _ in first }
        for account in genesisOwners {
            owners.append((account, isPair ? Hash(pairRightOf: account, in: zone) : .zero, nil))
            while let end = nextEnd() {
                owners[owners.count - 1].end = end
                guard case .transfer(let body) = end.body else {
                    owners.append((account, end.hash, nil))
                    continue
                }
                owners.append((body.newOwner, end.hash, nil))
            }
        }
        // What counts may let more count, until nothing changes.
        while let next = entries.first(where: { !isOwnerEntry($0) && ownerCounts($0) }) {
            ownerEntries.append(next)
        }
    }

    // MARK: Owners

    /// Those who own the zone now: one, or of two those that have not left or are back.
    var present: [AccountID] {
        guard isPair else { return owners.suffix(1).map(\.account) }
        let first = Set(owners.map { Hash(pairRightOf: $0.account, in: zone) })
        let held = owners.filter { stay in
            stay.end == nil && (first.contains(stay.right) || entries.contains { $0.right == stay.right && counts($0) })
        }
        return held.map(\.account).sorted()
    }

    /// What ends the last ownership: a transfer, of one of two owners a leave.
    func nextEnd() -> ControlEntry? {
        let (account, right, _) = owners[owners.count - 1]
        let all = entries.filter { entry in
            let cut = directory.cut(of: entry.log, device: entry.device, in: account, zone: zone)
            guard entry.right == right, speaks(entry, account) == .yes,
                EffectiveCut(cut).admits(entry.place.counter)
            else { return false }
            switch entry.body {
            case .transfer(let body): return !isPair && body.newOwner != account
            case .leave: return isPair
            default: return false
            }
        }
        let first = all.filter { entry in !all.contains { isBefore($0, entry) } }
        return first.min { (rank($0, account), $0.hash) < (rank($1, account), $1.hash) }
    }

    func ownerCounts(_ entry: ControlEntry) -> Bool {
        guard let owner = owners.first(where: { $0.right == entry.right }), speaks(entry, owner.account) == .yes else {
            return false
        }
        if entry.hash == owner.end?.hash { return true }
        switch entry.body {
        case .leave, .transfer: return false
        case .grant where isPair, .revoke where isPair, .raiseCut where isPair, .publicAccess where isPair,
            .zoneDeletion where isPair:
            return false
        default: return cut(entry.log, entry.device, entry.right, leavesAbove: 0).admits(entry.place.counter)
        }
    }

    func isOwnerEntry(_ entry: ControlEntry) -> Bool { ownerEntries.contains { $0.hash == entry.hash } }

    func isOwnerRight(_ right: Hash) -> Bool { owners.contains { $0.right == right } }

    // MARK: Capabilities

    /// Ancestors and the capability itself, as the capabilities say.
    func chain(_ id: Hash) -> [Hash] {
        guard let token = tokens[id] else { return [] }
        return (token.isRoot ? [] : chain(token.parent)) + [id]
    }

    func isHeld(_ id: Hash) -> Bool { entries.contains { grants($0, id) } }

    func grants(_ entry: ControlEntry, _ id: Hash) -> Bool {
        guard let token = tokens[id], entry.carried.contains(where: { $0.id == id && $0.verified != nil }),
            token.resource == .zone(zone), token.parent == (isOwnerRight(entry.right) ? .zero : entry.right),
            counts(entry), let account = account(entry.right), token.issuer == account,
            directory.standing(of: token.signer, in: account) != .unknownDevice
        else { return false }
        if isOwnerRight(entry.right) { return true }
        guard let parent = tokens[entry.right], (try? token.checkNarrows(parent)) != nil else { return false }
        let isCovered = ownerEntries.contains { checkpoint in
            guard case .checkpoint(let body) = checkpoint.body else { return false }
            return (position(entry.log, in: checkpoint, of: body.logs)?.size ?? 0) >= entry.place.counter
        }
        if isCovered { return true }
        return ownerEntries.allSatisfy { checkpoint in
            if case .checkpoint = checkpoint.body { entry.hasSeen(checkpoint.place) } else { true }
        }
    }

    func account(_ right: Hash) -> AccountID? {
        owners.first { $0.right == right }?.account ?? (isHeld(right) ? tokens[right]?.audience : nil)
    }

    /// What ends a right; of leaves those of the account that lie at most so deep.
    func endings(_ right: Hash, leavesAbove depth: Int) -> [ControlEntry] {
        if let owner = owners.first(where: { $0.right == right }) { return owner.end.map { [$0] } ?? [] }
        let chain = chain(right)
        return entries.filter { entry in
            switch entry.body {
            case .revoke(let body):
                let isReached = chain.indices.contains { index in
                    body.capabilities.contains(chain[index])
                        && (isOwnerRight(entry.right) || chain[..<index].contains(entry.right))
                }
                return isReached && counts(entry)
            case .leave:
                let leftDepth = self.chain(entry.right).count
                return leftDepth > 0 && leftDepth < depth && leftDepth <= chain.count
                    && tokens[entry.right]?.audience == tokens[right]?.audience && counts(entry)
                    && entries.contains { grants($0, right) && !$0.hasSeen(entry.place) }
            default: return false
            }
        }
    }

    // MARK: Cuts

    func cut(_ log: ActorLane, _ device: DeviceID, _ right: Hash, leavesAbove depth: Int) -> EffectiveCut {
        guard let account = owners.first(where: { $0.right == right })?.account ?? tokens[right]?.audience else {
            return .zero
        }
        var cut = directory.cut(of: log, device: device, in: account, zone: zone)
        let corrections = corrections(of: right)
        for ending in endings(right, leavesAbove: depth) {
            var limit = LogCut(position(log, in: ending, of: ending.body.cuts))
            if !stands(ending), let first = corrections.first, stands(first) {
                let bounds = corrections.map { position(log, in: $0, of: $0.body.corrected) }
                limit = limit.stricter(bounds.reduce(LogCut.zero) { $0.raised(to: $1) })
            }
            for raise in corrections where raise.hasSeen(ending.place) {
                limit = limit.raised(to: position(log, in: raise, of: raise.body.corrected))
            }
            cut = cut.stricter(limit)
        }
        return EffectiveCut(final(log, cut))
    }

    func final(_ log: ActorLane, _ cut: LogCut) -> LogCut {
        ownerEntries.reduce(cut) { cut, entry in
            guard case .checkpoint(let body) = entry.body, stands(entry) else { return cut }
            return cut.raised(to: position(log, in: entry, of: body.logs))
        }
    }

    /// Those that stand, if one does.
    func corrections(of right: Hash) -> [ControlEntry] {
        let all = ownerEntries.filter { entry in
            if case .raiseCut(let body) = entry.body { body.capability == right } else { false }
        }
        // Logs that stand have no cut: they are there from the beginning, whether they were looked at already or not.
        let standing = entries.filter { entry in
            guard case .raiseCut(let body) = entry.body, !isPair else { return false }
            return body.capability == right && stands(entry)
        }
        return standing.isEmpty ? all : standing
    }

    func stands(_ entry: ControlEntry) -> Bool {
        guard let owner = owners.first(where: { $0.right == entry.right }), owner.end == nil else { return false }
        if case .active(.full, _) = directory.standing(of: entry.device, in: owner.account) { return true }
        return false
    }

    /// What an operation says of a log, if its author can know of it.
    func position(_ log: ActorLane, in entry: ControlEntry, of positions: [LogPosition]) -> LogPosition? {
        guard let found = positions.first(where: { $0.key == log }) else { return nil }
        if log.lane == .data { return found }
        if log.actor == entry.place.actor { return found.size < entry.place.counter ? found : nil }
        return found.size <= entry.seen[log.actor] ? found : nil
    }

    // MARK: Operations

    func counts(_ entry: ControlEntry) -> Bool {
        if isOwnerRight(entry.right) { return isOwnerEntry(entry) }
        guard isHeld(entry.right), let token = tokens[entry.right], speaks(entry, token.audience) == .yes else {
            return false
        }
        let depth = chain(entry.right).count
        switch entry.body {
        case .leave: return admits(entry, leavesAbove: depth)
        case .genesis, .checkpoint, .zoneDeletion, .transfer, .raiseCut: return false
        case .publicAccess, .schema: if token.rights.level < .admin { return false }
        case .epoch, .delivery, .epochAgain: if token.rights.level < .append { return false }
        case .grant, .revoke, .unknown: break
        }
        return admits(entry, leavesAbove: depth + 1)
    }

    func admits(_ entry: ControlEntry, leavesAbove depth: Int) -> Bool {
        cut(entry.log, entry.device, entry.right, leavesAbove: depth).admits(entry.place.counter)
    }

    /// A verdict as `ControlState` gives it: an operation that grants one capability, and that in vain, is void.
    func verdict(_ entry: ControlEntry) -> Answer {
        if let account = account(entry.right) {
            if speaks(entry, account) == .unknown { return .unknown }
            guard counts(entry) else { return .no }
            guard case .grant = entry.body else { return .yes }
            return entry.carried.contains { grants(entry, $0.id) } ? .yes : .no
        }
        return isVoid(entry.right, asking: []) ? .no : .unknown
    }

    /// Whether a right that nothing grants never will be: all that carry it are void, or it is a void transfer's.
    func isVoid(_ right: Hash, asking: Set<Hash>) -> Bool {
        if let transfer = entries.first(where: { $0.hash == right }), !asking.contains(right) {
            if account(transfer.right) != nil { return verdict(transfer) == .no }
            return isVoid(transfer.right, asking: asking.union([right]))
        }
        let carriers = entries.filter { entry in entry.carried.contains { $0.id == right } }
        if carriers.isEmpty || asking.contains(right) { return false }
        return carriers.allSatisfy { entry in
            account(entry.right).map { speaks(entry, $0) != .unknown }
                ?? isVoid(entry.right, asking: asking.union([right]))
        }
    }

    // MARK: Small things

    func speaks(_ entry: ControlEntry, _ account: AccountID?) -> Answer {
        guard let account else { return .unknown }
        return switch directory.standing(of: entry.device, in: account) {
        case .unknownAccount: .unknown
        case .active(.full, _), .removed(.full, _): .yes
        case .unknownDevice, .active, .removed: .no
        }
    }

    func rank(_ entry: ControlEntry, _ account: AccountID) -> Int {
        switch directory.standing(of: entry.device, in: account) {
        case .active(_, let place), .removed(_, let place): place
        case .unknownAccount, .unknownDevice: .max
        }
    }

    func past(_ entry: ControlEntry) -> UInt64 {
        entry.seen.entries.filter { $0.actor != entry.place.actor }.map(\.counter).reduce(entry.place.counter, +)
    }

    func isBefore(_ left: ControlEntry, _ right: ControlEntry) -> Bool {
        right.hasSeen(left.place) && (past(left), left.hash) < (past(right), right.hash)
    }

    func lastPublicAccess() -> ControlEntry? {
        let all = entries.filter { entry in
            if case .publicAccess = entry.body { counts(entry) } else { false }
        }
        let last = all.filter { entry in !all.contains { isBefore(entry, $0) } }
        let owners = last.filter { isOwnerRight($0.right) }
        return (owners.isEmpty ? last : owners).max { (past($0), $0.hash) < (past($1), $1.hash) }
    }

    /// Whether an account of which nothing is known may do something; nil for whoever is no account at all.
    func guestMay(_ request: AccessRequest, _ account: AccountID?) -> Bool {
        guard case .publicAccess(let access)? = lastPublicAccess()?.body else { return false }
        switch request {
        case .serve, .assetBytes: return access.world.contains(.read)
        case .write(let write) where write.creator == nil: return access.world.contains(.create)
        case .write(let write):
            return access.world.contains(.write) || (write.creator == account && access.creator.contains(.write))
        case .accept, .relayDeposit, .relayFetch, .administer, .localRead, .localWrite: return false
        }
    }
}

extension ControlBody {
    var corrected: [LogPosition] {
        if case .raiseCut(let body) = self { body.cuts } else { [] }
    }

    var cuts: [LogPosition] {
        switch self {
        case .revoke(let body): body.cuts
        case .transfer(let body): body.cuts
        case .leave(let body): body.cuts
        default: []
        }
    }
}
