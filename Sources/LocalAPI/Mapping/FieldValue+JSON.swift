import FoundationEssentials
import KairanInterface
import Node
import Wire

extension FieldValue {
    /// The value in the form of the interface.
    ///
    /// Reading it back gives the same value, except for counters and sets, whose history is not shown, and for
    /// assets, which are only described.
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
        case .asset(let asset):
            [
                "$asset": [
                    "root": .string(asset.payload.text), "size": .integer(Int64(clamping: asset.size)),
                    "media_type": .string(asset.mediaType),
                ]
            ]
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
