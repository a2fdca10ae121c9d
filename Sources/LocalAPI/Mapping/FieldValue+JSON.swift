import FoundationEssentials
import KairanInterface
import Node
import Wire

extension FieldValue {
    /// The value in the form of the interface.
    ///
    /// Reading it back gives the same value, except for counters and sets, whose history is not shown, and for
    /// assets, whose secrets are not shown: the node knows these.
    var interfaceJSON: JSONValue {
        switch self {
        case .string(let text): .string(text)
        case .int64(let number): number.interfaceJSON
        case .double(let number): number.interfaceJSON
        case .bool(let value): .bool(value)
        case .bytes(let bytes): ["$bytes": .string(Data(bytes).base64EncodedString())]
        case .date(let milliseconds): ["$date": .string(RFC3339.text(milliseconds: milliseconds))]
        case .location(let latitude, let longitude):
            ["$location": ["latitude": latitude.plainJSON, "longitude": longitude.plainJSON]]
        case .reference(let zone, let record):
            if let zone {
                ["$reference": ["zone": .string(zone.text), "record": .string(record)]]
            } else {
                ["$reference": ["record": .string(record)]]
            }
        case .anchor(let record): ["$reference": ["record": .string(record), "action": "delete_self"]]
        case .asset(let asset): ["$asset": asset.interfaceJSON]
        case .list(let elements): .array(elements.map(\.interfaceJSON))
        case .counter(let state): ["$counter": state.value.interfaceJSON]
        case .set(let state): ["$set": .array(state.entries.map(\.element.interfaceJSON))]
        case .null: .null
        case .unknown(let tag, let bytes):
            [
                "$unknown": [
                    "tag": .string(tag.description), "bytes": .string(Data(bytes).base64EncodedString()),
                ]
            ]
        }
    }

    /// Fields as an object, in the order given.
    static func interfaceJSON(_ fields: [(name: String, value: FieldValue)]) -> JSONValue {
        .object(fields.map { JSONMember($0.name, $0.value.interfaceJSON) })
    }
}

extension AssetDescriptor {
    /// The description in the form of the interface: its members, as far as they are stated.
    fileprivate var interfaceJSON: JSONValue {
        var members = [
            JSONMember("asset", .string(payload.text)), JSONMember("size", .integer(Int64(clamping: size))),
        ]
        if !mediaType.isEmpty { members.append(JSONMember("media_type", .string(mediaType))) }
        if !fileName.isEmpty { members.append(JSONMember("name", .string(fileName))) }
        if let modified { members.append(JSONMember("modified_at", .string(RFC3339.text(milliseconds: modified)))) }
        if !thumbnail.isEmpty {
            members.append(JSONMember("thumbnail", .string(Data(thumbnail).base64EncodedString())))
        }
        return .object(members)
    }
}
