import KairanClient
import Node
import Wire

extension GoneZoneStatus {
    var json: JSONValue {
        [
            "zone": .string(zone.text),
            "name": .string(name),
            "container": .string(container),
            "kind": .string(end.kind.rawValue),
            "reason": JSONValue(end.reason),
        ]
    }
}
