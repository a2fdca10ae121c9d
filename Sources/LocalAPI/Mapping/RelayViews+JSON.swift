import KairanClient
import Node
import Wire

extension RelayStatus {
    var json: JSONValue {
        [
            "relay": .string(relay.text),
            "address": JSONValue(addresses.first),
            "addresses": .array(addresses.map { .string($0) }),
            "state": .string(state.rawValue),
            "own": .bool(isOwn),
            "accounts": .array(accounts.map { .string($0.text) }),
            "stored_bytes": storedByteCount.map { .integer(Int64(clamping: $0)) } ?? .null,
            "quota_bytes": quotaByteCount.map { .integer(Int64(clamping: $0)) } ?? .null,
            "backend": JSONValue(backend),
            "waiting": .integer(Int64(clamping: waitingCount)),
            "since": sinceMilliseconds.map(JSONValue.init(milliseconds:)) ?? .null,
        ]
    }
}

extension AdmissionStatus {
    var json: JSONValue { .object(members) }

    /// The admission that was just made: only this answer contains its link.
    func json(with link: String) -> JSONValue { .object(members + [JSONMember("link", .string(link))]) }

    private var members: [JSONMember] {
        [
            JSONMember("admission", .string(admission.text)),
            JSONMember("name", .string(name)),
            JSONMember("stored_bytes", .integer(Int64(clamping: storedByteCount))),
            JSONMember("quota_bytes", .integer(Int64(clamping: quotaByteCount))),
            JSONMember("parcels", .integer(Int64(clamping: parcelCount))),
            JSONMember("passes", .integer(Int64(clamping: passCount))),
            JSONMember("pass_bytes", .integer(Int64(clamping: passByteCount))),
            JSONMember("backend", .string(backend)),
            JSONMember("since", JSONValue(milliseconds: sinceMilliseconds)),
        ]
    }
}

extension RequestObject {
    /// Reads the number of bytes to keep for an account, at most the largest integer that every reader of JSON
    /// represents exactly.
    func quota(_ name: String) throws(NodeError) -> UInt64? {
        guard self[name] != nil else { return nil }
        return UInt64(try number(name, in: 1_048_576...9_007_199_254_740_991, default: 0))
    }
}
