package import Wire

/// What a request to join leads to.
package enum RedemptionOutcome: Hashable, Sendable {
    /// The right is there: the zone, and the capability.
    case joined(ZoneTerms, capability: Hash)
    /// It is noted; a person has to say yes.
    case waitingApproval
    /// It is noted; the device that made the invitation has to hear of it.
    case waitingInviter
    /// Nothing is granted.
    case refused(JoinRefusalCode)

    /// What the asking device is sent.
    /// - Parameter entries: The whole log of the answering account.
    /// - Returns: The message.
    package func message(entries: [[UInt8]]) -> PeerMessage {
        switch self {
        case .joined(let terms, let capability):
            .joinAnswer(JoinAnswer(.joined(terms, capability: capability), entries: entries))
        case .waitingApproval: .joinAnswer(JoinAnswer(.waitingApproval, entries: entries))
        case .waitingInviter: .joinAnswer(JoinAnswer(.waitingInviter, entries: entries))
        case .refused(let code): .joinRefusal(JoinRefusal(code))
        }
    }
}
