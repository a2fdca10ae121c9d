import Capabilities
import Identity
import Records
import Sodium
import Sync
import Wire

/// Answers requests about zones.
struct ZoneRequests: ZoneAPI {
    let store: CallerStore

    func list(in database: ZoneDatabase?) async throws(NodeError) -> [ZoneStatus] {
        try await store.read { transaction in
            let reading = ZoneReading(store.committer)
            return try store.zones.live(in: transaction)
                .map { try reading.status(of: $0, in: transaction) }
                .filter { database == nil || $0.database == database }
                .sorted {
                    (BytewiseString($0.container), BytewiseString($0.name), $0.zone)
                        < (BytewiseString($1.container), BytewiseString($1.name), $1.zone)
                }
        }
    }

    func zone(_ reference: String) async throws(NodeError) -> ZoneStatus {
        try await store.read {
            try ZoneReading(store.committer).status(of: try store.zones.row(of: reference, in: $0), in: $0)
        }
    }

    func goneZones() async throws(NodeError) -> [GoneZoneStatus] {
        try await store.read { transaction in
            let committer = store.committer
            return try transaction.zones()
                .filter { !$0.isInternal && store.scope.contains(container: $0.genesis.container) }
                .compactMap { row in
                    try ZoneEnd(row, committer, transaction).map { end in
                        GoneZoneStatus(zone: row.id, name: row.genesis.name, container: row.genesis.container, end: end)
                    }
                }
                .sorted {
                    (BytewiseString($0.container), BytewiseString($0.name), $0.zone)
                        < (BytewiseString($1.container), BytewiseString($1.name), $1.zone)
                }
        }
    }

    func createZone(name: String, container: String, history: ZoneHistory) async throws(NodeError) -> ZoneStatus {
        try NameRule.check(zone: name)
        try store.zones.check(newContainer: container)
        guard !name.isBytewiseEqual(to: DefaultZones.name) else {
            throw NodeError(
                .invalidArgument,
                "\"\(name)\" is the name of a container's default zone.",
                fix: "Create the default zone (`kairan zone create --default`), or choose another name."
            )
        }
        var random = SystemRandom()
        let genesis = ZoneGenesis(
            owner: store.identity.account,
            container: container,
            name: name,
            salt: (0..<ZoneGenesis.saltByteCount).map { _ in UInt8.random(in: .min ... .max, using: &random) },
            history: history,
            isDefault: false
        )
        return try await store.write { transaction in
            let exists = try store.zones.shown(transaction.zones(named: name), in: transaction).contains {
                BytewiseString($0.genesis.container) == BytewiseString(container)
                    && BytewiseString($0.genesis.name) == BytewiseString(name) && !$0.isDeleted
            }
            guard !exists else {
                throw NodeError(
                    .zoneExists,
                    "The container \(container) has a zone \"\(name)\".",
                    fix: "Use it, or choose another name."
                )
            }
            let committer = store.committer
            let (zone, notice) = try ZoneLifecycle(committer).create(genesis, in: &transaction)
            return Changed(try status(of: zone, committer, transaction), notice: notice)
        }
    }

    func deleteZone(_ reference: String, reason: String) async throws(NodeError) {
        try ArgumentRule.check(reason: reason)
        try await store.write(in: reference) { zone, transaction in
            guard zone.role == .owner else {
                throw NodeError(
                    .zoneForeign,
                    "\"\(zone.genesis.name)\" belongs to another account, which alone can delete it.",
                    fix: "`kairan leave` leaves it."
                )
            }
            try zone.checkIsCustom()
            let lifecycle = ZoneLifecycle(store.committer)
            return Changed((), notice: try lifecycle.delete(zone.id, reason: reason, in: &transaction))
        }
    }

    func defaultZone(of container: String) async throws(NodeError) -> (zone: ZoneStatus, isNew: Bool) {
        try await DefaultZones(store).zone(of: container)
    }

    func pairZone(
        name: String,
        container: String,
        with account: String
    ) async throws(NodeError) -> (zone: ZoneStatus, isNew: Bool) {
        try NameRule.check(zone: name)
        try store.zones.check(newContainer: container)
        return try await store.write { transaction in
            let committer = store.committer
            let other = try AccountReference(text: account).find(among: [], committer, in: transaction)
            guard other != store.identity.account else { throw InviteError.ownAccount }
            guard try !Blocklist(committer).contains(other, in: transaction) else {
                throw InviteError.blocked(other)
            }
            guard committer.accounts[other] != nil else {
                throw NodeError(
                    .accountUnknown,
                    "The account \(other.shortText) is not known here.",
                    fix: "Share any zone with it, or join one of its zones, so that the accounts exchange their logs."
                )
            }
            let terms = try PairZones(committer).terms(with: other, container: container, name: name)
            let (zone, notice) = try PairZones(committer).enter(terms, in: &transaction)
            return Changed((try status(of: zone, committer, transaction), notice.number != nil), notice: notice)
        }
    }

    /// The status of a zone that was made or entered just now.
    private func status(
        of zone: ZoneID,
        _ committer: Committer,
        _ transaction: any NodeTransaction
    ) throws -> ZoneStatus {
        try ZoneReading(committer).status(of: try store.zones.row(of: zone.text, in: transaction), in: transaction)
    }
}

extension ZoneRow {
    /// Makes sure that the zone's kind lets it be shared, transferred or deleted.
    /// - Throws: `NodeError` `zoneIsDefault`, `zoneIsPair`.
    func checkIsCustom() throws(NodeError) {
        switch genesis.form {
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
}
