import Identity
import Logging
import Peering
import Records
import Session
import Sync
import Wire

// Pairing, seen from the joining device: it looks for the device that offers the ticket, asks it, and enters the
// account.
extension SyncService {
    /// Looks for the device that offers a ticket and joins its account.
    func join(ticket text: String, timeoutMilliseconds: UInt64 = 45_000) async throws(NodeError) -> PairingOutcome {
        let ticket = try Self.parse(text)
        return try await join(
            JoiningDesk.Search(key: .ticket(identifier: ticket.identifier)),
            under: ticket.channelSecret,
            timeoutMilliseconds: timeoutMilliseconds,
            otherwise: NodeError(
                .ticketNotFound,
                "No device that offers this ticket was found.",
                fix: "Check that the other device still shows it, and that both are on one network (`kairan peers`)."
            )
        )
    }

    /// Looks for a device that lets this one in and enters its account; this device's other data is moved there.
    /// - Parameters:
    ///   - search: The search.
    ///   - secret: The secret under which this device calls.
    ///   - timeoutMilliseconds: The time to look.
    ///   - notFound: The error when no device was found.
    /// - Returns: The device that let this one in.
    /// - Throws: `accountHasDevices`, `busy`, the other side's refusal, or `notFound`.
    func join(
        _ search: JoiningDesk.Search,
        under secret: ChannelSecret,
        timeoutMilliseconds: UInt64,
        otherwise notFound: NodeError
    ) async throws(NodeError) -> PairingOutcome {
        try checkMayJoin()
        var search = search
        do {
            let zones = try await dependencies.storage.read { try $0.zones() }
            search.hasZones = zones.contains { $0.state == .live }
        } catch {
            throw NodeError(.storageFailed, "The storage failed; nothing was changed.", fix: "See the daemon's log.")
        }
        guard !core.joining.isSearching(against: search) else {
            throw NodeError(.busy, "A search for another account is running.", fix: "Try again in a minute.")
        }
        var number: UInt64 = 0
        stepAside { core, _ in number = core.beginSearch(search, under: secret) }
        let deadline = dependencies.clock.monotonic() + timeoutMilliseconds
        let found = await searchOutcome(number, until: deadline, otherwise: notFound)
        stepAside { $0.endSearch(number, in: &$1) }
        let outcome = try found.get()
        // The zones are moved by jobs that a first job enqueues: behind the second one here all of them are done.
        for _ in 0..<2 {
            do {
                try await dependencies.commits.perform { _ in () }
            } catch {
                // The move is tried again by the maintenance and at the next start; the pairing itself is done.
                dependencies.logger.warning("old zones not moved yet", metadata: ["error": "\(error)"])
            }
        }
        return outcome
    }

    private func checkMayJoin() throws(NodeError) {
        guard dependencies.identity.mayJoin else { throw Self.accountHasDevices }
    }

    static let accountHasDevices = NodeError(
        .accountHasDevices,
        "This device's account has other devices.",
        fix: "Remove it there first (`kairan device remove`), or pair the other device into this account."
    )

    /// Waits until an outcome is there.
    ///
    /// An outcome before the deadline is used, however late this is called.
    private func searchOutcome(
        _ number: UInt64,
        until deadline: UInt64,
        otherwise notFound: NodeError
    ) async -> Result<PairingOutcome, NodeError> {
        while true {
            guard core.joining.search?.number == number else {
                return .failure(NodeError(.busy, "Another search has replaced this one.", fix: "Try again."))
            }
            if let outcome = foundOutcome { return outcome }
            // A joining that is under way at this moment gets a little more time.
            let end = core.joining.isAsking ? deadline + 5_000 : deadline
            guard dependencies.clock.monotonic() < end else { break }
            do {
                try await Task.sleep(for: .milliseconds(100))
            } catch {
                return foundOutcome
                    ?? .failure(NodeError(.notReady, "The search was cancelled.", fix: "Try again."))
            }
        }
        return .failure(notFound)
    }

    private var foundOutcome: Result<PairingOutcome, NodeError>? {
        core.joining.search?.outcome.map { outcome in
            Result { () throws(NodeError) -> PairingOutcome in try Self.told(outcome) }
        }
    }
}
