import FoundationEssentials

/// The types that have a kind of field to themselves, where `Codable` would say something else.
enum FieldKind {
    /// The field of such a value; `nil` for all other types.
    /// - Throws: `EncodingError` when the value is of such a type and out of range.
    static func value<Value: Encodable>(of value: Value, at path: [any CodingKey]) throws -> RecordValue? {
        // An empty array of anything can be cast to any array: here the type itself counts.
        if Value.self == [UInt8].self, let bytes = value as? [UInt8] { return .bytes(bytes) }
        switch value {
        case let value as RecordValue: return value
        case let date as Date: return .date(try milliseconds(date, at: path))
        case let data as Data: return .bytes(Array(data))
        case let url as URL: return .string(url.absoluteString)
        case let location as Location:
            return .location(latitude: location.latitude, longitude: location.longitude)
        case let reference as RecordReference: return try self.reference(reference, at: path)
        case let counter as Counter: return .counter(counter.total)
        case var asset as AssetDescription:
            asset.modifiedAt = try asset.modifiedAt.map { try milliseconds($0, at: path) }
            return .asset(asset)
        case let set as any FieldSet: return .set(try set.fieldElements(at: path))
        default: return nil
        }
    }

    /// A value of such a type; `nil` for all other types.
    /// - Throws: `DecodingError` when the field holds something else.
    static func read<Value>(_ type: Value.Type, from decoder: ValueDecoder) throws -> Value? {
        guard let read: Any = try special(type, from: decoder) else { return nil }
        guard let value = read as? Value else { throw decoder.misfit(type) }
        return value
    }

    private static func special<Value>(_ type: Value.Type, from decoder: ValueDecoder) throws -> Any? {
        let value = decoder.value
        if type == RecordValue.self { return value }
        if type == Date.self, case .date(let date) = value { return date }
        if type == Data.self, case .bytes(let bytes) = value { return Data(bytes) }
        if type == [UInt8].self, case .bytes(let bytes) = value { return bytes }
        if type == URL.self, case .string(let text) = value, let url = URL(string: text) { return url }
        if type == Location.self, case .location(let latitude, let longitude) = value {
            return Location(latitude: latitude, longitude: longitude)
        }
        if type == RecordReference.self, case .reference(let zone, let record) = value {
            return RecordReference(record, zone: zone)
        }
        if type == RecordReference.self, case .anchor(let record) = value {
            return RecordReference(record, deletesSelf: true)
        }
        if type == Counter.self, case .counter(let total) = value { return Counter(total) }
        if type == AssetDescription.self, case .asset(let asset) = value { return asset }
        if type is any FieldSet.Type, case .set = value { return nil }
        let own: [any Any.Type] = [
            Date.self, Data.self, [UInt8].self, URL.self, Location.self, RecordReference.self, Counter.self,
            AssetDescription.self,
        ]
        if type is any FieldSet.Type || own.contains(where: { $0 == type }) { throw decoder.misfit(type) }
        return nil
    }

    /// Whether a value is a single field, so never a record.
    static func isSimple(_ value: Any) -> Bool {
        switch value {
        case is Date, is Data, is URL, is UUID, is Location, is RecordReference, is Counter, is AssetDescription,
            is RecordValue:
            true
        default: false
        }
    }

    private static func reference(_ reference: RecordReference, at path: [any CodingKey]) throws -> RecordValue {
        guard reference.deletesSelf else { return .reference(zone: reference.zone, record: reference.record) }
        guard reference.zone == nil else {
            throw FieldMisfit.error(
                reference,
                at: path,
                "only a deleted record of the same zone can delete this one with it"
            )
        }
        return .anchor(record: reference.record)
    }

    /// Rounds a time to the precision of records, so that the value read equals the value written.
    private static func milliseconds(_ date: Date, at path: [any CodingKey]) throws -> Date {
        let milliseconds = (date.timeIntervalSince1970 * 1000).rounded()
        guard let whole = Int64(exactly: milliseconds) else {
            throw FieldMisfit.error(date, at: path, "it is beyond the times that a record can hold")
        }
        return Date(timeIntervalSince1970: Double(whole) / 1000)
    }
}

/// A set of values, which devices add to and remove from independently.
protocol FieldSet {
    /// The elements, in an order that does not depend on hashing.
    func fieldElements(at path: [any CodingKey]) throws -> [RecordValue]
}

extension Set: FieldSet where Element: Encodable {
    func fieldElements(at path: [any CodingKey]) throws -> [RecordValue] {
        try map { try FieldNode(encoding: $0, at: path).value }
            .map { (text: $0.json.encodedText, value: $0) }
            .sorted { $0.text.utf8.lexicographicallyPrecedes($1.text.utf8) }
            .map(\.value)
    }
}

extension RecordValue {
    /// The name of the kind, for messages.
    var kindName: String {
        switch self {
        case .string: "text"
        case .integer(let number): "the integer \(number)"
        case .double(let number): "the number \(number)"
        case .bool: "true or false"
        case .bytes: "bytes"
        case .date: "a time"
        case .location: "a place"
        case .reference, .anchor: "a reference"
        case .counter: "a counter"
        case .set: "a set"
        case .asset: "an asset"
        case .list: "a list"
        case .null: "null"
        case .unknown: "a value of a kind that this version does not know"
        }
    }

    /// Whether two values are the same for a record: the elements of a set have no order, and the size of an asset
    /// follows from its content.
    func isSame(as other: RecordValue) -> Bool {
        switch (self, other) {
        case (.set(let mine), .set(let theirs)): Set(mine) == Set(theirs)
        case (.double(let mine), .double(let theirs)): mine == theirs || (mine.isNaN && theirs.isNaN)
        case (.asset(let mine), .asset(let theirs)): mine.sized(theirs.size) == theirs
        default: self == other
        }
    }
}

extension AssetDescription {
    /// The description with another size.
    fileprivate func sized(_ size: UInt64) -> AssetDescription {
        var description = self
        description.size = size
        return description
    }
}
