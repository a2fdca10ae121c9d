import Identity
import Sodium
import TestSupport
import Wire

@testable import Capabilities

/// A control log, made step by step: accounts 0 to 3 with three devices each, of which account 0 made the zone.
///
/// An author has seen every earlier operation, unless a test states its view.
struct ControlStory {
    var directory = WorldDirectory()
    private(set) var entries: [ControlEntry] = []
    private var counters: [ActorID: UInt64] = [:]
    private var generator = SeededGenerator(seed: 0x57_02)

    static let zone = WorldPool.zone
    static let accounts = WorldPool.accounts
    static var devices: [[DeviceIdentity]] { WorldPool.shared.devices }

    init() {
        for (account, devices) in zip(Self.accounts, Self.devices) {
            let standings = devices.enumerated().map { ($1.deviceID, AccountStanding.active(.full, addedAt: $0)) }
            directory.standings[account] = Dictionary(uniqueKeysWithValues: standings)
        }
    }

    /// A log: a device's, under a right.
    struct Author: Hashable {
        let account: Int
        let device: Int
        let right: Hash

        var deviceID: DeviceID { ControlStory.devices[account][device].deviceID }
        var actor: ActorID {
            ActorID(WorldPool.digest(6, UInt64(account * 3 + device), right.digest.word0))
        }
        var control: ActorLane { ActorLane(actor: actor, lane: .control) }
        var data: ActorLane { ActorLane(actor: actor, lane: .data) }

        func position(_ lane: Lane, _ size: UInt64) -> LogPosition {
            LogPosition(actor: actor, lane: lane, size: size, root: Hash(WorldPool.digest(7, size)))
        }
    }

    static let owner = Author(account: 0, device: 0, right: .zero)
    static let ownerSecond = Author(account: 0, device: 1, right: .zero)

    var state: ControlState { state(without: []) }

    func state(without hidden: [Hash]) -> ControlState {
        ControlState(
            zone: Self.zone,
            genesisOwner: Self.accounts[0],
            entries: entries.filter { !hidden.contains($0.hash) },
            directory: directory
        )
    }

    /// Every operation so far.
    var view: VersionVector { VersionVector(counters) }

    func size(_ author: Author) -> UInt64 { counters[author.actor] ?? 0 }

    @discardableResult
    mutating func say(_ body: ControlBody, by author: Author, seen: VersionVector? = nil) -> Hash {
        let counter = size(author) + 1
        let entry = ControlEntry(
            place: Dot(actor: author.actor, counter: counter),
            device: author.deviceID,
            right: author.right,
            seen: seen ?? view,
            hash: Hash(WorldPool.digest(8, UInt64(entries.count))),
            body: body
        ) { signed in
            do { return try VerifiedCapability(UnverifiedCapability(signed)) } catch { return nil }
        }
        counters[author.actor] = counter
        entries.append(entry)
        return entry.hash
    }

    /// Signs a capability; under an owner's right a root.
    mutating func capability(
        by author: Author,
        to account: Int,
        _ level: AccessLevel = .write,
        canDelegate: Bool = true,
        caveats: Caveats? = nil,
        parent: Hash? = nil,
        signer: DeviceIdentity? = nil
    ) -> SignedCapability {
        let isOwner = state.ownership(with: author.right) != nil
        let depth = state.capabilities[author.right]?.capability.caveats.delegationDepth ?? 7
        let device = signer ?? Self.devices[author.account][author.device]
        let capability = Capability(
            resource: .zone(Self.zone),
            issuer: Self.accounts[author.account],
            signer: device.deviceID,
            audience: Self.accounts[account],
            rights: Rights(level, canDelegate: canDelegate),
            caveats: caveats ?? Caveats(delegationDepth: depth > 0 ? depth - 1 : 0),
            parent: parent ?? (isOwner ? .zero : author.right),
            nonce: generator.bytes(16)
        )
        return SignedCapability(
            capability,
            signature: device.sign(capability.encoded, context: .capability)
        )
    }

    /// Grants a right, and returns the log that the grantee's first device writes under it.
    mutating func grant(
        by author: Author,
        to account: Int,
        _ level: AccessLevel = .write,
        canDelegate: Bool = true,
        caveats: Caveats? = nil,
        seen: VersionVector? = nil
    ) -> Author {
        let signed = capability(by: author, to: account, level, canDelegate: canDelegate, caveats: caveats)
        say(.grant(Grant(signed)), by: author, seen: seen)
        return Author(account: account, device: 0, right: signed.id)
    }

    @discardableResult
    mutating func revoke(
        _ rights: [Hash],
        by author: Author,
        cuts: [LogPosition] = [],
        regrants: [SignedCapability] = [],
        seen: VersionVector? = nil
    ) -> Hash {
        say(.revoke(Revocation(capabilities: rights, cuts: cuts, regrants: regrants)), by: author, seen: seen)
    }

    @discardableResult
    mutating func checkpoint(_ logs: [LogPosition], by author: Author, seen: VersionVector? = nil) -> Hash {
        let body = Checkpoint(logs: logs, liveRoot: .zero, liveCount: 0, lapsed: [], previous: .zero)
        return say(.checkpoint(body), by: author, seen: seen)
    }

    /// Removes a device from its account; another device states under the same right how much of its log is
    /// effective.
    mutating func remove(_ author: Author, at size: UInt64, by device: Int = 2) {
        markRemoved(author)
        state(author, at: size, by: device)
    }

    /// Removes a device from its account.
    mutating func markRemoved(_ author: Author) {
        directory.standings[Self.accounts[author.account]]?[author.deviceID] = .removed(.full, addedAt: author.device)
    }

    /// States how much of a device's log under a right is effective.
    @discardableResult
    mutating func state(_ author: Author, at size: UInt64, by device: Int) -> Hash {
        let positions = size > 0 ? Lane.allCases.map { author.position($0, size) } : []
        let speaker = Author(account: author.account, device: device, right: author.right)
        return say(.deviceCuts(DeviceCuts(devices: [author.deviceID], cuts: positions)), by: speaker)
    }

    /// The consent of an account to own the zone.
    func consent(
        of account: Int,
        device: Int = 0,
        after right: Hash,
        zone: ZoneID = Self.zone,
        to offer: Hash = .zero,
        signer: DeviceIdentity? = nil
    ) -> SignedTransferConsent {
        let keys = Self.devices[account][device]
        return TransferConsent(
            zone: zone,
            ownership: right,
            account: Self.accounts[account],
            offer: offer,
            device: keys.deviceID
        ).signed(by: (signer ?? keys).sign)
    }

    /// Transfers the zone, with the consent of the account unless a test names another consent.
    @discardableResult
    mutating func transfer(
        to account: Int,
        by author: Author,
        consent: SignedTransferConsent? = nil,
        cuts: [LogPosition] = [],
        regrants: [SignedCapability] = [],
        seen: VersionVector? = nil
    ) -> Author {
        let body = OwnershipTransfer(
            consent: consent ?? self.consent(of: account, after: author.right),
            cuts: cuts,
            regrants: regrants
        )
        return Author(account: account, device: 0, right: say(.transfer(body), by: author, seen: seen))
    }
}

extension ControlState {
    /// Returns the cut of a log, in an account directory where no device was removed.
    func cut(_ author: ControlStory.Author, _ lane: Lane = .data, in story: ControlStory) -> EffectiveCut {
        cut(
            of: ActorLane(actor: author.actor, lane: lane),
            device: author.deviceID,
            under: author.right,
            directory: story.directory
        )
    }
}

extension LogPosition {
    var cut: EffectiveCut { .at(size: size, root: root) }
}
