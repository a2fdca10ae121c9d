import Node
import Wire

extension RequestObject {
    /// Reads the part of a new zone's history that devices may read that join later.
    func history() throws(NodeError) -> ZoneHistory {
        switch try text("history") {
        case nil, "full": return .full
        case "fromJoin": return .fromJoin
        case .some: throw .invalid(place("history"), "full or fromJoin is expected")
        }
    }
}
