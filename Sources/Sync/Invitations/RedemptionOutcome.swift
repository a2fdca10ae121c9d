package import Wire

/// The outcome of a request to join.
package enum RedemptionOutcome: Equatable, Sendable {
    /// The right is granted: the zone, and the capability.
    case joined(ZoneTerms, capability: Hash)
    /// The request is noted; a person has to approve it.
    case waitingApproval
    /// The request is noted; the device that made the invitation has to learn of it.
    case waitingInviter
    /// The request is noted; the relay that counts the uses has not answered.
    case waitingRelay
    /// The relay that counts the uses has to be asked first; then the request is decided again with its answer.
    case claim(UseClaim)
    /// The request is refused.
    case refused(JoinRefusalCode)

    /// Builds the message to the asking device.
    /// - Parameter entries: The whole log of the answering account.
    /// - Returns: The message.
    package func message(entries: [[UInt8]]) -> PeerMessage {
        switch self {
        case .joined(let terms, let capability):
            .joinAnswer(JoinAnswer(.joined(terms, capability: capability), entries: entries))
        case .waitingApproval: .joinAnswer(JoinAnswer(.waitingApproval, entries: entries))
        // The asking device does the same in all of these cases, so it does not learn the reason.
        case .waitingInviter, .waitingRelay, .claim: .joinAnswer(JoinAnswer(.waitingInviter, entries: entries))
        case .refused(let code): .joinRefusal(JoinRefusal(code))
        }
    }
}
