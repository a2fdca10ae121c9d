import TestSupport
import Wire

extension LogKey: WireSample {
    static func sample(_ generator: inout SeededGenerator) -> LogKey {
        LogKey(zone: .sample(&generator), actor: .sample(&generator), lane: .sample(&generator))
    }
}

extension LogPosition: WireSample {
    static func sample(_ generator: inout SeededGenerator) -> LogPosition {
        LogPosition(
            actor: .sample(&generator),
            lane: .sample(&generator),
            size: generator.number(maximum: Limits.counterMax),
            root: .sample(&generator)
        )
    }
}

extension TreeHead: WireSample {
    static func sample(_ generator: inout SeededGenerator) -> TreeHead {
        TreeHead(
            zone: .sample(&generator),
            device: .sample(&generator),
            incarnation: .sample(&generator),
            lane: .sample(&generator),
            size: generator.counter(),
            root: .sample(&generator),
            right: .sample(&generator),
            seen: .sample(&generator)
        )
    }
}

extension Signed: WireSample where Body: WireSample {
    static func sample(_ generator: inout SeededGenerator) -> Signed {
        Signed(.sample(&generator), signature: .sample(&generator))
    }
}

extension SubtreeGap: WireSample {
    static func sample(_ generator: inout SeededGenerator) -> SubtreeGap {
        let level = UInt8(generator.below(Int(Limits.subtreeLevelMax) + 1))
        let count = Limits.counterMax >> UInt64(level)
        return SubtreeGap(level: level, index: generator.number(maximum: count - 1), hash: .sample(&generator))
    }
}

extension LogItem: WireSample {
    static func sample(_ generator: inout SeededGenerator) -> LogItem {
        generator.below(2) == 0 ? .operation(.sample(&generator)) : .gap(.sample(&generator))
    }
}

extension Run: WireSample {
    static func sample(_ generator: inout SeededGenerator) -> Run {
        let head = SignedTreeHead.sample(&generator)
        return Run(
            signedHead: head,
            from: generator.number(maximum: head.head.size - 1),
            checkpoint: .sample(&generator),
            items: generator.list(maximum: 4)
        )
    }
}

extension ForkProof: WireSample {
    static func sample(_ generator: inout SeededGenerator) -> ForkProof {
        let first = SignedTreeHead.sample(&generator)
        var head = first.head
        head.root = Hash(Digest32(word0: 1, word1: generator.next(), word2: 2, word3: 3))
        if generator.coin() { head.size = generator.number(maximum: Limits.counterMax - 1) + 1 }
        let second = SignedTreeHead(head, signature: .sample(&generator))
        let least = min(first.head.size, head.size)
        let split = generator.coin() ? least : generator.number(maximum: least - 1) + 1
        let fork = generator.number(maximum: split - 1)
        func path(_ head: TreeHead) -> Path {
            Path(
                shared: fork == 0 ? [] : [.sample(&generator)] + generator.list(maximum: 4),
                split: split == head.size ? [] : [.sample(&generator)] + generator.list(maximum: 4)
            )
        }
        let root = Hash(Digest32(word0: 4, word1: generator.next(), word2: 2, word3: 3))
        return ForkProof(
            (first, path(first.head)),
            (second, path(head)),
            forkPoint: fork,
            forkRoot: fork == 0 ? .zero : root,
            splitPoint: split
        )
    }
}

extension Checkpoint: WireSample {
    static func sample(_ generator: inout SeededGenerator) -> Checkpoint {
        Checkpoint(
            logs: generator.distinct(maximum: 4),
            liveRoot: .sample(&generator),
            liveCount: generator.number(),
            lapsed: generator.distinct(maximum: 3),
            previous: .sample(&generator)
        )
    }
}

extension ZoneGenesis: WireSample {
    static func sample(_ generator: inout SeededGenerator) -> ZoneGenesis {
        if generator.below(3) == 0 {
            let (first, second) = (AccountID.sample(&generator), AccountID.sample(&generator))
            guard first != second else { return .sample(&generator) }
            return ZoneGenesis(
                owners: (first, second),
                container: generator.text(maximum: 100),
                name: generator.text(),
                salt: generator.bytes(32)
            )
        }
        return ZoneGenesis(
            owner: .sample(&generator),
            container: generator.text(maximum: 100),
            name: generator.text(),
            salt: generator.bytes(32),
            history: generator.coin() ? .full : .fromJoin,
            isDefault: generator.coin()
        )
    }
}

extension ControlBody: WireSample {
    static func sample(_ generator: inout SeededGenerator) -> ControlBody {
        switch generator.below(18) {
        case 0: .genesis(.sample(&generator))
        case 1: .checkpoint(.sample(&generator))
        case 2: .zoneDeletion(reason: generator.text(minimum: 0, maximum: 150))
        case 3: .grant(.sample(&generator))
        case 4: .revoke(.sample(&generator))
        case 5: .transfer(.sample(&generator))
        case 6: .leave(.sample(&generator))
        case 7: .raiseCut(.sample(&generator))
        case 8: .publicAccess(.sample(&generator))
        case 9: .schema(generator.blob())
        case 10: .epoch(generator.blob())
        case 11: .delivery(generator.blob())
        case 12: .epochAgain(generator.blob())
        case 13: .deviceCuts(.sample(&generator))
        case 14: .keyRequest(generator.blob())
        case 15: .transferOffer(.sample(&generator))
        case 16: .transferAnswer(.sample(&generator))
        default: .unknown(tag: generator.coin() ? 0 : max(18, generator.number()), bytes: generator.blob())
        }
    }
}
