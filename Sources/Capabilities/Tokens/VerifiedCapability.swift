import Identity
package import Sodium
package import Wire

/// A capability whose signature was checked against the device that it names.
///
/// Made in this file only, from received bytes; so holding one is the proof. That the device is one of the issuer's, and
/// that the issuer has the right that it delegates, are other questions: see ``CapabilityChain``.
package struct VerifiedCapability: Hashable, Sendable {
    /// See ``SignedCapability/id``.
    package let id: Hash
    /// The signed capability, for passing on.
    package let signed: SignedCapability

    /// Checks a capability's signature.
    /// - Parameter unverified: The capability as decoded.
    /// - Throws: ``CapabilityError/badSignature``.
    /// - Complexity: one check of an Ed25519 signature.
    package init(_ unverified: UnverifiedCapability) throws(CapabilityError) {
        let signed = unverified.signed
        let key = signed.capability.signer.verifyingKey
        guard key.isValid(signed.signature.signature, over: signed.bodyBytes, context: .capability) else {
            throw .badSignature
        }
        id = unverified.id
        self.signed = signed
    }

    /// The capability.
    package var capability: Capability { signed.capability }
}

extension Capability {
    /// A closure that signs bytes for a purpose with the signer's key, such as `DeviceIdentity.sign(_:context:)`.
    package typealias Signing<Failure: Error> = (_ message: [UInt8], _ context: ContextString) throws(Failure) ->
        Signature64

    /// Signs the capability, after making sure that every receiver will read it.
    /// - Parameter sign: Signs with the key of ``Capability/signer``.
    /// - Returns: The capability with its signature.
    /// - Throws: ``CapabilityError/malformed(_:)`` for limits that cannot be encoded, such as a name that is too long;
    ///   ``CapabilityError/tooLarge``; the closure's error.
    package func signed(by sign: Signing<some Error>) throws -> SignedCapability {
        let bytes = try checked()
        return SignedCapability(self, signature: try sign(bytes, .capability))
    }

    private func checked() throws(CapabilityError) -> [UInt8] {
        let bytes: [UInt8]
        do {
            bytes = try checkedEncoding()
        } catch {
            throw .malformed(error)
        }
        guard bytes.count <= Capability.signedByteCountMax else { throw .tooLarge }
        return bytes
    }
}
