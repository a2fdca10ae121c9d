package import Identity
package import Wire

/// What an account that holds no right in a public zone asks to be written there, and who it is.
package struct GuestAttempt: Sendable {
    /// The device that asks; it has proved its key.
    package let device: DeviceID
    /// What its account's log says, with all that is known here of it.
    package let account: AccountState
    /// What it asks.
    package let write: GuestWrite

    /// Describes a request.
    /// - Parameters: as the properties of the same names.
    package init(device: DeviceID, account: AccountState, write: GuestWrite) {
        self.device = device
        self.account = account
        self.write = write
    }
}
