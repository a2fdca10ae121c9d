import KairanInterface
import Node
import Wire

extension RequestObject {
    /// Reads the role of a new device; the full role if the member is missing.
    func role() throws(NodeError) -> DeviceRole {
        guard let text = try text("role") else { return .full }
        guard let role = DeviceRole.allCases.first(where: { $0.resource.rawValue == text }) else {
            let names = DeviceRole.allCases.map(\.resource.rawValue).joined(separator: ", ")
            throw .invalid(place("role"), "one of \(names) is expected")
        }
        return role
    }
}
