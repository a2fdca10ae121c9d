package import Records
import Sodium
import Sync

/// A stand-in for HPKE with X-Wing, **without any secrecy**.
///
/// An attacker that knows the key that a device has stated can open everything sealed to it. It serves simulations,
/// which need the same bytes in every run; the real library draws randomness of its own. It does preserve which
/// device opens which envelope: a device opens the envelopes sealed to it, for their purpose, and no others. No part
/// of the daemon may import this target, which a test enforces.
package struct StandInEnvelopes: EnvelopeSealing {
    /// The size of an encapsulation key in bytes.
    private static let keyByteCount = 32

    /// The keys to which something other than the given secret is sealed.
    private let deceived: Set<[UInt8]>

    /// Creates the mechanism.
    /// - Parameter deceived: The keys to which something other than the given secret is sealed; a liar has some.
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
