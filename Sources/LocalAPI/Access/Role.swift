import Node

/// The role in which a request is made.
package enum Role: Sendable, Hashable {
    /// May do everything.
    case admin
    /// May use its containers.
    case application(ApplicationBinding)
    /// May do nothing, or see the bare status.
    case other(seesStatus: Bool)
}

extension Role {
    /// Decides about the access of a request; no other code does.
    /// - Parameters:
    ///   - needed: The access that the route demands.
    ///   - container: The container that the request names. A request does not name a zone's container: the node
    ///     looks for the zone in the grant's scope, and does not find it outside.
    /// - Returns: The zones and facts that the request may see, or the reason for the refusal.
    package func decide(_ needed: RequiredAccess, container: String? = nil) -> Result<AccessGrant, AccessRefusal> {
        switch (self, needed) {
        case (.admin, _):
            return .success(.everything)
        case (.application, .admin):
            return .failure(.adminOnly)
        case (.application, .application), (.application, .anyone):
            return .success(.bare)
        case (.application(let application), .write) where application.isReadOnly:
            return .failure(.readOnly(application: application.name))
        case (.application(let application), .read), (.application(let application), .write):
            let scope = ZoneScope(
                containers: application.containers,
                byteCountMax: application.storageByteCountMax
            )
            if let container, !scope.contains(container: container) {
                return .failure(.containerForeign(application: application.name))
            }
            return .success(AccessGrant(scope: scope, isBare: true))
        case (.other(seesStatus: true), .anyone):
            return .success(.bare)
        case (.other, _):
            return .failure(.callerUnknown)
        }
    }
}
