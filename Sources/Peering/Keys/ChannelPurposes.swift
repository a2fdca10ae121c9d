package import Identity
package import Session
package import Sync
import Wire

extension PeerGate.Door {
    /// The kind of admission for the purpose of a channel's secret.
    /// - Parameter purpose: The purpose.
    package init(_ purpose: ChannelSecret.Purpose) {
        switch purpose {
        case .ticket, .enrolment, .recovery: self = .joining
        case .invite: self = .invitation
        case .zone(let identifier): self = ZoneID(identifier).map { .zone($0) } ?? .account
        // A relay's secret opens channels of its own and none of these; it grants a device no more than the fleet's
        // does.
        case .fleet, .guest, .relay: self = .account
        case .earlierFleet: self = .earlier
        }
    }
}

extension JoiningKey {
    /// The joining key for the purpose of a channel's secret; `nil` for a channel by which no device joins.
    /// - Parameter purpose: The purpose.
    package init?(_ purpose: ChannelSecret.Purpose) {
        switch purpose {
        case .ticket(let identifier): self = .ticket(identifier: identifier)
        case .enrolment(let identifier): self = .enrolment(identifier: identifier)
        case .recovery(let key): self = .recovery(key: key)
        case .fleet, .earlierFleet, .zone, .invite, .guest, .relay: return nil
        }
    }
}

extension DoorRoom {
    /// The state of a connection whose session has begun.
    /// - Parameter place: The place of its device.
    package init(_ place: SessionPlace) {
        switch place {
        case .member: self = .admitted
        case .confirming: self = .confirming
        case .removed: self = .removed
        case .guest: self = .guest
        }
    }

    /// The state of a connection on which a device joins.
    /// - Parameters:
    ///   - role: The side that this device is on.
    ///   - key: The key of the channel.
    package init(_ role: JoiningLink.Role, _ key: JoiningKey) {
        switch (role, key) {
        case (.joining, _): self = .joining
        case (.offering, .ticket): self = .ticket
        case (.offering, .enrolment): self = .enrolment
        case (.offering, .recovery): self = .recovery
        }
    }
}

extension PairingTicket {
    /// The secret of its channels.
    package var channelSecret: ChannelSecret {
        ChannelSecret(purpose: .ticket(identifier: identifier), key: presharedKey())
    }
}

extension EnrolmentToken {
    /// The secret of its channels.
    package var channelSecret: ChannelSecret {
        ChannelSecret(purpose: .enrolment(identifier: identifier), key: presharedKey())
    }
}
