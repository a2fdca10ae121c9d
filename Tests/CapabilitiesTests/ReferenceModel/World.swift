import Identity
import Sodium
import TestSupport
import Wire

@testable import Capabilities

/// Accounts as a table.
struct WorldDirectory: AccountDirectory {
    var standings: [AccountID: [DeviceID: AccountStanding]] = [:]
    var witnesses: [DeviceID: Set<DeviceID>] = [:]

    func standing(of device: DeviceID, in account: AccountID) -> AccountStanding {
        guard let devices = standings[account] else { return .unknownAccount }
        return devices[device] ?? .unknownDevice
    }

    func witnesses(of device: DeviceID, in account: AccountID) -> Set<DeviceID> { witnesses[device] ?? [] }
}

/// Accounts, devices and really signed capabilities, made once, from which all worlds are put together.
struct WorldPool: Sendable {
    static let shared = WorldPool(seed: 0xCAB)

    static let zone = ZoneID(digest(1, 1))
    static let accounts = (0..<4).map { AccountID(digest(2, UInt64($0))) }
    let devices: [[DeviceIdentity]]
    let tokens: [CarriedCapability]
    /// Places in `tokens`, by parent.
    let children: [Hash: [Int]]

    /// A name; spread, so that orders by bytes say nothing of how things were made.
    static func digest(_ kind: UInt64, _ number: UInt64, _ more: UInt64 = 0) -> Digest32 {
        var generator = SeededGenerator(seed: kind << 56 ^ number << 24 ^ more)
        return Digest32(word0: generator.next(), word1: kind, word2: number, word3: more)
    }

    init(seed: UInt64) {
        var generator = WorldDice(seed: seed)
        var devices: [[DeviceIdentity]] = []
        for _ in Self.accounts { devices.append((0..<3).map { _ in DeviceIdentity(using: &generator) }) }
        var tokens: [CarriedCapability] = []
        var parents = [CarriedCapability?](repeating: nil, count: 12)
        for childCount in [3, 3, 2, 1] {
            parents = parents.flatMap { parent in
                (0..<childCount).compactMap { _ in Self.token(under: parent, devices: devices, using: &generator) }
            }
            tokens += parents.compactMap(\.self)
        }
        self.devices = devices
        self.tokens = tokens
        children = Dictionary(grouping: tokens.indices) { tokens[$0].verified?.capability.parent ?? .zero }
    }

    /// Mostly one that holds, sometimes one that gives too much or is signed by nobody.
    private static func token(
        under parent: CarriedCapability?,
        devices: [[DeviceIdentity]],
        using generator: inout WorldDice
    ) -> CarriedCapability? {
        let above = parent?.verified?.capability
        if parent != nil, above == nil { return nil }
        let issuer = above.flatMap { accounts.firstIndex(of: $0.audience) } ?? generator.below(accounts.count)
        let signer = devices[generator.oneIn(20) ? generator.below(4) : issuer][generator.below(3)]
        let level = AccessLevel(rawValue: UInt8(1 + generator.below(5))) ?? .admin
        let depth = Int(above?.caveats.delegationDepth ?? 7)
        let capability = Capability(
            resource: .zone(generator.oneIn(40) ? ZoneID(digest(1, 9)) : zone),
            issuer: accounts[generator.oneIn(30) ? generator.below(4) : issuer],
            signer: signer.deviceID,
            audience: accounts[generator.below(accounts.count)],
            rights: Rights(
                generator.oneIn(20) ? level : min(level, above?.rights.level ?? .admin),
                canDelegate: !generator.oneIn(5)
            ),
            caveats: Caveats(delegationDepth: UInt8(max(0, generator.oneIn(20) ? depth : depth - 1))),
            parent: parent?.id ?? .zero,
            nonce: (0..<16).map { _ in UInt8(generator.below(256)) }
        )
        let signed = SignedCapability(
            capability: capability,
            signature: signer.sign(capability.encoded, context: .capability)
        )
        if generator.oneIn(50) { return CarriedCapability(id: signed.id, verified: nil) }
        do {
            return CarriedCapability(id: signed.id, verified: try VerifiedCapability(UnverifiedCapability(signed)))
        } catch {
            return nil
        }
    }
}

/// A control log put together by dice: mostly sensible operations, some that lie.
struct World {
    var directory = WorldDirectory()
    var entries: [ControlEntry] = []
    /// Each log with its device and the right it is written under.
    var logs: [ActorLane: (device: DeviceID, right: Hash)] = [:]
    private var sizes: [ActorID: UInt64] = [:]
    private var rights: [(right: Hash, account: Int)] = [(.zero, 0)]
    /// Rights that something was to end.
    private var ended: [Hash] = []
    /// Whom the genesis names.
    let owners: [AccountID]
    private var generator: WorldDice
    private let pool: WorldPool
    /// Whether positions lie as an author may: beyond every log, at or above its own place, of logs that nobody has seen.
    private let isWild: Bool
    /// The place of the operation that is being made.
    private var place = Dot(actor: .zero, counter: 1)

    static let owner = WorldPool.accounts[0]

    init(seed: UInt64, isPair: Bool = false) {
        self.init(WorldDice(seed: seed), isPair: isPair, isWild: seed % 2 == 1)
    }

    /// Puts a world together.
    /// - Parameters:
    ///   - dice: What decides; when it ends, the world does.
    ///   - isPair: Whether the zone belongs to two accounts.
    ///   - isWild: Whether authors state positions that they cannot know, and more devices are removed.
    init(_ dice: WorldDice, isPair: Bool = false, isWild: Bool = false) {
        generator = dice
        self.isWild = isWild
        pool = .shared
        owners = isPair ? WorldPool.accounts.prefix(2).sorted() : [Self.owner]
        if isPair {
            rights = (0..<2).map { (Hash(pairRightOf: WorldPool.accounts[$0], in: WorldPool.zone), $0) }
        }
        makeAccounts()
        let count = 1 + generator.below(generator.oneIn(3) ? 14 : 8)
        while entries.count < count, !generator.isOver { step() }
    }

    var state: ControlState { state(of: entries) }

    func state(of entries: [ControlEntry]) -> ControlState {
        ControlState(zone: WorldPool.zone, owners: owners, entries: entries, directory: directory)
    }

    private mutating func makeAccounts() {
        for (index, account) in WorldPool.accounts.enumerated() {
            if generator.oneIn(25) { continue }
            var devices: [DeviceID: AccountStanding] = [:]
            for (place, device) in pool.devices[index].enumerated() where place == 0 || !generator.oneIn(8) {
                let role: DeviceRole = generator.oneIn(15) ? .readOnly : .full
                if generator.oneIn(isWild ? 3 : 5) {
                    // None, one, or several: of the account, the device itself among them, and of others.
                    for _ in 0..<generator.below(3) {
                        let other = generator.oneIn(5) ? generator.below(4) : index
                        let witness = pool.devices[other][generator.below(3)].deviceID
                        directory.witnesses[device.deviceID, default: []].insert(witness)
                    }
                    devices[device.deviceID] = .removed(role, addedAt: place)
                } else {
                    devices[device.deviceID] = .active(role, addedAt: place)
                }
            }
            directory.standings[account] = devices
        }
    }

    private mutating func step() {
        let die = generator.below(9)
        let (right, account) =
            die < 3 ? rights[0] : die < 7 ? rights[rights.count - 1] : rights[generator.below(rights.count)]
        let owner = generator.oneIn(25) ? generator.below(4) : account
        let deviceIndex = generator.below(3)
        let device = pool.devices[owner][deviceIndex].deviceID
        let life = UInt64(generator.oneIn(4) ? 1 : 0)
        let number = UInt64(owner * 3 + deviceIndex) * 2 + life
        let actor = ActorID(WorldPool.digest(3, number, right.digest.word0))
        logs[ActorLane(actor: actor, lane: .control)] = (device, right)
        let counter = (sizes[actor] ?? 0) + (generator.oneIn(60) && sizes[actor] != nil ? 0 : 1)
        var seen = VersionVector()
        let isInformed = generator.below(3) > 0
        // In an order that is the same in every process: each draws.
        for (other, size) in sizes.sorted(by: { $0.key < $1.key }) where other != actor {
            seen[other] = isInformed ? size : UInt64(generator.below(Int(size) + 1))
        }
        place = Dot(actor: actor, counter: max(1, counter))
        let (body, carried) = body(right: right, account: account)
        let entry = ControlEntry(
            place: place,
            device: device,
            right: right,
            seen: seen,
            hash: Hash(WorldPool.digest(4, UInt64(entries.count), generator.next())),
            body: body,
            carried: carried
        )
        sizes[actor] = max(sizes[actor] ?? 0, entry.place.counter)
        entries.append(entry)
        for token in carried {
            guard let audience = token.verified?.capability.audience else { continue }
            rights.append((token.id, WorldPool.accounts.firstIndex(of: audience) ?? 0))
        }
        switch body {
        case .revoke(let revocation): ended += revocation.capabilities
        case .leave, .transfer: ended.append(right)
        default: break
        }
        switch body {
        case .transfer(let transfer):
            rights.append((entry.hash, WorldPool.accounts.firstIndex(of: transfer.newOwner) ?? 0))
        case .leave where owners.count > 1: rights.append((entry.hash, account))
        default: break
        }
    }

    private mutating func body(right: Hash, account: Int) -> (ControlBody, [CarriedCapability]) {
        switch generator.below(28) {
        case 22..<28: return (deviceCuts(of: account), [])
        case 20, 21:
            let right = ended.isEmpty ? someRight() : ended[generator.below(ended.count)]
            return (.raiseCut(CutRaise(capability: right, cuts: cuts())), [])
        case 0..<8:
            let token = token(right: right, account: account)
            return (token.verified.map { .grant(Grant($0.signed)) } ?? .unknown(tag: 99, bytes: []), [token])
        case 8..<11: return revocation(right: right, account: account)
        // Of two owners leaving is the most that one can do.
        case 12..<14 where owners.count > 1, 18 where owners.count > 1: return (.leave(Leave(cuts: cuts())), [])
        case 11..<14:
            let newOwner = generator.oneIn(6) ? account : generator.below(4)
            let regrants = generator.oneIn(2) ? [token(right: .zero, account: account)] : []
            let transfer = OwnershipTransfer(
                newOwner: WorldPool.accounts[newOwner],
                cuts: cuts(),
                regrants: regrants.compactMap { $0.verified?.signed }
            )
            return (.transfer(transfer), regrants)
        case 14: return (.leave(Leave(cuts: cuts())), [])
        case 15: return (.raiseCut(CutRaise(capability: someRight(), cuts: cuts())), [])
        case 16, 17: return (checkpoint(), [])
        case 18:
            let rights = PublicRights(rawValue: UInt8(generator.below(8)))
            let access = PublicAccess(
                world: rights,
                authenticated: PublicRights(rawValue: rights.rawValue >> 1),
                creator: rights.symmetricDifference(.all)
            )
            return (.publicAccess(access), [])
        default:
            return generator.oneIn(2)
                ? (generator.oneIn(2) ? .epoch([1]) : .delivery([1]), [])
                : generator.oneIn(2) ? (.zoneDeletion(reason: ""), []) : (.schema([2]), [])
        }
    }

    /// What somebody says of devices, mostly of the own account's: removed ones, others, itself.
    private mutating func deviceCuts(of account: Int) -> ControlBody {
        var devices: Set<DeviceID> = []
        for _ in 0...generator.below(3) {
            let owner = generator.oneIn(8) ? generator.below(4) : account
            devices.insert(pool.devices[owner][generator.below(3)].deviceID)
        }
        return .deviceCuts(DeviceCuts(devices: devices.sorted(), cuts: cuts()))
    }

    private mutating func revocation(right: Hash, account: Int) -> (ControlBody, [CarriedCapability]) {
        var names: [Hash] = []
        for _ in 0...generator.below(2) {
            names.append(generator.oneIn(2) ? rights[rights.count - 1].right : someRight())
        }
        let regrants = generator.oneIn(3) ? [token(right: right, account: account)] : []
        let body = Revocation(
            capabilities: Array(Set(names)),
            cuts: cuts(),
            regrants: regrants.compactMap { $0.verified?.signed }
        )
        return (.revoke(body), regrants)
    }

    private mutating func someRight() -> Hash {
        generator.oneIn(30)
            ? pool.tokens[generator.below(pool.tokens.count)].id : rights[generator.below(rights.count)].right
    }

    private func parent(of right: Hash) -> Hash {
        pool.children[right] == nil ? .zero : right
    }

    private mutating func token(right: Hash, account: Int) -> CarriedCapability {
        let below = pool.children[parent(of: right)] ?? []
        let fitting = below.filter { pool.tokens[$0].verified?.capability.issuer == WorldPool.accounts[account] }
        if generator.oneIn(15) || fitting.isEmpty { return pool.tokens[generator.below(pool.tokens.count)] }
        return pool.tokens[fitting[generator.below(fitting.count)]]
    }

    /// Some of the logs there are, up to about where they are.
    private mutating func cuts() -> [LogPosition] {
        var cuts: [LogPosition] = []
        for (log, size) in sizes.sorted(by: { $0.key < $1.key }) where !generator.oneIn(3) {
            let size = generator.oneIn(2) ? size : UInt64(generator.below(Int(size) + 2))
            cuts.append(LogPosition(actor: log, lane: .control, size: size, root: Hash(WorldPool.digest(5, size))))
            guard generator.oneIn(2) else { continue }
            // Records are written beside, as many as anybody claims.
            let count = UInt64(generator.below(6))
            cuts.append(LogPosition(actor: log, lane: .data, size: count, root: Hash(WorldPool.digest(5, count))))
        }
        if isWild, generator.oneIn(2) { exaggerate(&cuts) }
        return cuts.sorted { $0.key < $1.key }
    }

    /// Makes of some positions, of the author's own control log and of one that is not there yet, whatever a liar may say.
    private mutating func exaggerate(_ cuts: inout [LogPosition]) {
        for actor in [place.actor, ActorID(WorldPool.digest(3, UInt64(generator.below(24)), 0))]
        where generator.oneIn(2) && !cuts.contains(where: { $0.actor == actor && $0.lane == .control }) {
            cuts.append(LogPosition(actor: actor, lane: .control, size: 1, root: .zero))
        }
        for index in cuts.indices where generator.oneIn(2) {
            let size =
                switch generator.below(3) {
                case 0: place.counter + UInt64(generator.below(2))
                case 1: UInt64(1) << UInt64(generator.below(63))
                default: UInt64(1) << 62
                }
            cuts[index].size = size
            cuts[index].root = Hash(WorldPool.digest(5, size, UInt64(generator.below(2))))
        }
    }

    private mutating func checkpoint() -> ControlBody {
        .checkpoint(Checkpoint(logs: cuts(), liveRoot: .zero, liveCount: 0, lapsed: [], previous: .zero))
    }
}

/// What worlds are decided by: a seed, or the bytes of a fuzzer.
struct WorldDice: RandomNumberGenerator {
    private var generator: SeededGenerator?
    private var bytes: ArraySlice<UInt8> = []

    init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

    init(_ bytes: [UInt8]) { self.bytes = bytes[...] }

    /// Whether the bytes are used up.
    var isOver: Bool { generator == nil && bytes.isEmpty }

    mutating func next() -> UInt64 { generator?.next() ?? UInt64(bytes.popFirst() ?? 0) }

    /// A number in 0..<bound; the bias does not matter here.
    mutating func below(_ bound: Int) -> Int { Int(next() % UInt64(max(1, bound))) }

    mutating func oneIn(_ count: Int) -> Bool { below(count) == count - 1 }
}
