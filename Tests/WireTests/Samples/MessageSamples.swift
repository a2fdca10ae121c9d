import TestSupport
import Wire

extension NibblePrefix: WireSample {
    static func sample(_ generator: inout SeededGenerator) -> NibblePrefix {
        NibblePrefix(of: .sample(&generator), count: generator.below(Limits.prefixNibbleCountMax + 1))
    }
}

extension HandshakePayload: WireSample {
    static func sample(_ generator: inout SeededGenerator) -> HandshakePayload {
        HandshakePayload(
            certificate: SignedDeviceCertificate.sample(&generator).encoded,
            account: .sample(&generator),
            accountHeads: generator.distinct(maximum: 3),
            boot: generator.bytes(16),
            wallMilliseconds: generator.number(),
            listenPort: UInt16(generator.number(maximum: 65_535))
        )
    }
}

extension AccountHave: WireSample {
    static func sample(_ generator: inout SeededGenerator) -> AccountHave {
        AccountHave(
            account: .sample(&generator),
            heads: generator.distinct(maximum: 4),
            wantsReply: generator.coin()
        )
    }
}

extension AccountEntries: WireSample {
    static func sample(_ generator: inout SeededGenerator) -> AccountEntries {
        AccountEntries(
            account: .sample(&generator),
            entries: (0..<generator.below(4)).map { _ in generator.blob(maximum: 200) },
            more: generator.coin()
        )
    }
}

extension RangeDigest: WireSample {
    static func sample(_ generator: inout SeededGenerator) -> RangeDigest {
        RangeDigest(
            prefix: .sample(&generator),
            itemCount: UInt32(generator.number(maximum: UInt64(UInt32.max))),
            digest: .sample(&generator)
        )
    }
}

extension RangeDigests: WireSample {
    static func sample(_ generator: inout SeededGenerator) -> RangeDigests {
        RangeDigests(ranges: generator.distinct(maximum: 4))
    }
}

extension RangeItem: WireSample {
    static func sample(_ generator: inout SeededGenerator) -> RangeItem {
        RangeItem(zone: .sample(&generator), state: .sample(&generator))
    }
}

extension ItemRange: WireSample {
    static func sample(_ generator: inout SeededGenerator) -> ItemRange {
        let items: [RangeItem] = generator.distinct(maximum: 4)
        let prefix = items.first.map { NibblePrefix(of: $0.zone, count: generator.below(4)) }
        let range = prefix ?? .sample(&generator)
        return ItemRange(prefix: range, items: items.filter { range.matches($0.zone) })
    }
}

extension RangeItems: WireSample {
    static func sample(_ generator: inout SeededGenerator) -> RangeItems {
        RangeItems(ranges: generator.distinct(maximum: 3), isReply: generator.coin())
    }
}

extension LogState: WireSample {
    static func sample(_ generator: inout SeededGenerator) -> LogState {
        LogState(
            device: .sample(&generator),
            incarnation: .sample(&generator),
            right: generator.coin() ? .zero : .sample(&generator),
            lane: .sample(&generator),
            size: generator.number(maximum: Limits.counterMax),
            root: .sample(&generator)
        )
    }
}

extension ZoneState: WireSample {
    static func sample(_ generator: inout SeededGenerator) -> ZoneState {
        ZoneState(
            zone: .sample(&generator),
            genesis: .sample(&generator),
            logs: generator.distinct(maximum: 4),
            checkpoint: .sample(&generator),
            wantsReply: generator.coin()
        )
    }
}

extension AcknowledgedLog: WireSample {
    static func sample(_ generator: inout SeededGenerator) -> AcknowledgedLog {
        AcknowledgedLog(
            actor: .sample(&generator),
            lane: .sample(&generator),
            size: generator.number(maximum: Limits.counterMax)
        )
    }
}

extension Acknowledge: WireSample {
    static func sample(_ generator: inout SeededGenerator) -> Acknowledge {
        Acknowledge(zone: .sample(&generator), logs: generator.distinct(maximum: 4))
    }
}

extension Ping: WireSample {
    static func sample(_ generator: inout SeededGenerator) -> Ping {
        Ping(nonce: generator.next(), wallMilliseconds: generator.number())
    }
}

extension Pong: WireSample {
    static func sample(_ generator: inout SeededGenerator) -> Pong {
        Pong(nonce: generator.next(), wallMilliseconds: generator.number())
    }
}

extension Pause: WireSample {
    static func sample(_ generator: inout SeededGenerator) -> Pause {
        Pause(reason: generator.coin() ? .diskFull : .busy)
    }
}

extension PairRequest: WireSample {
    static func sample(_ generator: inout SeededGenerator) -> PairRequest {
        PairRequest(certificate: generator.blob(maximum: 200), account: .sample(&generator))
    }
}

extension AccountSecrets: WireSample {
    static func sample(_ generator: inout SeededGenerator) -> AccountSecrets {
        let fleetKey = generator.bytes(32)
        let first: [FleetSecret] =
            generator.below(2) == 0
            ? []
            : [
                FleetSecret(
                    entry: .zero,
                    key: fleetKey,
                    retired: 1 + UInt64(generator.below(9)),
                    days: generator.number()
                )
            ]
        let later: [FleetSecret] = (0..<generator.below(17)).map { _ in .sample(&generator) }
        var entries: Set<Hash> = []
        return AccountSecrets(
            fleetKey: fleetKey,
            accountSalt: generator.bytes(32),
            zoneKey: generator.bytes(32),
            recoverySecrets: (0..<generator.below(6)).map { _ in .sample(&generator) },
            fleetSecrets: first + later.filter { !$0.entry.isZero && entries.insert($0.entry).inserted }
        )
    }
}

extension ReachRequest: WireSample {
    static func sample(_ generator: inout SeededGenerator) -> ReachRequest { ReachRequest(number: generator.number()) }
}

extension ReachAnswer: WireSample {
    static func sample(_ generator: inout SeededGenerator) -> ReachAnswer {
        let outcome = ReachOutcome.allCases[generator.below(ReachOutcome.allCases.count)]
        return ReachAnswer(number: generator.number(), outcome: outcome)
    }
}

extension ProgramNote: WireSample {
    static func sample(_ generator: inout SeededGenerator) -> ProgramNote {
        let version = (0...generator.below(versionByteCountMax)).map { _ in UInt8(0x21 + generator.below(0x5E)) }
        let revision = UInt8(1 + generator.below(255))
        guard let note = ProgramNote(revision: revision, version: String(decoding: version, as: UTF8.self)) else {
            preconditionFailure("printable, and as long as may be")
        }
        return note
    }
}

extension FleetSecret: WireSample {
    static func sample(_ generator: inout SeededGenerator) -> FleetSecret {
        let retired: UInt64 = generator.number()
        return FleetSecret(
            entry: .sample(&generator),
            key: generator.bytes(32),
            retired: retired,
            days: retired == 0 ? 0 : generator.number()
        )
    }
}

extension FleetKeyRenewal: WireSample {
    static func sample(_ generator: inout SeededGenerator) -> FleetKeyRenewal {
        FleetKeyRenewal(
            confirm: .sample(&generator),
            envelopes: (0..<generator.below(4)).map { _ in
                KeyEnvelope(device: .sample(&generator), sealed: generator.bytes(1 + generator.below(40)))
            }
        )
    }
}

extension RecoverySecret: WireSample {
    static func sample(_ generator: inout SeededGenerator) -> RecoverySecret {
        RecoverySecret(key: generator.bytes(32), secret: generator.bytes(32))
    }
}

extension PairWelcome: WireSample {
    static func sample(_ generator: inout SeededGenerator) -> PairWelcome {
        PairWelcome(
            secrets: .sample(&generator),
            entries: (0..<generator.below(4)).map { _ in generator.blob(maximum: 200) }
        )
    }
}

extension PairRefusal: WireSample {
    static func sample(_ generator: inout SeededGenerator) -> PairRefusal {
        PairRefusal(code: UInt8(generator.below(256)))
    }
}

extension RecoverRequest: WireSample {
    static func sample(_ generator: inout SeededGenerator) -> RecoverRequest {
        RecoverRequest(entry: generator.blob(maximum: 200))
    }
}

extension PairTerms: WireSample {
    static func sample(_ generator: inout SeededGenerator) -> PairTerms {
        PairTerms(role: .sample(&generator))
    }
}

extension ZoneTerms: WireSample {
    static func sample(_ generator: inout SeededGenerator) -> ZoneTerms {
        ZoneTerms(genesis: .sample(&generator), tagKey: generator.bytes(32))
    }
}

extension JoinRequest: WireSample {
    static func sample(_ generator: inout SeededGenerator) -> JoinRequest {
        JoinRequest(
            account: .sample(&generator),
            entries: (0..<generator.below(4)).map { _ in generator.blob(maximum: 200) }
        )
    }
}

extension JoinAnswer: WireSample {
    static func sample(_ generator: inout SeededGenerator) -> JoinAnswer {
        let state: State =
            switch generator.below(3) {
            case 0: .joined(.sample(&generator), capability: .sample(&generator))
            case 1: .waitingApproval
            default: .waitingInviter
            }
        return JoinAnswer(state, entries: (0..<generator.below(4)).map { _ in generator.blob(maximum: 200) })
    }
}

extension JoinRefusal: WireSample {
    static func sample(_ generator: inout SeededGenerator) -> JoinRefusal {
        JoinRefusal(code: UInt8(generator.below(256)))
    }
}

extension LiveSetRequest: WireSample {
    static func sample(_ generator: inout SeededGenerator) -> LiveSetRequest {
        let place = LiveSetRequest.Place(checkpoint: .sample(&generator), after: .sample(&generator))
        return LiveSetRequest(zone: .sample(&generator), place: generator.coin() ? place : nil)
    }
}

extension LiveSetPage: WireSample {
    static func sample(_ generator: inout SeededGenerator) -> LiveSetPage {
        let checkpoint = Hash.sample(&generator)
        guard !checkpoint.isZero else { return LiveSetPage(nothingOf: .sample(&generator)) }
        let tags = Set((0..<1 + generator.below(5)).map { _ in RecordTag.sample(&generator) }).sorted()
        return LiveSetPage(
            zone: .sample(&generator),
            checkpoint: checkpoint,
            records: tags.map { tag in
                Record(tag: tag, dots: Set((0..<1 + generator.below(3)).map { _ in Dot.sample(&generator) }).sorted())
            },
            isLast: true
        )
    }
}

extension MessagePart: WireSample {
    static func sample(_ generator: inout SeededGenerator) -> MessagePart {
        // A last part may be short, and the bytes before it are nowhere but in its position.
        let position = 1 + generator.below(16)
        let rest = generator.bytes(1 + generator.below(200))
        let message = [UInt8](repeating: 0, count: position * Limits.messagePartByteCount) + rest
        guard let part = MessagePart(position, of: message) else {
            preconditionFailure("the message is long enough for the part, and not too long")
        }
        return part
    }
}

extension PeerMessage: WireSample {
    static func sample(_ generator: inout SeededGenerator) -> PeerMessage {
        switch generator.below(41) {
        case 0: .accountHave(.sample(&generator))
        case 1: .accountEntries(.sample(&generator))
        case 2: .rangeDigests(.sample(&generator))
        case 3: .rangeItems(.sample(&generator))
        case 4: .zoneState(.sample(&generator))
        case 5: .run(.sample(&generator))
        case 6: .acknowledge(.sample(&generator))
        case 7: .ping(.sample(&generator))
        case 8: .pong(.sample(&generator))
        case 9: .pause(.sample(&generator))
        case 10: .resume
        case 11: .forkProof(.sample(&generator))
        case 12: .pairRequest(.sample(&generator))
        case 13: .pairWelcome(.sample(&generator))
        case 14: .pairRefusal(.sample(&generator))
        case 15: .recoverRequest(.sample(&generator))
        case 16: .pairTerms(.sample(&generator))
        case 17: .zoneTerms(.sample(&generator))
        case 18: .joinRequest(.sample(&generator))
        case 19: .joinAnswer(.sample(&generator))
        case 20: .joinRefusal(.sample(&generator))
        case 21: .guestWrite(.sample(&generator))
        case 22: .guestAnswer(.sample(&generator))
        case 23: .payloadRequest(.sample(&generator))
        case 24: .payloadOutline(.sample(&generator))
        case 25: .payloadChunk(.sample(&generator))
        case 26: .payloadMissing(.sample(&generator))
        case 27: .custodyRequest(.sample(&generator))
        case 28: .custodyAnswer(.sample(&generator))
        case 29: .custodyRelease(.sample(&generator))
        case 30: .liveSetRequest(.sample(&generator))
        case 31: .liveSetPage(.sample(&generator))
        case 32: .recoverySecret(.sample(&generator))
        case 33: .fleetSecret(.sample(&generator))
        case 34: .part(.sample(&generator))
        case 35: .program(.sample(&generator))
        case 36: .reachRequest(.sample(&generator))
        case 37: .reachAnswer(.sample(&generator))
        case 38: .retentionRequest(.sample(&generator))
        case 39: .retentionAnswer(.sample(&generator))
        default: .pairDone
        }
    }
}
