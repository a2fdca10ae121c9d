import Sodium
package import Wire

extension AccountLog {
    /// The number of names that a device gives, to the account and to its devices.
    ///
    /// Half of the entries that its removal keeps where none are named: devices that it added stay in the account.
    package static let namingCountMax = 64

    /// Makes the entry that names the account, or one of its devices, if it is not called so.
    ///
    /// The entry descends from the name that it replaces, so it comes behind that in the order of the log.
    /// - Parameters:
    ///   - device: The device, removed or not; `nil` for the account itself.
    ///   - name: The name, by the rules of `Naming.mistake(in:)`.
    ///   - signer: A device of the account with all rights, or the recovery key.
    ///   - generator: The source of the nonce.
    /// - Returns: The signed entry; `nil` when this is the name now.
    /// - Throws: ``AccountError/badName(_:)``, ``AccountError/unknownDevice(_:)``, ``AccountError/tooManyNames`` for a device that has
    ///   given ``namingCountMax`` names, or as all entries.
    package func naming(
        _ device: DeviceID?,
        _ name: String,
        signer: AccountSigner,
        using generator: inout some RandomNumberGenerator
    ) throws(AccountError) -> SignedAccountEntry? {
        if let mistake = Naming.mistake(in: name) { throw .badName(mistake) }
        let present: String?
        if let device {
            guard let entry = state.devices[device] else { throw .unknownDevice(device) }
            present = entry.name
        } else {
            present = state.name
        }
        if let present, present.isBytewiseEqual(to: name) { return nil }
        let given = nodes.indices.count {
            counting[$0] && nodes[$0].naming != nil && nodes[$0].entry.author == signer.author
        }
        guard given < Self.namingCountMax else { throw .tooManyNames }
        return try entry(
            .setName(Naming(of: device, name: name).encoded),
            nonce: generator.randomBytes(AccountEntry.nonceByteCount),
            signer: signer
        )
    }
}
