import Node

/// What a handler may use for one request.
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

    /// What a write would be refused with before the node sees it; `nil` if the caller may write.
    var writeRefusal: RequestError? {
        guard case .failure(let refusal) = role.decide(.write) else { return nil }
        return refusal.told as? RequestError
    }

    /// Makes sure that the request may do in a container what the route demands.
    /// - Parameter container: The container that the request names.
    /// - Throws: What tells the caller why not.
    func require(container: String) throws {
        if case .failure(let refusal) = role.decide(needs, container: container) { throw refusal.told }
    }
}
