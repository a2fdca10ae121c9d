import Records
import Sodium
import TestSupport
import Wire

/// Bodies of records, sealed and opened, beside libsodium's XChaCha20-Poly1305 over the same bytes and nothing else.
struct SealingBench {
    private static let zone = ZoneID(Digest32(word0: 1, word1: 2, word2: 3, word3: 4))
    private static let epoch = Hash(Digest32(word0: 5, word1: 6, word2: 7, word3: 8))
    private static let actor = ActorID(Digest32(word0: 9, word1: 0, word2: 0, word3: 0))

    private let key: EpochKey
    private let sealer: BodySealer
    private let header: OperationHeader

    /// Makes a key and the operation whose body is sealed.
    init() {
        do {
            key = try EpochKey(bytes: [UInt8](repeating: 1, count: 32))
        } catch {
            preconditionFailure("a key to measure: \(error)")
        }
        var generator = SeededGenerator(seed: 5)
        sealer = BodySealer(
            zone: Self.zone,
            epoch: Self.epoch,
            key: key,
            entropy: TransactionEntropy(using: &generator)
        )
        let dot = Dot(actor: Self.actor, counter: 7)
        header = OperationHeader(
            counter: 7,
            tag: RecordTag(Digest32(word0: 1, word1: 1, word2: 1, word3: 1)),
            vector: VersionVector(covering: [dot]),
            creation: dot,
            controlHeads: .zero,
            epoch: Self.epoch,
            time: HybridTime(milliseconds: 1_700_000_000_000),
            batch: .single,
            bodyHash: .zero
        )
    }

    /// Measures, and writes the table.
    func run() {
        row("sealing", ["seal, us", "beside", "open, us", "beside"])
        for (name, count) in [("300 B", 300), ("16 KiB", 16_384), ("1 MiB", 1_048_576)] {
            var generator = SeededGenerator(seed: UInt64(count))
            measure(name, generator.bytes(count))
        }
    }

    private func measure(_ name: String, _ body: [UInt8]) {
        let symmetric = SymmetricKey.generate()
        let bare = XChaChaPoly.seal(body, key: symmetric, nonce: .zero)
        let sealed = sealer.seal(body, isTombstone: false, header: header, actor: Self.actor)
        let seal = Measurement {
            sealer.seal(body, isTombstone: false, header: header, actor: Self.actor).count
        }
        let besideSeal = Measurement { XChaChaPoly.seal(body, key: symmetric, nonce: .zero).count }
        let open = Measurement {
            guard let opened = key.open(sealed, header: header, zone: Self.zone, actor: Self.actor) else {
                preconditionFailure("what was sealed opens")
            }
            return opened.body.count
        }
        let besideOpen = Measurement {
            do {
                return try XChaChaPoly.open(bare, key: symmetric, nonce: .zero).count
            } catch {
                preconditionFailure("what was sealed opens: \(error)")
            }
        }
        row(
            "  \(name), \(sealed.count) sealed",
            [
                text(seal.microseconds, 2), text(seal.microseconds / besideSeal.microseconds, 2),
                text(open.microseconds, 2), text(open.microseconds / besideOpen.microseconds, 2),
            ]
        )
    }
}
