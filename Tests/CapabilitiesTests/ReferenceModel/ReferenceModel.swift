import Identity
import Wire

@testable import Capabilities

/// The law of `docs/protocol/control-log.md` and `positions.md` once more, written from these pages and not from the
/// resolution.
///
/// There is a definition for each clause, under the heading that has it. The model remembers which operations are
/// effective and which are void; every other answer is computed on request, over all operations. It is slow, and
/// short enough to be compared with the pages sentence by sentence. Each clause can be left out (``Omission``), so a
/// test can show that the worlds notice it.
///
/// Left out, because they describe how a replica keeps logs and not which operations are effective together:
///
/// - `control-log.md`, *In a replica* and *How long a log is*: roles, bounds, surplus incarnations and places, which
///   `Sync` decides before an operation gets here.
/// - `control-log.md`, *Decisions*, for devices of accounts that are held: `AuthorisationTests` has these. Guests and
///   the world are here.
/// - `positions.md`, *A stated end that exists*, as far as it asks a data log for its root: `open(log)` is here, the
///   log is not.
/// - `positions.md`, *Which devices make statements*, *Which devices confirm* and *In a replica*: when a device makes
///   a statement, not the weight of the statement.
/// - The reason why something is void or waits, which of several ends of the zone is named first, and lists of
///   participants: the comparison asks for none.
/// - `capabilities.md`, 1: signatures; a token of a world is verified or it is not. `identity.md`, 3: an account's
///   statements about its devices are a table here.
struct ReferenceModel {
    enum Answer: Equatable { case yes, no, unknown }

    /// An account that owns the zone for some time; of a pair zone a stay.
    struct Ownership {
        let account: AccountID
        let right: Hash
        /// The transfer that ends it; of a pair zone the leave.
        var end: ControlEntry?
    }

    let zone: ZoneID
    let isPair: Bool
    let entries: [ControlEntry]
    let directory: WorldDirectory
    /// The clause that this model leaves out, to show that the tests notice.
    let omission: Omission?
    /// All capabilities with a valid signature that some operation carries.
    let tokens: [Hash: Capability]
    private(set) var ownerships: [Ownership] = []
    private(set) var counting: [ControlEntry] = []
    private var void: Set<Hash> = []

    /// Resolves: the ownerships, the owners' operations, then each depth; the rest is void or waits.
    init(
        zone: ZoneID,
        genesisOwners: [AccountID],
        entries: [ControlEntry],
        directory: WorldDirectory,
        omitting omission: Omission? = nil
    ) {
        (self.zone, self.entries, self.directory, self.omission) = (zone, entries, directory, omission)
        isPair = genesisOwners.count > 1
        var tokens: [Hash: Capability] = [:]
        for token in entries.flatMap(\.carried) { tokens[token.id] = token.verified?.capability }
        self.tokens = tokens
        for account in genesisOwners {
            follow(account, isPair ? Hash(pairRightOf: account, in: zone) : .zero)
        }
        decideOwners()
        for depth in 1...8 { decide(depth: depth) }
        decideRest()
    }

    /// Whether a clause holds in this model.
    func keeps(_ clause: Omission) -> Bool { omission != clause }

    // MARK: - control-log.md, Rights

    func isOwnership(_ right: Hash) -> Bool { ownerships.contains { $0.right == right } }

    // "The right determines the account that speaks: the owner, or the capability's audience."
    func account(_ right: Hash) -> AccountID? {
        ownerships.first { $0.right == right }?.account ?? tokens[right]?.audience
    }

    // "The log's device must be one of that account's, with the role full; whether the device was removed is a matter
    // of cuts. If the account's log is not held, the operation waits."
    func speaks(_ device: DeviceID, for account: AccountID) -> Answer {
        switch directory.standing(of: device, in: account) {
        case .unknownAccount: keeps(.unknownAccountWaits) ? .unknown : .no
        case .unknownDevice: keeps(.speakerIsOfTheAccount) ? .no : .yes
        case .active(let role, _): role == .full || !keeps(.speakerIsFull) ? .yes : .no
        case .removed(let role, _):
            keeps(.removedMaySpeak) && (role == .full || !keeps(.speakerIsFull)) ? .yes : .no
        }
    }

    // "An ownership has depth 0. A capability has the depth of its chain: 1 for a root."
    func depth(_ right: Hash) -> Int {
        if isOwnership(right) { return 0 }
        guard let token = tokens[right] else { return .max }
        let above = token.parent.isZero ? 0 : depth(token.parent)
        return above == .max ? .max : above + 1
    }

    func descends(_ right: Hash, from ancestor: Hash) -> Bool {
        guard let parent = tokens[right]?.parent, !parent.isZero else { return false }
        return parent == ancestor || descends(parent, from: ancestor)
    }

    // MARK: - control-log.md, Operations

    /// The column *author* of the table, without the operations above cuts.
    func isAllowed(_ entry: ControlEntry) -> Bool {
        let isOwner = isOwnership(entry.right)
        let level = tokens[entry.right]?.rights.level ?? .relay
        switch entry.body {
        case .genesis: return isOwner || !keeps(.genesisIsTheOwners)
        case .checkpoint: return isOwner || !keeps(.checkpointIsTheOwners)
        case .zoneDeletion:
            return (isOwner || !keeps(.deletionIsTheOwners)) && (!isPair || !keeps(.pairHasNoDeletion))
        case .raiseCut:
            return (isOwner || !keeps(.correctionIsTheOwners)) && (!isPair || !keeps(.pairHasNoCorrection))
        case .publicAccess:
            return (isOwner || level >= .admin || !keeps(.publicAccessTakesAdmin))
                && (!isPair || !keeps(.pairHasNoPublicAccess))
        case .schema: return isOwner || level >= .admin || !keeps(.schemaTakesAdmin)
        case .epoch, .delivery, .epochAgain: return isOwner || level >= .append || !keeps(.epochTakesAppend)
        // "The others are void", of transfers and of leaves under one ownership.
        case .transfer:
            return isEnd(entry) || !keeps(.oneTransferCounts) && isOwner || !keeps(.transferIsTheOwners) && !isOwner
        case .leave where isPair: return isEnd(entry)
        case .leave: return !isOwner || !keeps(.ownerDoesNotLeave)
        // "A grant whose capability is not granted is void itself; of other operations only the part that is not
        // granted is void."
        case .grant:
            return (!isPair || !keeps(.pairHasNoGrant))
                && (entry.carried.allSatisfy { isSound($0.id, in: entry) } || !keeps(.grantIsVoidWithItsCapability))
        case .revoke:
            return (!isPair || !keeps(.pairHasNoRevocation))
                && (keeps(.voidPartLeavesTheRest) || entry.carried.allSatisfy { isSound($0.id, in: entry) })
        case .transferOffer:
            return (isOwner || !keeps(.offerIsTheOwners)) && (!isPair || !keeps(.pairHasNoOffer))
        case .deviceCuts, .keyRequest, .transferAnswer, .unknown: return true
        }
    }

    private func isEnd(_ entry: ControlEntry) -> Bool { ownerships.contains { $0.end?.hash == entry.hash } }

    // MARK: - control-log.md, Grants

    /// Granted if "the operation is effective" and the rest of the list holds.
    func grants(_ entry: ControlEntry, _ id: Hash) -> Bool {
        entry.carried.contains { $0.id == id } && isSound(id, in: entry)
    }

    func isHeld(_ id: Hash) -> Bool { counting.contains { grants($0, id) } }

    private func isSound(_ id: Hash, in entry: ControlEntry) -> Bool {
        guard let token = tokens[id], let account = account(entry.right) else { return false }
        let isOwner = isOwnership(entry.right)
        // 1. "the resource is this zone"
        if keeps(.resourceIsTheZone), token.resource != .zone(zone) { return false }
        // 2. "its parent is the right that the operation is written under, or zero if that is an ownership"
        if token.parent != (isOwner ? .zero : entry.right) {
            if keeps(.parentIsTheRight) || token.parent.isZero != isOwner { return false }
        }
        // 3. "its issuer is the account that speaks, its signer a device that this account knows"
        if keeps(.issuerSpeaks), token.issuer != account { return false }
        switch directory.standing(of: token.signer, in: account) {
        case .unknownAccount, .unknownDevice: if keeps(.signerIsKnown) { return false }
        case .active: break
        case .removed: if !keeps(.signerMayBeRemoved) { return false }
        }
        // 4. "below an ownership: it narrows its parent", and an effective checkpoint covers it, or none was news to
        // it
        guard !isOwner, let parent = tokens[entry.right] else { return true }
        return narrows(token, parent) && isSettled(entry)
    }

    /// capabilities.md, 2.
    private func narrows(_ child: Capability, _ parent: Capability) -> Bool {
        let (inner, outer) = (child.caveats, parent.caveats)
        return (parent.rights.canDelegate || !keeps(.narrowsDelegation))
            && (inner.delegationDepth < outer.delegationDepth || !keeps(.narrowsDepth))
            && (child.rights.level <= parent.rights.level || !keeps(.narrowsLevel))
            && (outer.recordTypes.isEmpty || !keeps(.narrowsTypes)
                || !inner.recordTypes.isEmpty && inner.recordTypes.allSatisfy(outer.recordTypes.contains))
            && (Array(inner.namePrefix.utf8).starts(with: outer.namePrefix.utf8) || !keeps(.narrowsPrefix))
            && (inner.notBefore ?? 0 >= outer.notBefore ?? 0 || !keeps(.narrowsNotBefore))
            && (inner.expires ?? .max <= outer.expires ?? .max && (inner.expires != nil || outer.expires == nil)
                || !keeps(.narrowsExpiry))
    }

    // "an effective checkpoint covers the operation (lists its log, within its author's view, with a size that is not
    // below its counter) or all effective checkpoints were in its author's view"; "whether they stand or not"
    // (positions.md, rule 1).
    private func isSettled(_ grant: ControlEntry) -> Bool {
        let checkpoints = counting.filter {
            if case .checkpoint = $0.body { keeps(.grantsAskFormerCheckpoints) || stands($0) } else { false }
        }
        let isCovered = checkpoints.contains { position(grant.log, in: $0).size >= grant.place.counter }
        let isInformed = checkpoints.allSatisfy { hasSeen(grant, $0) }
        return isCovered && keeps(.coveredGrantIsSettled) || isInformed || !keeps(.grantKnowsTheCheckpoints)
    }

    // MARK: - control-log.md, The end of a capability

    /// Operations that end a right; leaves under rights that lie deeper than a limit are left out.
    func endings(_ right: Hash, leavesUpTo limit: Int) -> [ControlEntry] {
        if let ownership = ownerships.first(where: { $0.right == right }) {
            return ownership.end.map { [$0] } ?? []
        }
        return revocations(right) + leaves(right, upTo: limit)
    }

    // "An effective revocation ends each capability it names that descends from its own right (which is no descendant
    // of itself), or any if the owner makes it; with it all descendants."
    func revocations(_ right: Hash) -> [ControlEntry] {
        counting.filter { entry in
            guard case .revoke(let revocation) = entry.body else { return false }
            return revocation.capabilities.contains { name in
                let mayEnd =
                    isOwnership(entry.right) && keeps(.ownerRevokesAny) || descends(name, from: entry.right)
                    || !keeps(.revokedDescends)
                let isNamed = name == right || keeps(.descendantsAreRevoked) && descends(right, from: name)
                // "Both are permanent. An account that is to have a right again gets a new capability."
                return mayEnd && isNamed && (keeps(.revocationIsForEver) || !isRegranted(right, after: entry))
            }
        }
    }

    // "An effective leave ends each capability of its account whose depth is not below that of the leave's own right,
    // except one that is granted only by operations whose authors had seen the leave. Capabilities that the account
    // has granted remain."
    private func leaves(_ right: Hash, upTo limit: Int) -> [ControlEntry] {
        counting.filter { entry in
            guard case .leave = entry.body, depth(entry.right) <= limit else { return false }
            let isOfAccount = account(entry.right) == account(right)
            let goesOn = keeps(.grantedByTheLeaverGoesOn) || !descends(right, from: entry.right)
            let isAsDeep = depth(right) >= depth(entry.right) || !keeps(.leaveEndsItsDepthAndDeeper)
            let outlives = isRegranted(right, after: entry) && keeps(.regrantOutlivesTheLeave)
            return (isOfAccount || !goesOn || !keeps(.leaveEndsItsAccountsRights)) && isAsDeep && !outlives
        }
    }

    private func isRegranted(_ right: Hash, after ending: ControlEntry) -> Bool {
        counting.filter { grants($0, right) }.allSatisfy { hasSeen($0, ending) }
    }

    // MARK: - control-log.md, Order of ownership; pair-zones.md, 3

    /// Follows the transfers, of a pair zone the leaves, from one ownership on.
    private mutating func follow(_ account: AccountID, _ right: Hash) {
        ownerships.append(Ownership(account: account, right: right))
        guard let end = end(of: right, account) else { return }
        ownerships[ownerships.count - 1].end = end
        if case .transfer(let transfer) = end.body {
            follow(transfer.newOwner, end.hash)
        } else {
            follow(account, end.hash)
        }
    }

    private func end(of right: Hash, _ account: AccountID) -> ControlEntry? {
        // 1. "the transfers under it, by devices that may speak, to another account that consents, not above
        // device(log)"
        let candidates = entries.filter { entry in
            guard entry.right == right, speaks(entry.device, for: account) == .yes else { return false }
            switch entry.body {
            case .transfer(let transfer) where !isPair:
                if keeps(.transferIsToAnother), transfer.newOwner == account { return false }
                if consent(transfer, in: entry) != .yes { return false }
            case .leave where isPair: break
            default: return false
            }
            return deviceCut(entry.log, entry.device, right, account).reaches(entry.place.counter)
                || !keeps(.transferLiesUnderTheDevicesCut)
        }
        // 2. "A transfer that another candidate precedes drops out."
        let left = candidates.filter { later in
            !keeps(.precededTransferDropsOut) || !candidates.contains { precedes($0, later) }
        }
        // 3. "the one by the device that its account added first is effective, then the one with the smaller hash"
        return left.min { one, other in
            let places =
                keeps(.deviceAddedFirstTransfers) ? (added(one.device, account), added(other.device, account)) : (0, 0)
            if places.0 != places.1 { return places.0 < places.1 }
            return keeps(.smallerHashTransfers) ? one.hash < other.hash : other.hash < one.hash
        }
    }

    // "a precedes b if b's author had seen a, and a has the smaller pair of rank and hash"
    private func precedes(_ one: ControlEntry, _ other: ControlEntry) -> Bool {
        hasSeen(other, one) && ((rank(one), one.hash) < (rank(other), other.hash) || !keeps(.precedingTakesRank))
    }

    // "the counter plus the sum of seen over all other logs"
    func rank(_ entry: ControlEntry) -> UInt128 {
        let seen = entry.seen.entries.filter { $0.actor != entry.place.actor }
        let sum = seen.reduce(0) { $0 + UInt128($1.counter) }
        return UInt128(entry.place.counter) + (keeps(.rankSumsSeen) ? sum : 0)
    }

    private func added(_ device: DeviceID, _ account: AccountID) -> Int {
        switch directory.standing(of: device, in: account) {
        case .active(_, let place), .removed(_, let place): place
        case .unknownAccount, .unknownDevice: .max
        }
    }

    /// The accounts that have the zone: the last owner; in a pair zone both, except one that has left.
    ///
    /// An account comes back by an operation that is effective.
    var present: [AccountID] {
        let open = ownerships.filter { $0.end == nil }
        guard isPair, keeps(.backTakesAnOperation) else { return open.map(\.account) }
        return open.filter { stay in
            stay.right == Hash(pairRightOf: stay.account, in: zone) || counting.contains { $0.right == stay.right }
        }.map(\.account)
    }

    // MARK: - control-log.md, Resolving

    // "begin with the operations under the cuts, add those that checkpoints and corrections in the set make effective
    // (positions.md), until nothing is added"; what stands has no cut.
    private mutating func decideOwners() {
        let spoken = entries.filter { entry in
            guard isOwnership(entry.right), let account = account(entry.right) else { return false }
            return speaks(entry.device, for: account) == .yes && isAllowed(entry)
        }
        counting = spoken.filter { stands($0) }
        while true {
            let added = spoken.filter { entry in
                // "A leave and a transfer stand although they lie above the cut that they make."
                let isEnd = isEnd(entry) && keeps(.transferStandsAboveItsCut)
                return !isCounting(entry) && (isEnd || isUnderCut(entry, leavesUpTo: .max))
            }
            if added.isEmpty { return }
            counting += added
            if !keeps(.whatCountsIsClosed) { return }
        }
    }

    // "note the endings of its capabilities … Decide the leaves of this depth by those cuts. Then decide all other
    // operations, the leaves now included in the cuts."
    private mutating func decide(depth: Int) {
        let spoken = entries.filter { entry in
            guard self.depth(entry.right) == depth, isHeld(entry.right), let account = account(entry.right) else {
                return false
            }
            return speaks(entry.device, for: account) == .yes && isAllowed(entry)
        }
        let others = keeps(.leavesAreDecidedFirst) ? depth : depth - 1
        let leaves = spoken.filter { isLeave($0) && isUnderCut($0, leavesUpTo: depth - 1) }
        if keeps(.leavesOfOneDepthDoNotCut) {
            counting += leaves
        } else {
            for leave in leaves where isUnderCut(leave, leavesUpTo: depth) { counting.append(leave) }
        }
        let rest = spoken.filter { !isLeave($0) && isUnderCut($0, leavesUpTo: others) }
        counting += rest
    }

    // "A capability that no operation grants is void if operations carry it and all of them are decided, else it
    // waits. The ownership that a void transfer would have made is void too, also in a pair zone. An operation waits
    // or is void with the right that it is written under."
    private mutating func decideRest() {
        while true {
            let more = entries.filter { !isDecided($0) && isVoid($0) }
            if more.isEmpty { return }
            void.formUnion(more.map(\.hash))
        }
    }

    private func isVoid(_ entry: ControlEntry) -> Bool {
        guard isOwnership(entry.right) || isHeld(entry.right) else { return isVoid(right: entry.right) }
        guard let account = account(entry.right) else { return false }
        let speaks = speaks(entry.device, for: account)
        // "If all else holds and that account's log is not held, the transfer waits."
        guard speaks == .yes, case .transfer(let transfer) = entry.body, isOwnership(entry.right), !isPair,
            transfer.newOwner != account
        else { return speaks != .unknown }
        return consent(transfer, in: entry) != .unknown
    }

    /// Returns whether no account will ever have a right.
    private func isVoid(right: Hash) -> Bool {
        if isOwnership(right) || isHeld(right) { return false }
        if let end = entries.first(where: { $0.hash == right }) {
            let makesOwner =
                switch end.body {
                case .transfer: true
                case .leave: isPair
                default: false
                }
            return makesOwner && void.contains(right) && keeps(.ownershipOfAVoidTransferIsVoid)
        }
        let carriers = entries.filter { entry in entry.carried.contains { $0.id == right } }
        if !keeps(.capabilityWaitsForItsCarriers) { return !carriers.isEmpty }
        return !carriers.isEmpty && carriers.allSatisfy(isDecided) && keeps(.capabilityIsVoidWithItsCarriers)
    }

    func verdict(_ entry: ControlEntry) -> Answer {
        isCounting(entry) ? .yes : void.contains(entry.hash) ? .no : .unknown
    }

    private func isCounting(_ entry: ControlEntry) -> Bool { counting.contains { $0.hash == entry.hash } }

    private func isDecided(_ entry: ControlEntry) -> Bool { isCounting(entry) || void.contains(entry.hash) }

    private func isLeave(_ entry: ControlEntry) -> Bool { if case .leave = entry.body { true } else { false } }

    // "An operation above its log's cut is void, whatever it claims to have seen."
    private func isUnderCut(_ entry: ControlEntry, leavesUpTo limit: Int) -> Bool {
        guard keeps(.aboveTheCutIsVoid) else { return true }
        return cut(entry.log, entry.device, entry.right, leavesUpTo: limit)?.reaches(entry.place.counter) ?? false
    }

    /// How much of a log is effective, under any right; nil while it cannot be determined.
    ///
    /// "A right under which a checkpoint covers something may turn out void all the same …: then the log is held and
    /// stated up to there, and its operations are void. The same holds for data logs while the right is not known;
    /// while the right is known and its account's log is not held, they end at zero." "While a cut cannot be
    /// determined, a data log ends at zero and a control log is kept whole." "there, too, final is the one of rule 1"
    func effectiveCut(_ log: ActorLane, _ device: DeviceID, _ right: Hash, isOpen: Bool = false) -> Cut? {
        if isOwnership(right) || isHeld(right) { return cut(log, device, right, leavesUpTo: .max, isOpen: isOpen) }
        let final = final(log)
        if isVoid(right: right) { return keeps(.voidRightKeepsWhatIsFinal) ? .at(final) : .zero }
        return log.lane == .data && final != .zero && keeps(.unknownRightKeepsWhatIsFinal) ? .at(final) : nil
    }

    // MARK: - control-log.md, Public access, schemas and the end of the zone

    // "Public access is set by the operation that none follows (b follows a if a precedes b, as among transfers); of
    // several an owner's, then the one last by rank and hash."
    func lastPublicAccess() -> ControlEntry? {
        let said = counting.filter { if case .publicAccess = $0.body { true } else { false } }
        let last = said.filter { one in !keeps(.followedAccessIsOver) || !said.contains { precedes(one, $0) } }
        let owners = last.filter { isOwnership($0.right) && keeps(.ownersAccessGoesFirst) }
        return (owners.isEmpty ? last : owners).max {
            keeps(.lastAccessHolds)
                ? (rank($0), $0.hash) < (rank($1), $1.hash) : (rank($1), $1.hash) < (rank($0), $0.hash)
        }
    }

    // "The effective promotions of a schema, in the order of rank and hash, give the zone's schema".
    var promotions: [Hash] {
        counting.filter { if case .schema = $0.body { true } else { false } }
            .sorted { keeps(.promotionsGoByRank) ? (rank($0), $0.hash) < (rank($1), $1.hash) : $0.hash < $1.hash }
            .map(\.hash)
    }

    /// The effective ends of the zone.
    var deletions: Set<Hash> {
        Set(counting.filter { if case .zoneDeletion = $0.body { true } else { false } }.map(\.hash))
    }

    /// The column *public* of the table of decisions, for all accounts, and for an account that was proven and is
    /// otherwise unknown.
    func guestMay(_ request: AccessRequest, _ account: AccountID?) -> Bool {
        guard case .publicAccess(let access) = lastPublicAccess()?.body else { return false }
        switch request {
        case .serve: return access.world.contains(.read)
        case .write(let write):
            guard let creator = write.creator else { return access.world.contains(.create) }
            return access.world.contains(.write)
                || creator == account && access.creator.contains(.write) && keeps(.creatorMayWrite)
        case .administer: return false
        }
    }
}
