/// A record that another writer has changed since it was read, as values of an application's own type.
///
/// ```swift
/// do {
///     note = try await zone.save(note, .ifUnchanged)
/// } catch let error as KairanError {
///     guard let conflict = try error.conflict(saving: note) else { throw error }
///     note = try await zone.save(conflict.merged, .ifUnchanged)
/// }
/// ```
public struct TypedConflict<Value: RecordContent>: Sendable {
    /// The record that the application wanted to save; its ``TypedRecord/known`` is the version that it was derived
    /// from.
    public var client: TypedRecord<Value>
    /// The current record; `nil` when it is deleted.
    public var server: TypedRecord<Value>?
    /// The common ancestor of both; `nil` when the record was new, or is not kept any more.
    public var ancestor: TypedRecord<Value>?
    /// The changes on top of those of the others, to be saved.
    ///
    /// For a field that both sides changed, it has the application's value; additions to counters and sets of both
    /// sides take effect. A record that was deleted meanwhile is restored, with all the fields that the type names.
    public var merged: TypedRecord<Value>

    init(client: TypedRecord<Value>, server: Record?, ancestor: Record?) throws(KairanError) {
        self.client = client
        if let server {
            self.server = try TypedRecord(server)
            self.merged = try client.rebased(onto: server)
        } else {
            self.merged = TypedRecord(client.name, client.value)
        }
        if let ancestor { self.ancestor = try TypedRecord(ancestor) }
    }
}

extension KairanError {
    /// Returns the conflict that caused the refusal of a save with ``SavePolicy/ifUnchanged``.
    /// - Parameter record: The record that the application wanted to save.
    /// - Returns: All versions that a merge needs; `nil` for any other error, or if the daemon does not include the
    ///   current record.
    /// - Throws: ``KairanError`` when a record is of another type or does not fit.
    public func conflict<Value: RecordContent>(
        saving record: TypedRecord<Value>
    ) throws(KairanError) -> TypedConflict<Value>? {
        guard code == "record.version_mismatch" else { return nil }
        // An answer without the record means that it does not exist any more, if it has an empty version, or that it
        // was left out.
        guard problem.current != nil || problem.currentVersion?.isEmpty ?? false else { return nil }
        return try TypedConflict(client: record, server: problem.current, ancestor: record.known ?? problem.ancestor)
    }
}

extension SyncEngine.Conflict {
    /// Returns the conflict as values of a type.
    /// - Parameter type: The type that the fields are decoded as.
    /// - Returns: All versions that a merge needs; ``SyncEngine/Draft/init(_:)`` converts its `merged` to an answer.
    ///   `nil` if the application wants to delete the record.
    /// - Throws: ``KairanError`` when a record is of another type or does not fit.
    public func typed<Value: RecordContent>(
        as type: Value.Type = Value.self
    ) throws(KairanError) -> TypedConflict<Value>? {
        guard let client else { return nil }
        var record: TypedRecord<Value>
        let fields = client.changes.applied(to: client.base?.fields ?? [:])
        let value = try RecordDecoder().decode(Value.self, from: fields)
        if let base = client.base {
            record = try TypedRecord(base)
            record.value = value
        } else {
            record = TypedRecord(id.name, value)
        }
        return try TypedConflict(client: record, server: server, ancestor: ancestor)
    }
}
