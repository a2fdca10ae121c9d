import KairanClient
import Node
import Wire

extension NodeEvent {
    /// The event as a JSON object.
    /// - Parameter number: Its place in the stream.
    /// - Returns: An object with `event` and `number` first.
    func json(number: UInt64) -> JSONValue {
        let (name, rest) = parts
        let head = [JSONMember("event", .string(name)), JSONMember("number", .integer(Int64(clamping: number)))]
        return .object(head + rest)
    }

    /// The token from which to resume behind this event; `nil` if that is impossible.
    var token: String? {
        switch self {
        case .snapshot(let token, _), .change(_, let token), .zone(_, let token): token
        case .peer, .sync, .quarantine, .transfer, .anomaly, .end: nil
        }
    }

    /// Whether nothing follows.
    var isEnd: Bool {
        if case .end = self { true } else { false }
    }

    private var parts: (name: String, members: [JSONMember]) {
        switch self {
        case .snapshot(let token, let zones):
            ("snapshot", [JSONMember("token", .string(token)), JSONMember("zones", .array(zones.map(\.json)))])
        case .change(let change, let token): ("change", change.members + [JSONMember("token", .string(token))])
        case .zone(let change, let token): ("zone", change.members + [JSONMember("token", .string(token))])
        case .peer(let peer): ("peer", [JSONMember("peer", peer.json)])
        case .sync(let event): ("sync", event.members)
        case .quarantine(let zone): ("quarantine", [JSONMember("zone", .string(zone.text))])
        case .transfer(let zone): ("transfer", [JSONMember("zone", .string(zone.text))])
        case .anomaly(let anomaly): ("anomaly", anomaly.members)
        case .end(let reason): ("end", [JSONMember("reason", .string(reason))])
        }
    }
}
