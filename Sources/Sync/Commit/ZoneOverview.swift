package import Capabilities
package import Wire

/// A zone at one moment, as this account sees it: its owner, the rights in it, and the devices that hold it.
package struct ZoneOverview: Sendable {
    /// A device that is to hold the zone.
    package struct Member: Hashable, Sendable {
        /// The device.
        package let device: DeviceID
        /// Its account.
        package let account: AccountID
    }

    /// The state of the control log.
    package let state: ControlState
    /// The highest level of this account now; `nil` for none.
    package let level: AccessLevel?
    /// The other devices that are to hold the zone: this account's first, then those of the owner and of all accounts
    /// that may read, by account; of each account the earliest first.
    package let others: [Member]

    /// The owner of the zone; of a pair zone one of the two.
    package var owner: AccountID { state.owner }
    /// Whether two accounts own the zone together.
    package var isPair: Bool { state.isPair }
    /// The rights of accounts without a capability.
    package var publicAccess: PublicAccess { state.publicAccess }
    /// Whether accounts without a capability have a right in it.
    package var isPublic: Bool { publicAccess != .none }

    /// Returns the place in which an account that may see the zone finds it.
    package func place(for account: AccountID) -> ZonePlace {
        isPublic ? .everybody : isPair || owner != account ? .foreign : .own
    }
}
