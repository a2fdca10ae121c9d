package import Sodium
package import Wire

/// The secret that two accounts share and no other has, from the pair key of one and the other's public half.
///
/// For every zone that they want to have, both derive the same one, without an exchange.
///
/// Devices of both accounts can derive it, and so can removed ones: like every secret of a zone it decides which
/// devices may *talk*, never which may *do* something.
package struct PairSecret: ~Copyable, Sendable {
    private let owners: (AccountID, AccountID)
    private let key: SymmetricKey

    /// Makes the secret of two accounts.
    /// - Parameters:
    ///   - keyring: The secrets of one of them.
    ///   - account: The account of that keyring.
    ///   - other: The other one.
    ///   - otherKey: Its pair key, as its account log states it.
    /// - Throws: `SodiumError.contributoryBehaviour` for an invalid key: an account that states one has no pair
    ///   zones.
    /// - Precondition: they are two.
    package init(
        _ keyring: AccountKeyring,
        of account: AccountID,
        with other: AccountID,
        _ otherKey: AgreementPublicKey
    ) throws(SodiumError) {
        precondition(account != other, "nobody has a pair zone alone")
        let own = try keyring.pairKey()
        let isFirst = account < other
        let keys = isFirst ? [own.publicKey, otherKey] : [otherKey, own.publicKey]
        let owners = isFirst ? (account, other) : (other, account)
        let info = owners.0.bytes + owners.1.bytes + keys[0].bytes + keys[1].bytes
        // Nothing may throw once a part of a value that cannot be copied is there.
        let key = try own.sharedSecret(with: otherKey).derivedKey(.pairSecret, info: info)
        self.owners = owners
        self.key = key
    }

    /// Returns the terms of a zone of the two, a function of the accounts, the container and the name alone.
    /// - Parameters:
    ///   - container: The container's name, 1 to 255 bytes.
    ///   - name: The zone's name, 1 to 255 bytes.
    /// - Returns: Genesis and tag key.
    package borrowing func terms(container: String, name: String) -> ZoneTerms {
        var writer = WireWriter(capacity: 256)
        writer.writeString(container)
        writer.writeString(name)
        let genesis = ZoneGenesis(
            owners: owners,
            container: container,
            name: name,
            salt: Blake2b.keyedHash(.pairZoneSalt, key: key, writer.bytes)
        )
        let tagKey = key.derivedKey(.pairZoneTagKey, info: ZoneID(genesis).bytes)
        return ZoneTerms(genesis: genesis, tagKey: tagKey.exportBytes())
    }
}
