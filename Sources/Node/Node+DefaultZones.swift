import Capabilities
import Identity
import Records
import Sync
import Wire

// The zone that each container has of its own accord.
extension Node {
    /// The name of default zones, which no other zone of an account has.
    static let defaultZoneName = "default"

    /// See `ContainerAPI`.
    package func defaultZone(of container: String) async throws(NodeError) -> (zone: ZoneStatus, isNew: Bool) {
        try check(newContainer: container)
        let known = try await reading { [self] transaction in
            try defaultRow(of: container, in: transaction).map { try replica.status(of: $0, in: transaction) }
        }
        if let known { return (known, false) }
        return try await writing { [self] transaction in
            var notice = CommitNotice()
            var isNew = false
            let committer = replica.committer
            let genesis = committer.defaultZoneGenesis(of: container)
            if try transaction.zone(ZoneID(genesis)) == nil {
                notice = try ZoneLifecycle(committer).create(genesis, in: &transaction).notice
                isNew = true
            }
            guard let row = try transaction.zone(ZoneID(genesis)) else {
                throw ReplicaError.unknownZone(ZoneID(genesis))
            }
            let status = try replica.status(of: row, in: transaction)
            return Changed((status, isNew), notice: notice)
        }
    }

    /// Makes the default zone that a reference names, if it is not there: a container has it from the beginning.
    /// - Parameter reference: The zone as a program names it.
    /// - Throws: The errors of ``defaultZone(of:)``, but none for a reference to another zone.
    func makeDefaultZone(namedBy reference: String) async throws(NodeError) {
        let wanted = ZoneReference(reference)
        guard case .path(let container, let name) = wanted, name.isBytewiseEqual(to: Self.defaultZoneName),
            scope.contains(container: container), !ZoneGenesis.isReserved(container: container),
            NameRule.mistake(inContainer: container) == nil
        else { return }
        let isThere = try await reading { [self] transaction in
            let rows = try shown(wanted.candidates(in: transaction), in: transaction)
            return !wanted.zones(among: rows, of: identity.account).isEmpty
        }
        if !isThere { _ = try await defaultZone(of: container) }
    }

    /// Makes sure that a zone's kind lets it be shared, transferred or deleted.
    /// - Throws: `NodeError` `zoneIsDefault`, `zoneIsPair`.
    static func checkIsCustom(_ zone: ZoneRow) throws(NodeError) {
        switch zone.genesis.form {
        case .custom: return
        case .pair: throw NodeError(AccessRefusal.pairZone)
        case .default:
            throw NodeError(
                .zoneIsDefault,
                "A container's default zone can be neither shared nor deleted.",
                fix: "Create another zone for records that are shared or temporary: `kairan zone create`."
            )
        }
    }

    private func defaultRow(of container: String, in transaction: any NodeTransaction) throws -> ZoneRow? {
        try transaction.zone(ZoneID(replica.committer.defaultZoneGenesis(of: container)))
    }
}

extension Committer {
    /// Returns the genesis of a container's default zone.
    func defaultZoneGenesis(of container: String) -> ZoneGenesis {
        keyring.defaultZoneGenesis(container: container, name: Node.defaultZoneName, owner: account.account)
    }
}
