import Sodium
import Wire

extension AccountLog {
    /// Checks all that an entry's bytes and its ancestors alone decide.
    ///
    /// A *removed* author is not refused here. That depends on which removals are effective, which can change with
    /// every entry that arrives; an entry refused today would be missing tomorrow.
    func verify(_ unverified: UnverifiedAccountEntry) throws(AccountError) -> AccountNode {
        let entry = unverified.signed.entry
        guard let named = entry.account, named == account else { throw .otherAccount }
        let parents = try parentIndices(of: entry)
        var ancestors = EntrySet()
        var generation = 0
        for parent in parents {
            ancestors.formUnion(nodes[parent].ancestors)
            generation = max(generation, nodes[parent].generation + 1)
        }
        // At this point the set holds the parents' ancestors only: a parent among them is an ancestor of another one.
        guard parents.allSatisfy({ !ancestors.contains($0) }) else { throw .parentsNotHeads }
        for parent in parents {
            ancestors.insert(parent)
        }
        let certificate = try checkAction(of: entry, ancestors: ancestors)
        let (verified, origin) = try checkSignature(of: unverified, ancestors: ancestors)
        return AccountNode(
            verified: verified,
            generation: generation,
            ancestors: ancestors,
            recoveryOrigin: origin,
            certificate: certificate
        )
    }

    /// Reads and checks a certificate inside an entry.
    static func certificate(_ bytes: [UInt8]) throws(AccountError) -> VerifiedCertificate {
        do {
            return try VerifiedCertificate(bytes: bytes)
        } catch {
            throw .badCertificate(error)
        }
    }

    private func parentIndices(of entry: AccountEntry) throws(AccountError) -> [Int] {
        let missing = entry.parents.filter { indices[$0] == nil }
        guard missing.isEmpty else { throw .missingParents(missing) }
        return entry.parents.compactMap { indices[$0] }
    }

    /// - Returns: The certificate that the entry brings in, if any.
    private func checkAction(
        of entry: AccountEntry,
        ancestors: EntrySet
    ) throws(AccountError) -> VerifiedCertificate? {
        switch entry.action {
        case .genesis:
            throw .otherAccount
        case .addDevice(let bytes, _, _):
            return try Self.certificate(bytes)
        case .removeDevice(let removal):
            let device = removal.device
            guard nodes.indices.contains(where: { ancestors.contains($0) && nodes[$0].addition?.device == device })
            else {
                throw .unknownDevice(device)
            }
            for head in removal.keeping {
                guard let index = indices[head], ancestors.contains(index) else { throw .cutOutsidePast(head) }
            }
        case .replaceRecoveryKey:
            guard entry.author == .recovery else { throw .needsRecoveryKey }
        case .pairKey:
            // The use of the key shows whether it is valid: any 32 bytes are a key.
            break
        case .renewCertificate(let bytes):
            // Versions that do not know this kind take in any bytes, and an entry that some refuse would be missing
            // on others: bytes that are no certificate have no effect. The state shows which device it is of, and
            // whether it is newer.
            return try? Self.certificate(bytes)
        case .renewFleetKey, .setName:
            // Likewise.
            break
        case .unknown:
            // A later version's kind: kept and passed on, so that devices which understand it get it through us.
            break
        }
        return nil
    }

    private func checkSignature(
        of unverified: UnverifiedAccountEntry,
        ancestors: EntrySet
    ) throws(AccountError) -> (VerifiedAccountEntry, origin: Int?) {
        switch unverified.signed.entry.author {
        case .device(let device):
            let mayWrite = nodes.indices.contains { index in
                guard ancestors.contains(index), let addition = nodes[index].addition else { return false }
                return addition.device == device && addition.role == .full
            }
            guard mayWrite else { throw .authorNotAdded }
            return (try VerifiedAccountEntry(unverified, key: device.verifyingKey), nil)
        case .recovery:
            // More than one key can be current in an author's past: two replacements that did not know of each other.
            for origin in currentRecoveryOrigins(in: ancestors) {
                guard let bytes = nodes[origin].recoveryKeyBytes else { continue }
                do {
                    let verified = try VerifiedAccountEntry(unverified, key: try VerifyingKey(bytes: bytes))
                    return (verified, origin)
                } catch {
                    // Not this key; another one may fit.
                    continue
                }
            }
            throw .badSignature
        }
    }

    /// The entries within a past whose recovery key no other entry of that past replaces, in a fixed order.
    private func currentRecoveryOrigins(in past: EntrySet) -> [Int] {
        let origins = nodes.indices.filter { past.contains($0) && nodes[$0].recoveryKeyBytes != nil }
        let replaced = Set(origins.compactMap { nodes[$0].recoveryOrigin })
        return origins.filter { !replaced.contains($0) }.sorted { nodes[$0].place < nodes[$1].place }
    }
}
