public import FoundationEssentials

/// A record with its fields as a value of an application's own type.
public struct TypedRecord<Value: RecordContent>: Sendable {
    /// Its name, unique in its zone.
    public let name: String
    /// Its fields.
    public var value: Value
    /// The record as it was read or saved last; `nil` for one that is new.
    public private(set) var known: Record?
    /// The values of the unfetched fields, as they were decoded; `nil` where all were fetched.
    ///
    /// Nothing is known of these fields, so only values that differ from these are written.
    private var unfetched: NameDictionary<RecordValue>?

    /// Makes a record that is not saved yet.
    /// - Parameters:
    ///   - name: 1...255 bytes of UTF-8, unique in the zone.
    ///   - value: Its fields.
    public init(_ name: String, _ value: Value) {
        self.name = name
        self.value = value
        self.known = nil
    }

    /// Makes a record with a random name that is not saved yet.
    public init(_ value: Value) {
        self.init(UUID().uuidString.lowercased(), value)
    }

    /// Reads a record.
    /// - Throws: ``KairanError`` when it is of another type or its fields do not fit.
    public init(_ record: Record, as type: Value.Type = Value.self) throws(KairanError) {
        guard record.type.isSameName(as: Value.recordType) else {
            throw .otherType(record, expected: Value.recordType)
        }
        self.name = record.name
        self.value = try RecordDecoder().decode(Value.self, from: record.fields)
        self.known = record
    }

    /// Reads a record of which only some fields were fetched.
    /// - Throws: ``KairanError`` when it is of another type or its fields do not fit.
    init(_ record: Record, fetched fields: [String]?) throws(KairanError) {
        self = try TypedRecord(record)
        guard let fields else { return }
        unfetched = try RecordEncoder().encode(value).values.filter { !fields.contains($0.key) }
    }

    /// Names this state; `nil` for a record that is new.
    public var version: String? { known?.version }
    /// The device that created it.
    public var createdBy: String? { known?.createdBy }
    /// The device that wrote it last.
    public var modifiedBy: String? { known?.modifiedBy }
    /// The time of the last write, by the writer's clock.
    public var modifiedAt: Date? { known?.modifiedAt }
    /// The number of fields with concurrent values that disagree.
    public var conflicts: Int { known?.conflicts ?? 0 }

    /// A reference to this record, for a field of another one in the same zone.
    public var reference: RecordReference { RecordReference(name) }

    /// Returns the write that saves the record.
    /// - Parameter policy: The fields to set, and the condition for setting them.
    /// - Returns: The write; `nil` when nothing would change.
    /// - Throws: ``KairanError`` when the value does not fit into a record.
    public func write(_ policy: SavePolicy = .changedKeys) throws(KairanError) -> RecordWrite? {
        let fields = try RecordEncoder().encode(value)
        var write = RecordWrite(name, type: known == nil ? Value.recordType : nil)
        if let known, policy != .allKeys {
            let before = known.fields.merging(unfetched ?? [:]) { read, _ in read }
            let changes = FieldChanges(from: before, to: fields)
            if changes.isEmpty { return nil }
            write.take(changes)
        } else {
            write.fields = fields.values.filter { unfetched?[$0.key]?.isSame(as: $0.value) != true }
            write.removedFields =
                known == nil ? [] : fields.absent.filter { unfetched == nil || known?.fields[$0] != nil }
        }
        if policy == .ifUnchanged { write.ifVersion = known?.version ?? "" }
        return write
    }
}

extension TypedRecord {
    /// Applies the same changes to a newer version of the record.
    ///
    /// Fields that differ from the record as it was read overwrite the fields of the newer version. Amounts and
    /// elements added to counters and sets are added to those of the newer version. A new record overwrites with all
    /// of its fields.
    /// - Parameter record: The current record.
    /// - Returns: The record with the changes applied, ready to be saved.
    /// - Throws: ``KairanError`` when one of them is of another type or does not fit.
    public func rebased(onto record: Record) throws(KairanError) -> TypedRecord {
        var rebased = try TypedRecord(record)
        let changes = FieldChanges(from: known?.fields ?? [:], to: try RecordEncoder().encode(value))
        rebased.value = try RecordDecoder().decode(Value.self, from: changes.applied(to: record.fields))
        return rebased
    }
}

extension TypedRecord: Equatable where Value: Equatable {}
extension TypedRecord: Hashable where Value: Hashable {}
