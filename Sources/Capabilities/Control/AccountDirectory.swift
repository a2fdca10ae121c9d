package import Identity
package import Wire

/// The known accounts: the devices of each, and the devices that state how much of a removed device's logs is
/// effective.
///
/// Answers are functions of the accounts' logs, so replicas that hold the same logs answer alike.
package protocol AccountDirectory {
    /// Returns the standing of a device in an account.
    func standing(of device: DeviceID, in account: AccountID) -> AccountStanding

    /// Returns the devices whose statements on the effective size of a removed device's logs take precedence.
    func witnesses(of device: DeviceID, in account: AccountID) -> Set<DeviceID>

    /// The device that this store belongs to. It ignores its own removal: it keeps the records that its user wrote on
    /// it.
    var ownDevice: DeviceID? { get }
}

extension AccountDirectory {
    /// By default `nil`: the directory belongs to no device's store.
    package var ownDevice: DeviceID? { nil }

    /// Whether a device was in an account and is not any more.
    func isRemoved(_ device: DeviceID, from account: AccountID) -> Bool {
        if case .removed = standing(of: device, in: account) { true } else { false }
    }
}

/// The standing of a device in an account.
package enum AccountStanding: Hashable, Sendable {
    /// The account's log is not here: fetch it, and ask again. Never to be taken for a yes.
    case unknownAccount
    /// The account does not know the device.
    case unknownDevice
    /// It belongs to the account; earlier-added devices have smaller places.
    case active(DeviceRole, addedAt: Int)
    /// It belonged to the account, and never will again.
    case removed(DeviceRole, addedAt: Int)

    /// Reads the standing of a device from the state of an account.
    /// - Parameters:
    ///   - device: A device.
    ///   - state: The state of the account's log; `nil` if the log is not here.
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
    /// Returns the standing of a device in an account.
    package func standing(of device: DeviceID, in account: AccountID) -> AccountStanding {
        AccountStanding(of: device, in: self[account])
    }

    /// Returns the devices whose statements on the effective size of a removed device's logs take precedence.
    package func witnesses(of device: DeviceID, in account: AccountID) -> Set<DeviceID> {
        self[account]?.witnesses(of: device) ?? []
    }
}
