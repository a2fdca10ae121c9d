extension DaemonClient {
    /// The part of a zone's past that later devices can read.
    public enum History: String, Sendable {
        /// Everything.
        case full
        /// The records that were there when it joined, and those that followed.
        case fromJoin
    }

    /// The view of a container that shows a zone.
    public enum ZoneDatabase: String, Sendable, CaseIterable {
        /// Zones of this account, including those shared with other accounts.
        case `private`
        /// Zones of other accounts that are shared with this account.
        case shared
        /// Zones of any owner with public access.
        case `public`
    }

    /// The way to end a conflict.
    public enum Resolution: Sendable {
        /// With the values of one side, named by its version.
        case take(String)
        /// With these fields; all others are dropped.
        case fields(NameDictionary<RecordValue>)
    }

    /// Returns all live zones, or those that one database shows.
    public func zones(in database: ZoneDatabase? = nil) async throws -> [Zone] {
        try await value(.zones(in: database?.rawValue))
    }

    /// Creates a zone of this account.
    /// - Parameters:
    ///   - name: Its name, unique in the container.
    ///   - container: Usually the application's reverse domain name.
    ///   - history: The part of the history that devices may read that join later.
    /// - Returns: The zone.
    /// - Throws: ``KairanError``, `CancellationError`.
    public func createZone(name: String, container: String, history: History = .full) async throws -> Zone {
        try await value(.createZone(name: name, container: container, history: history.rawValue))
    }

    /// One zone with the progress of the other devices.
    public func zone(_ zone: String) async throws -> Zone {
        try await value(.zone(zone))
    }

    /// Deletes a zone on all devices.
    /// - Parameters:
    ///   - zone: The zone.
    ///   - reason: The reason; all members of the zone can read it.
    /// - Throws: ``KairanError``.
    public func deleteZone(_ zone: String, reason: String? = nil) async throws {
        _ = try await document(.deleteZone(zone, reason: reason))
    }

    /// Saves or deletes one record.
    /// - Returns: The current record.
    /// - Throws: ``KairanError``, `CancellationError`.
    @discardableResult
    public func save(_ write: RecordWrite, in zone: String) async throws -> Record {
        try await value(write.isDeletion ? .delete(write, zone: zone) : .put(write.name, zone: zone, body: write.json))
    }

    /// Makes several writes, all or none.
    /// - Parameters:
    ///   - writes: 1...1,024 writes.
    ///   - zone: The zone.
    /// - Returns: The current records, in order.
    /// - Throws: ``KairanError``, `CancellationError`.
    public func saveAtomically(_ writes: [RecordWrite], in zone: String) async throws -> [Record] {
        let outcome: BatchOutcome = try await value(.batch(writes.map(\.json), zone: zone, isAtomic: true))
        return outcome.results.compactMap { if case .saved(let record) = $0 { record } else { nil } }
    }

    /// One record.
    public func record(_ name: String, in zone: String) async throws -> Record {
        try await value(.record(name, zone: zone))
    }

    /// Records in the order of their names.
    /// - Parameters:
    ///   - zone: The zone.
    ///   - name: Start behind this name.
    ///   - limit: The maximum number of records, 1...1,000.
    ///   - showsInternal: Whether the page includes records that daemons write by themselves.
    /// - Returns: A page; it may have no records although there is a next one.
    /// - Throws: ``KairanError``, `CancellationError`.
    public func records(
        in zone: String,
        after name: String? = nil,
        limit: Int = 200,
        showsInternal: Bool = false
    ) async throws -> RecordPage {
        try await value(.records(zone: zone, after: name, limit: limit, showsInternal: showsInternal))
    }

    /// Changes behind a token, each record once at its newest position.
    /// - Parameters:
    ///   - zone: The zone; `nil` for all zones.
    ///   - token: The token of an earlier page; `nil` from the beginning.
    ///   - limit: The maximum number of changes, 1...1,000.
    ///   - showsInternal: Whether the page includes records that daemons write by themselves; the token is valid for
    ///     the same choice only.
    /// - Returns: A page, and the token to continue with; it may have no changes although there are more.
    /// - Throws: ``KairanError``, `CancellationError`.
    public func changes(
        zone: String? = nil,
        since token: String? = nil,
        limit: Int = 200,
        showsInternal: Bool = false
    ) async throws -> ChangeSet {
        try await value(.changes(zone: zone, since: token, limit: limit, showsInternal: showsInternal))
    }

    /// Returns the reasons why zones are not synchronised with the other devices.
    /// - Parameter zone: The zone; `nil` for all zones.
    /// - Returns: The writes missing on either side; no entry for a zone and a device that are synchronised.
    /// - Throws: ``KairanError``, `CancellationError`.
    public func pending(zone: String? = nil) async throws -> PendingWork {
        try await value(.pending(zone: zone))
    }

    /// Returns the writes that are ignored and wait for a decision, at most 1,000.
    /// - Parameter zone: The zone; `nil` for all zones.
    /// - Returns: The writes.
    /// - Throws: ``KairanError``, `CancellationError`.
    public func quarantine(zone: String? = nil) async throws -> [QuarantinedWrite] {
        try await value(.quarantine(zone: zone))
    }

    /// Repeats the content of a quarantined write as a write of this machine.
    /// - Parameters:
    ///   - id: The write's id.
    ///   - zone: Its zone.
    /// - Returns: False when it had been adopted before.
    /// - Throws: ``KairanError``, `CancellationError`.
    @discardableResult
    public func adopt(_ id: String, in zone: String) async throws -> Bool {
        struct Answer: Decodable { var adopted: Bool }
        return try await value(.adopt(id, zone: zone), as: Answer.self).adopted
    }

    /// Deletes the content of a quarantined write on this machine.
    /// - Parameters:
    ///   - id: The write's id.
    ///   - zone: Its zone.
    /// - Throws: ``KairanError``, `CancellationError`.
    public func purge(_ id: String, in zone: String) async throws {
        _ = try await document(.purge(id, zone: zone))
    }

    /// Ends a conflict; with fields, also replaces the parts of a record that cannot be read on this machine.
    /// - Returns: The current record.
    /// - Throws: ``KairanError``, `CancellationError`.
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
