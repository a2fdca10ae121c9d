package import Identity
package import Wire

/// A guest's request to write in a public zone in which its account holds no right, with the guest's identity.
package struct GuestAttempt: Sendable {
    /// The asking device; it has proved its key.
    package let device: DeviceID
    /// The state of its account by its log, with all that is known of it here.
    package let account: AccountState
    /// The request.
    package let write: GuestWrite

    /// Describes a request.
    /// - Parameters: as the properties of the same names.
    package init(device: DeviceID, account: AccountState, write: GuestWrite) {
        self.device = device
        self.account = account
        self.write = write
    }
}
