import FuzzKit
import Identity
import Sodium
import TestSupport

/// The seal of a state directory and the files that are sealed under it: an attacker who can write the disk can have
/// written them.
///
/// With an odd first byte the hash at the end is made right again, so that it does not stop the fuzzer; with the next
/// bit the input is content that is sealed, and then changed by the bytes that follow.
///
/// Laws: a file that is read has one form; only sealed content is ever opened; a seal's cost has limits.
let sealTarget = FuzzTarget(
    "seals",
    inputByteCountMax: 600,
    run: { bytes in
        guard let form = bytes.first else { return }
        let rest = Array(bytes.dropFirst())
        switch form >> 1 & 3 {
        case 0: readSeal(form & 1 == 1 ? rest + Blake2b.digest32(.sealTag, rest) : rest)
        case 1:
            let file = form & 1 == 1 ? rest + Blake2b.digest32(.sealedFileTag, rest) : rest
            for content in SealingKey.Content.allCases {
                demand((try? fixture.key.open(file, as: content)) == nil, "only what was sealed opens")
            }
        case 2: changeSeal(rest, repairs: form & 1 == 1)
        default: changeFile(rest, repairs: form & 1 == 1)
        }
    },
    seeds: {
        let seal = fixture.seal.encoded
        var generator = SeededGenerator(seed: 61)
        let file = fixture.key.seal(generator.bytes(40), as: .account, using: &generator)
        let passphrase = fixture.passphraseSeal.encoded
        return [
            [0] + seal, [1] + seal.dropLast(32), [0] + passphrase, [1] + passphrase.dropLast(32),
            [2] + file.dropLast(), [3] + file.dropLast(33), [4, 12, 1], [5, 90, 1], [6, 3, 0, 0, 7], [7, 60, 0, 80, 1],
        ]
    }
)

private struct SealFixture: Sendable {
    let key: SealingKey
    let secret: UnlockingSecret
    let seal: SealFile
    let passphraseSeal: SealFile
}

private let fixture: SealFixture = {
    var generator = SeededGenerator(seed: 60)
    let key = SealingKey(using: &generator)
    var (bytes, text) = (generator.bytes(32), Array("correct horse battery staple".utf8))
    guard let secret = UnlockingSecret.credential(wiping: &bytes),
        let passphrase = UnlockingSecret.passphrase(wiping: &text)
    else { preconditionFailure("the fixture's secrets are long enough") }
    return SealFixture(
        key: key,
        secret: secret,
        seal: known("a seal", try? SealFile(locking: key, with: secret, using: &generator)),
        passphraseSeal: known(
            "a seal",
            try? SealFile(locking: key, with: passphrase, parameters: .least, using: &generator)
        )
    )
}()

private func readSeal(_ file: [UInt8]) {
    // A refusal is one of the two outcomes that are allowed.
    guard let seal = try? SealFile(decoding: file) else { return }
    demand(seal.encoded == file, "a seal has one form")
    demand(seal.parameters.memoryByteCount <= 1 << 30 && seal.parameters.passCount <= 16, "a seal's cost has limits")
    guard seal.kind == .credential else { return }
    let opened = try? seal.open(with: fixture.secret)
    demand((opened != nil) == (seal == fixture.seal), "only what was locked opens")
}

/// Changes a sealed file: the first byte is the place, the second the change.
private func changeSeal(_ changes: [UInt8], repairs: Bool) {
    readSeal(changed(fixture.seal.encoded, by: changes, repairs ? .sealTag : nil))
}

private func changeFile(_ bytes: [UInt8], repairs: Bool) {
    var generator = SeededGenerator(seed: 62)
    let content = Array(bytes.prefix(bytes.count / 2))
    let kind = SealingKey.Content.allCases[content.count % SealingKey.Content.allCases.count]
    let file = fixture.key.seal(content, as: kind, using: &generator)
    demand((try? fixture.key.open(file, as: kind)) == content, "what is sealed opens to itself")
    let other = changed(file, by: Array(bytes.dropFirst(content.count)), repairs ? .sealedFileTag : nil)
    guard other != file else { return }
    demand((try? fixture.key.open(other, as: kind)) == nil, "only what was sealed opens")
}

/// A file with changed bytes, and the hash that belongs to it if there is one to make.
private func changed(_ file: [UInt8], by changes: [UInt8], _ hash: ContextString?) -> [UInt8] {
    var file = hash == nil ? file : Array(file.dropLast(32))
    for index in stride(from: 0, to: changes.count - 1, by: 2) where !file.isEmpty {
        file[(Int(changes[index]) + index / 2 * 256) % file.count] ^= changes[index + 1]
    }
    return hash.map { file + Blake2b.digest32($0, file) } ?? file
}
