extension DaemonClient {
    /// How much of a zone's past a device reads that joins it later.
    public enum History: String, Sendable {
        /// Everything.
        case full
        /// What was there when it joined, and what followed.
        case fromJoin
    }

    /// How a conflict is to end.
    public enum Resolution: Sendable {
        /// With the values of one side, named by its version.
        case take(String)
        /// With these fields; all others are dropped.
        case fields([String: RecordValue])
    }

    /// All live zones.
    public func zones() async throws -> [Zone] {
        try await value(.zones)
    }

    /// Makes a zone of this account.
    /// - Parameters:
    ///   - name: Its name, unique in the container.
    ///   - container: Usually the application's reverse domain name.
    ///   - history: What later devices may read.
    public func createZone(name: String, container: String, history: History = .full) async throws -> Zone {
        try await value(.createZone(name: name, container: container, history: history.rawValue))
    }

    /// One zone with the standing of the other devices.
    public func zone(_ zone: String) async throws -> Zone {
        try await value(.zone(zone))
    }

    /// Deletes a zone on all devices.
    public func deleteZone(_ zone: String) async throws {
        _ = try await document(.deleteZone(zone))
    }

    /// Saves or deletes one record.
    /// - Returns: The record as it is now.
    @discardableResult
    public func save(_ write: RecordWrite, in zone: String) async throws -> Record {
        try await value(write.isDeletion ? .delete(write, zone: zone) : .put(write.name, zone: zone, body: write.json))
    }

    /// Makes several writes, all or none.
    /// - Parameters:
    ///   - writes: 1...1,024 writes.
    ///   - zone: Where.
    public func saveAtomically(_ writes: [RecordWrite], in zone: String) async throws -> [Record] {
        let outcome: BatchOutcome = try await value(.batch(writes.map(\.json), zone: zone, isAtomic: true))
        return outcome.results.compactMap { if case .saved(let record) = $0 { record } else { nil } }
    }

    /// Makes several writes, each for itself.
    /// - Parameters:
    ///   - writes: 1...10,000 writes.
    ///   - zone: Where.
    public func saveEach(_ writes: [RecordWrite], in zone: String) async throws -> BatchOutcome {
        try await value(.batch(writes.map(\.json), zone: zone, isAtomic: false))
    }

    /// One record.
    public func record(_ name: String, in zone: String) async throws -> Record {
        try await value(.record(name, zone: zone))
    }

    /// Records in the order of their names.
    /// - Parameters:
    ///   - zone: Where.
    ///   - name: Start behind this name.
    ///   - limit: 1...1,000.
    public func records(in zone: String, after name: String? = nil, limit: Int = 200) async throws -> RecordPage {
        try await value(.records(zone: zone, after: name, limit: limit))
    }

    /// Changes behind a token, each record once at its newest position.
    /// - Parameters:
    ///   - zone: Where; `nil` for all zones.
    ///   - token: From an earlier page; `nil` from the beginning.
    ///   - limit: 1...1,000.
    public func changes(
        zone: String? = nil,
        since token: String? = nil,
        limit: Int = 200
    ) async throws -> ChangeSet {
        try await value(.changes(zone: zone, since: token, limit: limit))
    }

    /// Records whose concurrent writes disagree.
    /// - Parameter zone: Where; `nil` for all zones.
    public func conflicts(zone: String? = nil) async throws -> [Conflict] {
        try await value(.conflicts(zone: zone))
    }

    /// Ends a conflict.
    /// - Returns: The record as it is now.
    @discardableResult
    public func resolve(_ name: String, in zone: String, with resolution: Resolution) async throws -> Record {
        let body: JSONValue =
            switch resolution {
            case .take(let version): ["take": .string(version)]
            case .fields(let fields): ["fields": RecordWrite.json(fields)]
            }
        return try await value(.resolve(name, zone: zone, body: body))
    }
}

extension DaemonRequest {
    /// All zones.
    package static var zones: DaemonRequest { DaemonRequest(.get, ["zones"]) }

    /// A new zone.
    package static func createZone(name: String, container: String, history: String) -> DaemonRequest {
        let body: JSONValue = ["name": .string(name), "container": .string(container), "history": .string(history)]
        return DaemonRequest(.post, ["zones"], body: body)
    }

    /// One zone.
    package static func zone(_ zone: String) -> DaemonRequest { DaemonRequest(.get, ["zones", zone]) }

    /// The deletion of a zone.
    package static func deleteZone(_ zone: String) -> DaemonRequest { DaemonRequest(.delete, ["zones", zone]) }

    /// A page of records.
    package static func records(zone: String, after name: String?, limit: Int) -> DaemonRequest {
        DaemonRequest(.get, ["zones", zone, "records"], query: [("after", name), ("limit", "\(limit)")])
    }

    /// One record.
    package static func record(_ name: String, zone: String) -> DaemonRequest {
        DaemonRequest(.get, ["zones", zone, "records", name])
    }

    /// A write to one record; the name is in the path.
    package static func put(_ name: String, zone: String, body: JSONValue) -> DaemonRequest {
        let rest = (body.members ?? []).filter { $0.name != "name" }
        return DaemonRequest(.put, ["zones", zone, "records", name], body: .object(rest))
    }

    /// The deletion of a record.
    package static func delete(_ write: RecordWrite, zone: String) -> DaemonRequest {
        DaemonRequest(.delete, ["zones", zone, "records", write.name], query: [("if_version", write.ifVersion)])
    }

    /// Several writes.
    package static func batch(_ writes: [JSONValue], zone: String, isAtomic: Bool) -> DaemonRequest {
        DaemonRequest(
            .post,
            ["zones", zone, "batch"],
            body: ["atomic": .bool(isAtomic), "writes": .array(writes)]
        )
    }

    /// A page of changes.
    package static func changes(zone: String?, since token: String?, limit: Int) -> DaemonRequest {
        DaemonRequest(
            .get,
            (zone.map { ["zones", $0] } ?? []) + ["changes"],
            query: [("since", token), ("limit", "\(limit)")]
        )
    }

    /// Conflicts.
    package static func conflicts(zone: String?) -> DaemonRequest {
        DaemonRequest(.get, ["conflicts"], query: [("zone", zone)])
    }

    /// The end of a conflict.
    package static func resolve(_ name: String, zone: String, body: JSONValue) -> DaemonRequest {
        DaemonRequest(.post, ["zones", zone, "records", name, "resolve"], body: body)
    }
}
