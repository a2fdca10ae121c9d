import Identity
import Logging
import Peering
import Session
import Sync
import Wire

// Joining, on both sides: everything is decided by `JoiningDesk`; here are the tickets and the words for people. Both
// sides of a pairing show six words derived from the handshake hash.
extension SyncService {
    /// Begins an offer; an earlier one ends.
    func beginOffer(role: DeviceRole) throws(NodeError) -> PairingOfferStatus {
        try checkMayAdd()
        let now = dependencies.clock.wall()
        let ticket = PairingTicket(using: &random)
        stepAside { $0.beginOffer(ticket, role: role, in: &$1) }
        return PairingOfferStatus(
            ticket: ticket.text,
            expiresMilliseconds: now + PairingOffer.lifetimeMilliseconds
        )
    }

    /// The state of an offer.
    /// - Returns: `nil` while it is open.
    func offerOutcome(_ text: String) throws(NodeError) -> PairingOutcome? {
        let ticket = try Self.parse(text)
        endExpiredOffers()
        if let outcome = core.joining.outcome(of: ticket.text) {
            if case .failure(.refused(let refusal, _)) = outcome { throw refusal.toldToOffering }
            return try Self.told(outcome)
        }
        guard core.joining.isOpen(ticket.identifier) else {
            throw NodeError(.ticketNotFound, "No offer with this ticket is open here.", fix: "Run `kairan pair offer`.")
        }
        return nil
    }

    /// Ends the offer when its time is over, and forgets tickets and tokens that ended.
    func endExpiredOffers() { stepAside { $0.endExpiredOffers(in: &$1) } }

    /// An outcome in words for people.
    static func told(_ outcome: Result<JoiningSuccess, JoiningFailure>) throws(NodeError) -> PairingOutcome {
        switch outcome {
        case .success(let success):
            return PairingOutcome(
                account: success.account,
                device: success.link.certificate.device,
                name: success.link.certificate.certificate.name,
                words: FingerprintWords.six(from: success.link.binding)
            )
        case .failure(let failure):
            throw told(failure)
        }
    }

    private static func told(_ failure: JoiningFailure) -> NodeError {
        switch failure {
        case .refused(let refusal, let key):
            refusal.told(to: key)
        case .tooManyAttempts:
            NodeError(
                .ticketAttempts,
                "This ticket was tried too often, and no device was added.",
                fix: "Run `kairan pair offer` again; find out which devices tried."
            )
        case .deviceRemoved(let device):
            NodeError(
                .forbidden,
                "The device \(device.text) was removed from this account, and a removal is permanent.",
                fix: PairingRefusal.removedDevice.fix
            )
        case .notAdded(let error):
            told(addingFailed: error)
        case .zonesInTheWay:
            NodeError(
                .deviceHasZones,
                "This device has zones of its own, and was offered a role with which it may not write them.",
                fix: "Offer it the role full (`kairan pair offer`), or delete its zones first (`kairan zone delete`)."
            )
        case .accountHasDevices:
            accountHasDevices
        case .notEntered:
            NodeError(
                .storageFailed,
                "This device could not join the other device's account.",
                fix: "See the log."
            )
        }
    }

    static func told(addingFailed error: any Error) -> NodeError {
        switch error {
        case AccountError.notAllowed:
            NodeError(
                .forbidden,
                "This device may not add others.",
                fix: "Do it on a device of the account with the role full (`kairan device ls`)."
            )
        case let error as PrivateFile.Failure where error.isDiskFull:
            NodeError(.diskFull, "No space is left on the disk.", fix: "Make space; nothing was written.")
        default:
            NodeError(.storageFailed, "The device could not be added.", fix: "See the daemon's log.")
        }
    }

    static func parse(_ text: String) throws(NodeError) -> PairingTicket {
        do {
            return try PairingTicket(typed: text)
        } catch {
            throw NodeError(
                .ticketMalformed,
                "The ticket is mistyped: \(error).",
                fix: "Compare it group by group with the ticket that the other device shows."
            )
        }
    }
}
