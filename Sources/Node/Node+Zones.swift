import Records
import Sodium
import Sync
package import Wire

extension Node: NodeAPI {
    /// See `NodeAPI`.
    package func zones(in database: ZoneDatabase?) async throws(NodeError) -> [ZoneStatus] {
        try await reading { [self] transaction in
            try rows(transaction)
                .filter { !$0.isDeleted }
                .map { try replica.status(of: $0, in: transaction) }
                .filter { database == nil || $0.database == database }
                .sorted {
                    (BytewiseString($0.container), BytewiseString($0.name), $0.zone)
                        < (BytewiseString($1.container), BytewiseString($1.name), $1.zone)
                }
        }
    }

    /// See `NodeAPI`.
    package func createZone(
        name: String,
        container: String,
        history: ZoneHistory
    ) async throws(NodeError) -> ZoneStatus {
        try Self.check(zoneName: name)
        try check(newContainer: container)
        guard !name.isBytewiseEqual(to: Self.defaultZoneName) else {
            throw NodeError(
                .invalidArgument,
                "\"\(name)\" is the name of a container's default zone.",
                fix: "Create the default zone (`kairan zone create --default`), or choose another name."
            )
        }
        var random = SystemRandom()
        let genesis = ZoneGenesis(
            owner: identity.account,
            container: container,
            name: name,
            salt: (0..<ZoneGenesis.saltByteCount).map { _ in UInt8.random(in: .min ... .max, using: &random) },
            history: history,
            isDefault: false
        )
        return try await writing { [self] transaction in
            let exists = try shown(transaction.zones(named: name), in: transaction).contains {
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
            let (zone, notice) = try ZoneLifecycle(replica.committer).create(genesis, in: &transaction)
            let status = try replica.status(of: try row(of: zone.text, in: transaction), in: transaction)
            return Changed(status, notice: notice)
        }
    }

    /// See `NodeAPI`.
    package func zone(_ reference: String) async throws(NodeError) -> ZoneStatus {
        try await reading { [self] in try replica.status(of: try row(of: reference, in: $0), in: $0) }
    }

    /// See `ContainerAPI`.
    package func goneZones() async throws(NodeError) -> [GoneZoneStatus] {
        try await reading { [self] transaction in
            let committer = replica.committer
            return try transaction.zones()
                .filter { !$0.isInternal && scope.contains(container: $0.genesis.container) }
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

    /// See `ContainerAPI`.
    package func deleteZone(_ reference: String, reason: String) async throws(NodeError) {
        guard reason.utf8.count <= Limits.nameByteCountMax else {
            throw NodeError(
                .invalidArgument,
                "A reason has at most \(Limits.nameByteCountMax) bytes.",
                fix: "Give a shorter reason."
            )
        }
        try await writing { [self] transaction in
            let zone = try row(of: reference, in: transaction)
            guard zone.role == .owner else {
                throw NodeError(
                    .zoneForeign,
                    "\"\(zone.genesis.name)\" belongs to another account, which alone can delete it.",
                    fix: "`kairan leave` leaves it."
                )
            }
            try Self.checkIsCustom(zone)
            return try replica.change(&transaction) { committer, _, transaction in
                Changed((), notice: try ZoneLifecycle(committer).delete(zone.id, reason: reason, in: &transaction))
            }
        }
    }

    static func check(_ name: String, _ what: String) throws(NodeError) {
        try check(NameRule.mistake(in: name), what)
    }

    /// Makes sure that a zone that is made here may have a name.
    static func check(zoneName name: String) throws(NodeError) {
        try check(NameRule.mistake(inZone: name), "a zone's name")
    }

    private static func check(_ mistake: String?, _ what: String) throws(NodeError) {
        guard let mistake else { return }
        throw NodeError(.invalidArgument, "\(what): \(mistake).", fix: "Choose another name.")
    }

    /// Makes sure that a zone may be made in a container: it is the caller's, and its name fits.
    func check(newContainer container: String) throws(NodeError) {
        try Self.check(NameRule.mistake(inContainer: container), "a container's name")
        try check(container: container)
    }

    /// Makes sure that a container is one of the caller's, and none of the daemon's own.
    func check(container: String) throws(NodeError) {
        try Self.check(container, "a container")
        guard !ZoneGenesis.isReserved(container: container) else {
            throw NodeError(
                .invalidArgument,
                "Containers whose names begin with \"kairan.\" are the daemon's own.",
                fix: "Choose another container, usually an application's reverse domain name."
            )
        }
        guard scope.contains(container: container) else {
            throw NodeError(
                .forbidden,
                "The container \"\(container)\" is not this application's.",
                fix: "Use one of the containers that the application is bound to."
            )
        }
    }
}
