import Sodium
package import Wire

extension RecoveryKey {
    /// Makes the entry by which a device that holds no account log adds itself, over the heads that it has received.
    ///
    /// An entry over outdated heads, or over those of another account, is ineffective on the other devices: the device is
    /// then not added, and learns nothing else.
    /// - Parameters:
    ///   - certificate: The device's certificate.
    ///   - account: The account, as one of its devices states it.
    ///   - heads: The heads of its log, as that device states them; the hash that stands for all of many is left out.
    ///   - generator: The source of the nonce.
    /// - Returns: The signed entry; it gives the role *full*.
    /// - Throws: ``AccountError/malformed(_:)`` for heads that no entry can name.
    package func entryAdding(
        _ certificate: VerifiedCertificate,
        account: AccountID,
        heads: [Hash],
        using generator: inout some RandomNumberGenerator
    ) throws(AccountError) -> SignedAccountEntry {
        let entry = AccountEntry(
            account: account,
            parents: heads.filter { !$0.isOfManyHeads },
            author: .recovery,
            nonce: generator.randomBytes(AccountEntry.nonceByteCount),
            action: .addDevice(
                certificate: certificate.signed.encoded,
                role: .full,
                name: certificate.certificate.name
            )
        )
        return try AccountSigner.recovery(self).sign(entry)
    }
}
