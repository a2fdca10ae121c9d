/// The state of a connection from the moment it is accepted, by the knowledge of the other side.
///
/// Each state but the last belongs to a connection behind which no account is known and admitted yet. Its places are apart from those of
/// every other state, so that connections of one kind never take the places of another's. ``DoorLimits`` has the numbers.
package enum DoorRoom: String, CaseIterable, Hashable, Sendable {
    /// The connection stands, and its preamble is awaited.
    case accepted
    /// Proves the account's key; the standing of its device is not known yet.
    case fleet
    /// Proves a zone's key; the standing of its account is not known yet.
    case zone
    /// Proves the key of an invitation.
    case invitation
    /// Proves a pairing ticket.
    case ticket
    /// Proves an enrolment token.
    case enrolment
    /// Proves the recovery words.
    case recovery
    /// This device asks another one to be added to its account; it made the connection.
    case joining
    /// Proves the key of a relay's links, and shows no admission yet.
    case relay
    /// A device of a known account that is not in the account's log as it is held here, or was removed.
    case confirming
    /// A device that was removed from this account, and uploads the operations that it wrote before it learned of
    /// that.
    case removed
    /// A device of an unknown account, which is served public records.
    case guest
    /// The account is known, and the device is in its log; on a relay: an admission was shown.
    case admitted

    /// The room in which a channel under a secret begins.
    /// - Parameter purpose: The purpose of the secret.
    package init(_ purpose: ChannelSecret.Purpose) {
        switch purpose {
        case .fleet, .earlierFleet: self = .fleet
        case .zone, .guest: self = .zone
        case .invite: self = .invitation
        case .ticket: self = .ticket
        case .enrolment: self = .enrolment
        case .recovery: self = .recovery
        case .relay: self = .relay
        }
    }
}
