import Identity
import Sync

/// A way into an account.
enum JoiningWay: CaseIterable {
    case ticket, token, words

    /// Makes a key for a machine that joins now, of which the judge learns.
    /// - Returns: `nil` where the host is off, or its disk fails.
    func secret(
        by host: SimulatedNode,
        words: RecoveryKey,
        uses: UInt32 = 1,
        in history: History
    ) throws -> JoiningSecret? {
        guard let process = host.process else { return nil }
        do {
            switch self {
            case .ticket:
                let ticket = try process.offer()
                let end = host.wallMilliseconds + PairingOffer.lifetimeMilliseconds
                history.judge.joinings.made(.ticket(identifier: ticket.identifier), uses: 1, end: end)
                return .ticket(ticket)
            case .token:
                let lifetime: UInt64 = 3_600_000
                let token = try process.makeToken(uses: uses, lifetimeMilliseconds: lifetime)
                let end = host.wallMilliseconds + lifetime
                history.judge.joinings.made(.enrolment(identifier: token.identifier), uses: Int(uses), end: end)
                return .token(token)
            case .words: return .words(words)
            }
        } catch is StorageError {
            return nil
        }
    }
}
