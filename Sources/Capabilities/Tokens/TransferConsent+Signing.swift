import Identity
package import Sodium
package import Wire

extension TransferConsent {
    /// Signs the consent.
    /// - Parameter sign: Signs with the key of ``TransferConsent/device``.
    /// - Returns: The consent with its signature.
    /// - Throws: Any error of the closure.
    package func signed<Failure: Error>(
        by sign: (_ message: [UInt8], _ context: ContextString) throws(Failure) -> Signature64
    ) throws(Failure) -> SignedTransferConsent {
        SignedTransferConsent(consent: self, signature: try sign(encoded, Self.context))
    }

    fileprivate static var context: ContextString { .transferConsent }
}

extension SignedTransferConsent {
    /// Whether the signature is that of the device that the consent names.
    /// - Complexity: one check of an Ed25519 signature.
    package var isSigned: Bool {
        consent.device.verifyingKey.isValid(
            signature.signature,
            over: consent.encoded,
            context: TransferConsent.context
        )
    }
}
