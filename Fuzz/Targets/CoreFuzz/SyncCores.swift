import FuzzKit
import Identity
import Records
import TestSupport
import Wire

@testable import Sync

/// The synchronisation core as a machine: a program opens and ends sessions, delivers messages, answers the core's
/// questions to its store, and lets time pass.
///
/// Half of the programs have one account, the others several, with rights that real committers have granted and
/// revoked.
///
/// Laws: no trap, effects are bounded, nothing is sent on a session that does not stand, every sent message decodes
/// at the peer, the next deadline lies in the future, and the state kept for a session is bounded by what this node
/// itself holds. Of sessions between accounts those of `SessionWatch`: nothing is sent, asked of the store or stored
/// unless the zone's rights allow it at that moment, and a peer that shares nothing is disconnected in time.
let syncCoreTarget = FuzzTarget(
    "sync-core",
    inputByteCountMax: 160,
    run: { bytes in
        var program = SyncProgram.begun(FuzzInput(bytes))
        while !program.isOver { program.step() }
    },
    seeds: {
        var generator = SeededGenerator(seed: 16)
        return (0..<300).map { _ in generator.bytes(20 + generator.below(140)) }
    }
)

/// A program of `sync-core` while it runs.
struct SyncProgram {
    /// A question that the core waits to have answered.
    private enum Question {
        case read(SessionID, LogKey, UInt64)
        case create(SessionID, ZoneID, ZoneGenesis)
        case accountEntries(SessionID, AccountID)
        case deposits(SessionID, ZoneID)
        case guestWrite(SessionID, ZoneID, UInt64)
        case keepPart(SessionID, PayloadPart)
        case readPayload(SessionID, PayloadRequest)
        case readLiveSet(SessionID, LiveSetRequest)
        case takeLiveSet(SessionID, LiveSetPage, LiveSetComparison)
        case decideCustody(SessionID, CustodyRequest)
        case beginEviction(UInt64)
        case evict(UInt64)
        case endEviction(EvictionRow)
        case decideRetention(SessionID, RetentionRequest)
        case searchHolders(SessionID)
        case reach(SessionID, UInt64)
    }

    /// The outline of a payload, or a chunk of it.
    private struct PayloadPart: Hashable {
        let payload: PayloadID
        let position: UInt64?
    }

    let world: SyncWorld
    var input: FuzzInput
    var core: SyncCore
    private var watch: SessionWatch
    private var random = SeededGenerator(seed: 17)
    private var now: UInt64 = 1_000_000
    private var questions: [Question] = []
    private var applying: [(session: SessionID, key: LogKey)] = []
    private var open: Set<SessionID> = []
    private var sessionCount: SessionID = 0
    var orderCount: UInt64 = 0
    var sizes: [LogKey: UInt64] = [:]
    private var forks: [LogKey: ForkProof] = [:]
    /// The payload parts that were requested and have not arrived yet.
    private var wanted: [SessionID: Set<PayloadPart>] = [:]
    /// Requests to evict, and questions about holders, that have no answer yet.
    var asking: Set<UInt64> = []

    private var wall: UInt64 { world.isShared ? SyncWorld.wall + now : now &* 3 }

    init(_ input: FuzzInput, _ world: SyncWorld) {
        self.input = input
        self.world = world
        watch = SessionWatch(world)
        var limits = SyncLimits()
        limits.windowByteCount = 4_000
        limits.runByteCount = 1_000
        limits.sessionCountMax = 6
        limits.guestLogsByteCountMax = 40
        limits.payloadWindowByteCount = 3 * Limits.chunkByteCount
        limits.payloadActiveCountMax = 2
        limits.payloadWantCountMax = 4
        limits.payloadServingByteCount = 4 * Limits.chunkByteCountMax
        limits.custodyJobCountMax = 4
        limits.custodyAskedCountMax = 2
        limits.evictionCountMax = 2
        limits.holderQuestionCountMax = 2
        limits.promiseAskedCountMax = 2
        core = SyncCore(
            localDevice: world.devices[0],
            incarnation: SyncWorld.incarnation,
            account: world.account,
            limits: limits,
            program: ProgramNote(version: "0.1.0")
        )
    }

    var isOver: Bool { input.isEmpty }

    mutating func step() {
        now += UInt64(input.byte())
        if world.isShared, input.below(5) == 4 {
            changeSharing()
            return
        }
        switch input.below(16) {
        case 0: openSession()
        case 1: closeSession()
        case 2: feed(.accountChanged(heads: SyncMessages(world: world).heads(&input), standings: standings()))
        case 3, 4: zoneChanged()
        case 5, 6, 7, 8, 9: receive()
        case 10, 11: answer()
        case 12, 13: answerRun()
        case 14:
            now += input.number() % 200_000
            feed(.tick)
        default: waitForDeadline()
        }
    }

    /// Feeds knowledge that only a world of several accounts has: their logs, and their rights.
    private mutating func changeSharing() {
        guard input.below(4) > 0 else {
            let account = input.one(of: world.accounts)
            feed(.contactChanged(account, heads: SyncMessages(world: world).heads(&input), standings: standings()))
            return
        }
        let moments = input.one(of: world.moments)
        if !moments.isEmpty { feed(.rightsChanged(input.one(of: moments))) }
    }

    private mutating func waitForDeadline() {
        if let deadline = core.nextDeadline { now = max(now, deadline) }
        feed(.tick)
        let rare = input.below(32)
        if rare == 30, world.isShared {
            orderCount += 1
            feed(.requestWrite(SyncMessages(world: world).order(orderCount, &input)))
        }
        if (22..<30).contains(rare) { feed(.payloadWanted(SyncMessages(world: world).want(&input))) }
        if (20..<22).contains(rare) {
            feed(.custodyDue((0..<input.below(6)).map { _ in SyncMessages(world: world).job(&input) }))
        }
        if rare == 19 { feed(.reachAsked) }
        if rare == 13 { lookForContents() }
        if (14..<19).contains(rare) { askAboutHolders(rare) }
        guard rare == 31 else { return }
        if input.bool() {
            core.incarnationChanged(input.below(5) == 0 ? SyncWorld.incarnation : SyncWorld.laterIncarnation)
        } else {
            core.accountReplaced(world.account)
            (open, questions, applying, watch, wanted) = ([], [], [], SessionWatch(world), [:])
            asking = []
        }
    }

    // MARK: Inputs

    private mutating func openSession() {
        let device = world.isShared ? 1 + input.below(world.devices.count - 1) : 1 + input.below(4)
        let standing = input.one(of: [Standing.active, .active, .active, .unknown, .removed])
        let heads = SyncMessages(world: world).heads(&input).inWireOrder()
        connect(device, standing: standing, heads: heads, isInitiator: input.bool())
    }

    mutating func connect(
        _ device: Int,
        standing: Standing = .active,
        heads: [Hash] = [],
        isInitiator: Bool
    ) {
        sessionCount += 1
        open.insert(sessionCount)
        feed(
            .opened(
                SessionOpening(
                    session: sessionCount,
                    device: world.devices[device],
                    account: world.accounts[world.accountPlaces[device]],
                    standing: standing,
                    accountHeads: heads,
                    binding: [UInt8](repeating: UInt8(truncatingIfNeeded: sessionCount), count: 32),
                    isInitiator: isInitiator,
                    remoteRevision: isInitiator ? 0 : UInt8(device & 1)
                )
            )
        )
    }

    /// A number of a session that stands, or of one that does not any more.
    private mutating func someSession() -> SessionID {
        let sessions = open.sorted()
        guard !sessions.isEmpty, input.below(8) < 7 else { return UInt64(input.below(8)) }
        return input.one(of: sessions)
    }

    private mutating func closeSession() {
        let id = someSession()
        open.remove(id)
        feed(.closed(id))
    }

    private mutating func standings() -> [DeviceID: Standing] {
        var standings: [DeviceID: Standing] = [:]
        for device in world.devices {
            standings[device] = input.one(of: [.active, .active, .active, .removed, .unknown])
        }
        return standings
    }

    private mutating func zoneChanged(_ zone: ZoneID? = nil) {
        let zone = zone ?? input.one(of: world.zones)
        var before: [LogKey: UInt64] = [:]
        for _ in 0..<input.below(4) {
            let actor = input.one(of: world.actors)
            let key = LogKey(zone: zone, actor: actor, lane: input.one(of: Lane.allCases))
            let old = sizes[key] ?? 0
            before[key] = min(before[key] ?? old, old)
            sizes[key] = min(old + UInt64(input.byte()) + 1, Limits.counterMax)
        }
        feed(.zoneChanged(snapshot(zone), before: before, tails: tails(behind: before)))
    }

    /// The ends of logs that have grown by so little that a commit has them in its memory.
    private func tails(behind before: [LogKey: UInt64]) -> [LogKey: LogTail] {
        var tails: [LogKey: LogTail] = [:]
        for (key, from) in before {
            guard let size = sizes[key], from < size else { continue }
            tails[key] = LogTail(world.run(key, from: from, to: size), of: key, byteCount: (size - from) * 100)
        }
        return tails
    }

    func snapshot(_ zone: ZoneID) -> ZoneSnapshot {
        var logs: [LogKey: LogState] = [:]
        for (key, size) in sizes where key.zone == zone {
            logs[key] = LogState(
                device: world.device(of: key.actor),
                incarnation: SyncWorld.incarnation,
                right: .zero,
                lane: key.lane,
                size: size,
                root: SyncWorld.root(size)
            )
        }
        let genesis = world.geneses[world.zones.firstIndex(of: zone) ?? 0]
        return ZoneSnapshot(
            zone: zone,
            genesis: genesis,
            logs: logs,
            checkpoint: .zero,
            forks: forks.filter { $0.key.zone == zone },
            isWaiting: world.isShared && logs.count % 4 == 3,
            isUnverified: logs.count % 2 == 1
        )
    }

    private mutating func receive() {
        let id = someSession()
        guard let message = SyncMessages(world: world).make(&input) else { return }
        feed(.received(id, message, byteCount: message.encoded.count))
    }

    // MARK: Answers

    private mutating func answer() {
        guard !questions.isEmpty else { return }
        switch questions.remove(at: input.below(questions.count)) {
        case .read(let id, let key, let from):
            let size = sizes[key] ?? 0
            guard from < size, input.below(8) < 7 else {
                feed(.runRead(id, key, nil, byteCount: 0))
                return
            }
            let first = input.below(8) == 7 ? SyncWorld.size(&input) : from
            let run = world.run(key, from: first, to: min(from + UInt64(input.byte()) + 1, size), &input)
            feed(.runRead(id, key, run, byteCount: Int(input.byte()) * 40))
        case .create(let id, let zone, _):
            guard input.bool(), world.zones.contains(zone) else {
                feed(.zoneRefused(id, zone))
                return
            }
            zoneChanged(zone)
        case .accountEntries(let id, let account):
            feed(.accountEntriesRead(id, account, (0..<input.below(3)).map { _ in input.blob() }))
        case .deposits(let id, let zone):
            let key = LogKey(zone: zone, actor: world.actors[0], lane: .data)
            feed(.depositsRead(id, zone, (0..<input.below(3)).map { _ in world.run(key, from: 9, to: 12, &input) }))
        case .guestWrite(let id, let zone, let number):
            feed(.guestWriteServed(id, zone, number: number, SyncMessages(world: world).outcome(&input)))
        case .reach(let id, let number):
            let outcome = ReachOutcome.allCases[input.below(ReachOutcome.allCases.count)]
            feed(.reachProbed(id, number: number, outcome))
        case .keepPart(let id, let part):
            let outcome = SyncMessages(world: world).outcome(at: part.position, &input)
            feed(.payloadKept(id, part.payload, position: part.position, outcome))
        case .readPayload(let id, let request):
            feed(.payloadRead(id, request, SyncMessages(world: world).answer(request, &input)))
        case .readLiveSet(let id, let request):
            feed(.liveSetRead(id, SyncMessages(world: world).liveSetPage(of: request.zone, &input)))
        case .takeLiveSet(let id, let page, let comparison):
            demand(comparison.isContinued(by: page), "only the page that was asked for is taken in")
            let outcome: LiveSetOutcome =
                switch input.below(4) {
                case 0: .partial(comparison)
                case 1: .settled(comparison, goneCount: Int(input.byte()))
                case 2: .unusable
                default: .storageFailed
                }
            feed(.liveSetTaken(id, page.zone, outcome))
        case .decideCustody(let id, let request):
            feed(.custodyDecided(id, request, SyncMessages(world: world).decision(&input)))
        case .beginEviction(let attempt):
            feed(.evictionBegun(SyncMessages(world: world).start(&input), attempt: attempt))
        case .evict(let attempt):
            feed(.evictionDone(input.below(4) > 0 ? .evicted(byteCount: 1) : .refused(.storage), attempt: attempt))
        case .endEviction(let row):
            if input.below(4) == 0 { feed(.evictionUnended(row)) }
        case .decideRetention(let id, let request):
            feed(.retentionDecided(id, request, SyncMessages(world: world).answer(request, &input)))
        case .searchHolders(let id): feed(.holdersSearched(id, SyncMessages(world: world).finding(&input)))
        }
    }

    private mutating func answerRun() {
        guard !applying.isEmpty else { return }
        let (id, key) = applying.removeFirst()
        let size = sizes[key] ?? 0
        let outcome: RunOutcome
        switch input.below(10) {
        // A store takes no log of an author that no account knows.
        case 0...3 where !world.actors.contains(key.actor):
            outcome = .violation("an unknown author")
        case 0, 1, 2, 3:
            let grown = min(size + UInt64(input.byte()), Limits.counterMax)
            sizes[key] = grown
            outcome = .durable(size: grown, operations: grown - size)
            if grown > size, world.zones.contains(key.zone) {
                feed(.zoneChanged(snapshot(key.zone), before: [key: size]))
            }
        case 4: outcome = input.bool() ? .misplaced : .unexplained
        case 5: outcome = .unwanted(size: size)
        case 6: outcome = .violation("a rule")
        case 7: outcome = .contradiction
        case 8: outcome = input.bool() ? .storageFull : .storageFailed
        default:
            let one = world.run(key, from: 0, to: 3, &input).signedHead
            outcome = forked(key, ForkProof(one, world.run(key, from: 0, to: 4, &input).signedHead), size: size)
        }
        feed(.runApplied(id, key, outcome))
    }

    /// A run that proves a fork, or lies behind one that is known.
    private mutating func forked(_ key: LogKey, _ proof: ForkProof, size: UInt64) -> RunOutcome {
        guard world.isShared else { return .fork(proof) }
        if forks[key] != nil { return .forkKnown(proof, size: size) }
        forks[key] = proof
        return .fork(proof)
    }

    // MARK: Laws

    mutating func feed(_ event: SyncInput) {
        var effects: [SyncEffect] = []
        watch.note(event, wall: wall)
        core.handle(event, at: now, wall: wall, random: &random, into: &effects)
        if let deadline = core.nextDeadline { demand(deadline > now, "a driver would spin") }
        demand(effects.count <= 3_000, "effects of one input are bounded")
        for effect in effects {
            watch.check(effect)
            perform(effect)
        }
        watch.check(core, at: now)
        checkMemory()
    }

    private mutating func perform(_ effect: SyncEffect) {
        switch effect {
        case .send(let id, let message):
            demand(open.contains(id), "nothing is sent on a session that does not stand")
            // Runs and proofs come from the store, and those of this program are not whole.
            if [6, 12].contains(message.tag) { return }
            if case .payloadRequest(let request) = message { ask(request, of: id) }
            // A refusal is a violation of the law.
            demand((try? PeerMessage(decoding: message.encoded)) == message, "what is sent decodes: \(message)")
        case .close(let id, _, _):
            demand(open.remove(id) != nil, "a session is closed once")
        case .read(.run(let id, let key, let from, _)): questions.append(.read(id, key, from))
        case .read(.skeleton(let id, let key)): questions.append(.read(id, key, 0))
        case .write(.apply(let id, _, let key, _)): applying.append((id, key))
        case .write(.learn(let id, let zone, let genesis)): questions.append(.create(id, zone, genesis))
        case .readAccountEntries(let id, let account, _): questions.append(.accountEntries(id, account))
        case .write(.noteEmptyLogs(_, let logs)): demand(logs.allSatisfy { $0.size == 0 }, "only empty logs are noted")
        case .takeRecoverySecret, .takeFleetSecret, .insertAccountEntries, .report, .transfer, .write(.record),
            .write(.renewIfBehind), .write(.recheck):
            break
        case .read(.wantedPayloads), .read(.custodyJobs), .read(.contentsToKeep), .write(.serve), .write(.met),
            .write(.spoke):
            demand(false, "the driver asks for these itself")
        case .write(.join(let id, let terms)): questions.append(.create(id, ZoneID(terms.genesis), terms.genesis))
        case .read(.deposits(let id, let zone, _)): questions.append(.deposits(id, zone))
        case .serveGuestWrite(let id, let write): questions.append(.guestWrite(id, write.zone, write.number))
        case .write(.keepOutline(let id, _, let payload)): keep(PayloadPart(payload: payload, position: nil), of: id)
        case .write(.keepChunk(let id, let chunk)):
            keep(PayloadPart(payload: chunk.payload, position: chunk.position), of: id)
        case .read(.payload(let id, let request, _)):
            demand(core.zones[request.zone] != nil, "only of known zones something is read")
            questions.append(.readPayload(id, request))
        case .read(.liveSet(let id, let request)):
            demand(core.zones[request.zone] != nil, "only of known zones what lives is read")
            questions.append(.readLiveSet(id, request))
        case .write(.take(let id, let page, let comparison)):
            questions.append(.takeLiveSet(id, page, comparison))
        case .write(.takeCustody(let id, let request, _, _)), .write(.endCustody(let id, let request, _)):
            questions.append(.decideCustody(id, request))
        case .probe(let id, let number): questions.append(.reach(id, number))
        case .setPlace(let id, _): demand(open.contains(id), "only a session that stands is given limits")
        case .mailSettled:
            demand(false, "nothing came by mail")
        case .write(.beginEviction(_, let attempt)): questions.append(.beginEviction(attempt))
        case .write(.evict(let drop)):
            checkDrop(drop)
            questions.append(.evict(drop.attempt))
        case .write(.endEviction(let row)): questions.append(.endEviction(row))
        case .write(.retain(let id, let request)), .read(.holding(let id, let request)):
            demand(core.zones[request.zone] != nil, "only of known zones something is promised")
            questions.append(.decideRetention(id, request))
        case .read(.holders(let id, let search)):
            demand(core.sessions[id]?.device == search.device, "contents are looked for to ask a device that is there")
            questions.append(.searchHolders(id))
        case .write(.noteHolders(_, let device)):
            demand(core.connectedDevices.contains(device), "devices are heard while they are there")
        case .evictionSettled(let id, _), .holdersFound(let id, _):
            demand(asking.remove(id) != nil, "each request about holders is answered once")
        case .write(.noteCustody(let device, _, _)):
            demand(core.connectedDevices.contains(device), "relays are heard while they are there")
        case .guestWriteSettled(let id, _): demand(core.guestOrders.asked[id] == nil, "what is settled is forgotten")
        case .offerZone(_, let terms):
            demand(core.zones[ZoneID(terms.genesis)] == nil, "only zones that are not known are offered")
        case .write(.acknowledge(_, let rows)):
            demand(rows.values.allSatisfy { $0 > 0 }, "nothing is saved of an empty log")
        }
    }

    private mutating func ask(_ request: PayloadRequest, of id: SessionID) {
        demand(core.zones[request.zone] != nil, "only of known zones something is asked for")
        let positions: [UInt64?] = request.positions.isEmpty ? [nil] : request.positions
        for position in positions {
            wanted[id, default: []].insert(PayloadPart(payload: request.payload, position: position))
        }
    }

    private mutating func keep(_ part: PayloadPart, of id: SessionID) {
        demand(wanted[id]?.remove(part) != nil, "what is kept was asked for, of whom it comes from, and comes once")
        questions.append(.keepPart(id, part))
    }

    private func checkPayloads() {
        let (payloads, limits) = (core.payloads, core.limits)
        demand(payloads.wants.count <= limits.payloadWantCountMax, "payloads that are wanted are bounded")
        demand(Set(payloads.wants.map(\.payload)).count == payloads.wants.count, "each is wanted once")
        demand(Set(payloads.serving.keys).isSubset(of: core.sessions.keys), "nobody is read for who is gone")
        demand(
            payloads.serving.values.allSatisfy { (0...limits.payloadServingByteCountMax).contains($0) },
            "what is read for a session is bounded"
        )
        for id in core.sessions.keys {
            let byteCount = payloads.askedByteCount(of: id)
            demand(byteCount <= limits.payloadWindowByteCount, "chunks on their way from one are bounded")
        }
        for want in payloads.wants {
            let sessions = Set(want.asked.values.map(\.session) + [want.outline?.session].compactMap(\.self))
            demand(sessions.isSubset(of: core.sessions.keys), "what was asked of who is gone is asked of others")
            demand(Set(want.declined.keys).isSubset(of: core.sessions.keys), "who is gone has declined nothing")
            demand(want.missing != nil || want.asked.isEmpty, "chunks are asked for when they are known")
            demand(want.missing == nil || want.outline == nil, "an outline is asked for once")
        }
        var keeping = 0
        for case .keepPart in questions { keeping += 1 }
        demand((0...keeping).contains(payloads.keepingCount), "no more is being kept than the store was given")
    }

    private func checkMemory() {
        checkPayloads()
        checkEvictions()
        checkLiveSets()
        checkCustody()
        demand(core.sessions.count <= 6, "no more sessions stand than may")
        demand(Set(core.sessions.keys).isSubset(of: open), "a session that ended is forgotten")
        demand(core.guests.waiting.count <= core.limits.guestWaitingCountMax, "guests that wait are bounded")
        demand(
            core.guests.logsByteCount <= core.limits.guestLogsByteCountMax,
            "logs of guests that are held are bounded"
        )
        demand(core.guestOrders.asked.count <= core.limits.guestOrderCountMax, "what is asked for is bounded")
        demand(Set(core.guests.served.keys).isSubset(of: core.sessions.keys), "guests that are gone are forgotten")
        let asked = core.guestOrders.asked.values
        demand(asked.allSatisfy { core.sessions[$0.session] != nil }, "nobody waits for who is gone")
        var creating: [SessionID: Int] = [:]
        for case .create(let id, _, _) in questions { creating[id, default: 0] += 1 }
        for (id, session) in core.sessions {
            let known = core.zones.count + (creating[id] ?? 0)
            demand(session.sending.zones.count <= known, "zones of a session are those that are or may become known")
            demand(session.comparison.asked.count <= core.zones.count, "only known zones are asked for")
            demand(session.sending.inFlight.count <= core.limits.windowRunCount + 1, "runs on their way are bounded")
            demand(session.sending.reading.count <= core.limits.readAheadCount, "runs that are read ahead are bounded")
            demand(session.sending.inFlightByteCount >= 0, "bytes on their way are counted once")
            let sending = session.sending
            demand(!sending.inFlight.isEmpty || sending.inFlightByteCount == 0, "released")
        }
    }
}
