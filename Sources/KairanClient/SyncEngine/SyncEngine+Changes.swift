extension SyncEngine {
    /// A change of the application's that the daemon has not confirmed yet.
    public enum PendingChange: Sendable, Hashable, Codable {
        /// A record is new or has changed; its content is asked for when it is sent.
        case save(RecordID)
        /// A record was deleted; with a version, only if it still is at that.
        case delete(RecordID, ifVersion: String? = nil)

        /// The record's id.
        public var id: RecordID {
            switch self {
            case .save(let id), .delete(let id, _): id
            }
        }

        func renamed(_ id: RecordID) -> PendingChange {
            switch self {
            case .save: .save(id)
            case .delete(_, let version): .delete(id, ifVersion: version)
            }
        }
    }

    /// A pending change that was refused for good: the engine keeps it, and sends it again only on the application's
    /// request.
    public struct FailedChange: Sendable, Hashable {
        /// The change that was refused.
        public var change: PendingChange
        /// Why.
        public var problem: Problem
    }

    /// The content of a record to save.
    public struct Draft: Sendable, Hashable {
        /// Its type, if it is new.
        public var type: String?
        /// Fields to set; the others stay.
        public var fields: NameDictionary<RecordValue>
        /// Fields to remove.
        public var removedFields: [String]
        /// The amounts added to counters, by field.
        public var increments: NameDictionary<Int64> = [:]
        /// Elements that enter sets, by field.
        public var insertions: NameDictionary<[RecordValue]> = [:]
        /// Elements that leave sets, by field.
        public var withdrawals: NameDictionary<[RecordValue]> = [:]
        /// The record as the application knew it when it made the change; `nil` for one that is new.
        ///
        /// It is written only if it still is at this version; otherwise there is a ``Conflict``.
        public var base: Record?

        /// Describes the content to save.
        /// - Parameters:
        ///   - type: Its type, if it is new.
        ///   - fields: Fields to set; for counters and sets, the differences from the base become additions and
        ///     removals.
        ///   - removedFields: Fields to remove.
        ///   - base: The record as the application knew it.
        public init(
            type: String?,
            fields: NameDictionary<RecordValue>,
            removing removedFields: [String] = [],
            base: Record?
        ) {
            var changes = FieldChanges()
            for (name, value) in fields {
                let known = base?.fields[name]
                switch (known, value) {
                // Of a new record too: another device may be making it at the same time.
                case (.counter, .counter), (.set, .set), (nil, .counter), (nil, .set):
                    changes.set(name, to: value, from: known)
                default: changes.fields[name] = value
                }
            }
            changes.removedFields = removedFields
            self.init(type: type, changes, base: base)
        }

        private init(type: String?, _ changes: FieldChanges, base: Record?) {
            self.type = type
            self.base = base
            self.fields = changes.fields
            self.removedFields = changes.removedFields
            self.increments = changes.increments
            self.insertions = changes.insertions
            self.withdrawals = changes.withdrawals
        }

        /// The changes, without the record that they apply to.
        var changes: FieldChanges {
            get {
                var changes = FieldChanges()
                changes.fields = fields
                changes.removedFields = removedFields
                changes.increments = increments
                changes.insertions = insertions
                changes.withdrawals = withdrawals
                return changes
            }
            set { self = Draft(type: type, newValue, base: base) }
        }

        /// Describes the changes made to a record since it was read.
        /// - Throws: ``KairanError`` when the value does not fit into a record.
        public init(_ record: TypedRecord<some RecordContent>) throws(KairanError) {
            let fields = try RecordEncoder().encode(record.value)
            guard let known = record.known else {
                self.init(type: Self.recordType(of: record), fields: fields.values, base: nil)
                return
            }
            self.init(type: nil, FieldChanges(from: known.fields, to: fields), base: known)
        }

        private static func recordType<Value: RecordContent>(of record: TypedRecord<Value>) -> String {
            Value.recordType
        }

        /// Whether there is nothing to save.
        var isEmpty: Bool { base != nil && changes.isEmpty }

        func write(_ name: String) -> RecordWrite {
            var write = RecordWrite(name, type: base == nil ? type : nil, ifVersion: base?.version ?? "")
            write.take(changes)
            return write
        }

        /// Returns whether a record already has this content, as after a save whose answer got lost.
        /// - Parameters:
        ///   - record: The current record.
        ///   - mayBeDone: Whether the content was sent without an answer. Otherwise a counter with the right sum has
        ///     it from additions by others.
        /// - Returns: Whether there is nothing left to save.
        func isFulfilled(by record: Record, mayBeDone: Bool) -> Bool {
            guard type?.isSameName(as: record.type) != false, mayBeDone || increments.isEmpty else { return false }
            let wanted = changes.applied(to: base?.fields ?? [:])
            let contents = fields.keys + increments.keys
            return contents.allSatisfy { name in
                guard let value = wanted[name] else { return false }
                return record.fields[name]?.isSame(as: value) ?? false
            } && removedFields.allSatisfy { record.fields[$0] == nil }
                && changes.hasSets(of: record.fields)
        }
    }

    /// A record that another writer has changed since the application read it.
    public struct Conflict: Sendable, Hashable {
        /// The record's id.
        public var id: RecordID
        /// The content that the application wants to save; `nil` when it wants to delete the record.
        public var client: Draft?
        /// The current record; `nil` when it is deleted.
        public var server: Record?
        /// The record as the application knew it, as far as that is known; `nil` when it made it.
        public var ancestor: Record?
        /// Whether the change was sent before without an answer, so that it may be a part of the changes attributed
        /// to others.
        ///
        /// This matters for counters only, where sending the addition again would count it twice. All other changes
        /// can be sent twice.
        public var mayBeDone = false

        /// The application's changes, merged on top of those of the others; `nil` for a deletion.
        ///
        /// For a field that both sides changed, the merged record has the application's value; additions to counters
        /// and sets of both sides take effect. A record that was deleted meanwhile is restored as a whole.
        public var merged: Draft? {
            guard let client else { return nil }
            let known = ancestor?.fields ?? [:]
            var merged = client
            merged.base = server
            if server == nil {
                merged.changes = FieldChanges()
                merged.fields = client.changes.applied(to: known)
                merged.type = client.type ?? ancestor?.type
            } else {
                merged.fields = client.fields.filter { name, value in !(known[name]?.isSame(as: value) ?? false) }
            }
            return merged
        }
    }

    /// The way in which a conflict ends.
    public enum Resolution: Sendable, Hashable {
        /// Keep the content written by others; the application's change is dropped.
        case keepServer
        /// Save this content, on top of that written by others.
        case save(Draft)
        /// With the record deleted.
        case delete
    }
}
