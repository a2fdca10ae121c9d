import Identity
package import Wire

/// The combined result of all operations in the control log of a zone.
///
/// A function of the set of operations and of the accounts' logs. See ``ControlResolution`` for the rules.
package struct ControlState: Hashable, Sendable {
    /// The zone.
    package let zone: ZoneID

    /// The ownerships of the zone, in order; the last one is the present one.
    ///
    /// Of a pair zone those of both owners, each in order.
    package internal(set) var ownerships: Ownerships
    /// Whether two accounts own the zone together.
    package let isPair: Bool

    /// Each capability that an effective operation grants, by its id; ended ones included.
    package internal(set) var capabilities: [Hash: CapabilityRecord] = [:]
    /// The status of capabilities that only ineffective operations carry.
    var ungranted: [Hash: CapabilityStatus] = [:]

    /// The accounts that take part by live capabilities; the owner's own right is none.
    package internal(set) var participants: [AccountID: Participant] = [:]

    /// The rights of accounts without a capability.
    package internal(set) var publicAccess = PublicAccess.none
    /// The operation that states these rights; zero if none does.
    package internal(set) var publicAccessEntry = Hash.zero

    /// The promotions of a schema that are effective as far as their authors' rights go, in the order of the
    /// resolution; their schemas are not examined here.
    package internal(set) var promotions: [Promotion] = []

    /// The operation that ended the zone, if one did.
    package internal(set) var deletion: Hash?

    /// The verdict on each operation, by its hash.
    package internal(set) var verdicts: [Hash: EntryVerdict] = [:]

    /// Ineffective parts of operations, ascending by operation and capability.
    package internal(set) var voidParts: [VoidPart] = []

    /// Accounts whose logs are needed to decide the rest, ascending.
    package internal(set) var unknownAccounts: [AccountID] = []

    /// The accounts that own or owned the zone, or hold or held a capability: a replica serves the zone to these.
    ///
    /// The resolution has asked only their logs and those of ``candidates``.
    package internal(set) var holders: Set<AccountID> = []
    /// The accounts that transfers name in the consents that they carry.
    package internal(set) var candidates: Set<AccountID> = []
    /// The last offer of the zone under the present ownership, whether its account takes part or not.
    var lastOffer: OwnershipOffer?
    /// The direct descendants of each capability, by its id.
    var children: [Hash: Set<Hash>] = [:]
    /// The ended capabilities whose ending no standing author has confirmed, and under which operations stay
    /// effective by it.
    var unconfirmed: Set<Hash> = []

    /// The effective sizes of removed devices' logs under each right, as far as they were stated.
    var deviceCuts: [Hash: [DeviceID: DeviceStatement]] = [:]
    /// The sizes of each log that checkpoints of standing authors have made final.
    var watermarks: [ActorLane: LogPosition] = [:]
    /// The corrections of each right, ascending by operation: those of standing authors if there are any, else all
    /// effective ones.
    var raises: [Hash: [Raise]] = [:]

    init(zone: ZoneID, owners: [AccountID]) {
        self.zone = zone
        isPair = owners.count > 1
        ownerships = Ownerships(
            owners.map { owner in
                let right = owners.count > 1 ? Hash(pairRightOf: owner, in: zone) : .zero
                return Ownership(account: owner, right: right, end: nil)
            }
        )
    }

    /// The owner of the zone; of a pair zone one of its owners, for which ``owners`` is to be used instead.
    package var owner: AccountID { ownership.account }

    /// The present ownership; of a pair zone one of the present ones.
    package var ownership: Ownership { ownerships[ownerships.count - 1] }

    /// The owners of the zone, ascending: of a pair zone the two accounts, except one that has left.
    package var owners: [AccountID] {
        isPair ? ownerships.filter(\.isHeld).map(\.account).sorted() : [owner]
    }

    /// Returns the ownership by which an account owns the zone.
    /// - Parameter account: The account.
    /// - Returns: `nil` for an account that does not own it.
    package func ownership(of account: AccountID) -> Ownership? {
        guard isPair else { return owner == account ? ownership : nil }
        return ownerships.last { $0.account == account && $0.isHeld }
    }

    /// Whether an account owns the zone, alone or with another one.
    package func isOwned(by account: AccountID) -> Bool { ownership(of: account) != nil }

    /// Returns the right by which an account that has left a pair zone comes back to it.
    /// - Parameter account: The account.
    /// - Returns: `nil` for an account that is in it, or never owned it.
    package func returning(_ account: AccountID) -> Hash? {
        guard isPair, let last = ownerships.last(where: { $0.account == account }), !last.isHeld else { return nil }
        return last.right
    }

    /// Returns a capability that was granted, and all that descend from it.
    /// - Parameter id: Its id.
    /// - Returns: The ids; none for a capability that was not granted.
    /// - Complexity: O(those).
    package func descendants(of id: Hash) -> Set<Hash> {
        guard capabilities[id] != nil else { return [] }
        var found: Set<Hash> = [id]
        var queue = [id]
        while let next = queue.popLast() {
            for child in children[next] ?? [] where found.insert(child).inserted { queue.append(child) }
        }
        return found
    }

    /// Returns the rights that come from the same grant of an owner as a right.
    /// - Parameter right: A right.
    /// - Returns: The capability that an owner granted, and all that descend from it; the right alone if it is an
    ///   ownership, or was not granted.
    /// - Complexity: O(those).
    package func sharingGrant(with right: Hash) -> Set<Hash> {
        guard let root = capabilities[right]?.chain.first else { return [right] }
        return descendants(of: root).union([right])
    }

    /// Returns the status of a capability; `nil` for one that no operation carries.
    package func status(of capability: Hash) -> CapabilityStatus? {
        capabilities[capability]?.status ?? ungranted[capability]
    }

    /// Returns the ownership that has this right as its own.
    /// - Parameter right: The right that the logs under the ownership name.
    /// - Returns: `nil` for a capability, and for a right that is not known.
    /// - Complexity: O(1).
    package func ownership(with right: Hash) -> Ownership? { ownerships[right] }

    /// Returns the account that writes under a right.
    /// - Returns: `nil` for a capability that never held or is not known.
    package func account(of right: Hash) -> AccountID? {
        ownership(with: right)?.account ?? capabilities[right]?.capability.audience
    }
}

/// A promotion of a schema.
package struct Promotion: Hashable, Sendable {
    /// The operation.
    package let entry: Hash
    /// The schema that it promotes, as received.
    package let schema: [UInt8]
}

/// An operation that ends rights and states how much of the logs under them is effective.
struct Ending: Hashable, Sendable {
    /// The operation.
    let entry: Hash
    /// The place of the operation.
    let place: Dot
    /// The effective sizes of logs, ascending, as far as the author can know; a log that is not listed is cut at
    /// zero.
    let cuts: [LogPosition]
    /// Whether the owner states this itself, by a device that stands; else its corrections bound the cuts.
    private(set) var isConfirmed: Bool

    init(_ entry: ControlEntry, cuts: [LogPosition], isConfirmed: Bool) {
        self.entry = entry.hash
        place = entry.place
        self.cuts = entry.inView(cuts)
        self.isConfirmed = isConfirmed
    }

    /// Whether it keeps operations of any log effective.
    var keepsOperations: Bool { cuts.contains { $0.size > 0 } }

    /// Its author does not stand any more.
    mutating func loseConfirmation() { isConfirmed = false }
}

/// An owner's correction of cuts.
struct Raise: Hashable, Sendable {
    /// The operation.
    let entry: Hash
    /// The place of the operation.
    let place: Dot
    /// The author's view; only cuts in it are raised.
    let seen: VersionVector
    /// The effective sizes of logs, as far as the author can know.
    let cuts: [LogPosition]
    /// Whether the author stands.
    let stands: Bool

    /// Whether the correction was made with an ending in view.
    func follows(_ ending: Ending) -> Bool {
        ending.place.actor == place.actor ? ending.place.counter < place.counter : seen.covers(ending.place)
    }
}

/// A capability that was granted.
package struct CapabilityRecord: Hashable, Sendable {
    private let token: Token
    /// The status of the capability.
    package internal(set) var status: CapabilityStatus
    /// The revocations that ended it or an ancestor, by their hashes; its descendants have them too.
    var revocations: [Ending] = []
    /// The leaves of the account that holds it, by hashes.
    var leaves: [Ending] = []

    /// A token and how it was granted, which never changes; records are copied often.
    private final class Token: Hashable, Sendable {
        let verified: VerifiedCapability
        let chain: [Hash]
        let since: Hash

        init(_ verified: VerifiedCapability, chain: [Hash], since: Hash) {
            (self.verified, self.chain, self.since) = (verified, chain, since)
        }

        static func == (left: Token, right: Token) -> Bool {
            left === right || (left.verified, left.chain, left.since) == (right.verified, right.chain, right.since)
        }

        func hash(into hasher: inout Hasher) {
            hasher.combine(verified)
            hasher.combine(since)
        }
    }

    init(verified: VerifiedCapability, chain: [Hash], since: Hash) {
        (token, status) = (Token(verified, chain: chain, since: since), .live)
    }

    /// The token.
    package var verified: VerifiedCapability { token.verified }
    /// Its ancestors' ids and its own, root first.
    package var chain: [Hash] { token.chain }
    /// The first effective operation, in the order of the resolution, that grants it.
    package var since: Hash { token.since }
    /// The capability.
    package var capability: Capability { token.verified.capability }
}

/// The status of a capability.
package enum CapabilityStatus: Hashable, Sendable {
    /// It holds.
    case live
    /// It held until these operations ended it, ascending.
    case ended(by: [Hash])
    /// It never held.
    case void(VoidReason)
    /// It cannot be decided yet.
    case waiting(WaitReason)
}

/// An account that takes part in a zone.
package struct Participant: Hashable, Sendable {
    /// The highest rights among its capabilities; of equal levels one that may be delegated.
    package let rights: Rights
    /// That capability.
    package let via: Hash
    /// The operation that granted it.
    package let since: Hash
    /// All its capabilities that hold, the strongest first.
    package let capabilities: [Hash]
}

extension ControlState {
    /// Returns the cut of a log: how much of it is effective.
    ///
    /// The strictest of the account's statements about the device and of the revocations, leaves and transfers in the
    /// zone, each bounded and raised by the owner's corrections; and never less than a checkpoint whose author stands
    /// has made final. `docs/protocol/positions.md` has the rule.
    /// - Parameters:
    ///   - log: The log.
    ///   - device: The device that the log's actor is an incarnation of.
    ///   - right: The right that its heads name as their capability.
    ///   - directory: The accounts.
    /// - Returns: The cut; `.waiting` while the capability or its account is not known.
    /// - Complexity: O(log n) for each operation that ended the right.
    package func cut(
        of log: ActorLane,
        device: DeviceID,
        under right: Hash,
        directory: some AccountDirectory
    ) -> EffectiveCut {
        cut(of: log, device: device, under: right, by: endings(of: right), directory: directory)
    }

    /// Returns the cut that a log would have if the owner had not bounded the endings of its right.
    ///
    /// A data log that has this size with this root is effective up to it.
    /// - Parameters: as of ``cut(of:device:under:directory:)``.
    /// - Returns: The cut, never stricter than the effective one.
    /// - Complexity: as of ``cut(of:device:under:directory:)``.
    package func openCut(
        of log: ActorLane,
        device: DeviceID,
        under right: Hash,
        directory: some AccountDirectory
    ) -> EffectiveCut {
        cut(of: log, device: device, under: right, by: endings(of: right), isOpen: true, directory: directory)
    }

    /// Returns the size up to which a log has to be held, regardless of the effective part.
    ///
    /// Of a data log that is the effective part. A control log is not cut by transfers and leaves here: of several
    /// concurrent ones the first to arrive would keep out the others, and only all of them together decide which are
    /// effective.
    /// - Parameters: as of ``cut(of:device:under:directory:)``.
    /// - Returns: The cut, never below the effective one.
    /// - Complexity: as of ``cut(of:device:under:directory:)``.
    package func heldCut(
        of log: ActorLane,
        device: DeviceID,
        under right: Hash,
        directory: some AccountDirectory
    ) -> EffectiveCut {
        let endings = log.lane == .control ? capabilities[right]?.revocations ?? [] : endings(of: right)
        return cut(of: log, device: device, under: right, by: endings, directory: directory)
    }

    /// Returns the cut of a log by given endings of its right.
    func cut(
        of log: ActorLane,
        device: DeviceID,
        under right: Hash,
        by endings: [Ending],
        isOpen: Bool = false,
        directory: some AccountDirectory
    ) -> EffectiveCut {
        guard let account = account(of: right) else {
            switch status(ofNoRight: right) {
            case .void: return EffectiveCut(LogPosition.start(of: log).raised(to: watermarks[log]))
            case .waiting(let reason): return waiting(for: reason, log)
            case .live, .ended, nil: return waiting(for: .capability(right), log)
            }
        }
        if directory.standing(of: device, in: account) == .unknownAccount { return .waiting(.account(account)) }
        var cut = deviceCut(of: log, device: device, under: right, account: account, directory: directory)
        for ending in endings {
            cut = LogPosition.stricter(cut, self.cut(of: log, under: right, by: ending, isOpen: isOpen))
        }
        return EffectiveCut(cut?.raised(to: watermarks[log]))
    }

    /// Returns the status of a right that no account has: a capability that was not granted, or the ownership that an
    /// ineffective transfer would have made.
    private func status(ofNoRight right: Hash) -> CapabilityStatus? {
        if case .void(let reason) = verdicts[right] { return .void(reason) }
        return ungranted[right]
    }

    /// Waits for a right to be known; the records that a checkpoint covers are effective in either case.
    private func waiting(for reason: WaitReason, _ log: ActorLane) -> EffectiveCut {
        guard log.lane == .data, let final = watermarks[log], final.size > 0 else { return .waiting(reason) }
        return .at(size: final.size, root: final.root)
    }

    /// Returns the cut of a log by the standing of its device in the account that has the right.
    ///
    /// Zero for a device that the account does not know, and for one whose role lets it write nothing. For a removed
    /// device the cut that other devices of the account state in the zone (``DeviceStatement``), and no cut until one
    /// does: all that know of the removal refuse the device, so nothing new comes from it but operations that others
    /// took in before.
    /// - Returns: nil for a log without a cut.
    func deviceCut(
        of log: ActorLane,
        device: DeviceID,
        under right: Hash,
        account: AccountID,
        directory: some AccountDirectory
    ) -> LogPosition? {
        if device == directory.ownDevice { return nil }
        return switch directory.standing(of: device, in: account) {
        case .active(.full, _): nil
        case .removed(.full, _): deviceCuts[right]?[device]?.cut(of: log)
        case .active, .removed, .unknownDevice, .unknownAccount: .start(of: log)
        }
    }

    /// Returns the cut of the author's log for its statements on the cuts of others' logs: neither leaves nor
    /// transfers bear on it, and no checkpoint.
    func cut(
        ofStatement entry: ControlEntry,
        under right: Hash,
        of account: AccountID,
        by revocations: [Ending],
        directory: some AccountDirectory
    ) -> EffectiveCut {
        let own = deviceCut(of: entry.log, device: entry.device, under: right, account: account, directory: directory)
        return EffectiveCut(
            revocations.reduce(own) { .stricter($0, cut(of: entry.log, under: right, by: $1, isOpen: false)) }
        )
    }

    /// The endings of a right.
    func endings(of right: Hash) -> [Ending] {
        if let ownership = ownership(with: right) { return ownership.end.map { [$0] } ?? [] }
        guard let record = capabilities[right] else { return [] }
        return record.leaves.isEmpty ? record.revocations : record.revocations + record.leaves
    }

    /// Whether a device's statements under a right are those of the present owner: the right is an ownership that has
    /// not ended, and its account has the device as one with all rights.
    /// - Parameters:
    ///   - device: The device that signs the log's heads.
    ///   - right: The right that these heads name.
    ///   - directory: The accounts.
    /// - Returns: False for a device that was removed, and for a former owner's.
    package func stands(_ device: DeviceID, under right: Hash, directory: some AccountDirectory) -> Bool {
        guard let ownership = ownership(with: right), !ownership.hasEnded,
            case .active(.full, _) = directory.standing(of: device, in: ownership.account)
        else { return false }
        return true
    }

    private func cut(of log: ActorLane, under right: Hash, by ending: Ending, isOpen: Bool) -> LogPosition {
        let corrections = raises[right] ?? []
        var cut = ending.cuts.cut(of: log)
        if !isOpen, !ending.isConfirmed, isCorrected(right) {
            let bound = corrections.compactMap { $0.cuts.position(of: log) }.reduce(nil, LogPosition.further)
            cut = .stricter(cut, bound ?? .start(of: log))
        }
        let following = corrections.lazy.filter { $0.follows(ending) }
        let furthest = following.compactMap { $0.cuts.position(of: log) }.reduce(nil, LogPosition.further)
        return cut.raised(to: furthest)
    }

    /// Whether a standing device has corrected the cuts under a right.
    func isCorrected(_ right: Hash) -> Bool { raises[right]?.first?.stands ?? false }
}
