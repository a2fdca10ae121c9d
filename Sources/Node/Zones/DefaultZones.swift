import Identity
import Records
import Sync
import Wire

/// The zone that each container has of its own accord: it is made when a program first uses it.
struct DefaultZones: Sendable {
    /// The name of default zones, which no other zone of an account has.
    static let name = "default"

    private let store: CallerStore

    /// The default zones of one caller's containers.
    init(_ store: CallerStore) {
        self.store = store
    }

    /// Finds the default zone of a container, or makes it; see `ZoneAPI`.
    func zone(of container: String) async throws(NodeError) -> (zone: ZoneStatus, isNew: Bool) {
        try store.zones.check(newContainer: container)
        let known = try await store.read { transaction in
            let committer = store.committer
            let row = try transaction.zone(ZoneID(committer.defaultZoneGenesis(of: container)))
            return try row.map { try ZoneReading(committer).status(of: $0, in: transaction) }
        }
        if let known { return (known, false) }
        return try await store.write { transaction in
            var notice = CommitNotice()
            var isNew = false
            let committer = store.committer
            let genesis = committer.defaultZoneGenesis(of: container)
            if try transaction.zone(ZoneID(genesis)) == nil {
                notice = try ZoneLifecycle(committer).create(genesis, in: &transaction).notice
                isNew = true
            }
            guard let row = try transaction.zone(ZoneID(genesis)) else {
                throw ReplicaError.unknownZone(ZoneID(genesis))
            }
            return Changed((try ZoneReading(committer).status(of: row, in: transaction), isNew), notice: notice)
        }
    }

    /// Makes the default zone that a reference names, if it is not there: a container has it from the beginning.
    /// - Parameter reference: The zone as a program names it.
    /// - Throws: The errors of ``zone(of:)``, but none for a reference to another zone.
    func make(namedBy reference: String) async throws(NodeError) {
        let wanted = ZoneReference(reference)
        guard case .path(let container, let name) = wanted, name.isBytewiseEqual(to: Self.name),
            store.scope.contains(container: container), !ZoneGenesis.isReserved(container: container),
            NameRule.mistake(inContainer: container) == nil
        else { return }
        let isThere = try await store.read { transaction in
            let rows = try store.zones.shown(wanted.candidates(in: transaction), in: transaction)
            return !wanted.zones(among: rows, of: store.identity.account).isEmpty
        }
        if !isThere { _ = try await zone(of: container) }
    }
}

extension Committer {
    /// Returns the genesis of a container's default zone.
    func defaultZoneGenesis(of container: String) -> ZoneGenesis {
        keyring.defaultZoneGenesis(container: container, name: DefaultZones.name, owner: account.account)
    }
}
