import Records
package import Sodium
package import Wire

/// The secret that two devices share for the parcels between them.
///
/// It is derived from both devices' agreement keys, so that no other device has it and no exchange is needed.
///
/// ```
/// pair  = HKDF(X25519(own key, other's key), "mailbox-pair")
/// day   = HKDF(pair, "mailbox-day", relay 32 ‖ sender 32 ‖ recipient 32 ‖ day 8)
/// put   = HKDF(day, "mailbox-put")     get = HKDF(day, "mailbox-get")     seal = HKDF(day, "mailbox-seal")
/// ```
///
/// A class, so that all mailboxes of a pair share one protected copy.
package final class PartnerSecret: Sendable {
    private let key: SymmetricKey

    /// Agrees with another device.
    /// - Parameters:
    ///   - own: This device's agreement key.
    ///   - other: The other device's, of its certificate.
    /// - Throws: `SodiumError.contributoryBehaviour` for a public key that gives every party the same secret.
    package init(own: borrowing AgreementKey, other: AgreementPublicKey) throws(SodiumError) {
        key = try own.sharedSecret(with: other).derivedKey(.mailboxPair)
    }

    /// Returns the keys of the mailbox in which one of the two leaves parcels for the other on one day.
    /// - Parameters:
    ///   - relay: The relay on which it is: two of them cannot tell that mailboxes belong together.
    ///   - sender: The device that puts parcels.
    ///   - recipient: The device that takes them.
    ///   - day: Days since 1970 by the sender's clock.
    /// - Returns: The keys.
    package func keys(relay: RelayID, sender: DeviceID, recipient: DeviceID, day: UInt64) -> MailboxKeys {
        var info = WireWriter(capacity: 104)
        info.write(relay)
        info.write(sender)
        info.write(recipient)
        info.writeUInt64(day)
        return MailboxKeys(key.derivedKey(.mailboxDay, info: info.bytes))
    }
}

/// The keys of one mailbox, as its two devices have them.
package struct MailboxKeys: Sendable {
    /// The mailbox.
    package let mailbox: MailboxID
    /// Shows that one may put.
    package let put: MailboxProof
    /// Shows that one may take.
    package let get: MailboxProof
    let seal: [UInt8]

    init(_ day: borrowing SymmetricKey) {
        let putKey = day.derivedKey(.mailboxPut).exportBytes()
        let getKey = day.derivedKey(.mailboxGet).exportBytes()
        put = MailboxProof(key: putKey, other: MailboxID.hash(ofKey: getKey))
        get = MailboxProof(key: getKey, other: MailboxID.hash(ofKey: putKey))
        seal = day.derivedKey(.mailboxSeal).exportBytes()
        mailbox = MailboxID(put: put)
    }
}

extension MailboxKeys: UnprintedSecret {
    package var description: String { "mailbox keys" }
}

extension MailboxID {
    /// The mailbox into which a proof lets put.
    /// - Parameter proof: A put key, and the hash of the get key.
    package init(put proof: MailboxProof) {
        self.init(putHash: Self.hash(ofKey: proof.key), getHash: proof.other)
    }

    /// The mailbox out of which a proof lets take.
    /// - Parameter proof: A get key, and the hash of the put key.
    package init(get proof: MailboxProof) {
        self.init(putHash: proof.other, getHash: Self.hash(ofKey: proof.key))
    }

    private init(putHash: Hash, getHash: Hash) {
        self.init(digesting: .mailboxID, putHash.bytes + getHash.bytes)
    }

    static func hash(ofKey key: [UInt8]) -> Hash {
        Hash(digesting: .mailboxKeyHash, key)
    }
}
