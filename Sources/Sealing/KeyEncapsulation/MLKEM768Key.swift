internal import Crypto
internal import FoundationEssentials
internal import Session
internal import Sodium

/// A key of ML-KEM-768.
///
/// The library does not wipe it; it lives for the seconds of one handshake and opens nothing else.
struct MLKEM768Key: DecapsulationKey {
    private let key: MLKEM768.PrivateKey

    init(_ key: MLKEM768.PrivateKey) {
        self.key = key
    }

    var encapsulationKey: [UInt8] { Array(key.publicKey.rawRepresentation) }

    func decapsulate(_ ciphertext: [UInt8]) throws(KeyEncapsulationError) -> SecretBytes {
        guard ciphertext.count == ChannelLimits.encapsulatedByteCount else { throw .malformedCiphertext }
        do {
            return try key.decapsulate(ciphertext).owned
        } catch {
            throw .unavailable
        }
    }
}

extension Crypto.SymmetricKey {
    /// The same bytes in memory that is wiped.
    var owned: SecretBytes {
        var bytes = withUnsafeBytes { Array($0) }
        return SecretBytes(wiping: &bytes, placement: .transient)
    }
}
