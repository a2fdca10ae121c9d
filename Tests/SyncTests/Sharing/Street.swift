import Capabilities
import Identity
import Records
import Sync
import TestSupport
import Wire

/// Devices of several accounts with their stores and synchronisation cores, and the messages between connected ones.
///
/// Each knows only the account logs that it received.
struct Street {
    struct Home {
        var keys: DeviceIdentity
        var log: AccountLog
        var keyring: AccountKeyring
        var contacts: [AccountID: AccountLog] = [:]
        var store: MemoryStore
        var core: SyncCore
        var wall: UInt64 = 1_700_000_000_000
        /// The other end of each session.
        var peers: [SessionID: Int] = [:]
        var closed: [SyncCloseCode] = []
        var offers: [ZoneTerms] = []
        var deposits = 0
        /// The outcomes of the writes requested in public zones.
        var settled: [UInt64: GuestSettlement] = [:]
        /// The outcomes of requests to evict.
        var evictions: [UInt64: EvictionOutcome] = [:]
        /// The answers to questions about holders.
        var holders: [UInt64: [HolderAnswer]] = [:]
    }

    private struct Letter {
        var target: Int
        var session: SessionID
        var bytes: [UInt8]
    }

    var random: SeededGenerator
    var homes: [Home] = []
    private(set) var now: UInt64 = 1_000_000
    private var letters: [Letter] = []
    private var sessionCount: SessionID = 0
    private let program: ProgramNote?
    /// The logs of zones of which a message spoke to each home, in all sessions.
    private(set) var told: [Int: Set<LogKey>] = [:]
    /// All messages that came to each home, in all sessions.
    private(set) var heard: [Int: [PeerMessage]] = [:]

    /// Accounts with so many devices each, which state their programs to each other where there is one.
    init(_ deviceCounts: [Int], seed: UInt64 = 1, program: ProgramNote? = nil) throws {
        random = SeededGenerator(seed: seed)
        self.program = program
        let neighbours = try Neighbours(deviceCounts, seed: seed)
        for home in neighbours.homes {
            let log = neighbours.logs[home.account]
            guard let incarnation = try home.store.incarnation() else { continue }
            var core = SyncCore(
                localDevice: home.keys.deviceID,
                incarnation: incarnation,
                account: log.account,
                program: program
            )
            var effects: [SyncEffect] = []
            let standings = Standing.all(in: log.state)
            core.handle(
                .accountChanged(heads: log.announcedHeads, standings: standings),
                at: now,
                wall: 0,
                random: &random,
                into: &effects
            )
            let keyring = neighbours.keyrings[home.account]
            homes.append(Home(keys: home.keys, log: log, keyring: keyring, store: home.store, core: core))
        }
    }

    func committer(_ index: Int) -> Committer {
        let home = homes[index]
        return Committer(
            keys: home.keys,
            account: home.log.state,
            contacts: home.contacts.mapValues(\.state),
            keyring: home.keyring,
            wallMilliseconds: home.wall
        )
    }

    /// The state of a zone's control log, as a device resolves it.
    func controlState(_ zone: ZoneID, on index: Int) throws -> ControlState {
        try ZoneViews(committer(index)).controlState(zone, in: homes[index].store)
    }

    /// The authorities of the zones with several accounts, as a device sees them.
    func authorities(on index: Int) throws -> [ZoneAuthority] {
        try ZoneViews(committer(index)).authorities(homes[index].store)
    }

    // MARK: The actions of people

    /// Runs a piece of work as a transaction would, and notifies the core.
    @discardableResult
    mutating func change(
        _ index: Int,
        _ body: (Committer, inout SeededGenerator, inout MemoryStore) throws -> CommitNotice
    ) throws -> CommitNotice {
        try change(index) { Changed((), notice: try body($0, &$1, &$2)) }.notice
    }

    /// Changes the store of a device as a transaction would, and passes the changes to its core.
    mutating func change<Reply>(
        _ index: Int,
        _ body: (Committer, inout SeededGenerator, inout MemoryStore) throws -> Changed<Reply>
    ) throws -> Changed<Reply> {
        let before = homes[index].store
        do {
            let change = try body(committer(index), &random, &homes[index].store)
            let notice = change.notice
            for authority in notice.authorities { try feed(.rightsChanged(authority), to: index) }
            for zone in notice.peers?.forgotten ?? [] { try feed(.zoneForgotten(zone), to: index) }
            for zone in notice.zones {
                try feed(.zoneChanged(zone.snapshot, before: zone.before, tails: zone.tails), to: index)
            }
            return change
        } catch {
            homes[index].store = before
            throw error
        }
    }

    mutating func makeZone(_ index: Int) throws -> ZoneGenesis {
        let genesis = ZoneGenesis(
            owner: homes[index].log.account,
            container: "org.example.notes",
            name: "shared",
            salt: random.bytes(ZoneGenesis.saltByteCount),
            history: .full,
            isDefault: false
        )
        try change(index) { try ZoneLifecycle($0).create(genesis, in: &$2).notice }
        return genesis
    }

    /// Grants a right to an account whose log the granting device receives, as by an invitation.
    @discardableResult
    mutating func share(
        _ genesis: ZoneGenesis,
        _ level: AccessLevel,
        with guest: Int,
        by index: Int,
        caveats: Caveats = Caveats()
    ) throws -> Hash {
        let log = homes[guest].log
        if homes[index].contacts[log.account] == nil { try learn(log, on: index) }
        let terms = Capability.Terms(audience: log.account, rights: Rights(level), caveats: caveats)
        var id = Hash.zero
        try change(index) { committer, random, store in
            let granted = try ZoneSharing(committer).grant(terms, zone: ZoneID(genesis), random: &random, in: &store)
            id = granted.reply.id
            return granted.notice
        }
        return id
    }

    /// Joins a zone, as the answer to an invitation permits.
    mutating func join(_ genesis: ZoneGenesis, of host: Int, on index: Int) throws {
        if homes[index].log.account != homes[host].log.account { try learn(homes[host].log, on: index) }
        let tagKey = try homes[host].store.zone(ZoneID(genesis))?.tagKey ?? []
        try change(index) { try ZoneLifecycle($0).join(genesis, tagKey: tagKey, in: &$2).notice }
    }

    /// Opens a public zone, as a link to it permits any account.
    mutating func open(_ genesis: ZoneGenesis, of host: Int, on index: Int) throws {
        let tagKey = try homes[host].store.zone(ZoneID(genesis))?.tagKey ?? []
        try change(index) { try ZoneLifecycle($0).join(genesis, tagKey: tagKey, in: &$2).notice }
    }

    /// Sets the rights in a zone of accounts without a capability.
    mutating func publish(
        _ genesis: ZoneGenesis,
        world: PublicRights = [],
        authenticated: PublicRights = [],
        by index: Int
    ) throws {
        let access = PublicAccess(world: world, authenticated: authenticated, creator: [])
        try change(index) { try ZoneSharing($0).setPublicAccess(access, zone: ZoneID(genesis), in: &$2) }
    }

    mutating func write(_ name: String, _ text: String, on index: Int, zone: ZoneID) throws {
        let write = RecordWrite(name: name, type: "note", set: [.init(field: "text", value: .string(text))])
        try change(index) { try $0.commit([WriteRequest([write])], zone: zone, in: &$2).notice }
    }

    func text(_ name: String, on index: Int, zone: ZoneID) throws -> String? {
        let store = homes[index].store
        guard try store.zone(zone) != nil else { return nil }
        let row = try store.record(zone: zone, tag: try RecordTag(of: name, zone: zone, in: store))
        guard let row, !row.isDeleted, case .string(let text)? = try row.content().field(named: "text")?.winner?.value
        else { return nil }
        return text
    }

    func digests(_ zone: ZoneID, of indices: [Int]) throws -> Set<Hash> {
        Set(try indices.map { try ZonePositions(of: zone).digest(in: homes[$0].store) })
    }

    mutating func learn(_ log: AccountLog, on index: Int) throws {
        homes[index].contacts[log.account] = log
        try contactChanged(log.account, on: index)
    }

    /// Loses the knowledge of an account, and starts anew.
    mutating func forget(_ account: AccountID, on index: Int) throws {
        homes[index].contacts[account] = nil
        guard let incarnation = try homes[index].store.incarnation() else { return }
        let log = homes[index].log
        homes[index].core = SyncCore(
            localDevice: homes[index].keys.deviceID,
            incarnation: incarnation,
            account: log.account
        )
        try accountChanged(on: index)
        for contact in homes[index].contacts.keys.sorted() { try contactChanged(contact, on: index) }
        for authority in try authorities(on: index) {
            try feed(.rightsChanged(authority), to: index)
        }
        for snapshot in try ZoneViews(committer(index)).snapshots(homes[index].store) {
            try feed(.zoneChanged(snapshot, before: [:]), to: index)
        }
    }

    /// Rolls the account's log on a device back, as one that was away holds it.
    mutating func takeBack(to log: AccountLog, on index: Int) throws {
        homes[index].log = log
        try accountChanged(on: index)
    }

    mutating func remove(_ device: Int, by index: Int) throws {
        let (victim, keys) = (homes[device].keys.deviceID, homes[index].keys)
        let entry = try homes[index].log.removingDevice(
            victim,
            witness: keys.deviceID,
            signer: .device(keys),
            using: &random
        )
        _ = try homes[index].log.insert(entry.encoded)
        try accountChanged(on: index)
    }

    // MARK: The network

    /// Connects two devices, as after a handshake, in which the first one may name another account than its own.
    mutating func connect(_ first: Int, _ second: Int, as claimed: AccountLog? = nil) throws {
        sessionCount += 1
        let binding = random.bytes(32)
        for (index, other) in [(first, second), (second, first)] {
            homes[index].peers[sessionCount] = other
            let peer = homes[other]
            let shown = other == first ? claimed ?? peer.log : peer.log
            let known =
                shown.account == homes[index].log.account
                ? homes[index].log : homes[index].contacts[shown.account]
            let opening = SessionOpening(
                session: sessionCount,
                device: peer.keys.deviceID,
                account: shown.account,
                standing: known.map { Standing($0.state.standing(of: peer.keys.deviceID)) } ?? .unknown,
                accountHeads: shown.announcedHeads,
                binding: binding,
                isInitiator: index == first,
                remoteRevision: index == first || program == nil ? 0 : PeerMessage.revision
            )
            try feed(.opened(opening), to: index)
        }
    }

    /// Sends a message that no honest device sends, in the session of two that are connected.
    mutating func say(_ message: PeerMessage, from index: Int, to target: Int) {
        for (session, peer) in homes[index].peers.sorted(by: { $0.key < $1.key }) where peer == target {
            letters.append(Letter(target: target, session: session, bytes: message.encoded))
        }
    }

    /// Ends all sessions between two devices.
    mutating func disconnect(_ first: Int, _ second: Int) throws {
        for (index, other) in [(first, second), (second, first)] {
            for (session, peer) in homes[index].peers.sorted(by: { $0.key < $1.key }) where peer == other {
                homes[index].peers[session] = nil
                try feed(.closed(session), to: index)
            }
        }
    }

    func isConnected(_ first: Int, _ second: Int) -> Bool {
        homes[first].peers.values.contains(second) && homes[second].peers.values.contains(first)
    }

    /// Lets everything happen that is due within some time.
    mutating func pass(milliseconds: UInt64 = 3_000) throws {
        let end = now + milliseconds
        while true {
            while !letters.isEmpty {
                let letter = letters.removeFirst()
                guard homes[letter.target].peers[letter.session] != nil else { continue }
                let message = try PeerMessage(decoding: letter.bytes)
                note(message, to: letter.target)
                try feed(.received(letter.session, message, byteCount: letter.bytes.count), to: letter.target)
            }
            let next = homes.compactMap(\.core.nextDeadline).min() ?? end
            guard max(next, now) < end else { break }
            now = max(next, now)
            for index in homes.indices { try feed(.tick, to: index) }
        }
        now = end
    }

    private mutating func note(_ message: PeerMessage, to index: Int) {
        heard[index, default: []].append(message)
        switch message {
        case .run(let run): told[index, default: []].insert(run.signedHead.head.key)
        case .zoneState(let state):
            for log in state.logs {
                told[index, default: []].insert(LogKey(zone: state.zone, actor: log.actor, lane: log.lane))
            }
        default: break
        }
    }

    // MARK: The driver

    mutating func feed(_ input: SyncInput, to index: Int) throws {
        var effects: [SyncEffect] = []
        homes[index].core.handle(input, at: now, wall: homes[index].wall, random: &random, into: &effects)
        for effect in effects { try perform(effect, on: index) }
    }

    private mutating func write(_ change: StoreWrite, on index: Int) throws {
        if case .apply(_, _, _, .deposit) = change { homes[index].deposits += 1 }
        let reply: StoreWrite.Reply
        do {
            reply = try self.change(index) { try change.perform(by: $0, random: &$1, in: &$2) }.reply
        } catch {
            reply = change.failed(error)
        }
        for input in reply.inputs { try feed(input, to: index) }
    }

    private mutating func perform(_ effect: SyncEffect, on index: Int) throws {
        switch effect {
        case .send(let session, let message):
            guard let target = homes[index].peers[session] else { return }
            letters.append(Letter(target: target, session: session, bytes: message.encoded))
        case .read(let question):
            let inputs = try question.answer(by: committer(index), in: homes[index].store)
            for input in inputs { try feed(input, to: index) }
        case .write(.renewIfBehind):
            break
        case .write(let change):
            try write(change, on: index)
        case .offerZone(_, let terms):
            homes[index].offers.append(terms)
        case .insertAccountEntries(_, let account, let entries):
            try insert(entries, of: account, on: index)
        case .readAccountEntries(let session, let account, let heads):
            let log = account == homes[index].log.account ? homes[index].log : homes[index].contacts[account]
            try feed(.accountEntriesRead(session, account, log?.entries(notIn: heads) ?? []), to: index)
        case .close(let session, let code, _):
            homes[index].closed.append(code)
            if let other = homes[index].peers[session] { try disconnect(index, other) }
        case .serveGuestWrite(let session, let write):
            try serve(write, session: session, on: index)
        case .guestWriteSettled(let id, let settlement):
            homes[index].settled[id] = settlement
        case .evictionSettled(let id, let outcome):
            homes[index].evictions[id] = outcome
        case .holdersFound(let id, let answers):
            homes[index].holders[id] = answers
        case .probe, .report, .transfer, .mailSettled, .setPlace, .takeRecoverySecret, .takeFleetSecret:
            break
        }
    }

    private mutating func insert(_ entries: [[UInt8]], of account: AccountID, on index: Int) throws {
        if account == homes[index].log.account {
            guard try homes[index].log.insert(contentsOf: entries) > 0 else { return }
            try accountChanged(on: index)
            return
        }
        var rest = entries[...]
        guard var log = try homes[index].contacts[account] ?? rest.popFirst().map({ try AccountLog(genesis: $0) })
        else { return }
        _ = try log.insert(contentsOf: Array(rest))
        try learn(log, on: index)
    }

    private mutating func accountChanged(on index: Int) throws {
        try change(index) { try AccountUpkeep($0).applyCuts(in: &$2) }
        let log = homes[index].log
        try feed(.accountChanged(heads: log.announcedHeads, standings: Standing.all(in: log.state)), to: index)
    }

    private mutating func contactChanged(_ account: AccountID, on index: Int) throws {
        try change(index) { try AccountUpkeep($0).applyCuts(in: &$2) }
        guard let log = homes[index].contacts[account] else { return }
        try feed(
            .contactChanged(account, heads: log.announcedHeads, standings: Standing.all(in: log.state)),
            to: index
        )
    }
}
