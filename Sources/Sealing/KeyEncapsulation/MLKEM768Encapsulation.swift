internal import Crypto
internal import FoundationEssentials
package import Session
package import Sodium

/// ML-KEM-768 (FIPS 203) of swift-crypto, for the second version of the channel.
///
/// Keys are made from the given randomness. For encapsulation the library insists on the operating system's, so the
/// given randomness is ignored there.
package struct MLKEM768Encapsulation: KeyEncapsulation {
    /// The mechanism; it has no state.
    package init() {}

    /// See `KeyEncapsulation`.
    package func makeKey(seed: borrowing SecretBytes) throws(KeyEncapsulationError) -> any DecapsulationKey {
        var bytes = seed.exportBytes()
        defer { ConstantTime.wipe(&bytes) }
        do {
            return MLKEM768Key(try MLKEM768.PrivateKey(seedRepresentation: bytes, publicKey: nil))
        } catch {
            throw .unavailable
        }
    }

    /// See `KeyEncapsulation`.
    package func encapsulate(
        to key: [UInt8],
        randomness: borrowing SecretBytes
    ) throws(KeyEncapsulationError) -> EncapsulatedSecret {
        let publicKey: MLKEM768.PublicKey
        do {
            publicKey = try MLKEM768.PublicKey(rawRepresentation: key)
        } catch {
            throw .malformedKey
        }
        do {
            let result = try publicKey.encapsulate()
            return EncapsulatedSecret(ciphertext: Array(result.encapsulated), secret: result.sharedSecret.owned)
        } catch {
            throw .unavailable
        }
    }
}
