import FuzzKit
import Identity
import Records
import Sodium
import TestSupport
import Wire

@testable import Sync

/// The small world in which the synchronisation core is fuzzed: a few devices, zones and logs with short names.
struct SyncWorld: Sendable {
    /// The accounts, that of the core first.
    let accounts: [AccountID]
    /// The devices, the core's own first.
    let devices: [DeviceID]
    /// The place of each device's account.
    let accountPlaces: [Int]
    /// The zones.
    let geneses: [ZoneGenesis]
    let zones: [ZoneID]
    /// The rights in each zone at different times; none for zones that only one account knows.
    let moments: [[ZoneAuthority]]
    let actors: [ActorID]
    /// The payloads of messages in each zone: of one chunk, and of eight.
    let payloads: [Payload]

    /// A payload that is requested under a zone.
    struct Payload: Sendable {
        let zone: ZoneID
        let outline: PayloadOutline

        var id: PayloadID { outline.id }
    }

    init(
        accounts: [AccountID],
        devices: [DeviceID],
        accountPlaces: [Int],
        geneses: [ZoneGenesis],
        moments: [[ZoneAuthority]]
    ) {
        (self.accounts, self.devices, self.accountPlaces) = (accounts, devices, accountPlaces)
        (self.geneses, self.moments) = (geneses, moments)
        zones = geneses.map { ZoneID($0) }
        actors = devices.map { ActorID(device: $0, incarnation: Self.incarnation, right: .zero) }
        payloads = zones.enumerated().flatMap { place, zone in
            [1, 8].map { count in
                Payload(zone: zone, outline: known("an outline", Self.outline(UInt8(place), chunkCount: count)))
            }
        }
    }

    /// One account and its zones.
    static let plain: SyncWorld = {
        let account = AccountID(digest(0xA0))
        let geneses = (0..<4).map { number in
            ZoneGenesis(
                owner: account,
                container: "org.example",
                name: "z\(number)",
                salt: [UInt8](repeating: 7, count: ZoneGenesis.saltByteCount),
                history: .full,
                isDefault: false
            )
        }
        return SyncWorld(
            accounts: [account],
            devices: (0..<5).map { DeviceID(digest(UInt64($0) + 1)) },
            accountPlaces: [0, 0, 0, 0, 0],
            geneses: geneses,
            moments: geneses.map { _ in [] }
        )
    }()

    static let incarnation = known("an incarnation", Incarnation([UInt8](repeating: 1, count: 16)))
    static let laterIncarnation = known("an incarnation", Incarnation([UInt8](repeating: 2, count: 16)))
    /// The core's own account.
    var account: AccountID { accounts[0] }
    /// Whether there are other accounts.
    var isShared: Bool { accounts.count > 1 }

    /// The device that writes an actor's logs; an unknown actor's is as good as the own one.
    func device(of actor: ActorID) -> DeviceID {
        devices[actors.firstIndex(of: actor) ?? 0]
    }

    static let signature = known("a signature", Signature64([UInt8](repeating: 0, count: 64)))

    static func digest(_ number: UInt64) -> Digest32 {
        Digest32(word0: number, word1: 0, word2: 0, word3: number)
    }

    static func root(_ size: UInt64, _ history: UInt8 = 0) -> Hash {
        Hash(digest(size << 8 | UInt64(history)))
    }

    /// The outline of a payload; one of another number has other chunks.
    static func outline(_ number: UInt8, chunkCount: Int) -> PayloadOutline? {
        PayloadOutline(
            byteCount: UInt64(chunkCount * Limits.chunkByteCount),
            chunkByteCount: Limits.chunkByteCount,
            chunks: (0..<chunkCount).map { root(UInt64($0), number) }
        )
    }

    func key(_ input: inout FuzzInput) -> LogKey {
        LogKey(zone: input.one(of: zones), actor: input.one(of: actors), lane: input.one(of: Lane.allCases))
    }

    /// A size that is mostly small.
    static func size(_ input: inout FuzzInput) -> UInt64 {
        min(input.number(), Limits.counterMax)
    }

    func run(_ key: LogKey, from: UInt64, to size: UInt64, _ input: inout FuzzInput) -> Run {
        var run = run(key, from: from, to: size)
        if input.below(4) == 3, from < Limits.counterMax {
            run.items = [.gap(SubtreeGap(level: 0, index: from, hash: .zero))]
        }
        return run
    }

    /// A run without items.
    func run(_ key: LogKey, from: UInt64, to size: UInt64) -> Run {
        let head = TreeHead(
            zone: key.zone,
            device: device(of: key.actor),
            incarnation: Self.incarnation,
            lane: key.lane,
            size: max(size, 1),
            root: Self.root(size),
            right: .zero,
            seen: VersionVector()
        )
        return Run(
            signedHead: SignedTreeHead(head, signature: Self.signature),
            from: from,
            checkpoint: .zero,
            items: []
        )
    }
}

/// Messages as a peer could send them: well-formed ones about this world, and changed bytes of those.
struct SyncMessages {
    let world: SyncWorld

    func make(_ input: inout FuzzInput) -> PeerMessage? {
        if input.below(8) == 7 {
            // A refusal is the answer of the channel's owner, before the core receives anything.
            return try? PeerMessage(decoding: input.blob())
        }
        let message = wellFormed(&input)
        guard input.below(8) == 7 else {
            // A decoder does not accept every message of this world.
            return try? PeerMessage(decoding: message.encoded)
        }
        return try? PeerMessage(decoding: input.mutate(message.encoded))
    }

    private func wellFormed(_ input: inout FuzzInput) -> PeerMessage {
        switch input.below(16) {
        case 0 where world.isShared: return shared(&input)
        case 0:
            let account = input.below(16) == 15 ? AccountID.zero : world.account
            return .accountHave(AccountHave(account: account, heads: heads(&input), wantsReply: input.bool()))
        case 1:
            let entries = (0..<input.below(4)).map { _ in input.blob() }
            return .accountEntries(AccountEntries(account: world.account, entries: entries, more: input.bool()))
        case 2: return .rangeDigests(RangeDigests(ranges: (0..<input.below(20)).map { _ in digest(&input) }))
        case 3: return .rangeItems(RangeItems(ranges: ranges(&input), isReply: input.bool()))
        case 4, 5, 6: return .zoneState(zoneState(&input))
        case 7, 8: return run(&input)
        case 9, 10, 11: return .acknowledge(acknowledge(&input))
        case 12: return .ping(Ping(nonce: input.number(), wallMilliseconds: input.number()))
        case 13: return .pong(Pong(nonce: input.number(), wallMilliseconds: input.number()))
        case 14:
            let byte = input.byte()
            if byte >= 0xF8 { return retention(&input) }
            if byte >= 0xE0 { return custody(&input) }
            if byte >= 0x60 { return payload(&input) }
            if byte >= 0x40 { return liveSet(&input) }
            if byte >= 0x20 { return acquaintance(byte, &input) }
            return byte & 1 == 1 ? .resume : .pause(Pause(reason: input.one(of: PauseReason.allCases)))
        default:
            guard case .run(let one) = run(&input), case .run(let other) = run(&input) else { return .pairDone }
            return .forkProof(ForkProof(one.signedHead, other.signedHead))
        }
    }

    /// Returns a message by which devices report and ask about each other's programs and ports.
    private func acquaintance(_ byte: UInt8, _ input: inout FuzzInput) -> PeerMessage {
        let number = UInt64(input.below(4))
        switch byte & 3 {
        case 0: return .reachRequest(ReachRequest(number: number))
        case 1: return .reachAnswer(ReachAnswer(number: number, outcome: input.one(of: ReachOutcome.allCases)))
        default: return .program(known("a program", ProgramNote(version: "0.1.\(number)")))
        }
    }

    /// Returns a message about another account.
    private func shared(_ input: inout FuzzInput) -> PeerMessage {
        let account = input.below(8) == 7 ? AccountID(SyncWorld.digest(input.number())) : input.one(of: world.accounts)
        switch input.below(4) {
        case 0, 1: return .accountHave(AccountHave(account: account, heads: heads(&input), wantsReply: input.bool()))
        case 2:
            let entries = (0..<input.below(4)).map { _ in input.blob() }
            return .accountEntries(AccountEntries(account: account, entries: entries, more: input.bool()))
        default:
            let byte = input.byte()
            if byte >= 0xF8 { return .guestAnswer(GuestAnswer(number: UInt64(input.below(4)), outcome(&input))) }
            if byte >= 0xF0 { return .guestWrite(guestWrite(&input)) }
            if byte >= 0xE8 {
                let part = [UInt8](repeating: byte, count: RecoverySecret.partByteCount)
                return .recoverySecret(RecoverySecret(key: part, secret: part))
            }
            let key = [UInt8](repeating: byte, count: ZoneTerms.tagKeyByteCount)
            return .zoneTerms(ZoneTerms(genesis: input.one(of: world.geneses), tagKey: key))
        }
    }

    // MARK: Live sets

    private func liveSet(_ input: inout FuzzInput) -> PeerMessage {
        let zone = input.one(of: world.zones)
        guard input.below(4) == 0 else { return .liveSetPage(liveSetPage(of: zone, &input)) }
        let after = RecordTag(SyncWorld.digest(input.number()))
        let place = LiveSetRequest.Place(checkpoint: SyncWorld.root(1), after: after)
        return .liveSetRequest(LiveSetRequest(zone: zone, place: input.bool() ? place : nil))
    }

    /// A page of a zone's live set, which need not follow another one.
    func liveSetPage(of zone: ZoneID, _ input: inout FuzzInput) -> LiveSetPage {
        let tags = Set((0..<input.below(4)).map { _ in RecordTag(SyncWorld.digest(input.number())) }).sorted()
        guard !tags.isEmpty else { return LiveSetPage(nothingOf: zone) }
        return LiveSetPage(
            zone: zone,
            checkpoint: SyncWorld.root(input.below(8) == 7 ? 2 : 1),
            records: tags.map { tag in
                LiveSetPage.Record(tag: tag, dots: [Dot(actor: input.one(of: world.actors), counter: 1)])
            },
            isLast: true
        )
    }

    // MARK: Payloads

    private func payload(_ input: inout FuzzInput) -> PeerMessage {
        let payload = input.one(of: world.payloads)
        let zone = input.below(8) == 7 ? input.one(of: world.zones) : payload.zone
        switch input.below(4) {
        case 0: return .payloadRequest(request(zone, payload, &input))
        case 1: return .payloadMissing(request(zone, payload, &input))
        case 2:
            let outline = input.below(8) == 7 ? input.one(of: world.payloads).outline : payload.outline
            return .payloadOutline(PayloadOutlineMessage(zone: zone, payload: payload.id, outline: outline))
        default:
            let position = UInt64(input.below(9))
            return .payloadChunk(PayloadChunk(zone: zone, payload: payload.id, position: position, bytes: [1]))
        }
    }

    private func request(
        _ zone: ZoneID,
        _ payload: SyncWorld.Payload,
        _ input: inout FuzzInput
    ) -> PayloadRequest {
        let positions = (0..<input.below(6)).map { _ in UInt64(input.below(9)) }
        return PayloadRequest(zone: zone, payload: payload.id, positions: positions)
    }

    func want(_ input: inout FuzzInput) -> PayloadWant {
        let payload = input.one(of: world.payloads)
        let missing = payload.outline.chunks.indices.map { UInt64($0) }.prefix(input.below(10))
        return PayloadWant(
            zone: payload.zone,
            payload: payload.id,
            sender: input.bool() ? input.one(of: world.devices) : nil,
            missing: missing.isEmpty ? nil : Array(missing)
        )
    }

    /// Returns a store's answer to a part that it had to keep.
    func outcome(at position: UInt64?, _ input: inout FuzzInput) -> PayloadOutcome {
        switch input.below(8) {
        case 0...3 where position == nil: .outlined(missing: (0..<UInt64(1 + input.below(8))).map(\.self))
        case 0...3: .kept
        case 4: position == nil ? .unwanted : .complete
        case 5: .unwanted
        case 6: .mismatch
        default: input.bool() ? .storageFull : .storageFailed
        }
    }

    /// Returns a store's answer to a peer's request.
    func answer(_ request: PayloadRequest, _ input: inout FuzzInput) -> PayloadAnswer {
        guard let payload = world.payloads.first(where: { $0.id == request.payload }), input.below(4) < 3 else {
            return .none
        }
        guard !request.positions.isEmpty else {
            let sole = PayloadChunk(zone: request.zone, payload: request.payload, position: 0, bytes: [1])
            let isHere = payload.outline.hasSoleChunk && input.bool()
            return .outline(payload.outline, sole: isHere ? sole : nil, isSoleDamaged: input.bool())
        }
        let chunks = request.positions.prefix(input.below(8)).map { position in
            PayloadChunk(zone: request.zone, payload: request.payload, position: position, bytes: [1])
        }
        return .chunks(chunks, damaged: Array(request.positions.dropFirst(chunks.count)))
    }

    private func custody(_ input: inout FuzzInput) -> PeerMessage {
        let job = job(&input)
        switch input.below(4) {
        case 0: return .custodyRequest(CustodyRequest(zone: job.zone, payload: job.payload, byteCount: job.byteCount))
        case 1: return .custodyRelease(CustodyRequest(zone: job.zone, payload: job.payload))
        default:
            let outcome = decision(&input) ?? .released
            return .custodyAnswer(CustodyAnswer(zone: job.zone, payload: job.payload, outcome: outcome))
        }
    }

    /// Returns a question about the holders of contents, or an answer.
    private func retention(_ input: inout FuzzInput) -> PeerMessage {
        let payload = input.one(of: world.payloads)
        let request = RetentionRequest(
            zone: input.below(4) == 3 ? input.one(of: world.zones) : payload.zone,
            asksForPromises: input.below(4) > 0,
            payloads: [payload.id] + (0..<input.below(2)).map { _ in input.one(of: world.payloads).id }
        )
        return input.below(3) == 0 ? .retentionRequest(request) : .retentionAnswer(answer(request, &input))
    }

    /// Returns the store's answer to the beginning of an attempt to evict.
    func start(_ input: inout FuzzInput) -> EvictionStart {
        guard input.below(4) > 0 else { return .refused(.storage) }
        return .begun(zones: (0...input.below(2)).map { _ in input.one(of: world.zones) })
    }

    /// Returns a device's answer to a request for promises, or to a question.
    func answer(_ request: RetentionRequest, _ input: inout FuzzInput) -> RetentionAnswer {
        let held: RetentionStatus.Word = request.asksForPromises ? .promised(until: input.number()) : .held
        return RetentionAnswer(
            zone: request.zone,
            isAboutPromises: request.asksForPromises,
            statuses: request.payloads.map { payload in
                RetentionStatus(payload: payload, word: input.one(of: [held, held, .absent, .evicting, .refused]))
            }
        )
    }

    /// Returns contents about which a device is to be asked.
    func finding(_ input: inout FuzzInput) -> HolderFinding {
        let contents = (0..<input.below(3)).map { _ in
            HolderFinding.Content(
                payload: input.one(of: world.payloads).id,
                zones: (0...input.below(2)).map { _ in input.one(of: world.zones) }
            )
        }
        let places: [HolderSearch.Place?] = [nil, .unstated(after: input.number()), .overdue(after: nil)]
        return HolderFinding(contents: contents, next: input.one(of: places))
    }

    /// Returns a request that the core is to make of a relay.
    func job(_ input: inout FuzzInput) -> CustodyJob {
        let payload = input.one(of: world.payloads)
        return CustodyJob(
            input.below(4) == 3 ? .release : .keep,
            relay: input.one(of: world.devices),
            zone: payload.zone,
            payload: payload.id,
            byteCount: payload.outline.byteCount
        )
    }

    /// Returns a store's decision about a request to keep or release a payload for others.
    func decision(_ input: inout FuzzInput) -> CustodyAnswer.Outcome? {
        input.one(of: [nil, .stored(until: input.number()), .full, .refused, .released])
    }

    // MARK: Guests

    private func guestWrite(_ input: inout FuzzInput) -> GuestWrite {
        let order = order(0, &input)
        return GuestWrite(
            number: UInt64(input.below(16)),
            zone: order.zone,
            isAtomic: order.isAtomic,
            writes: order.writes,
            entries: (0..<input.below(2)).map { _ in input.blob() }
        )
    }

    func order(_ id: UInt64, _ input: inout FuzzInput) -> GuestOrder {
        GuestOrder(
            id: id,
            zone: input.one(of: world.zones),
            isAtomic: input.bool(),
            writes: [GuestRecordWrite](repeating: GuestRecordWrite(name: "a"), count: 1 + input.below(2)),
            entries: []
        )
    }

    func outcome(_ input: inout FuzzInput) -> GuestAnswer.Outcome {
        guard input.bool() else { return .refused(UInt8(input.below(12))) }
        return .decided([GuestResult](repeating: .refused(.notAllowed), count: 1 + input.below(2)))
    }

    func heads(_ input: inout FuzzInput) -> [Hash] {
        (0..<input.below(4)).map { _ in SyncWorld.root(UInt64(input.below(8))) }
    }

    private func prefix(_ input: inout FuzzInput) -> NibblePrefix {
        NibblePrefix(
            of: Hash(known("a digest", Digest32(input.exactly(2) + [UInt8](repeating: 0, count: 30)))),
            count: input.below(5)
        )
    }

    private func digest(_ input: inout FuzzInput) -> RangeDigest {
        RangeDigest(prefix: prefix(&input), itemCount: UInt32(input.byte()), digest: SyncWorld.root(input.number()))
    }

    private func ranges(_ input: inout FuzzInput) -> [ItemRange] {
        (0..<input.below(5)).map { _ in
            let prefix = prefix(&input)
            let items = (0..<input.below(4)).map { index in
                let zone = UInt64(index) << 8 | UInt64(input.byte())
                var bytes = prefix.lowerBound.bytes
                bytes[31] = UInt8(truncatingIfNeeded: zone)
                return RangeItem(zone: Hash(known("a digest", Digest32(bytes))), state: SyncWorld.root(zone))
            }
            return ItemRange(prefix: prefix, items: items)
        }
    }

    private func zoneState(_ input: inout FuzzInput) -> Wire.ZoneState {
        let place = input.below(world.zones.count + 1)
        let isKnown = place < world.zones.count
        let logs = (0..<input.below(6)).map { _ in
            LogState(
                device: input.one(of: world.devices),
                incarnation: SyncWorld.incarnation,
                right: .zero,
                lane: input.one(of: Lane.allCases),
                size: SyncWorld.size(&input),
                root: SyncWorld.root(input.number(), input.byte() & 1)
            )
        }
        return Wire.ZoneState(
            zone: isKnown ? world.zones[place] : ZoneID(SyncWorld.digest(input.number())),
            genesis: world.geneses[isKnown ? place : 0],
            logs: logs,
            checkpoint: .zero,
            wantsReply: input.bool()
        )
    }

    private func run(_ input: inout FuzzInput) -> PeerMessage {
        let key = world.key(&input)
        let from = SyncWorld.size(&input)
        return .run(world.run(key, from: from, to: min(from + UInt64(input.byte()), Limits.counterMax), &input))
    }

    private func acknowledge(_ input: inout FuzzInput) -> Acknowledge {
        let logs = (0..<(1 + input.below(4))).map { _ in
            AcknowledgedLog(
                actor: input.one(of: world.actors),
                lane: input.one(of: Lane.allCases),
                size: SyncWorld.size(&input)
            )
        }
        return Acknowledge(zone: input.one(of: world.zones), logs: logs)
    }
}
