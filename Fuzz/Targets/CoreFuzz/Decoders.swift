import FuzzKit
import Identity
import Records
import TestSupport
import Wire

/// The wire formats: bytes that decode are the canonical encoding of their value, and every question about the value
/// has an answer.
let decoderTargets: [FuzzTarget] = [
    decoders("messages", [.init(PeerMessage.self) { $0.encoded.count <= Limits.messageByteCountMax }]),
    decoders(
        "runs",
        [
            .init(Run.self) { run in
                run.items.allSatisfy { item in
                    if case .operation(let operation) = item { _ = operation.header.leafHash }
                    return item.leafCount > 0
                }
            }
        ]
    ),
    decoders(
        "operations",
        [
            .init(Operation.self) { operation in
                // Another body has another leaf, under any header.
                var other = operation.header
                other.bodyHash = other.leafHash
                return other.leafHash != operation.header.leafHash
            },
            .init(OperationHeader.self), .init(LogItem.self),
            .init(SubtreeGap.self) { $0.endLeaf > $0.firstLeaf },
            .init(BatchPlace.self) { $0.index < $0.count },
        ]
    ),
    decoders(
        "tree-heads",
        [
            .init(SignedTreeHead.self), .init(TreeHead.self), .init(LogPosition.self), .init(LogKey.self),
            .init(frontier: 0),
        ]
    ),
    decoders(
        "record-bodies",
        [
            .init(RecordBody.self) { body in
                body.fields.allSatisfy { body.field(named: $0.name) == $0 }
            },
            .init(RecordField.self), .init(FieldEntry.self), .init(FieldValue.self), .init(SetState.self),
            .init(CounterState.self) { CounterState(entries: $0.entries.reversed()).value == $0.value },
            .init(AssetDescriptor.self),
        ]
    ),
    decoders(
        "control-bodies",
        [
            .init(ControlBody.self),
            .init(Checkpoint.self) { checkpoint in
                checkpoint.logs.allSatisfy { checkpoint.position($0.key) == $0 }
            },
            .init(ZoneGenesis.self),
        ]
    ),
    decoders(
        "schemas",
        [
            .init(Schema.self) { schema in
                let isFound = schema.types.allSatisfy { type in
                    schema.type(named: type.name.string) == type
                        && type.fields.allSatisfy { type.field(named: $0.name.string) == $0 }
                }
                // A schema joined with itself states nothing new.
                let joined = try? schema.joined(with: schema)
                return isFound && joined == schema && schema.differences(to: schema).isEmpty
            },
            .init(FieldSchema.self),
        ]
    ),
    decoders(
        "key-bodies",
        [
            .init(KeyEpoch.self) { epoch in
                let again = KeyEpoch(
                    previous: epoch.previous.reversed(),
                    confirm: epoch.confirm,
                    chain: epoch.chain.reversed(),
                    envelopes: epoch.envelopes.reversed()
                )
                return again == epoch
            },
            .init(KeyDelivery.self), .init(ChainLink.self), .init(KeyEnvelope.self),
            .init(SealedBody.self) { $0.ciphertext.count > SealedBody.tagByteCount },
        ]
    ),
    decoders("certificates", [.init(SignedDeviceCertificate.self), .init(DeviceCertificate.self)]),
    decoders("handshake-payloads", [.init(HandshakePayload.self)]),
    decoders(
        "account-entries",
        [
            .init(SignedAccountEntry.self), .init(AccountEntry.self), .init(AccountAction.self),
            .init(DeviceRemoval.self), .init(FleetKeyRenewal.self), .init(Naming.self), .init(FleetSecret.self),
        ]
    ),
    vectorTarget,
]

/// One wire type of a target.
private struct Decoding: Sendable {
    let run: @Sendable ([UInt8]) -> Void
    let seed: @Sendable (inout SeededGenerator) -> [UInt8]

    /// - Parameters:
    ///   - type: The wire type.
    ///   - ask: The law that holds for every value.
    init<Value: WireSample>(_ type: Value.Type, ask: @escaping @Sendable (Value) -> Bool = { _ in true }) {
        run = { bytes in
            // A refusal is one of the two outcomes that are allowed.
            guard let value = try? Value(decoding: bytes) else { return }
            demand(value.encoded == bytes, "what decodes is canonical: \(type)")
            demand(value == value, "a value equals itself: \(type)")
            demand(ask(value), "what holds of every value: \(type)")
        }
        seed = { Value.sample(&$0).encoded }
    }

    /// The right edge of a log's tree, as a database holds it.
    init(frontier _: Int) {
        run = { bytes in
            // A refusal is one of the two outcomes that are allowed.
            guard var frontier = try? TreeFrontier(decoding: bytes) else { return }
            demand(frontier.encoded == bytes, "what decodes is canonical: TreeFrontier")
            let root = frontier.root
            if frontier.size > 0, frontier.size < Limits.counterMax {
                frontier.append(root)
                demand(frontier.root != root, "a tree that grows has another root")
            }
        }
        seed = { generator in
            var frontier = TreeFrontier()
            for _ in 0..<generator.below(70) { frontier.append(.sample(&generator)) }
            return frontier.encoded
        }
    }
}

/// A target of several wire types, of which the first byte chooses where there is more than one.
private func decoders(_ name: String, _ list: [Decoding]) -> FuzzTarget {
    FuzzTarget(
        name,
        run: { bytes in
            guard list.count > 1 else {
                list[0].run(bytes)
                return
            }
            guard let first = bytes.first else { return }
            list[Int(first) % list.count].run(Array(bytes.dropFirst()))
        },
        seeds: {
            var generator = SeededGenerator(seed: 1)
            return (0..<160).map { index in
                let place = index % list.count
                let seed = list[place].seed(&generator)
                return list.count > 1 ? [UInt8(place)] + seed : seed
            }
        }
    )
}

/// Version vectors: two in a row, and the laws of merging and comparing them.
private let vectorTarget = FuzzTarget(
    "version-vectors",
    run: { bytes in
        var reader = WireReader(bytes)
        // A refusal is one of the two outcomes that are allowed.
        guard let left = try? VersionVector(from: &reader), let right = try? VersionVector(from: &reader) else {
            return
        }
        demand(bytes.starts(with: left.encoded + right.encoded), "what decodes is canonical")
        let merged = left.merged(with: right)
        demand(merged == right.merged(with: left), "merging is commutative")
        demand(merged.merged(with: left) == merged, "merging is idempotent")
        demand(merged.covers(left) && merged.covers(right), "a merge covers both")
        demand((try? VersionVector(decoding: merged.encoded)) == merged, "a merge is canonical")
        switch left.compare(right) {
        case .equal: demand(left == right && merged == left, "equal")
        case .before: demand(merged == right && left != right, "before")
        case .after: demand(merged == left && left != right, "after")
        case .concurrent: demand(merged != left && merged != right, "concurrent")
        }
        for dot in left.entries {
            demand(left.covers(dot) && left[dot.actor] == dot.counter, "an entry is found")
            var without = merged
            without[dot.actor] = 0
            demand(!without.covers(dot) && without.count == merged.count - 1, "an entry can be taken out")
        }
    },
    seeds: {
        var generator = SeededGenerator(seed: 2)
        return (0..<60).map { _ in VersionVector.sample(&generator).encoded + VersionVector.sample(&generator).encoded }
    }
)
