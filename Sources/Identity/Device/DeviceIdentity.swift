package import Sodium
package import Wire

/// A device's own secret keys: one that signs and one for channels.
///
/// There is one for the life of an installation. A class, because the keys exist once, in guarded memory that cannot be
/// copied, while several services need them.
package final class DeviceIdentity: Sendable {
    /// The identifier of this device: its signing key's public half.
    package let deviceID: DeviceID

    /// The key for channels; a handshake that must own one takes `agreementKey.duplicate()`.
    package let agreementKey: AgreementKey

    private let signingKey: SigningKey

    /// Takes the two keys.
    /// - Parameters:
    ///   - signingKey: Signs everything the device states.
    ///   - agreementKey: Agrees on channel keys.
    package init(signingKey: consuming SigningKey, agreementKey: consuming AgreementKey) {
        deviceID = DeviceID(signingKey.publicKey)
        self.signingKey = signingKey
        self.agreementKey = agreementKey
    }

    /// Makes a new device.
    /// - Parameter generator: The source of the randomness.
    package convenience init(using generator: inout some RandomNumberGenerator) {
        self.init(
            signingKey: SigningKey.generate(using: &generator),
            agreementKey: AgreementKey.generate(using: &generator)
        )
    }

    /// Signs bytes for one purpose.
    /// - Parameters:
    ///   - message: The bytes.
    ///   - context: The purpose.
    /// - Returns: The signature.
    package func sign(_ message: [UInt8], context: ContextString) -> Signature64 {
        Signature64(signingKey.signature(over: message, context: context))
    }

    /// The secret of the key that others seal envelopes to.
    ///
    /// Made of the signing key, which lives as long: a device has one secret to lose.
    /// - Returns: 32 secret bytes; wipe them with `ConstantTime.wipe`.
    package func encapsulationSeed() -> [UInt8] {
        var seed = signingKey.exportSeed()
        defer { ConstantTime.wipe(&seed) }
        // The seed has the size of a key.
        guard let key = try? SymmetricKey(bytes: seed, placement: .transient) else { return [] }
        return key.derivedKey(.encapsulationKey).exportBytes()
    }

    /// The key of the signing half, for the key file alone.
    /// - Returns: 32 secret bytes; wipe them with `ConstantTime.wipe`.
    func exportSigningSeed() -> [UInt8] {
        signingKey.exportSeed()
    }
}
