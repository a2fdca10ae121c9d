public import FoundationEssentials

/// A record.
public struct Record: Sendable, Hashable, Codable {
    /// Its zone.
    public var zone: String
    /// Its name, unique in the zone.
    @Name public var name: String
    /// Its type.
    @Name public var type: String
    /// Its fields by name.
    public var fields: NameDictionary<RecordValue>
    /// Names this state; pass it as `ifVersion` to write only if nothing changed since.
    public var version: String
    /// Whether it is deleted; only in feeds and in answers to deletions.
    public var isDeleted: Bool
    /// The device that created it.
    public var createdBy: String
    /// The device that wrote it last.
    public var modifiedBy: String
    /// The time of the last write, by the writer's clock.
    public var modifiedAt: Date
    /// The number of fields with concurrent values that disagree.
    public var conflicts: Int
    /// The name of the record that it belongs to, if it names one.
    public var parent: String?

    /// Makes a record, for tests of an application's use of records.
    public init(
        zone: String,
        name: String,
        type: String,
        fields: NameDictionary<RecordValue>,
        version: String,
        isDeleted: Bool = false,
        createdBy: String,
        modifiedBy: String,
        modifiedAt: Date,
        conflicts: Int = 0
    ) {
        self.zone = zone
        self.name = name
        self.type = type
        self.fields = fields
        self.version = version
        self.isDeleted = isDeleted
        self.createdBy = createdBy
        self.modifiedBy = modifiedBy
        self.modifiedAt = modifiedAt
        self.conflicts = conflicts
    }

    enum CodingKeys: String, CodingKey {
        case zone, name, type, fields, version
        case isDeleted = "deleted"
        case createdBy = "created_by"
        case modifiedBy = "modified_by"
        case modifiedAt = "modified_at"
        case conflicts, parent
    }
}
