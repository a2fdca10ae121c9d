import Identity
import Sync
import Wire

extension NodeError {
    /// The error for a person whose device could not join, or admit another one.
    init(_ failure: JoiningFailure) {
        switch failure {
        case .refused(let refusal, let key):
            self = refusal.told(to: key)
        case .tooManyAttempts:
            self.init(
                .ticketAttempts,
                "This ticket was tried too often, and no device was added.",
                fix: "Run `kairan pair offer` again; find out which devices tried."
            )
        case .deviceRemoved(let device):
            self.init(
                .forbidden,
                "The device \(device.text) was removed from this account, and a removal is permanent.",
                fix: PairingRefusal.removedDevice.fix
            )
        case .notAdded(let error):
            self.init(addingFailed: error)
        case .zonesInTheWay:
            self.init(
                .deviceHasZones,
                "This device has zones of its own, and was offered a role with which it may not write them.",
                fix: "Offer it the role full (`kairan pair offer`), or delete its zones first (`kairan zone delete`)."
            )
        case .accountHasDevices:
            self = Self.accountHasDevices
        case .notEntered:
            self.init(
                .storageFailed,
                "This device could not join the other device's account.",
                fix: "See the log."
            )
        }
    }

    /// The error where a device could not be added, or what would add it was not stored.
    init(addingFailed error: any Error) {
        switch error {
        case AccountError.notAllowed:
            self.init(
                .forbidden,
                "This device may not add others.",
                fix: "Do it on a device of the account with the role full (`kairan device ls`)."
            )
        case let error as PrivateFile.Failure where error.isDiskFull:
            self.init(.diskFull, "No space is left on the disk.", fix: "Make space; nothing was written.")
        default:
            self.init(.storageFailed, "The device could not be added.", fix: "See the daemon's log.")
        }
    }

    /// The error on a device whose account has other devices, and which cannot join another account.
    static let accountHasDevices = NodeError(
        .accountHasDevices,
        "This device's account has other devices.",
        fix: "Remove it there first (`kairan device remove`), or pair the other device into this account."
    )
}

extension PairingOutcome {
    /// Makes the outcome that the interface reports.
    init(_ success: JoiningSuccess) {
        self.init(
            account: success.account,
            device: success.link.certificate.device,
            name: success.link.certificate.certificate.name,
            words: FingerprintWords.six(from: success.link.binding)
        )
    }
}

extension NodeIdentity {
    /// Makes sure that this device has the rights that adding others needs.
    /// - Throws: `NodeError` `forbidden`.
    func requireMayAdd() throws(NodeError) {
        guard mayAdd else { throw NodeError(addingFailed: AccountError.notAllowed) }
    }
}
