import Sodium
import Wire

extension AccountLog {
    /// Takes in the entry by which a device adds itself with the recovery key; unlike any other entry only if it is
    /// effective.
    ///
    /// Otherwise a device with the words of a replaced key could fill the log with ineffective entries.
    /// - Parameters:
    ///   - certificate: The device at the other end of the channel on which it came.
    ///   - bytes: The bytes of a `SignedAccountEntry`.
    /// - Throws: ``AccountError``; the log is unchanged then. ``AccountError/notAllowed`` for an entry other than the
    ///   addition of this device by the recovery key, ``AccountError/otherRecoveryKey`` for an ineffective one,
    ///   ``AccountError/deviceRemoved(_:)``.
    package mutating func recover(_ certificate: VerifiedCertificate, with bytes: [UInt8]) throws(AccountError) {
        if case .removed = state.standing(of: certificate.device) { throw .deviceRemoved(certificate.device) }
        let unverified = try UnverifiedAccountEntry(bytes)
        guard unverified.signed.entry.author == .recovery,
            case .addDevice(let added, .full, _) = unverified.signed.entry.action, added == certificate.signed.encoded
        else { throw .notAllowed }
        var extended = self
        try extended.insert(bytes)
        // Only a replacement of its key attacks an entry by the recovery key, so one by the present key is effective.
        guard let node = extended.indices[unverified.hash].map({ extended.nodes[$0] }),
            let origin = node.recoveryOrigin,
            extended.nodes[origin].recoveryKeyBytes == extended.state.recoveryKey.bytes,
            case .active = extended.state.standing(of: certificate.device)
        else { throw .otherRecoveryKey }
        self = extended
    }
}
