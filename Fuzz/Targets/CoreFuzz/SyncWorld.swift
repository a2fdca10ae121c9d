import FuzzKit
import Identity
import Records
import Sodium
import Sync
import TestSupport
import Wire

/// The small world in which the synchronisation core is fuzzed: a few devices, zones and logs with short names.
enum SyncWorld {
    static let account = AccountID(digest(0xA0))
    static let incarnation = known("an incarnation", Incarnation([UInt8](repeating: 1, count: 16)))
    static let laterIncarnation = known("an incarnation", Incarnation([UInt8](repeating: 2, count: 16)))
    static let devices = (0..<5).map { DeviceID(digest(UInt64($0) + 1)) }
    static let actors = devices.map { ActorID(device: $0, incarnation: incarnation, right: .zero) }
    static let geneses = (0..<4).map { number in
        ZoneGenesis(
            owner: account,
            container: "org.example",
            name: "z\(number)",
            salt: [UInt8](repeating: 7, count: ZoneGenesis.saltByteCount),
            history: .full,
            isDefault: false
        )
    }
    static let zones = geneses.map { ZoneID($0) }
    static let signature = known("a signature", Signature64([UInt8](repeating: 0, count: 64)))

    static func digest(_ number: UInt64) -> Digest32 {
        Digest32(word0: number, word1: 0, word2: 0, word3: number)
    }

    static func root(_ size: UInt64, _ history: UInt8 = 0) -> Hash {
        Hash(digest(size << 8 | UInt64(history)))
    }

    static func key(_ input: inout FuzzInput) -> LogKey {
        LogKey(zone: input.one(of: zones), actor: input.one(of: actors), lane: input.one(of: Lane.allCases))
    }

    /// A size that is mostly small.
    static func size(_ input: inout FuzzInput) -> UInt64 {
        min(input.number(), Limits.counterMax)
    }

    static func run(_ key: LogKey, from: UInt64, to size: UInt64, _ input: inout FuzzInput) -> Run {
        let place = actors.firstIndex(of: key.actor) ?? 0
        let head = TreeHead(
            zone: key.zone,
            device: devices[place],
            incarnation: incarnation,
            lane: key.lane,
            size: max(size, 1),
            root: root(size),
            right: .zero,
            seen: VersionVector()
        )
        return Run(
            signedHead: SignedTreeHead(head: head, signature: signature),
            from: from,
            checkpoint: .zero,
            items: input.below(4) == 3 && from < Limits.counterMax
                ? [.gap(SubtreeGap(level: 0, index: from, hash: .zero))] : []
        )
    }
}

/// Messages as a peer could send them: well-formed ones about this world, and changed bytes of those.
enum SyncMessages {
    static func make(_ input: inout FuzzInput) -> PeerMessage? {
        if input.below(8) == 7 {
            // A refusal is what the channel's owner would answer before the core sees anything.
            return try? PeerMessage(decoding: input.blob())
        }
        let message = wellFormed(&input)
        guard input.below(8) == 7 else {
            // What this world makes is not always what a decoder lets through.
            return try? PeerMessage(decoding: message.encoded)
        }
        return try? PeerMessage(decoding: input.mutate(message.encoded))
    }

    private static func wellFormed(_ input: inout FuzzInput) -> PeerMessage {
        switch input.below(16) {
        case 0:
            let account = input.below(16) == 15 ? AccountID.zero : SyncWorld.account
            return .accountHave(AccountHave(account: account, heads: heads(&input), wantsReply: input.bool()))
        case 1:
            let entries = (0..<input.below(4)).map { _ in input.blob() }
            return .accountEntries(AccountEntries(account: SyncWorld.account, entries: entries, more: input.bool()))
        case 2: return .rangeDigests(RangeDigests(ranges: (0..<input.below(20)).map { _ in digest(&input) }))
        case 3: return .rangeItems(RangeItems(ranges: ranges(&input), isReply: input.bool()))
        case 4, 5, 6: return .zoneState(zoneState(&input))
        case 7, 8: return run(&input)
        case 9, 10, 11: return .acknowledge(acknowledge(&input))
        case 12: return .ping(Ping(nonce: input.number(), wallMilliseconds: input.number()))
        case 13: return .pong(Pong(nonce: input.number(), wallMilliseconds: input.number()))
        case 14: return input.bool() ? .resume : .pause(Pause(reason: input.one(of: PauseReason.allCases)))
        default:
            guard case .run(let one) = run(&input), case .run(let other) = run(&input) else { return .pairDone }
            return .forkProof(ForkProof(one.signedHead, other.signedHead))
        }
    }

    static func heads(_ input: inout FuzzInput) -> [Hash] {
        (0..<input.below(4)).map { _ in SyncWorld.root(UInt64(input.below(8))) }
    }

    private static func prefix(_ input: inout FuzzInput) -> NibblePrefix {
        NibblePrefix(
            of: Hash(known("a digest", Digest32(input.exactly(2) + [UInt8](repeating: 0, count: 30)))),
            count: input.below(5)
        )
    }

    private static func digest(_ input: inout FuzzInput) -> RangeDigest {
        RangeDigest(prefix: prefix(&input), itemCount: UInt32(input.byte()), digest: SyncWorld.root(input.number()))
    }

    private static func ranges(_ input: inout FuzzInput) -> [ItemRange] {
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

    private static func zoneState(_ input: inout FuzzInput) -> Wire.ZoneState {
        let place = input.below(5)
        let isKnown = place < SyncWorld.zones.count
        let logs = (0..<input.below(6)).map { _ in
            LogState(
                device: input.one(of: SyncWorld.devices),
                incarnation: SyncWorld.incarnation,
                right: .zero,
                lane: input.one(of: Lane.allCases),
                size: SyncWorld.size(&input),
                root: SyncWorld.root(input.number(), input.byte() & 1)
            )
        }
        return Wire.ZoneState(
            zone: isKnown ? SyncWorld.zones[place] : ZoneID(SyncWorld.digest(input.number())),
            genesis: SyncWorld.geneses[isKnown ? place : 0],
            logs: logs,
            checkpoint: .zero,
            wantsReply: input.bool()
        )
    }

    private static func run(_ input: inout FuzzInput) -> PeerMessage {
        let key = SyncWorld.key(&input)
        let from = SyncWorld.size(&input)
        return .run(SyncWorld.run(key, from: from, to: min(from + UInt64(input.byte()), Limits.counterMax), &input))
    }

    private static func acknowledge(_ input: inout FuzzInput) -> Acknowledge {
        let logs = (0..<(1 + input.below(4))).map { _ in
            AcknowledgedLog(
                actor: input.one(of: SyncWorld.actors),
                lane: input.one(of: Lane.allCases),
                size: SyncWorld.size(&input)
            )
        }
        return Acknowledge(zone: input.one(of: SyncWorld.zones), logs: logs)
    }
}
