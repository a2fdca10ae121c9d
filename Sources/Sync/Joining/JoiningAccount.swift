package import Identity
package import Wire

/// The account of this device while others join it or it joins another one: a port.
///
/// A call that throws has changed nothing, and the effect of one that returns is durable.
package protocol JoiningAccount {
    /// The certificate of this device.
    var certificate: VerifiedCertificate { get }

    /// The account, as its log has it.
    var accountState: AccountState { get }

    /// Adds a device to the account log; one that is active already stays as it is.
    /// - Throws: `AccountError`, or an error of the disk.
    func add(_ certificate: VerifiedCertificate, role: DeviceRole) throws

    /// Adds a device by an entry that the recovery key has signed.
    /// - Throws: `AccountError`, or an error of the disk.
    func recover(_ certificate: VerifiedCertificate, with entry: [UInt8]) throws

    /// Replaces the enrolment tokens.
    /// - Throws: Any error of the disk.
    func keep(_ enrolments: EnrolmentBook) throws

    /// All entries with the secrets, for a device that was admitted.
    func welcome() -> PairWelcome

    /// Makes this device one of another account.
    /// - Throws: Any error of the disk.
    func replaceAccount(log: AccountLog, keyring: AccountKeyring) throws
}

extension JoiningAccount {
    /// This device.
    var device: DeviceID { certificate.device }

    /// Whether this device may go into another account: it was removed from its own one, or is alone in it.
    package var mayJoin: Bool {
        accountState.standing(of: device) == .removed || accountState.activeDevices.count <= 1
    }

    /// Whether this device may add others.
    package var mayAdd: Bool { accountState.standing(of: device) == .active(.full) }
}
