import Node
import Wire

extension RequestObject {
    /// What later devices may read of a new zone.
    func history() throws(NodeError) -> ZoneHistory {
        switch try text("history") {
        case nil, "full": return .full
        case "fromJoin": return .fromJoin
        case .some: throw .invalid(place("history"), "full or fromJoin is expected")
        }
    }
}
