import KairanInterface
import Node
import Wire

extension NodeEvent {
    /// The event as a JSON object.
    /// - Parameter number: Its place in the stream.
    /// - Returns: An object with `event` and `number` first.
    /// - Throws: As the encoding of what the event shows.
    func json(number: UInt64) throws -> JSONValue {
        let (name, rest) = try parts
        let head = [JSONMember("event", .string(name)), JSONMember("number", .integer(Int64(clamping: number)))]
        return .object(head + rest)
    }

    /// The token from which to resume behind this event; `nil` if that is impossible.
    var token: String? {
        switch self {
        case .snapshot(let token, _), .change(_, let token), .zone(_, let token): token
        case .peer, .sync, .quarantine, .transfer, .anomaly, .asset, .end: nil
        }
    }

    /// Whether nothing follows.
    var isEnd: Bool {
        if case .end = self { true } else { false }
    }

    private var parts: (name: String, members: [JSONMember]) {
        get throws {
            switch self {
            case .snapshot(let token, let zones):
                ("snapshot", [JSONMember("token", .string(token)), JSONMember("zones", try zones.json)])
            case .change(let change, let token): ("change", change.members + [JSONMember("token", .string(token))])
            case .zone(let change, let token):
                ("zone", try Self.members(change) + [JSONMember("token", .string(token))])
            case .peer(let peer): ("peer", [JSONMember("peer", try peer.json)])
            case .sync(let event): ("sync", try Self.members(event))
            case .quarantine(let zone): ("quarantine", [JSONMember("zone", .string(zone.text))])
            case .transfer(let zone): ("transfer", [JSONMember("zone", .string(zone.text))])
            case .anomaly(let anomaly): ("anomaly", try Self.members(anomaly))
            case .asset(let asset): ("asset", try Self.members(asset))
            case .end(let reason): ("end", [JSONMember("reason", .string(reason))])
            }
        }
    }

    private static func members(_ view: some ResourceView) throws -> [JSONMember] { try view.json.members ?? [] }
}
