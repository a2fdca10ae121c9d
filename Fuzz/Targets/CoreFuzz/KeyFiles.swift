import FuzzKit
import Identity
import Sodium
import TestSupport
import Wire

/// The files beside the database that are not sealed: keys and the sentinel.
///
/// With an odd first byte the checksum is made right again, so that
/// it does not stop the fuzzer.
let keyFileTarget = FuzzTarget(
    "key-files",
    inputByteCountMax: 600,
    run: { bytes in
        guard let form = bytes.first else { return }
        let file = form & 1 == 1 ? checked(Array(bytes.dropFirst()), form) : Array(bytes.dropFirst())
        // Each refusal is one of the two outcomes that are allowed.
        switch form >> 1 & 3 {
        case 0:
            guard let identity = try? KeyFile.device(from: file) else { return }
            demand(KeyFile.encode(identity) == file, "a key file is canonical")
        case 1:
            guard let keys = try? KeyFile.accountKeys(from: file) else { return }
            demand(KeyFile.encode(keys.keyring, of: keys.account) == file, "a key file is canonical")
        case 2:
            do {
                demand(KeyFile.encode(try KeyFile.recoveryPhrase(from: file)) == file, "a key file is canonical")
            } catch {
                return
            }
        default:
            guard let sentinel = try? Sentinel(decoding: file) else { return }
            demand(sentinel.encoded == file, "a sentinel is canonical")
        }
    },
    seeds: {
        var generator = SeededGenerator(seed: 6)
        let files: [(UInt8, [UInt8])] = [
            (0, KeyFile.encode(DeviceIdentity(using: &generator))),
            (1, KeyFile.encode(AccountKeyring(using: &generator), of: .sample(&generator))),
            (1, KeyFile.encode(renewed(&generator), of: .sample(&generator))),
            (2, KeyFile.encode(RecoveryPhrase(using: &generator))),
            (3, Sentinel(incarnation: .sample(&generator), commitNumber: 77, machine: [1, 2, 3]).encoded),
        ]
        return files.flatMap { form, file in
            let bare = file.dropLast(form == 3 ? 23 : 32)
            return [[form << 1] + file, [form << 1 | 1] + bare]
        }
    }
)

/// Secrets of an account from which a device was removed, and whose recovery words were replaced once.
private func renewed(_ generator: inout SeededGenerator) -> AccountKeyring {
    let founding = generator.bytes(32)
    let secrets = AccountSecrets(
        fleetKey: founding,
        accountSalt: generator.bytes(32),
        zoneKey: generator.bytes(32),
        recoverySecrets: [.sample(&generator), .sample(&generator)],
        fleetSecrets: [
            FleetSecret(entry: .zero, key: founding, retired: 1_700_000_000_000, days: 3),
            FleetSecret(entry: .sample(&generator), key: generator.bytes(32)),
        ]
    )
    guard let keyring = try? AccountKeyring(secrets) else { preconditionFailure("secrets of 32 bytes are keys") }
    return keyring
}

/// The file with the checksum that belongs to it.
private func checked(_ bytes: [UInt8], _ form: UInt8) -> [UInt8] {
    guard form >> 1 & 3 == 3 else { return bytes + Blake2b.digest32(.keyFileTag, bytes) }
    let check = Hexadecimal.encode(Blake2b.digest32(.sentinelTag, bytes).prefix(8))
    return bytes + Array("check \(check)\n".utf8)
}
