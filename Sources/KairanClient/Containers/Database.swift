/// One view of a container: some of its zones.
public struct Database: Sendable {
    /// The views that there are.
    public typealias Kind = DaemonClient.ZoneDatabase

    /// The container.
    public let container: Container
    /// The kind of view.
    public let kind: Kind

    var client: DaemonClient { container.client }

    /// Returns descriptions of the zones that this database shows.
    public func zoneDescriptions() async throws -> [Zone] {
        try await client.zones(in: kind).filter { $0.container.isSameName(as: container.name) }
    }

    /// The zones that it shows.
    public func zones() async throws -> [RecordZone] {
        try await zoneDescriptions().map { RecordZone($0, client: client) }
    }

    /// The zone of a name.
    /// - Parameters:
    ///   - name: Its name. Zones of different accounts may have one name: then it has to be found in ``zones()``.
    ///   - creating: Whether to make it if it is not there.
    /// - Returns: The zone.
    /// - Throws: ``KairanError``: `zone.unknown` or `zone.ambiguous`, if there is not exactly one; `CancellationError`.
    public func zone(named name: String, creating: Bool = false) async throws -> RecordZone {
        let named = try await zoneDescriptions().filter { $0.name.isSameName(as: name) }
        if named.count == 1, let zone = named.first { return RecordZone(zone, client: client) }
        guard named.isEmpty else { throw KairanError.zoneAmbiguous(name) }
        guard creating else { throw KairanError.zoneUnknown(name) }
        do {
            return try await createZone(named: name)
        } catch let error as KairanError where error.code == "zone.exists" {
            // Another program created it first, or another database shows it.
            return try await zone(named: name)
        }
    }

    /// Creates a zone of this account; the private database shows it until the zone grants public access.
    /// - Parameters:
    ///   - name: Its name, unique in the container.
    ///   - history: The part of the history that devices and accounts may read that join later.
    /// - Returns: The zone.
    /// - Throws: ``KairanError``, `CancellationError`.
    public func createZone(
        named name: String,
        history: DaemonClient.History = .full
    ) async throws -> RecordZone {
        let zone = try await client.createZone(name: name, container: container.name, history: history)
        return RecordZone(zone, client: client)
    }
}

extension KairanError {
    /// The daemon's error for a name that no zone has.
    static func zoneUnknown(_ name: String) -> KairanError {
        KairanError(
            .refused,
            code: "zone.unknown",
            title: "The zone is not known",
            detail: "This database has no zone \(name).",
            fix: "List the zones; a zone of another device arrives when they meet."
        )
    }

    /// The daemon's error for a name that more than one zone has.
    static func zoneAmbiguous(_ name: String) -> KairanError {
        KairanError(
            .refused,
            code: "zone.ambiguous",
            title: "More than one zone has this name",
            detail: "More than one zone of this database has the name \(name).",
            fix: "Use the zone's id."
        )
    }
}
