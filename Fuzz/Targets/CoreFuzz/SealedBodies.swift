import FuzzKit
import Sodium
import TestSupport
import Wire

@testable import Records

/// Sealed bodies: any author of an operation can have made the bytes.
///
/// The first byte selects the rest: a body as it came; a text that is sealed, and then changed; a header that it is
/// sealed under and opened under; bytes sealed by an author that has the key and keeps no rule.
///
/// Laws: only sealed bytes open, under the header that they were sealed under; a body that opens was padded in the
/// one way.
let sealedBodyTarget = FuzzTarget(
    "sealed-bodies",
    inputByteCountMax: 600,
    run: { bytes in
        var program = FuzzInput(bytes)
        switch program.below(4) {
        case 0: demand(fixture.open(program.remainder()) == nil, "bytes that nobody sealed do not open")
        case 1: changeBody(&program)
        case 2: changeHeader(&program)
        default: sealWithoutRules(&program)
        }
    },
    seeds: {
        var generator = SeededGenerator(seed: 71)
        // Sealed under another key: a text sealed under the own one opens, and would be no seed of bytes that do not.
        let other = always("a key") { try EpochKey(bytes: generator.bytes(32)) }
        let sealer = BodySealer(
            zone: fixture.zone,
            epoch: fixture.header.epoch,
            key: other,
            entropy: TransactionEntropy(using: &generator)
        )
        let sealed = [false, true].map {
            sealer.seal(generator.bytes(40), isTombstone: $0, header: fixture.header, actor: fixture.actor)
        }
        let header = (0..<40).map { _ in UInt8(generator.below(256)) }
        return [
            [0] + sealed[0], [0] + sealed[1],
            [1, 0, 20] + generator.bytes(20) + [1, 0, 3, 0, 1],
            [1, 1, 200] + generator.bytes(200) + [2, 0, 60, 1, 9, 0, 0, 4], [2, 0, 3] + header, [2, 1, 2] + header,
            [3, 0, 3, 1, 2, 3, 0x80] + [UInt8](repeating: 0, count: 60), [3, 1, 2, 1, 0x80],
        ]
    }
)

/// A key, and a place for it to seal at.
private struct SealedBodyFixture: Sendable {
    let zone: ZoneID
    let actor: ActorID
    let key: EpochKey
    let sealer: BodySealer
    let header: OperationHeader

    func seal(_ body: [UInt8], isTombstone: Bool) -> [UInt8] {
        sealer.seal(body, isTombstone: isTombstone, header: header, actor: actor)
    }

    func open(_ bytes: [UInt8]) -> (body: [UInt8], isTombstone: Bool)? {
        key.open(bytes, header: header, zone: zone, actor: actor)
    }
}

private let fixture: SealedBodyFixture = {
    var generator = SeededGenerator(seed: 70)
    let zone = ZoneID.sample(&generator)
    let actor = ActorID.sample(&generator)
    let epoch = Hash(Digest32(word0: 1, word1: 2, word2: 3, word3: 4))
    let key = always("a key") { try EpochKey(bytes: generator.bytes(32)) }
    let dot = Dot(actor: actor, counter: 9)
    return SealedBodyFixture(
        zone: zone,
        actor: actor,
        key: key,
        sealer: BodySealer(zone: zone, epoch: epoch, key: key, entropy: TransactionEntropy(using: &generator)),
        header: OperationHeader(
            counter: 9,
            tag: .sample(&generator),
            vector: VersionVector(covering: [dot]),
            creation: dot,
            controlHeads: .zero,
            epoch: epoch,
            time: HybridTime(milliseconds: 77),
            batch: BatchPlace(index: 1, count: 3),
            bodyHash: .zero
        )
    )
}()

private func changeBody(_ program: inout FuzzInput) {
    let isTombstone = program.bool()
    let body = program.blob()
    let sealed = fixture.seal(body, isTombstone: isTombstone)
    guard let opened = fixture.open(sealed) else { preconditionFailure("law broken: what is sealed opens") }
    demand(opened.body == body && opened.isTombstone == isTombstone, "what is sealed opens to itself")
    let other = program.mutate(sealed)
    demand(other == sealed || fixture.open(other) == nil, "nothing opens but what was sealed")
}

private func changeHeader(_ program: inout FuzzInput) {
    let isTombstone = program.bool()
    let sealed = fixture.seal(program.blob(), isTombstone: isTombstone)
    var header = fixture.header
    var (zone, actor) = (fixture.zone, fixture.actor)
    func digest() -> Digest32 {
        Digest32(word0: program.number(), word1: program.number(), word2: 0, word3: 0)
    }
    for _ in 0...program.below(3) {
        switch program.below(11) {
        case 0: header.counter = program.number()
        case 1: header.tag = RecordTag(digest())
        case 2: header.vector = VersionVector(covering: [Dot(actor: actor, counter: 1 + UInt64(program.byte()))])
        case 3: header.creation = Dot(actor: actor, counter: 1 + UInt64(program.byte()))
        case 4: header.controlHeads = Hash(digest())
        case 5: header.epoch = Hash(digest())
        case 6: header.time = HybridTime(milliseconds: program.number() >> 16)
        case 7: header.batch = BatchPlace(index: 1, count: 1 + UInt32(program.byte()))
        case 8: zone = ZoneID(digest())
        case 9: actor = ActorID(digest())
        default: header.bodyHash = Hash(digest())
        }
    }
    var compared = header
    // The header's statement of the body's hash is the one thing that the seal cannot cover.
    compared.bodyHash = fixture.header.bodyHash
    let isSame = compared == fixture.header && zone == fixture.zone && actor == fixture.actor
    let opens = fixture.key.open(sealed, header: header, zone: zone, actor: actor) != nil
    demand(opens == isSame, "a body opens in its own operation alone")
}

private func sealWithoutRules(_ program: inout FuzzInput) {
    let isCommitted = !program.bool()
    let text = program.blob() + program.remainder()
    let dot = Dot(actor: fixture.actor, counter: fixture.header.counter)
    let key = fixture.key.recordKey(zone: fixture.zone, dot)
    let commitment = Hash(Blake2b.keyedHash(.keyCommitment, key: key, [])) ?? .zero
    var sealed = SealedBody(
        isTombstone: false,
        commitment: isCommitted ? commitment : .zero,
        nonce: [UInt8](repeating: 3, count: SealedBody.nonceByteCount),
        ciphertext: []
    )
    var writer = WireWriter(capacity: 320)
    writer.writeByte(sealed.kind)
    writer.write(fixture.zone)
    writer.write(fixture.actor)
    writer.write(fixture.header)
    sealed.ciphertext = XChaChaPoly.seal(
        text,
        key: key,
        nonce: always("a nonce") { try XChaChaPoly.Nonce(bytes: sealed.nonce) },
        associatedData: writer.bytes
    )
    guard let opened = fixture.open(sealed.encoded) else { return }
    demand(isCommitted, "a body opens under the key that it commits to alone")
    var padded = opened.body
    BodyPadding.pad(&padded)
    demand(padded == text, "what opens is padded in the one way")
}
