import Node
import Wire

extension RequestObject {
    /// What a new device may do; everything when nothing is said.
    func role() throws(NodeError) -> DeviceRole {
        guard let text = try text("role") else { return .full }
        guard let role = DeviceRole.allCases.first(where: { $0.interfaceText == text }) else {
            let names = DeviceRole.allCases.map(\.interfaceText).joined(separator: ", ")
            throw .invalid(place("role"), "one of \(names) is expected")
        }
        return role
    }
}
