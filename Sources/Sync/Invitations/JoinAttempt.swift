package import Identity
package import Wire

/// A request to join, as the channel and the sender's account log show it.
package struct JoinAttempt: Sendable {
    /// The account that wants to join, by the log that it sent.
    package let account: AccountState
    /// The device that the channel authenticated.
    package let device: DeviceID
    /// The identifier of the invitation whose secret opened the channel.
    package let invite: [UInt8]

    /// Describes a request.
    /// - Parameters: as the properties of the same names.
    package init(account: AccountState, device: DeviceID, invite: [UInt8]) {
        self.account = account
        self.device = device
        self.invite = invite
    }
}
