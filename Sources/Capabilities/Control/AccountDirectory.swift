package import Identity
package import Wire

/// What is known of accounts: whether a device belongs to one, and who says how much counts of what it wrote.
///
/// Answers are functions of the accounts' logs, so replicas that hold the same logs answer alike.
package protocol AccountDirectory {
    /// What an account makes of a device.
    func standing(of device: DeviceID, in account: AccountID) -> AccountStanding

    /// The devices whose word goes first on how much counts of what a removed device wrote.
    func witnesses(of device: DeviceID, in account: AccountID) -> Set<DeviceID>

    /// The device whose own store asks, which does not go by its own removal: it keeps what its person wrote on it.
    var ownDevice: DeviceID? { get }
}

extension AccountDirectory {
    /// No device's own store.
    package var ownDevice: DeviceID? { nil }

    /// Whether a device was in an account and is not any more.
    func isRemoved(_ device: DeviceID, from account: AccountID) -> Bool {
        if case .removed = standing(of: device, in: account) { true } else { false }
    }
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

    /// Asks an account.
    /// - Parameters:
    ///   - device: A device.
    ///   - state: What the account's log says; `nil` if it is not here.
    package init(of device: DeviceID, in state: AccountState?) {
        guard let state else {
            self = .unknownAccount
            return
        }
        guard let entry = state.devices[device] else {
            self = .unknownDevice
            return
        }
        self =
            switch entry.status {
            case .active: .active(entry.role, addedAt: entry.addedAt)
            case .removed: .removed(entry.role, addedAt: entry.addedAt)
            }
    }
}

extension Dictionary: AccountDirectory where Key == AccountID, Value == AccountState {
    /// What an account makes of a device.
    package func standing(of device: DeviceID, in account: AccountID) -> AccountStanding {
        AccountStanding(of: device, in: self[account])
    }

    /// The devices whose word goes first on how much counts of what a removed device wrote.
    package func witnesses(of device: DeviceID, in account: AccountID) -> Set<DeviceID> {
        self[account]?.witnesses(of: device) ?? []
    }
}
