import Identity
import Peering
import Sodium
import Sync
import Wire

/// Pairing by a ticket, as people do it: one device offers, and the other one joins.
///
/// Everything is decided by `JoiningCore`. Both sides show six words, which follow from the handshake.
struct DevicePairing: Sendable {
    private let sync: SyncService

    /// Pairs a service's device.
    init(_ sync: SyncService) {
        self.sync = sync
    }

    /// Begins an offer; an earlier one ends.
    func offer(role: DeviceRole) async throws(NodeError) -> PairingOfferStatus {
        try sync.dependencies.identity.requireMayAdd()
        let now = sync.dependencies.clock.wall()
        var random = SystemRandom()
        let ticket = PairingTicket(using: &random)
        await sync.stepAside { $0.beginOffer(ticket, role: role, in: &$1) }
        return PairingOfferStatus(
            ticket: ticket.text,
            expiresMilliseconds: now + PairingOffer.lifetimeMilliseconds
        )
    }

    /// The state of an offer.
    /// - Returns: `nil` while it is open.
    func outcome(ofOffer text: String) async throws(NodeError) -> PairingOutcome? {
        let ticket = try Self.ticket(text)
        await endExpiredOffers()
        let (outcome, isOpen) = await sync.look { core in
            (core.joining.outcome(of: ticket.text), core.joining.isOpen(ticket.identifier))
        }
        switch outcome {
        case .success(let success)?: return PairingOutcome(success)
        case .failure(.refused(let refusal, _))?: throw refusal.toldToOffering
        case .failure(let failure)?: throw NodeError(failure)
        case nil: break
        }
        guard isOpen else {
            throw NodeError(.ticketNotFound, "No offer with this ticket is open here.", fix: "Run `kairan pair offer`.")
        }
        return nil
    }

    /// Ends the offer when its time is over, and forgets tickets and tokens that ended.
    func endExpiredOffers() async { await sync.stepAside { $0.endExpiredOffers(in: &$1) } }

    /// Looks for the device that offers a ticket and joins its account.
    func join(ticket text: String, timeoutMilliseconds: UInt64 = 45_000) async throws(NodeError) -> PairingOutcome {
        let ticket = try Self.ticket(text)
        return try await AccountSearch(sync).join(
            JoiningCore.Search(key: .ticket(identifier: ticket.identifier)),
            under: ticket.channelSecret,
            timeoutMilliseconds: timeoutMilliseconds,
            otherwise: NodeError(
                .ticketNotFound,
                "No device that offers this ticket was found.",
                fix: "Check that the other device still shows it, and that both are on one network (`kairan peers`)."
            )
        )
    }

    private static func ticket(_ text: String) throws(NodeError) -> PairingTicket {
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
