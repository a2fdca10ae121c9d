import FoundationEssentials

extension RecordValue {
    /// The value in the form of the interface.
    package var json: JSONValue {
        switch self {
        case .string(let text): .string(text)
        case .integer(let number): number.interfaceJSON
        case .double(let number): number.interfaceJSON
        case .bool(let value): .bool(value)
        case .bytes(let bytes): ["$bytes": .string(Data(bytes).base64EncodedString())]
        case .date(let date): ["$date": .string(RFC3339.text(milliseconds: date.roundedMilliseconds))]
        case .location(let latitude, let longitude):
            ["$location": ["latitude": latitude.plainJSON, "longitude": longitude.plainJSON]]
        case .reference(let zone, let record):
            [
                "$reference": .object(
                    (zone.map { [JSONMember("zone", .string($0))] } ?? []) + [JSONMember("record", .string(record))]
                )
            ]
        case .anchor(let record): ["$reference": ["record": .string(record), "action": "delete_self"]]
        case .counter(let total): ["$counter": total.interfaceJSON]
        case .set(let elements): ["$set": .array(elements.map(\.json))]
        case .asset(let asset): ["$asset": asset.json]
        case .list(let elements): .array(elements.map(\.json))
        case .null: .null
        case .unknown(let tag, let bytes):
            [
                "$unknown": [
                    "tag": .string(tag.description), "bytes": .string(Data(bytes).base64EncodedString()),
                ]
            ]
        }
    }

    /// Reads a value in the form of the interface; `nil` when it has none of the known forms.
    /// - Parameter json: The parsed JSON.
    package init?(json: JSONValue) {
        switch json {
        case .null: self = .null
        case .bool(let value): self = .bool(value)
        case .integer(let number): self = .integer(number)
        case .number(let number): self = .double(number)
        case .string(let text): self = .string(text)
        case .array(let elements):
            guard let values = Self.values(elements) else { return nil }
            self = .list(values)
        case .object(let members):
            guard members.count == 1, let member = members.first, let value = Self.tagged(member) else { return nil }
            self = value
        }
    }

    private static func values(_ elements: [JSONValue]) -> [RecordValue]? {
        let values = elements.compactMap(RecordValue.init(json:))
        return values.count == elements.count ? values : nil
    }

    private static func tagged(_ member: JSONMember) -> RecordValue? {
        let value = member.value
        switch member.name {
        case "$int64": return value.text.flatMap(Int64.init).map(RecordValue.integer)
        case "$double": return Double(interfaceJSON: value).map(RecordValue.double)
        case "$bytes": return value.text.flatMap { Data(base64Encoded: $0) }.map { .bytes(Array($0)) }
        case "$date":
            return value.text.flatMap(RFC3339.milliseconds)
                .map { .date(Date(timeIntervalSince1970: Double($0) / 1000)) }
        case "$location":
            guard let latitude = value["latitude"].flatMap(Double.init(interfaceJSON:)),
                let longitude = value["longitude"].flatMap(Double.init(interfaceJSON:))
            else { return nil }
            return .location(latitude: latitude, longitude: longitude)
        case "$reference":
            guard let record = value["record"]?.text else { return nil }
            if value["action"] == "delete_self" { return .anchor(record: record) }
            return .reference(zone: value["zone"]?.text, record: record)
        case "$counter": return Int64(interfaceJSON: value).map(RecordValue.counter)
        case "$set": return value.elements.flatMap(values).map(RecordValue.set)
        case "$asset": return AssetDescription(json: value).map(RecordValue.asset)
        case "$unknown":
            guard let tag = value["tag"]?.text.flatMap(UInt64.init),
                let bytes = value["bytes"]?.text.flatMap({ Data(base64Encoded: $0) })
            else { return nil }
            return .unknown(tag: tag, bytes: Array(bytes))
        default: return nil
        }
    }
}
