import FoundationEssentials
import KairanClient
import Wire

extension FieldValue {
    /// The author of counters and sets: there is one device.
    private static let writer = Dot(actor: .zero, counter: 1)

    /// Reads a value in the form of the interface.
    /// - Parameters:
    ///   - json: The value.
    ///   - path: The place in the request, for messages.
    ///   - sizes: The sizes of the uploaded contents by their ids: a write does not state that of an asset.
    /// - Throws: `invalid_argument` for any JSON that the daemon refuses as a value.
    init(_ json: JSONValue, at path: String, sizes: [String: UInt64]) throws(MemoryRefusal) {
        guard let value = RecordValue(json: json) else { throw .invalid(path, "it has none of the known forms") }
        self = try Self.value(value, at: path, depth: 0, sizes)
    }

    /// A counter with a sum.
    static func counter(of total: Int64) -> FieldValue {
        .counter(CounterState(entries: [.init(actor: writer.actor, counter: writer.counter, total: total)]))
    }

    /// A set of elements, each once.
    static func set(of elements: some Sequence<FieldValue>) -> FieldValue {
        .set(SetState(entries: Set(elements).map { SetState.Entry(element: $0, dots: [writer]) }))
    }

    private static func value(
        _ value: RecordValue,
        at path: String,
        depth: Int,
        _ sizes: [String: UInt64]
    ) throws(MemoryRefusal) -> FieldValue {
        switch value {
        case .string(let text): return .string(text)
        case .integer(let number): return .int64(number)
        case .double(let number): return .double(number)
        case .bool(let flag): return .bool(flag)
        case .bytes(let bytes): return .bytes(bytes)
        case .date(let date):
            let milliseconds = (date.timeIntervalSince1970 * 1000).rounded()
            return .date(milliseconds: Int64(exactly: milliseconds) ?? (milliseconds > 0 ? .max : .min))
        case .location(let latitude, let longitude):
            guard (-90...90).contains(latitude) else {
                throw .invalid("\(path).$location.latitude", "-90 to 90 is expected")
            }
            guard (-180...180).contains(longitude) else {
                throw .invalid("\(path).$location.longitude", "-180 to 180 is expected")
            }
            return .location(latitude: latitude, longitude: longitude)
        case .reference(let zone, let record):
            guard (1...Limits.nameByteCountMax).contains(record.utf8.count) else {
                throw .invalid("\(path).$reference.record", "a name has 1 to \(Limits.nameByteCountMax) bytes")
            }
            guard let zone else { return .reference(zone: nil, record: record) }
            guard let id = ZoneID(text: zone) else {
                throw .invalid("\(path).$reference.zone", "the id of a zone is expected")
            }
            return .reference(zone: id, record: record)
        case .anchor: throw .unsupported("\(path): no record is deleted with another one.")
        case .counter(let total):
            guard depth == 0 else { throw .invalid(path, "counters and sets cannot be part of a list or set") }
            return .counter(of: total)
        case .set(let elements):
            guard depth == 0 else { throw .invalid(path, "counters and sets cannot be part of a list or set") }
            guard elements.count <= Limits.setElementCountMax else {
                throw .invalid(path, "a set has at most \(Limits.setElementCountMax) elements")
            }
            let values = try list(elements, at: "\(path).$set", depth: depth, sizes)
            guard values.allSatisfy(\.isSetElement) else { throw .invalid(path, "a list cannot be in a set") }
            guard Set(values).count == values.count else { throw .invalid(path, "an element is given twice") }
            return .set(of: values)
        case .list(let elements):
            guard depth < Limits.nestingDepthMax else {
                throw .invalid(path, "lists are nested deeper than \(Limits.nestingDepthMax) levels")
            }
            guard elements.count <= Limits.listItemCountMax else {
                throw .invalid(path, "a list has at most \(Limits.listItemCountMax) items")
            }
            return .list(try list(elements, at: path, depth: depth, sizes))
        case .null: return .null
        case .asset(let asset): return .asset(try AssetDescriptor(asset, at: "\(path).$asset", sizes))
        case .unknown: throw .invalid(path, "a value of an unknown kind cannot be written")
        }
    }

    private static func list(
        _ elements: [RecordValue],
        at path: String,
        depth: Int,
        _ sizes: [String: UInt64]
    ) throws(MemoryRefusal) -> [FieldValue] {
        var values: [FieldValue] = []
        for (index, element) in elements.enumerated() {
            values.append(try value(element, at: "\(path)[\(index)]", depth: depth + 1, sizes))
        }
        return values
    }
}

extension RecordValue {
    /// A value as it is shown.
    init(_ value: FieldValue) {
        self =
            switch value {
            case .string(let text): .string(text)
            case .int64(let number): .integer(number)
            case .double(let number): .double(number)
            case .bool(let flag): .bool(flag)
            case .bytes(let bytes): .bytes(bytes)
            case .date(let milliseconds): .date(Date(timeIntervalSince1970: Double(milliseconds) / 1000))
            case .location(let latitude, let longitude): .location(latitude: latitude, longitude: longitude)
            case .reference(let zone, let record): .reference(zone: zone?.text, record: record)
            case .anchor(let record): .anchor(record: record)
            case .list(let elements): .list(elements.map { RecordValue($0) })
            case .counter(let state): .counter(state.value)
            case .set(let state): .set(state.entries.map { RecordValue($0.element) })
            case .null: .null
            case .unknown(let tag, let bytes): .unknown(tag: tag, bytes: bytes)
            case .asset(let asset): .asset(AssetDescription(asset))
            }
    }
}

extension AssetDescriptor {
    /// Any secret: nothing here is sealed.
    private static let anySecret = AssetSecret([UInt8](repeating: 1, count: 32)) ?? .unknown

    /// Reads the description of a write.
    /// - Throws: `invalid_argument`.
    fileprivate init(
        _ asset: AssetDescription,
        at path: String,
        _ sizes: [String: UInt64]
    ) throws(MemoryRefusal) {
        guard let payload = PayloadID(text: asset.asset) else {
            throw .invalid("\(path).asset", "the id of an asset is expected")
        }
        guard asset.mediaType?.utf8.count ?? 0 <= Limits.mediaTypeByteCountMax else {
            throw .invalid("\(path).media_type", "it has at most \(Limits.mediaTypeByteCountMax) bytes")
        }
        if let name = asset.name, !Self.isFileName(name) {
            throw .invalid("\(path).name", "the name of a file without a folder is expected")
        }
        guard asset.thumbnail?.count ?? 0 <= Limits.thumbnailByteCountMax else {
            throw .invalid("\(path).thumbnail", "it has at most \(Limits.thumbnailByteCountMax) bytes")
        }
        self.init(
            payload: payload,
            size: sizes[asset.asset] ?? 0,
            secret: Self.anySecret,
            mediaType: asset.mediaType ?? "",
            fileName: asset.name ?? "",
            modified: asset.modifiedAt?.roundedMilliseconds,
            thumbnail: asset.thumbnail.map { Array($0) } ?? []
        )
    }
}

extension AssetDescription {
    /// A description as it is shown.
    fileprivate init(_ asset: AssetDescriptor) {
        self.init(
            asset: asset.payload.text,
            size: asset.size,
            mediaType: asset.mediaType.isEmpty ? nil : asset.mediaType,
            name: asset.fileName.isEmpty ? nil : asset.fileName,
            modifiedAt: asset.modified.map { Date(milliseconds: $0) },
            thumbnail: asset.thumbnail.isEmpty ? nil : Data(asset.thumbnail)
        )
    }
}

extension FieldValue {
    /// The assets in the value, each with its index in a list or a set; `nil` where the value itself is one.
    ///
    /// The elements of a list in a list are counted in its place.
    var assets: [(item: Int?, asset: AssetDescriptor)] {
        if case .asset(let asset) = self { return [(item: nil, asset: asset)] }
        return leaves.enumerated().compactMap { index, leaf -> (item: Int?, asset: AssetDescriptor)? in
            guard case .asset(let asset) = leaf else { return nil }
            return (item: index, asset: asset)
        }
    }

    private var leaves: [FieldValue] {
        switch self {
        case .list(let elements): elements.flatMap(\.leaves)
        case .set(let state): state.entries.flatMap(\.element.leaves)
        default: [self]
        }
    }
}
