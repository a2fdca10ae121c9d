import Identity
import Wire

/// Answers requests to pair devices, by tickets and by enrolment tokens.
struct PairingRequests: PairingAPI {
    let sync: SyncService
    let clock: NodeClock

    func makeEnrolmentToken(
        uses: Int,
        lifetimeMilliseconds: UInt64,
        role: DeviceRole
    ) async throws(NodeError) -> EnrolmentTokenStatus {
        try await Enrolment(sync).makeToken(uses: uses, lifetimeMilliseconds: lifetimeMilliseconds, role: role)
    }

    func withdrawEnrolmentTokens() async throws(NodeError) {
        try await Enrolment(sync).withdrawTokens()
    }

    func offerPairing(role: DeviceRole) async throws(NodeError) -> PairingOfferStatus {
        try await DevicePairing(sync).offer(role: role)
    }

    func awaitPairing(ticket: String, waitMilliseconds: Int) async throws(NodeError) -> PairingOutcome? {
        let deadline = clock.monotonic() + UInt64(min(max(waitMilliseconds, 0), 60_000))
        while true {
            if let outcome = try await DevicePairing(sync).outcome(ofOffer: ticket) { return outcome }
            guard clock.monotonic() < deadline else { return nil }
            do {
                try await Task.sleep(for: .milliseconds(100))
            } catch {
                return nil
            }
        }
    }

    func acceptPairing(ticket: String) async throws(NodeError) -> PairingOutcome {
        try await DevicePairing(sync).join(ticket: ticket)
    }
}
