package import Capabilities
package import Wire

/// How a zone stands at one moment, seen from this account: whose it is, what may be done in it, and who holds it.
package struct ZoneStanding: Sendable {
    /// A device that is to hold what the zone has.
    package struct Member: Hashable, Sendable {
        /// The device.
        package let device: DeviceID
        /// Its account.
        package let account: AccountID
    }

    /// What the control log says.
    package let state: ControlState
    /// The most that this account may do now; `nil` for nothing.
    package let level: AccessLevel?
    /// The other devices that are to hold the zone: this account's first, then those of the owner and of all who may
    /// read, by account; of each account the earliest first.
    package let others: [Member]

    /// Whose the zone is; of a pair zone one of the two.
    package var owner: AccountID { state.owner }
    /// Whether two accounts own the zone together.
    package var isPair: Bool { state.isPair }
    /// What those may do in it who hold no right.
    package var publicAccess: PublicAccess { state.publicAccess }
    /// Whether those may do something in it who hold no right.
    package var isPublic: Bool { publicAccess != .none }
}
