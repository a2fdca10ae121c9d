/// The peer process of a connection, as far as the kernel identifies it.
package enum Caller: Sendable, Hashable {
    /// A process that the policy of administrators admits.
    case admin
    /// A process to which at least one application is bound: those of its user first, then by name.
    case bound([ApplicationBinding])
    /// Any other process.
    case other(seesStatus: Bool)

    /// Whether its requests can get anything but refusals.
    var isAdmitted: Bool { self != .other(seesStatus: false) }

    /// Whether it is neither an administrator nor bound to an application.
    var isOther: Bool {
        if case .other = self { true } else { false }
    }

    /// Determines the role of a request.
    ///
    /// A token decides among the applications that demand one; without a token, the first application that demands
    /// none is used. A wrong token is never ignored: its sender expects to act as a different application.
    /// - Parameter authorization: The request's `Authorization` header.
    /// - Returns: The role, or the reason for refusing one.
    func role(authorization: String?) -> Result<Role, AccessRefusal> {
        switch self {
        case .admin:
            return .success(.admin)
        case .other(let seesStatus):
            return .success(.other(seesStatus: seesStatus))
        case .bound(let applications):
            guard let authorization else {
                guard let open = applications.first(where: { $0.token == nil }) else {
                    return .failure(.tokenMissing)
                }
                return .success(.application(open))
            }
            guard let presented = Self.token(authorization) else { return .failure(.tokenUnknown) }
            // All tokens are compared, so that the time of the answer does not show which one matched.
            let fitting = applications.filter { $0.token?.matches(presented) == true }
            guard let application = fitting.first else { return .failure(.tokenUnknown) }
            return .success(.application(application))
        }
    }

    /// The token of a header (RFC 6750 §2.1; the scheme's case does not matter, RFC 9110 §11.1).
    private static func token(_ authorization: String) -> ApplicationToken? {
        let parts = authorization.split(separator: " ", maxSplits: 1)
        guard parts.count == 2, parts[0].lowercased() == "bearer" else { return nil }
        return ApplicationToken(parts[1])
    }
}
