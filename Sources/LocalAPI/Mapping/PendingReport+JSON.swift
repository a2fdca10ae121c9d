import KairanClient
import Node
import Wire

extension PendingReport {
    var json: JSONValue {
        [
            "pending": .array(entries.map(\.json)),
            "held_back": .array(heldBack.map(\.json)),
        ]
    }
}

extension PendingReport.Entry {
    fileprivate var json: JSONValue {
        [
            "zone": .string(zone.text),
            "zone_name": .string(name),
            "container": .string(container),
            "device": .string(device.text),
            "device_name": .string(deviceName),
            "account": .string(account.text),
            "state": .string(state.rawValue),
            "count": .integer(Int64(clamping: count)),
            "behind": .integer(Int64(clamping: behind)),
            "missing": .integer(Int64(clamping: missing)),
            "oldest_at": oldestMilliseconds.map(JSONValue.init(milliseconds:)) ?? .null,
            "age_ms": ageMilliseconds.map { .integer(Int64(clamping: $0)) } ?? .null,
            "reason": .string(reason.rawValue),
            "since": sinceMilliseconds.map(JSONValue.init(milliseconds:)) ?? .null,
        ]
    }
}

extension PendingReport.HeldBack {
    fileprivate var json: JSONValue {
        [
            "zone": .string(zone.text),
            "device": .string(device.text),
            "count": .integer(Int64(clamping: count)),
            "waits_for": .array(
                waitsFor.map { missing -> JSONValue in
                    [
                        "log": .string(missing.actor.text),
                        "device": JSONValue(missing.device?.text),
                        "held": .integer(Int64(clamping: missing.held)),
                        "needed": .integer(Int64(clamping: missing.needed)),
                    ]
                }
            ),
        ]
    }
}
