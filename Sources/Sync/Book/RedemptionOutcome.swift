package import Wire

/// What a request to join leads to.
package enum RedemptionOutcome: Equatable, Sendable {
    /// The right is there: the zone, and the capability.
    case joined(ZoneTerms, capability: Hash)
    /// It is noted; a person has to say yes.
    case waitingApproval
    /// It is noted; the device that made the invitation has to hear of it.
    case waitingInviter
    /// It is noted; the relay that counts has said nothing.
    case waitingRelay
    /// Nothing yet: the relay that counts has to be asked, and this again with what it says.
    case claim(UseClaim)
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
        // Who asks is not told what is waited for: it does the same about both.
        case .waitingInviter, .waitingRelay, .claim: .joinAnswer(JoinAnswer(.waitingInviter, entries: entries))
        case .refused(let code): .joinRefusal(JoinRefusal(code))
        }
    }
}
