package import Identity
package import Wire

/// What is known of accounts: whether a device belongs to one, and up to where what it wrote counts.
///
/// Answers are functions of the accounts' logs, so replicas that hold the same logs answer alike.
package protocol AccountDirectory {
    /// What an account makes of a device.
    func standing(of device: DeviceID, in account: AccountID) -> AccountStanding

    /// How much of one of a device's logs counts by the word of its account.
    /// - Returns: `.none` for a device of the account, `.zero` for one that the account does not know.
    func cut(of log: ActorLane, device: DeviceID, in account: AccountID, zone: ZoneID) -> LogCut
}

/// What an account makes of a device.
package enum AccountStanding: Hashable, Sendable {
    /// The account's log is not here: fetch it, and ask again. Never to be taken for a yes.
    case unknownAccount
    /// The account does not know the device.
    case unknownDevice
    /// It belongs to the account; earlier-added devices have smaller places.
    case active(DeviceRole, addedAt: Int)
    /// It did, and never will again.
    case removed(DeviceRole, addedAt: Int)
}

extension Dictionary: AccountDirectory where Key == AccountID, Value == AccountState {
    /// What an account makes of a device.
    package func standing(of device: DeviceID, in account: AccountID) -> AccountStanding {
        guard let state = self[account] else { return .unknownAccount }
        guard let entry = state.devices[device] else { return .unknownDevice }
        return switch entry.status {
        case .active: .active(entry.role, addedAt: entry.addedAt)
        case .removed: .removed(entry.role, addedAt: entry.addedAt)
        }
    }

    /// How much of one of a device's logs counts by the word of its account.
    package func cut(of log: ActorLane, device: DeviceID, in account: AccountID, zone: ZoneID) -> LogCut {
        guard let state = self[account] else { return .zero }
        return state.cut(for: log.actor, device: device, lane: log.lane, zone: zone)
    }
}
