import Identity
import Sodium
import TestSupport
import Wire

@testable import Capabilities

/// Accounts as a table.
struct WorldDirectory: AccountDirectory {
    var standings: [AccountID: [DeviceID: AccountStanding]] = [:]
    var witnesses: [DeviceID: Set<DeviceID>] = [:]
    var ownDevice: DeviceID?

    func standing(of device: DeviceID, in account: AccountID) -> AccountStanding {
        guard let devices = standings[account] else { return .unknownAccount }
        return devices[device] ?? .unknownDevice
    }

    func witnesses(of device: DeviceID, in account: AccountID) -> Set<DeviceID> { witnesses[device] ?? [] }
}

/// Accounts, devices and really signed capabilities, made once, which all worlds use.
struct WorldPool: Sendable {
    static let shared = WorldPool(seed: 0xCAB)

    static let zone = ZoneID(digest(1, 1))
    static let accounts = (0..<4).map { AccountID(digest(2, UInt64($0))) }
    let devices: [[DeviceIdentity]]
    let tokens: [CarriedCapability]
    /// The tokens as they stand in operations, those with a wrong signature too.
    let signed: [Hash: SignedCapability]
    /// Places in `tokens`, by parent.
    let children: [Hash: [Int]]

    /// Returns a name; spread, so that orders by bytes reveal nothing of the order of making.
    static func digest(_ kind: UInt64, _ number: UInt64, _ more: UInt64 = 0) -> Digest32 {
        var generator = SeededGenerator(seed: kind << 56 ^ number << 24 ^ more)
        return Digest32(word0: generator.next(), word1: kind, word2: number, word3: more)
    }

    init(seed: UInt64) {
        var generator = WorldDice(seed: seed)
        var devices: [[DeviceIdentity]] = []
        for _ in Self.accounts { devices.append((0..<3).map { _ in DeviceIdentity(using: &generator) }) }
        var tokens: [CarriedCapability] = []
        var signed: [Hash: SignedCapability] = [:]
        var parents = [CarriedCapability?](repeating: nil, count: 12)
        for childCount in [3, 3, 2, 1] {
            var next: [CarriedCapability?] = []
            for parent in parents {
                for _ in 0..<childCount {
                    guard let token = Self.token(under: parent, devices: devices, using: &generator) else { continue }
                    signed[token.signed.id] = token.signed
                    next.append(token.carried)
                }
            }
            parents = next
            tokens += parents.compactMap(\.self)
        }
        self.devices = devices
        self.tokens = tokens
        self.signed = signed
        children = Dictionary(grouping: tokens.indices) { signed[tokens[$0].id]?.capability.parent ?? .zero }
    }

    /// Returns a token, mostly one that holds, sometimes one that gives too much or has no valid signature.
    private static func token(
        under parent: CarriedCapability?,
        devices: [[DeviceIdentity]],
        using generator: inout WorldDice
    ) -> (carried: CarriedCapability, signed: SignedCapability)? {
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
            caveats: caveats(
                under: above?.caveats,
                depth: UInt8(max(0, generator.oneIn(20) ? depth : depth - 1)),
                using: &generator
            ),
            parent: parent?.id ?? .zero,
            nonce: (0..<16).map { _ in UInt8(generator.below(256)) }
        )
        let isForged = generator.oneIn(30)
        let signed = SignedCapability(
            capability,
            signature: signer.sign(isForged ? [] : capability.encoded, context: .capability)
        )
        // One that is not valid is carried all the same.
        let verified = try? VerifiedCapability(UnverifiedCapability(signed))
        return (CarriedCapability(id: signed.id, verified: verified), signed)
    }

    /// Returns caveats, mostly those of the parent, sometimes narrower ones, sometimes wider ones.
    private static func caveats(under parent: Caveats?, depth: UInt8, using generator: inout WorldDice) -> Caveats {
        guard let parent else {
            return Caveats(
                recordTypes: generator.oneIn(3) ? ["a", "b"] : [],
                namePrefix: generator.oneIn(3) ? "x" : "",
                notBefore: generator.oneIn(3) ? 3 : nil,
                expires: generator.oneIn(3) ? 100 : nil,
                delegationDepth: depth
            )
        }
        var (types, prefix) = (parent.recordTypes, parent.namePrefix)
        var (start, end) = (parent.notBefore, parent.expires)
        switch generator.below(24) {
        case 0: types = []
        case 1: types.append("c")
        case 2: types = types.isEmpty ? ["a"] : [types[0]]
        case 3: prefix = ""
        case 4: prefix += "y"
        case 5: start = nil
        case 6: start = (start ?? 3) + 1
        case 7: end = end.map { $0 + 1 }
        case 8: end = (end ?? 100) - 1
        default: break
        }
        return Caveats(
            recordTypes: types,
            namePrefix: prefix,
            notBefore: start,
            expires: end,
            delegationDepth: depth
        )
    }
}

/// A control log made by dice: mostly sensible operations, some that lie.
struct World {
    var directory = WorldDirectory()
    var entries: [ControlEntry] = []
    /// Each log with its device and the right it is written under.
    var logs: [ActorLane: (device: DeviceID, right: Hash)] = [:]
    private var sizes: [ActorID: UInt64] = [:]
    private var rights: [(right: Hash, account: Int)] = [(.zero, 0)]
    /// The rights that some operation was to end.
    private var ended: [Hash] = []
    /// The owners that the genesis names.
    let owners: [AccountID]
    /// The offers of the zone, with the accounts that they name and the rights under which they were written.
    var offers: [(hash: Hash, newOwner: Int, right: Hash)] = []
    var generator: WorldDice
    let pool: WorldPool
    /// Whether positions lie as an author may: beyond every log, at or above its own place, of logs that no device
    /// has seen.
    private let isWild: Bool
    private let leaning: Leaning
    /// The place of the operation that is being made.
    private var place = Dot(actor: .zero, counter: 1)

    static let owner = WorldPool.accounts[0]

    /// The kind of operation that most of a world consists of: some rules concern several of one kind, of different authors, about one log.
    private enum Leaning: CaseIterable { case none, statements, corrections, grants, access, owners }

    init(seed: UInt64, isPair: Bool = false) {
        self.init(WorldDice(seed: seed), isPair: isPair, isWild: seed % 2 == 1)
    }

    /// Makes a world.
    /// - Parameters:
    ///   - dice: The source of decisions; when it ends, the world does.
    ///   - isPair: Whether the zone belongs to two accounts.
    ///   - isWild: Whether authors state positions that they cannot know, and more devices are removed.
    init(_ dice: WorldDice, isPair: Bool = false, isWild: Bool = false) {
        generator = dice
        self.isWild = isWild
        pool = .shared
        leaning = generator.oneIn(3) ? .none : Leaning.allCases[generator.below(Leaning.allCases.count)]
        owners = isPair ? WorldPool.accounts.prefix(2).sorted() : [Self.owner]
        if isPair {
            rights = (0..<2).map { (Hash(pairRightOf: WorldPool.accounts[$0], in: WorldPool.zone), $0) }
        }
        makeAccounts()
        let count = 1 + generator.below(generator.oneIn(3) ? 14 : 8) + (leaning == .none ? 0 : 4)
        while entries.count < count, !generator.isOver { step() }
    }

    /// Makes a world of given operations.
    init(entries: [ControlEntry], directory: WorldDirectory, owners: [AccountID] = [Self.owner]) {
        (self.entries, self.directory, self.owners) = (entries, directory, owners)
        (generator, pool, isWild, leaning) = (WorldDice([]), .shared, false, .none)
        for entry in entries { logs[entry.log] = (entry.device, entry.right) }
    }

    var state: ControlState { state(of: entries) }

    func state(of entries: [ControlEntry]) -> ControlState {
        ControlState(zone: WorldPool.zone, owners: owners, entries: entries, directory: directory)
    }

    private mutating func makeAccounts() {
        // Where a chain of several steps is wanted, fewer of them fail for their devices.
        let trouble = leaning == .grants ? 4 : 1
        for (index, account) in WorldPool.accounts.enumerated() {
            if generator.oneIn(25 * trouble) { continue }
            var devices: [DeviceID: AccountStanding] = [:]
            for (place, device) in pool.devices[index].enumerated() where place == 0 || !generator.oneIn(8 * trouble) {
                let role: DeviceRole = generator.oneIn(15 * trouble) ? .readOnly : .full
                // The store that resolves is that of one of these devices.
                if generator.oneIn(25) { directory.ownDevice = device.deviceID }
                if generator.oneIn(leaning == .statements ? 2 : isWild ? 3 * trouble : 5 * trouble) {
                    // None, one, or several: of the account, the device itself among them, of others, and unknown
                    // ones.
                    for _ in 0..<generator.below(3) {
                        let other = generator.oneIn(5) ? generator.below(4) : index
                        let witness = pool.devices[other][generator.below(3)].deviceID
                        let nobody = DeviceID(WorldPool.digest(8, UInt64(generator.below(4))))
                        directory.witnesses[device.deviceID, default: []]
                            .insert(generator.oneIn(6) ? nobody : witness)
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
        // Statements are many under one right; owners pass on rights that they have, or had.
        let first = leaning == .statements ? 1 : leaning == .owners ? 6 : 3
        var (right, account) =
            die < first
            ? rights[0] : die < 7 ? rights[rights.count - 1] : rights[generator.below(rights.count)]
        // A right that was never granted, or not yet.
        if generator.oneIn(30), let token = pool.tokens[generator.below(pool.tokens.count)].verified {
            (right, account) = (token.id, WorldPool.accounts.firstIndex(of: token.capability.audience) ?? 0)
        }
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
            // Operations that are not there yet, or never will be.
            if isWild, generator.oneIn(8) { seen[other] = size + UInt64(generator.below(3)) }
        }
        if isWild, generator.oneIn(6) {
            let (other, number) = (rights[generator.below(rights.count)].right, UInt64(generator.below(24)))
            let log = ActorID(WorldPool.digest(3, number, other.digest.word0))
            if log != actor, sizes[log] == nil { seen[log] = UInt64(1 + generator.below(2)) }
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
            guard let audience = pool.signed[token.id]?.capability.audience else { continue }
            rights.append((token.id, WorldPool.accounts.firstIndex(of: audience) ?? 0))
        }
        switch body {
        case .revoke(let revocation): ended += revocation.capabilities
        case .leave, .transfer: ended.append(right)
        default: break
        }
        switch body {
        case .transferOffer(let offer):
            guard let newOwner = offer.newOwner.flatMap(WorldPool.accounts.firstIndex(of:)) else { break }
            offers.append((entry.hash, newOwner, right))
        case .transfer(let transfer):
            rights.append((entry.hash, WorldPool.accounts.firstIndex(of: transfer.newOwner) ?? 0))
        case .leave where owners.count > 1: rights.append((entry.hash, account))
        default: break
        }
    }

    private mutating func body(right: Hash, account: Int) -> (ControlBody, [CarriedCapability]) {
        if let leant = leant(right: right, account: account) { return leant }
        if isAsked(account), generator.oneIn(3), let answer = answer(by: account) { return (answer, []) }
        switch generator.below(32) {
        case 28: return (.genesis(genesis), [])
        case 22..<28: return (deviceCuts(of: account), [])
        case 20, 21: return (correction(), [])
        case 0..<8: return grant(right: right, account: account)
        case 8..<11: return revocation(right: right, account: account)
        // Leaving is the most that one of two owners can do.
        case 12..<14 where owners.count > 1, 18 where owners.count > 1: return (.leave(Leave(cuts: cuts())), [])
        case 11..<14: return transfer(from: account, under: right)
        case 30: return (offer(by: account), [])
        case 31: return (answer(by: account) ?? offer(by: account), [])
        case 14: return (.leave(Leave(cuts: cuts())), [])
        case 15: return (.raiseCut(CutRaise(capability: someRight(), cuts: cuts())), [])
        case 16, 17: return (checkpoint(), [])
        case 18:
            return (publicAccess(), [])
        default:
            return generator.oneIn(2)
                ? ([.epoch([1]), .delivery([1]), .epochAgain([1])][generator.below(3)], [])
                : generator.oneIn(2) ? (.zoneDeletion(reason: ""), []) : (.schema([2]), [])
        }
    }

    /// Returns an operation of the kind that this world has most of.
    private mutating func leant(right: Hash, account: Int) -> (ControlBody, [CarriedCapability])? {
        if entries.isEmpty, owners.count == 1, leaning != .none, leaning != .owners, !generator.oneIn(3) {
            return grant(right: right, account: account)
        }
        if entries.isEmpty || generator.oneIn(4) { return nil }
        switch (leaning, generator.below(8)) {
        case (.none, _), (.grants, 6), (.corrections, 7), (.owners, 6...): return nil
        case (.statements, 6), (.corrections, 4), (.grants, 3): return revocation(right: right, account: account)
        case (.statements, 7), (.corrections, 5), (.grants, 4), (.grants, 5): return (.leave(Leave(cuts: cuts())), [])
        case (.statements, 5), (.grants, 7), (.corrections, 6), (.owners, 5): return (checkpoint(), [])
        case (.statements, _): return (deviceCuts(of: account), [])
        case (.corrections, _), (.owners, 3), (.owners, 4):
            return owners.count > 1 ? (.leave(Leave(cuts: cuts())), []) : (correction(), [])
        case (.owners, 2) where owners.count == 1: return (offer(by: account), [])
        case (.owners, _):
            return owners.count > 1 ? (.leave(Leave(cuts: cuts())), []) : transfer(from: account, under: right)
        case (.grants, _): return grant(right: right, account: account)
        case (.access, _): return (generator.oneIn(4) ? .schema([2]) : publicAccess(), [])
        }
    }

    private mutating func grant(right: Hash, account: Int) -> (ControlBody, [CarriedCapability]) {
        let token = token(right: right, account: account)
        return (pool.signed[token.id].map { .grant(Grant($0)) } ?? .unknown(tag: 99, bytes: []), [token])
    }

    private mutating func transfer(from account: Int, under right: Hash) -> (ControlBody, [CarriedCapability]) {
        let newOwner = generator.oneIn(6) ? account : generator.below(4)
        let regrants = generator.oneIn(2) ? [token(right: .zero, account: account)] : []
        let transfer = OwnershipTransfer(
            consent: consent(of: newOwner, after: right, to: .zero),
            cuts: cuts(),
            regrants: regrants.compactMap { pool.signed[$0.id] }
        )
        return (.transfer(transfer), regrants)
    }

    /// Returns a correction, mostly of a right that some operation was to end, and of these the last.
    private mutating func correction() -> ControlBody {
        let recent = generator.oneIn(3) ? 0 : max(0, ended.count - 1)
        let right = ended.isEmpty ? someRight() : ended[recent + generator.below(ended.count - recent)]
        return .raiseCut(CutRaise(capability: right, cuts: cuts()))
    }

    private mutating func publicAccess() -> ControlBody {
        let rights = PublicRights(rawValue: UInt8(generator.below(8)))
        let access = PublicAccess(
            world: rights,
            authenticated: PublicRights(rawValue: rights.rawValue >> 1),
            creator: rights.symmetricDifference(.all)
        )
        return .publicAccess(access)
    }

    private var genesis: ZoneGenesis {
        let salt = [UInt8](repeating: 1, count: ZoneGenesis.saltByteCount)
        return ZoneGenesis(
            owner: Self.owner,
            container: "c",
            name: "n",
            salt: salt,
            history: .full,
            isDefault: false
        )
    }

    /// Returns a statement about devices, mostly of the author's own account: removed ones, others, itself.
    private mutating func deviceCuts(of account: Int) -> ControlBody {
        var devices: Set<DeviceID> = []
        for _ in 0...generator.below(2) {
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
            regrants: regrants.compactMap { pool.signed[$0.id] }
        )
        return (.revoke(body), regrants)
    }

    mutating func someRight() -> Hash {
        generator.oneIn(30)
            ? pool.tokens[generator.below(pool.tokens.count)].id : rights[generator.below(rights.count)].right
    }

    private func parent(of right: Hash) -> Hash {
        pool.children[right] == nil ? .zero : right
    }

    private mutating func token(right: Hash, account: Int) -> CarriedCapability {
        let below = pool.children[parent(of: right)] ?? []
        let fitting = below.filter { place in
            guard let capability = pool.tokens[place].verified?.capability else { return false }
            let isEnough = leaning != .access || capability.rights.level == .admin
            return capability.issuer == WorldPool.accounts[account] && isEnough
        }
        if generator.oneIn(8), !below.isEmpty { return pool.tokens[below[generator.below(below.count)]] }
        if generator.oneIn(15) || fitting.isEmpty { return pool.tokens[generator.below(pool.tokens.count)] }
        return pool.tokens[fitting[generator.below(fitting.count)]]
    }

    /// Some of the logs there are, up to about where they are.
    private mutating func cuts() -> [LogPosition] {
        var cuts: [LogPosition] = []
        for (log, size) in sizes.sorted(by: { $0.key < $1.key }) where !generator.oneIn(3) {
            let size = generator.oneIn(2) ? size : UInt64(generator.below(Int(size) + 2))
            cuts.append(LogPosition(actor: log, lane: .control, size: size, root: root(size)))
            guard generator.oneIn(2) else { continue }
            // Records are written beside, as many as any operation claims.
            let count = UInt64(generator.below(6))
            cuts.append(LogPosition(actor: log, lane: .data, size: count, root: root(count)))
        }
        if isWild, generator.oneIn(2) { exaggerate(&cuts) }
        return cuts.sorted { $0.key < $1.key }
    }

    /// Mostly the same one; a fork has others.
    private mutating func root(_ size: UInt64) -> Hash {
        Hash(WorldPool.digest(5, size, generator.oneIn(4) ? 1 : 0))
    }

    /// Replaces some positions, of the author's own control log and of one that is not there yet, by any that a liar
    /// may state.
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

/// The source of a world's decisions: a seed, or the bytes of a fuzzer.
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
