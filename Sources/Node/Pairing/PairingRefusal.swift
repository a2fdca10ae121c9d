import Sync

extension PairingRefusal {
    /// The error for the person who typed the ticket.
    var told: NodeError {
        switch self {
        case .used:
            NodeError(
                .ticketUsed,
                "The ticket was used before, or a newer one has replaced it.",
                fix: "Run `kairan pair offer` again on the other device."
            )
        case .failed:
            NodeError(
                .forbidden,
                "The other device could not add this one.",
                fix: "See the other daemon's log; only a device with the role full may add others."
            )
        case .expired:
            NodeError(
                .ticketExpired,
                "The ticket has expired after ten minutes.",
                fix: "Run `kairan pair offer` again on the other device."
            )
        case .attempts:
            NodeError(
                .ticketAttempts,
                "Too many devices tried this ticket.",
                fix: "Run `kairan pair offer` again on the other device; find out which devices tried."
            )
        case .removed: Self.removedDevice
        case .replaced:
            NodeError(
                .recoveryReplaced,
                "These recovery words were replaced by others, or that device does not know of them yet.",
                fix: "Use the newest ones."
            )
        }
    }

    /// The error for the person at the device that offers, who made the ticket.
    var toldToOffering: NodeError {
        let again = "Run `kairan pair offer` again on this device"
        var error = told
        switch self {
        case .used, .expired: error.fix = again + "."
        case .attempts: error.fix = again + "; find out which devices tried."
        case .failed:
            error.message = "This device could not add the other one."
            error.fix = "See this daemon's log; only a device with the role full may add others."
        // Neither is an answer to a ticket.
        case .removed, .replaced: break
        }
        return error
    }

    /// Returns the error for the person at the joining device, who used a ticket or another key.
    func told(to key: JoiningKey?) -> NodeError {
        switch (key, self) {
        case (.recovery, .failed):
            NodeError(
                .forbidden,
                "A device of the account was found, but could not add this one.",
                fix: "See the other daemon's log; then try again."
            )
        case (.enrolment, .used):
            NodeError(
                .ticketUsed,
                "The enrolment token has admitted as many machines as it was made for.",
                fix: "Make another one with `kairan account enrolment-token`."
            )
        case (.enrolment, .expired):
            NodeError(
                .ticketExpired,
                "The enrolment token has expired.",
                fix: "Make another one with `kairan account enrolment-token`."
            )
        default: told
        }
    }

    /// The keys of a removed device are never valid again; new ones make it another device.
    static let removedDevice = NodeError(
        .forbidden,
        "This device was removed from that account, and a removal is permanent.",
        fix: "Stop its daemon, run `kairand begin-anew --state DIRECTORY`, start it and pair again: with new keys it is"
            + " a new device, and it keeps its records."
    )
}

extension HealthWarning {
    /// This device was removed from its account: it keeps its data, and peers refuse it.
    static let deviceRemoved = HealthWarning(
        code: "account.removed",
        severity: .critical,
        message:
            "This device does not belong to its account any more: it was removed, or the device that had admitted it was."
            + " Other devices refuse it, and its writes have no effect.",
        fix: "\(PairingRefusal.removedDevice.fix) If a machine in other hands removed it, run"
            + " `kairan device remove DEVICE --words` here, with that machine as DEVICE: this reverts its removals."
    )
}
