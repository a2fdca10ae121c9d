package import Sodium
package import Wire

/// The keys of a relay that keeps mailboxes.
///
/// All of them are derived from one secret, so that several front ends that have the secret are one relay.
///
/// ```
/// static key     = HKDF(seed, "relay-static")       of its handshakes; the public half is its id
/// channel secret = HKDF(seed, "relay-channel")      opens the handshake; stands in every link
/// ```
package struct RelayKeys: ~Copyable {
    /// The number of bytes of the seed.
    package static let seedByteCount = 32

    /// The static key of its handshakes.
    package let agreementKey: AgreementKey
    private let seed: SymmetricKey

    /// Derives a relay's keys.
    /// - Parameter seed: 32 secret bytes.
    /// - Throws: `SodiumError.wrongByteCount` for any other count.
    package init(seed: [UInt8]) throws(SodiumError) {
        let seed = try SymmetricKey(bytes: seed)
        agreementKey = try AgreementKey(bytes: seed.derivedKey(.relayStatic).exportBytes())
        self.seed = seed
    }

    /// The relay's id.
    package var id: RelayID { RelayID(agreementKey.publicKey.bytes) ?? .zero }

    /// Returns the secret that opens the handshake with the relay.
    /// - Returns: 32 secret bytes.
    package borrowing func channelSecret() -> [UInt8] {
        seed.derivedKey(.relayChannel).exportBytes()
    }

    /// The seed in the clear, for the file that it lies in.
    /// - Returns: 32 secret bytes.
    package borrowing func exportSeed() -> [UInt8] { seed.exportBytes() }
}
