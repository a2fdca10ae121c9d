extension SyncEngine {
    /// A change of the application's that the daemon has not confirmed yet.
    public enum PendingChange: Sendable, Hashable, Codable {
        /// A record is new or has changed; its content is asked for when it is sent.
        case save(RecordID)
        /// A record was deleted; with a version, only if it still is at that.
        case delete(RecordID, ifVersion: String? = nil)

        /// Of which record.
        public var id: RecordID {
            switch self {
            case .save(let id), .delete(let id, _): id
            }
        }
    }

    /// A pending change that was refused for good: it is kept, and not sent until the application says so.
    public struct FailedChange: Sendable, Hashable {
        /// What was refused.
        public var change: PendingChange
        /// Why.
        public var problem: Problem
    }

    /// What is to be saved of a record.
    public struct Draft: Sendable, Hashable {
        /// Its type, if it is new.
        public var type: String?
        /// Fields to set; the others stay.
        public var fields: [String: RecordValue]
        /// Fields to remove.
        public var removedFields: [String]
        /// The record as the application knew it when it made the change; `nil` for one that is new.
        ///
        /// It is written only if it still is at this version; otherwise there is a ``Conflict``.
        public var base: Record?

        /// Says what is to be saved.
        public init(
            type: String?,
            fields: [String: RecordValue],
            removing removedFields: [String] = [],
            base: Record?
        ) {
            self.type = type
            self.fields = fields
            self.removedFields = removedFields
            self.base = base
        }

        /// What has changed in a record since it was read.
        /// - Throws: ``KairanError`` when the value does not fit into a record.
        public init(_ record: TypedRecord<some RecordContent>) throws(KairanError) {
            let write = try record.write()
            self.init(
                type: write?.type,
                fields: write?.fields ?? [:],
                removing: write?.removedFields ?? [],
                base: record.known
            )
        }

        /// Whether there is nothing to save.
        var isEmpty: Bool { base != nil && fields.isEmpty && removedFields.isEmpty }

        func write(_ name: String) -> RecordWrite {
            RecordWrite(
                name,
                type: base == nil ? type : nil,
                fields: fields,
                removing: removedFields,
                ifVersion: base?.version ?? ""
            )
        }

        /// Whether a record already says all this, as it does when a save was done and its answer got lost.
        func isFulfilled(by record: Record) -> Bool {
            (type == nil || type == record.type)
                && fields.allSatisfy { name, value in record.fields[name]?.isSame(as: value) ?? false }
                && removedFields.allSatisfy { record.fields[$0] == nil }
        }
    }

    /// A record that somebody else has changed since the application read it.
    public struct Conflict: Sendable, Hashable {
        /// Which.
        public var id: RecordID
        /// What the application wants to save; `nil` when it wants to delete the record.
        public var client: Draft?
        /// The record as it is now; `nil` when it is deleted.
        public var server: Record?
        /// The record as the application knew it; `nil` when it made it, or deletes it.
        public var ancestor: Record?

        /// What the application changed, on top of what the others did; `nil` for a deletion.
        ///
        /// Where both changed a field, it has the application's value. A record that was deleted meanwhile comes back whole.
        public var merged: Draft? {
            guard let client else { return nil }
            let known = ancestor?.fields ?? [:]
            var merged = client
            merged.base = server
            if server == nil {
                merged.fields = known.merging(client.fields) { _, mine in mine }
                for name in client.removedFields { merged.fields[name] = nil }
                merged.removedFields = []
                merged.type = client.type ?? ancestor?.type
            } else {
                merged.fields = client.fields.filter { name, value in !(known[name]?.isSame(as: value) ?? false) }
            }
            return merged
        }
    }

    /// How a conflict ends.
    public enum Resolution: Sendable, Hashable {
        /// With what the others wrote: the application's change is dropped.
        case keepServer
        /// With this, on top of what the others wrote.
        case save(Draft)
        /// With the record deleted.
        case delete
    }
}
