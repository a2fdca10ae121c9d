/// A type of an application's own that records are made of.
///
/// ```swift
/// struct Note: RecordContent {
///     var title: String
///     var due: Date?
///     var tags: Set<String> = []
/// }
/// ```
///
/// ``RecordEncoder`` lists the allowed types of the properties. A property that is new in a later version has to be
/// optional or read with a default, because records of the version before do not have it.
public protocol RecordContent: Codable, Sendable {
    /// The type of the records; by default the name of the Swift type.
    static var recordType: String { get }
}

extension RecordContent {
    /// The name of the Swift type.
    public static var recordType: String { String(describing: Self.self) }
}
