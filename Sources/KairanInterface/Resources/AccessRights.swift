/// The rights of an account in a zone; each includes the ones before it.
public struct AccessRights: InterfaceWord {
    /// The word on the interface.
    public let rawValue: String
    /// Names a word, which need not be a known one.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Nothing: it holds no right, any more or yet.
    public static let none = AccessRights(rawValue: "none")
    /// Keep the zone for other devices, without reading it.
    public static let relay = AccessRights(rawValue: "relay")
    /// Read the whole zone.
    public static let read = AccessRights(rawValue: "read")
    /// Make new records, but not change those of other accounts.
    public static let append = AccessRights(rawValue: "append")
    /// Make, change and delete records.
    public static let write = AccessRights(rawValue: "write")
    /// Also change the public access to the zone.
    public static let admin = AccessRights(rawValue: "admin")
    /// The words that this version knows.
    public static let known: [AccessRights] = [.none, .relay, .read, .append, .write, .admin]
}
