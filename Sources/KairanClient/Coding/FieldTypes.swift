/// A place on earth, in degrees.
public struct Location: Sendable, Hashable, Codable {
    /// -90...90, north is positive.
    public var latitude: Double
    /// -180...180, east is positive.
    public var longitude: Double

    /// Names a place.
    public init(latitude: Double, longitude: Double) {
        self.latitude = latitude
        self.longitude = longitude
    }
}

/// A reference to another record.
public struct RecordReference: Sendable, Hashable, Codable {
    /// The record's name.
    @Name public var record: String
    /// Its zone's id; `nil` for the zone of the record that refers.
    public var zone: String?
    /// Whether the record that refers is deleted with the other one; only within a zone, and not in lists.
    public var deletesSelf: Bool

    /// Refers to a record.
    public init(_ record: String, zone: String? = nil, deletesSelf: Bool = false) {
        self.record = record
        self.zone = zone
        self.deletesSelf = deletesSelf
    }
}

/// A sum to which every device adds independently: additions that were made at the same time all count.
public struct Counter: Sendable, Hashable, Codable, ExpressibleByIntegerLiteral {
    /// The sum as this client knows it.
    ///
    /// Saving adds the difference from the sum that was read, unless all keys are set.
    public var total: Int64

    /// Starts with a sum.
    public init(_ total: Int64 = 0) { self.total = total }
    /// Starts with a sum.
    public init(integerLiteral value: Int64) { total = value }
}
