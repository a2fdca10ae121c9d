import Node

/// The node and the role that a handler may use for one request.
struct RouteAccess: Sendable {
    /// The node, as far as the request may see it.
    let node: any NodeAPI
    /// Whether facts about the node itself are left out.
    let isBare: Bool

    private let role: Role
    private let needs: RequiredAccess

    init(node: any NodeAPI, isBare: Bool, role: Role, needs: RequiredAccess) {
        self.node = node
        self.isBare = isBare
        self.role = role
        self.needs = needs
    }

    /// The refusal of a write before the node sees it; `nil` if the caller may write.
    var writeRefusal: RequestError? {
        guard case .failure(let refusal) = role.decide(.write) else { return nil }
        return refusal.told as? RequestError
    }

    /// Checks that the request has the access to a container that the route demands.
    /// - Parameter container: The container that the request names.
    /// - Throws: The error that the caller gets.
    func require(container: String) throws {
        if case .failure(let refusal) = role.decide(needs, container: container) { throw refusal.told }
    }
}
