/// A zone to work with: a set of records that is synchronised as a whole.
///
/// It is only a reference: it holds and requests nothing before a method is called. ``describe()`` returns a
/// description of the zone.
public struct RecordZone: Sendable, Hashable {
    /// The zone's id.
    public let id: String
    let client: DaemonClient

    init(id: String, client: DaemonClient) {
        self.id = id
        self.client = client
    }

    /// Names a zone that is known already.
    package init(_ zone: Zone, client: DaemonClient) {
        self.init(id: zone.zone, client: client)
    }

    /// Whether both name one zone.
    public static func == (mine: RecordZone, other: RecordZone) -> Bool { mine.id == other.id }

    /// By its id.
    public func hash(into hasher: inout Hasher) { hasher.combine(id) }

    /// Returns a description of the zone, including the progress of other devices.
    public func describe() async throws -> Zone { try await client.zone(id) }

    /// Deletes the zone on all devices; only its owner can.
    /// - Parameter reason: The reason; all members of the zone can read it.
    /// - Throws: ``KairanError``.
    public func delete(reason: String? = nil) async throws { try await client.deleteZone(id, reason: reason) }
}

// MARK: - Records

extension RecordZone {
    /// One record.
    public func record(_ name: String) async throws -> Record {
        try await client.record(name, in: id)
    }

    /// Fetches one record of a type.
    /// - Parameters:
    ///   - name: Its name.
    ///   - type: The type that its fields are decoded as.
    /// - Returns: The record.
    /// - Throws: ``KairanError``: `record.unknown` if there is none, `record.undecodable` if it is of another type or does
    ///   not fit; `CancellationError`.
    public func record<Value: RecordContent>(
        _ name: String,
        as type: Value.Type = Value.self
    ) async throws -> TypedRecord<Value> {
        try await TypedRecord(record(name))
    }

    /// A page of records in the order of their names.
    public func records(after name: String? = nil, limit: Int = 200) async throws -> RecordPage {
        try await client.records(in: id, after: name, limit: limit)
    }

    /// Returns all records of a type in the order of their names, without those of other types.
    public func records<Value: RecordContent>(of type: Value.Type = Value.self) -> RecordSequence<Value> {
        RecordSequence(zone: self)
    }

    /// Saves a record.
    /// - Parameters:
    ///   - record: The record to save.
    ///   - policy: The fields to set, and the condition for setting them.
    /// - Returns: The current record, including concurrent writes by other devices.
    /// - Throws: ``KairanError``, `CancellationError`.
    @discardableResult
    public func save<Value: RecordContent>(
        _ record: TypedRecord<Value>,
        _ policy: SavePolicy = .changedKeys
    ) async throws -> TypedRecord<Value> {
        // There is nothing to write, so the known record is the current one.
        guard let write = try record.write(policy) else { return record }
        return try await TypedRecord(client.save(write, in: id))
    }

    /// Makes one write.
    @discardableResult
    public func save(_ write: RecordWrite) async throws -> Record {
        try await client.save(write, in: id)
    }

    /// Makes any writes, all or none.
    /// - Parameter writes: 1...1,024 writes; ``TypedRecord/write(_:)`` makes one.
    /// - Returns: The current records, in order.
    /// - Throws: ``KairanError``, `CancellationError`.
    @discardableResult
    public func saveAtomically(_ writes: [RecordWrite]) async throws -> [Record] {
        try await client.saveAtomically(writes, in: id)
    }

    /// Makes any number of independent writes.
    /// - Parameter writes: The writes; the client splits them into as many requests as needed.
    /// - Returns: The outcome of each write, in order.
    /// - Throws: ``KairanError`` if a request got no answer, after all earlier requests were done;
    ///   `CancellationError`.
    @discardableResult
    public func saveEach(_ writes: [RecordWrite]) async throws -> [BatchOutcome.Outcome] {
        try await client.saveEach(writes, in: id).results
    }

    /// Deletes a record.
    /// - Parameters:
    ///   - name: Its name.
    ///   - version: Refuse unless this is its version.
    /// - Throws: ``KairanError``, `CancellationError`.
    public func delete(_ name: String, ifVersion version: String? = nil) async throws {
        try await client.save(.deletion(name, ifVersion: version), in: id)
    }
}

// MARK: - Changes and conflicts

extension RecordZone {
    /// Changes behind a token, each record once at its newest position.
    /// - Parameters:
    ///   - token: From an earlier page; `nil` from the beginning.
    ///   - limit: 1...1,000.
    /// - Returns: A page, and the token to go on with.
    /// - Throws: ``KairanError``: `token.expired` asks to read everything again; `CancellationError`.
    public func changes(since token: String? = nil, limit: Int = 200) async throws -> ChangeSet {
        try await client.changes(zone: id, since: token, limit: limit)
    }

    /// Records whose concurrent writes disagree.
    public func conflicts() async throws -> [Conflict] { try await client.conflicts(zone: id) }

    /// The conflict of a record; `nil` where it has none.
    public func conflict(of name: String) async throws -> Conflict? { try await client.conflict(of: name, in: id) }

    /// Ends a conflict.
    @discardableResult
    public func resolve(_ name: String, with resolution: DaemonClient.Resolution) async throws -> Record {
        try await client.resolve(name, in: id, with: resolution)
    }
}

// MARK: - Sharing

extension RecordZone {
    /// Returns the owner, the participants and the public access of the zone.
    public func share() async throws -> Share { try await client.share(of: id) }

    /// Makes an invitation: a link by which accounts may ask to take part.
    public func invite(
        _ terms: DaemonClient.ShareTerms,
        limits: DaemonClient.InviteLimits = .init()
    ) async throws -> Invitation {
        try await client.invite(to: id, terms, limits: limits)
    }

    /// Revokes all rights of an account, as ``DaemonClient/revoke(_:from:reason:keepsBelow:)`` does.
    @discardableResult
    public func revoke(
        _ account: String,
        reason: String? = nil,
        keepsBelow: Bool = false
    ) async throws -> Revocation {
        try await client.revoke(account, from: id, reason: reason, keepsBelow: keepsBelow)
    }

    /// Gives up this account's own part in a zone of another account.
    public func leave() async throws { try await client.leave(id) }
}
