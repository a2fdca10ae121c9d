package import Sodium
package import Wire

extension AccountLog {
    /// Starts a new account with its first device.
    /// - Parameters:
    ///   - identity: The device's keys, which sign.
    ///   - certificate: The device's certificate.
    ///   - recoveryKey: The public half of the recovery phrase's key.
    ///   - name: The name of the device for people, 1 to 63 bytes.
    ///   - generator: The source of the nonce.
    /// - Returns: A log that holds the genesis.
    /// - Throws: ``AccountError/malformed(_:)`` for a name of another size; ``AccountError/authorNotAdded`` when the
    ///   certificate is another device's.
    package static func create(
        identity: DeviceIdentity,
        certificate: VerifiedCertificate,
        recoveryKey: VerifyingKey,
        name: String,
        using generator: inout some RandomNumberGenerator
    ) throws(AccountError) -> AccountLog {
        let entry = AccountEntry(
            account: nil,
            parents: [],
            author: .device(identity.deviceID),
            nonce: generator.randomBytes(AccountEntry.nonceByteCount),
            action: .genesis(
                recoveryKey: recoveryKey.bytes,
                firstDevice: certificate.signed.encoded,
                name: name
            )
        )
        return try AccountLog(genesis: try AccountSigner.device(identity).sign(entry).encoded)
    }

    /// Makes the entry that adds a device.
    ///
    /// Like its siblings it only makes the entry: store it first, then ``insert(_:)`` its encoding.
    /// - Parameters:
    ///   - certificate: The new device's certificate.
    ///   - role: The role of the device.
    ///   - name: The name of the device for people, 1 to 63 bytes.
    ///   - signer: A device of the account with all rights, or the recovery key.
    ///   - generator: The source of the nonce.
    /// - Returns: The signed entry.
    /// - Throws: ``AccountError/deviceAlreadyAdded(_:)``, ``AccountError/deviceRemoved(_:)``, or as all entries:
    ///   ``AccountError/notAllowed``, ``AccountError/otherRecoveryKey``, ``AccountError/malformed(_:)``.
    package func addingDevice(
        _ certificate: VerifiedCertificate,
        role: DeviceRole,
        name: String,
        signer: AccountSigner,
        using generator: inout some RandomNumberGenerator
    ) throws(AccountError) -> SignedAccountEntry {
        switch state.standing(of: certificate.device) {
        case .active: throw .deviceAlreadyAdded(certificate.device)
        case .removed: throw .deviceRemoved(certificate.device)
        case .unknown: break
        }
        let action = AccountAction.addDevice(certificate: certificate.signed.encoded, role: role, name: name)
        return try entry(action, nonce: generator.randomBytes(AccountEntry.nonceByteCount), signer: signer)
    }

    /// Makes the entry that removes a device.
    ///
    /// Normally all of the device's entries that are in this log stay effective; entries that it wrote elsewhere, or
    /// writes from now on with an old past, are ignored.
    /// - Parameters:
    ///   - device: The device.
    ///   - witness: The device whose statement on the effective size of its logs takes precedence, if one is known to
    ///     have all.
    ///   - keeping: The device's entries that stay effective, with their ancestors, if not all should: the person
    ///     states that the device was in wrong hands before. Nil for all.
    ///   - signer: A device of the account with all rights, or the recovery key.
    ///   - generator: The source of the nonce.
    /// - Returns: The signed entry.
    /// - Throws: ``AccountError/unknownDevice(_:)``, ``AccountError/deviceRemoved(_:)``,
    ///   ``AccountError/lastFullDevice`` unless the recovery key signs, or as all entries.
    package func removingDevice(
        _ device: DeviceID,
        witness: DeviceID?,
        keeping: [Hash]? = nil,
        signer: AccountSigner,
        using generator: inout some RandomNumberGenerator
    ) throws(AccountError) -> SignedAccountEntry {
        switch state.standing(of: device) {
        case .active: break
        case .removed: throw .deviceRemoved(device)
        case .unknown: throw .unknownDevice(device)
        }
        if signer.author != .recovery, state.fullDevices == [device] { throw .lastFullDevice }
        return try removal(
            of: device,
            witness: witness,
            keeping: keeping ?? latestEntries(of: device) { _ in true },
            signer: signer,
            using: &generator
        )
    }

    private func removal(
        of device: DeviceID,
        witness: DeviceID?,
        keeping: [Hash],
        signer: AccountSigner,
        using generator: inout some RandomNumberGenerator
    ) throws(AccountError) -> SignedAccountEntry {
        let removal = DeviceRemoval(of: device, keeping: keeping, witness: witness)
        return try entry(
            .removeDevice(removal),
            nonce: generator.randomBytes(AccountEntry.nonceByteCount),
            signer: signer
        )
    }

    /// Makes the entry by which the recovery words remove a device, on another device of the account.
    ///
    /// No entry by a device undoes it, of any age. If the device had removed the one on which the words are
    /// used, that removal and every entry that the device made after it become ineffective, so that the other one is
    /// in the account again.
    /// - Parameters:
    ///   - device: The device to remove.
    ///   - witness: The device whose statement on the effective size of its logs takes precedence, if one is known to
    ///     have all.
    ///   - own: The device on which the words are used.
    ///   - recoveryKey: The present recovery key.
    ///   - generator: Source of the nonce.
    /// - Returns: The signed entry.
    /// - Throws: ``AccountError/unknownDevice(_:)``; ``AccountError/deviceRemoved(_:)`` for one that is removed and did not
    ///   remove `own`; ``AccountError/otherRecoveryKey``, or as all entries.
    package func removingDevice(
        _ device: DeviceID,
        witness: DeviceID?,
        on own: DeviceID,
        recoveryKey: RecoveryKey,
        using generator: inout some RandomNumberGenerator
    ) throws(AccountError) -> SignedAccountEntry {
        let removals = nodes.indices.filter { index in
            guard case .removeDevice(let removal) = nodes[index].entry.action else { return false }
            return removal.device == own && nodes[index].authorDevice == device
        }
        switch state.standing(of: device) {
        case .active: break
        case .removed: if removals.isEmpty { throw .deviceRemoved(device) }
        case .unknown: throw .unknownDevice(device)
        }
        let keeping = latestEntries(of: device) { index in
            !removals.contains { $0 == index || nodes[index].ancestors.contains($0) }
        }
        return try removal(
            of: device,
            witness: witness,
            keeping: keeping,
            signer: .recovery(recoveryKey),
            using: &generator
        )
    }

    /// Makes the entry that replaces the recovery key.
    /// - Parameters:
    ///   - newKey: The public half of the new phrase's key.
    ///   - recoveryKey: The present key, which signs.
    ///   - generator: The source of the nonce.
    /// - Returns: The signed entry.
    /// - Throws: ``AccountError/otherRecoveryKey``.
    package func replacingRecoveryKey(
        with newKey: VerifyingKey,
        recoveryKey: RecoveryKey,
        using generator: inout some RandomNumberGenerator
    ) throws(AccountError) -> SignedAccountEntry {
        try entry(
            .replaceRecoveryKey(newKey.bytes),
            nonce: generator.randomBytes(AccountEntry.nonceByteCount),
            signer: .recovery(recoveryKey)
        )
    }

    /// Makes the entry that states the account's pair key, if it has to be stated.
    /// - Parameters:
    ///   - key: The public half of ``AccountKeyring/pairKey()``.
    ///   - identity: A device of the account with all rights.
    ///   - generator: The source of the nonce.
    /// - Returns: The signed entry; `nil` when the account's key is this one, or the device has stated it before.
    /// - Throws: ``AccountError/notAllowed``, or as all entries.
    package func statingPairKey(
        _ key: AgreementPublicKey,
        by identity: DeviceIdentity,
        using generator: inout some RandomNumberGenerator
    ) throws(AccountError) -> SignedAccountEntry? {
        let isStated = nodes.contains { node in
            node.authorDevice == identity.deviceID && node.entry.action == .pairKey(key.bytes)
        }
        guard state.pairKey != key, !isStated else { return nil }
        return try entry(
            .pairKey(key.bytes),
            nonce: generator.randomBytes(AccountEntry.nonceByteCount),
            signer: .device(identity)
        )
    }

    /// The number of certificates of other devices that a device enters for each of them.
    ///
    /// A device that is in the account without all rights cannot fill its log by showing ever newer ones.
    package static let renewalCountMax = 8

    /// Makes the entry that replaces a device's certificate by a newer one, if there is need of it.
    ///
    /// The certificate is signed by its device, so no other can make one. Any device with all rights may enter it: a
    /// device without them writes no entries, and shows its certificate to those that have them.
    /// - Parameters:
    ///   - certificate: The certificate.
    ///   - identity: A device of the account with all rights.
    ///   - generator: The source of the nonce.
    /// - Returns: The signed entry; `nil` when the account has this certificate or a newer one, when the device is not in the
    ///   account, when its key for channels is another, or when ``renewalCountMax`` were entered for another device.
    /// - Throws: ``AccountError/notAllowed``, or as all entries.
    package func renewing(
        _ certificate: VerifiedCertificate,
        by identity: DeviceIdentity,
        using generator: inout some RandomNumberGenerator
    ) throws(AccountError) -> SignedAccountEntry? {
        guard let device = state.devices[certificate.device], device.status == .active,
            certificate.renews(device.certificate)
        else { return nil }
        if certificate.device != identity.deviceID {
            let entered = nodes.indices.count { counting[$0] && nodes[$0].renewal?.device == certificate.device }
            guard entered < Self.renewalCountMax else { return nil }
        }
        return try entry(
            .renewCertificate(certificate.signed.encoded),
            nonce: generator.randomBytes(AccountEntry.nonceByteCount),
            signer: .device(identity)
        )
    }

    func entry(
        _ action: AccountAction,
        nonce: [UInt8],
        signer: AccountSigner
    ) throws(AccountError) -> SignedAccountEntry {
        switch signer {
        case .device(let identity):
            guard state.standing(of: identity.deviceID) == .active(.full) else { throw .notAllowed }
        case .recovery(let key):
            guard key.publicKey == state.recoveryKey else { throw .otherRecoveryKey }
        }
        return try signer.sign(
            AccountEntry(
                account: account,
                parents: parents(for: action, by: signer.author),
                author: signer.author,
                nonce: nonce,
                action: action
            )
        )
    }

    /// From how many entries on a new entry names only the parents that it needs.
    ///
    /// Ancestors of an effective entry stay in the log. So entries of a flood are not named, once there are many:
    /// they are dropped when the devices that wrote them are removed.
    private static let crowdedCount = 512

    /// The number of a device's entries that its removal keeps effective, unless others are named.
    ///
    /// The first ones that came here. Entries that a device wrote before it was in wrong hands come before a flood,
    /// and the removal of the device makes room.
    private static let keptEntryCountMax = 128

    /// The parents of a new entry: heads, as many as there may be, with those entries below them on which it rests.
    private func parents(for action: AccountAction, by author: AccountAuthor) -> [Hash] {
        var chosen = latest(of: basis(for: action, by: author))
        if nodes.indices.count(where: needed.contains) <= Self.crowdedCount {
            for head in ranked(headIndices) where !chosen.contains(head) {
                let next = latest(of: chosen + [head])
                if next.count <= Limits.accountHeadCountMax { chosen = next }
            }
        }
        return ranked(chosen).prefix(Limits.accountHeadCountMax).map { nodes[$0].hash }.sorted()
    }

    /// The entries without which a new one would not be taken in, would be ineffective, or would disown entries that
    /// it must not.
    private func basis(for action: AccountAction, by author: AccountAuthor) -> [Int] {
        var basis = [0]
        var named: DeviceID?
        let naming = Naming(of: action)
        if case .removeDevice(let removal) = action {
            named = removal.device
            basis += removal.keeping.compactMap { indices[$0] }
        }
        for (index, node) in nodes.enumerated() where counting[index] {
            if node.entry.author == author { basis.append(index) }
            // It is to be seen that none of the removed devices has the new key.
            if case .renewFleetKey = action, node.isRemoval { basis.append(index) }
            // The name that is replaced comes before the one that replaces it.
            if let naming, node.naming?.device == naming.device { basis.append(index) }
            guard let addition = node.addition else { continue }
            // Of the author that which gives it all rights, of the device to be removed any.
            if (author == .device(addition.device) && addition.role == .full) || addition.device == named {
                basis.append(index)
            }
        }
        if let named, !nodes.indices.contains(where: { counting[$0] && nodes[$0].addition?.device == named }) {
            basis += nodes.indices.filter { nodes[$0].addition?.device == named }.prefix(1)
        }
        return basis
    }

    /// Those of some entries that are no ancestors of the others, ascending by index.
    private func latest(of entries: [Int]) -> [Int] {
        var past = EntrySet()
        for index in entries { past.formUnion(nodes[index].ancestors) }
        return Set(entries).filter { !past.contains($0) }.sorted()
    }

    /// Returns the latest effective entries of a device, ascending by name.
    ///
    /// Those from which none of its later entries descends, at most as many as a cut names; see ``keptEntryCountMax``.
    private func latestEntries(of device: DeviceID, where isKept: (Int) -> Bool) -> [Hash] {
        let own = nodes.indices.filter { nodes[$0].authorDevice == device && needed.contains($0) && isKept($0) }
        return latest(of: Array(own.prefix(Self.keptEntryCountMax)))
            .sorted { nodes[$0].place > nodes[$1].place }
            .prefix(Limits.accountHeadCountMax / 2)
            .map { nodes[$0].hash }
            .sorted()
    }
}
