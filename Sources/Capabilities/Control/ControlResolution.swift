package import Wire

/// Decides which operations of a zone's control log are effective and which state they make, as a function of their
/// set.
///
/// **Rights.** An operation speaks by the right that its log is written under: an *ownership* or a capability. Ownerships
/// have depth 0, a capability has the depth of its chain. An operation under a right of depth d can affect
/// another right only if that is deeper:
///
/// - it grants capabilities whose parent is that right (depth d + 1);
/// - it ends capabilities that descend from that right (depth > d); one by an owner ends any (depth > 0);
/// - a leave ends those capabilities of its author's account that were not granted with the leave in view and that lie no nearer
///   to the owner than its own (depth ≥ d). It stands against other leaves of that depth, itself included.
///
/// **Well-founded.** So whether an operation under a right of depth d is effective depends on operations of smaller
/// depth (was the right granted, which operation ended it, by which cuts) and, for leaves alone, on nothing of the same
/// depth: first all leaves of the depth are decided by the cuts from smaller depths, then all other operations by those cuts
/// and the leaves'. By induction over the depth there is exactly one answer. Depth 0 has a chain of its own: the
/// transfer that ends an ownership is chosen among operations under it by the accounts' cuts alone, so the chain of
/// ownerships comes first; an ownership's cuts come from that transfer, and the operations that raise them, effective
/// checkpoints and corrections by owners, only ever make more operations effective: the least set that is closed
/// under this rule. See ``countOwners()``.
///
/// **Finality.** Operations that an effective checkpoint covers are effective while the checkpoint's author stands. A
/// grant by an account other than an owner is void if no effective checkpoint covers it and it was not made in view
/// of all of them. Operations that take rights away always hold.
///
/// **Positions.** An author states numbers of its own choice. They are believed as far as `docs/protocol/positions.md` says: see
/// ``stands(_:)``, ``ControlEntry/inView(_:)``, ``Ending/isConfirmed`` and ``ControlState/raises``.
///
/// Deciding by depth is the method of stratified logic programs: Apt, Blair, Walker, "Towards a Theory of Declarative
/// Knowledge", 1988; the rules are ours.
struct ControlResolution<Directory: AccountDirectory> {
    var directory: Directory
    var state: ControlState
    var entries: ControlEntries

    /// Effective checkpoints, in the order of the resolution once all owners' operations are decided.
    var checkpoints: [ControlEntry] = []
    /// The sizes of control logs that effective checkpoints cover, whether their authors stand or not: settled
    /// operations stay settled.
    var settled: [ActorLane: UInt64] = [:]
    /// Effective operations that grant a capability, by its id.
    var grants: [Hash: [(entry: ControlEntry, verified: VerifiedCapability)]] = [:]
    /// Effective revocations, by a capability that they name.
    var revokers: [Hash: [Revoker]] = [:]
    /// Effective leaves, by account.
    var leaves: [AccountID: [Departure]] = [:]
    /// The capabilities of each account that are granted.
    var tokens: [AccountID: Set<Hash>] = [:]
    /// Effective operations on public access.
    var publicEntries = PublicAccessEntries()
    /// Effective promotions of a schema.
    var promotions: [(order: ResolutionOrder, promotion: Promotion)] = []
    /// Effective offers of the zone, and the answers to them.
    var offers = OwnershipOffers()
    /// Effective operations that end the zone.
    var deletions: [ControlEntry] = []
    var unknownAccounts: Set<AccountID> = []
    /// The place of the operation that decided the status of each capability carried in vain, and whether that status
    /// waits.
    var ungrantedBy: [Hash: (order: ResolutionOrder, isWaiting: Bool)] = [:]

    // The indexes that ``enter(_:)`` uses to enter one more operation.

    /// The devices whose statements about a removed device hold, by right and removed device.
    var statementAuthors: [Hash: [DeviceID: Set<DeviceID>]] = [:]
    /// The logs that have operations above their cuts.
    var cutLogs: Set<ActorLane> = []
    /// Whether an operation under a capability carries another capability.
    var hasHandedOn = false
    /// The ownerships in force under which a transfer is void although a checkpoint makes it effective: it will be
    /// void for another reason once they end.
    var rightsWithVainTransfers: Set<Hash> = []
    /// The number of comparisons of operations as to which one ends an ownership; for measurements and tests.
    var comparedCount: UInt64 = 0

    /// A revocation with the right it is written under.
    struct Revoker {
        let right: Hash
        let isOwner: Bool
        var ending: Ending

        /// Whether it may end the capability that has this chain.
        func reaches(_ chain: [Hash]) -> Bool {
            isOwner || chain.dropLast().contains(right)
        }
    }

    /// A leave with the right it is written under.
    struct Departure {
        let right: Hash
        /// Of the right.
        let depth: Int
        let ending: Ending
    }

    init(zone: ZoneID, owners: [AccountID], entries: ControlEntries, directory: Directory) {
        (self.directory, self.entries) = (directory, entries)
        state = ControlState(zone: zone, owners: owners)
    }

    mutating func resolve() {
        if state.isPair { findStays() } else { findOwnerships() }
        countOwners()
        if state.isPair { findReturns() }
        var depth = grants.keys.sorted()
        while !depth.isEmpty {
            depth = count(depth)
        }
        decideUngranted()
        conclude()
    }

    /// Whether an operation's device may speak for an account at all; cuts are another question.
    func speaks(_ device: DeviceID, for account: AccountID) -> EntryVerdict {
        switch directory.standing(of: device, in: account) {
        case .unknownAccount: .waiting(.account(account))
        case .unknownDevice: .void(.notOfAccount)
        case .active(.full, _), .removed(.full, _): .counts
        case .active, .removed: .void(.deviceRole)
        }
    }

    /// Whether an operation's author stands.
    ///
    /// It is a device that belongs, with all rights, to the account of an ownership that has not ended. No cut concerns its log.
    func stands(_ entry: ControlEntry) -> Bool {
        state.stands(entry.device, under: entry.right, directory: directory)
    }

    /// Returns the cut of an operation's log.
    func cut(of entry: ControlEntry) -> EffectiveCut {
        state.cut(of: entry.log, device: entry.device, under: entry.right, directory: directory)
    }

    /// Returns the cut of an operation's log by given endings of its right.
    func cut(of entry: ControlEntry, by endings: [Ending]) -> EffectiveCut {
        state.cut(of: entry.log, device: entry.device, under: entry.right, by: endings, directory: directory)
    }

    /// Decides an operation, and notes its statements if it is effective; `record` is the capability that it is
    /// written under, nil for an owner's.
    mutating func take(_ entry: ControlEntry, account: AccountID, record: CapabilityRecord?) {
        if let record, let refusal = entry.body.refusal(for: record.capability.rights) {
            state.verdicts[entry.hash] = .void(refusal)
            return
        }
        state.verdicts[entry.hash] = .counts
        for carried in entry.carried {
            guard let reason = refusal(of: carried, in: entry, account: account, record: record) else {
                guard let verified = carried.verified else { continue }
                grants[carried.id, default: []].append((entry, verified))
                continue
            }
            state.voidParts.append(VoidPart(entry: entry.hash, capability: carried.id, reason: reason))
            if case .grant = entry.body { state.verdicts[entry.hash] = .void(reason) }
        }
        switch entry.body {
        case .revoke(let revocation):
            let ending = Ending(entry, cuts: revocation.cuts, isConfirmed: stands(entry))
            let revoker = Revoker(right: entry.right, isOwner: record == nil, ending: ending)
            for id in revocation.capabilities { revokers[id, default: []].append(revoker) }
        case .publicAccess: publicEntries.append(entry)
        case .zoneDeletion: deletions.append(entry)
        case .schema(let bytes):
            promotions.append((ResolutionOrder(entry), Promotion(entry: entry.hash, schema: bytes)))
        case .transferOffer: offers.note(offer: entry)
        case .transferAnswer(let answer): offers.note(answerTo: answer.offer, entry, by: account)
        case .genesis, .checkpoint, .grant, .transfer, .leave, .raiseCut, .epoch, .delivery, .epochAgain, .deviceCuts,
            .keyRequest, .unknown:
            break
        }
    }

    /// Why a capability that an operation carries is not granted by it.
    private func refusal(
        of carried: CarriedCapability,
        in entry: ControlEntry,
        account: AccountID,
        record: CapabilityRecord?
    ) -> VoidReason? {
        guard let capability = carried.verified?.capability else { return .badSignature }
        guard capability.resource == .zone(state.zone) else { return .wrongResource }
        guard capability.parent == (record == nil ? .zero : entry.right) else { return .wrongParent }
        guard capability.issuer == account else { return .wrongIssuer }
        if directory.standing(of: capability.signer, in: account) == .unknownDevice { return .unknownSigner }
        guard let record else { return nil }
        do {
            try capability.checkNarrows(record.capability)
        } catch {
            // The resource and the issuer are checked, so it is the aspect in which it gives more.
            if case .widened(let aspect) = error { return .widened(aspect) }
            return .wrongParent
        }
        return missedCheckpoint(by: entry).map { .notFinal(checkpoint: $0) }
    }

    /// The first checkpoint that a grant comes too late for: none if one covers it, else one that was not in its view.
    private func missedCheckpoint(by entry: ControlEntry) -> Hash? {
        if let covered = settled[entry.log], covered >= entry.place.counter { return nil }
        return checkpoints.first { !entry.hasSeen($0.place) }?.hash
    }
}

extension ControlResolution: Sendable where Directory: Sendable {}

extension ControlBody {
    /// Returns why this body may not be written under a capability with some rights.
    fileprivate func refusal(for rights: Rights) -> VoidReason? {
        switch self {
        case .genesis, .checkpoint, .zoneDeletion, .transfer, .transferOffer, .raiseCut: .ownerOnly
        case .publicAccess, .schema: rights.level >= .admin ? nil : .needs(.admin)
        case .epoch, .delivery, .epochAgain: rights.level >= .append ? nil : .needs(.append)
        // Whether the right may be delegated is checked for each capability granted; below one that may not be, there
        // is nothing that a revocation could end.
        case .grant, .revoke, .leave, .deviceCuts, .keyRequest, .transferAnswer, .unknown: nil
        }
    }
}

extension ControlState {
    /// Resolves a control log.
    /// - Parameters:
    ///   - zone: The zone.
    ///   - genesisOwner: The owner that the zone's genesis names.
    ///   - entries: The operations held, in any order.
    ///   - directory: The accounts.
    /// - Complexity: O(n log n) for n operations, but for grants by others than owners: O(grants · checkpoints).
    package init(
        zone: ZoneID,
        genesisOwner: AccountID,
        entries: [ControlEntry],
        directory: some AccountDirectory
    ) {
        self.init(zone: zone, owners: [genesisOwner], entries: entries, directory: directory)
    }

    /// Resolves a control log.
    /// - Parameters:
    ///   - zone: The zone.
    ///   - owners: The accounts that its genesis names: one, or the two of a pair zone.
    ///   - entries: The operations held, in any order.
    ///   - directory: The accounts.
    /// - Complexity: O(n log n) for n operations, but for grants by others than owners: O(grants · checkpoints).
    package init(
        zone: ZoneID,
        owners: [AccountID],
        entries: [ControlEntry],
        directory: some AccountDirectory
    ) {
        let entries = ControlEntries(entries)
        var resolution = ControlResolution(zone: zone, owners: owners, entries: entries, directory: directory)
        resolution.resolve()
        self = resolution.state
    }
}
