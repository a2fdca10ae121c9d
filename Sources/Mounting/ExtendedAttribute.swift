internal import Glibc
internal import KairanClient

/// A fact about a file that programs read by name (`getfattr`).
enum ExtendedAttribute: String, CaseIterable, Sendable {
    /// The state of the content on this device.
    case state
    /// The percentage of the content that is here.
    case percent
    /// The id of the content.
    case asset
    /// The SHA-256 of the content, where the record states it.
    case digest
    /// The media type, where the record states it.
    case mediaType = "media_type"
    /// The device that wrote the record last.
    case device
    /// The number of fields of the record with concurrent values that disagree.
    case conflicts
    /// The small picture of the content, where the record has one.
    case thumbnail

    private static let prefix = "user.kairan."

    /// The name, as programs write it.
    var name: String { Self.prefix + rawValue }

    /// The attribute of a name; `nil` for one that is none of these.
    init?(name: String) {
        guard name.hasPrefix(Self.prefix) else { return nil }
        self.init(rawValue: String(name.dropFirst(Self.prefix.count)))
    }

    /// The way to a value.
    enum Value: Sendable, Hashable {
        /// It is here.
        case known([UInt8])
        /// The daemon is asked.
        case asked
        /// The file has none.
        case none
    }

    /// The value of a file's attribute.
    func value(of file: MountedFile) -> Value {
        switch self {
        case .state, .percent: .asked
        case .asset: Self.known(file.content.asset)
        case .digest: Self.known(file.digest)
        case .mediaType: Self.known(file.mediaType)
        case .device: Self.known(file.device)
        case .conflicts: Self.known("\(file.conflictCount)")
        case .thumbnail: file.thumbnailByteCount > 0 ? .asked : .none
        }
    }

    private static func known(_ text: String?) -> Value {
        guard let text else { return Value.none }
        return .known(Array(text.utf8))
    }

    /// The names of a file's attributes, each with a NUL behind it, as `listxattr(2)` wants them.
    static func names(of file: MountedFile) -> [UInt8] {
        allCases.filter { $0.value(of: file) != Value.none }.flatMap { Array($0.name.utf8) + [0] }
    }

    /// Asks the daemon for a value.
    /// - Parameters:
    ///   - content: The content of the file.
    ///   - place: A place that names it.
    ///   - client: Asks.
    /// - Returns: The value.
    /// - Throws: `KairanError`, `ReadFault` where the place names other content, `CancellationError`.
    func ask(about content: FileContent, at place: Asset.Place, _ client: DaemonClient) async throws -> [UInt8] {
        guard self == .thumbnail else {
            let asset = try await client.assets.asset(at: place)
            guard asset.asset == content.asset else { throw ReadFault.stale }
            return Array((self == .state ? asset.state.rawValue : "\(asset.percent)").utf8)
        }
        let fields = try await client.record(place.record, in: place.zone).fields
        let found = fields[place.field]?.assets.first { $0.item == place.item }
        guard let asset = found?.asset, asset.asset == content.asset else { throw ReadFault.stale }
        // The record may be written without one meanwhile.
        guard let thumbnail = asset.thumbnail else { throw ReadFault.noValue }
        return Array(thumbnail)
    }
}

extension KernelAnswer {
    /// Answers with the value of an extended attribute, or with its size.
    /// - Parameters:
    ///   - value: The value.
    ///   - room: The bytes that the caller has room for; 0 asks for the size.
    /// - Returns: The answer; an error where there is too little room.
    static func extended(_ value: [UInt8], room: Int) -> KernelAnswer {
        if room == 0 { return .size(value.count) }
        return value.count <= room ? .bytes(value) : .failure(ERANGE)
    }
}
