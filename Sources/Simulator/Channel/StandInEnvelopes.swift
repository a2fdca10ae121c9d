package import Records
import Sodium
import Sync

/// Stands where HPKE with X-Wing stands in the product, **without any secrecy**: who knows what a device has stated opens what is
/// sealed to it.
///
/// For simulations, which need the same bytes in every run; the library of the real one draws randomness of its own. What it does
/// keep is who opens what: a device opens the envelopes that were sealed to it, for what they are for, and no others. No part of
/// the daemon may import this target, and a test holds that.
package struct StandInEnvelopes: EnvelopeSealing {
    /// How many bytes an encapsulation key has.
    private static let keyByteCount = 32

    /// The keys to which something else is sealed than what is given.
    private let deceived: Set<[UInt8]>

    /// The mechanism.
    /// - Parameter deceived: The keys to which something else is sealed than what is given; a liar has some.
    package init(deceiving deceived: Set<[UInt8]> = []) {
        self.deceived = deceived
    }

    /// See `EnvelopeSealing`.
    package func encapsulationKey(seed: [UInt8]) throws -> [UInt8] {
        Blake2b.hash([0] + seed, byteCount: Self.keyByteCount)
    }

    /// See `EnvelopeSealing`.
    package func isKey(_ bytes: [UInt8]) -> Bool {
        bytes.count == Self.keyByteCount
    }

    /// See `EnvelopeSealing`; the same envelope each time.
    package func seal(
        _ secret: [UInt8],
        to key: [UInt8],
        info: [UInt8],
        entropy: TransactionEntropy
    ) throws -> [UInt8] {
        let sealed = deceived.contains(key) ? [UInt8](repeating: 0, count: secret.count) : secret
        return XChaChaPoly.seal(sealed, key: try envelopeKey(of: key, info), nonce: .zero)
    }

    /// See `EnvelopeSealing`.
    package func open(_ envelope: [UInt8], seed: [UInt8], info: [UInt8]) throws -> [UInt8] {
        try XChaChaPoly.open(envelope, key: try envelopeKey(of: try encapsulationKey(seed: seed), info), nonce: .zero)
    }

    private func envelopeKey(of key: [UInt8], _ info: [UInt8]) throws -> SymmetricKey {
        try SymmetricKey(bytes: Blake2b.hash([1] + key + info, byteCount: 32), placement: .transient)
    }
}
