import Capabilities
import Identity
import Wire

/// The accounts as this store treats them.
struct ZoneDirectory: AccountDirectory {
    let accounts: [AccountID: AccountState]
    /// This device, which keeps the writes of its person until it is paired again under new keys.
    let ownDevice: DeviceID?

    func standing(of device: DeviceID, in account: AccountID) -> AccountStanding {
        accounts.standing(of: device, in: account)
    }

    func witnesses(of device: DeviceID, in account: AccountID) -> Set<DeviceID> {
        accounts.witnesses(of: device, in: account)
    }
}
