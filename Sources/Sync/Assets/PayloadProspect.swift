/// The expectation of a payload that is wanted here, by the sessions that there are now.
package enum PayloadProspect: Hashable, Sendable {
    /// No session is with a device that may read a zone which names it.
    case unresolved
    /// Every session with such a device has answered that it lacks it.
    case missing
    /// It is on its way, or is asked for next.
    case coming
}

extension AssetState {
    /// The state, with the knowledge of the sessions.
    ///
    /// Only content of which nothing is here yet shows that it cannot be had: else its state says how much is.
    /// - Parameter prospect: The expectation; `nil` where the core does not know of the payload.
    /// - Returns: The state for people and programs.
    package func with(_ prospect: PayloadProspect?) -> AssetState {
        guard self == .queued else { return self }
        return switch prospect {
        case .unresolved: .unresolved
        case .missing: .missing
        case .coming, nil: self
        }
    }
}
