import Identity
import Sync

/// A way into an account, by a secret that a person gives to the joining machine.
enum JoiningWay: CaseIterable {
    case ticket, token, words

    /// How long a token lets machines in, in milliseconds.
    private static let tokenMilliseconds: UInt64 = 3_600_000

    /// Makes a secret for one machine that joins now, and reports it to the judge.
    /// - Parameters:
    ///   - host: The device that lets the machine in.
    ///   - words: The account's words.
    ///   - judge: The judge.
    /// - Returns: The secret; `nil` where the host is off or its disk fails.
    /// - Throws: ``PowerLoss``.
    func secret(by host: SimulatedNode, words: RecoveryKey, _ judge: Judge) throws -> JoiningSecret? {
        guard let process = host.process else { return nil }
        let (secret, lifetime): (JoiningSecret, UInt64)
        do {
            switch self {
            case .ticket: (secret, lifetime) = (.ticket(try process.offer()), PairingOffer.lifetimeMilliseconds)
            case .token:
                lifetime = Self.tokenMilliseconds
                secret = .token(try process.makeToken(uses: 1, lifetimeMilliseconds: lifetime))
            case .words: return .words(words)
            }
        } catch is StorageError {
            return nil
        }
        judge.joinings.made(secret.key, uses: 1, end: host.wallMilliseconds + lifetime)
        return secret
    }
}

extension Simulation {
    /// Adds a machine that was just set up, alone in an account of its own.
    func insertNewcomer(_ draw: inout SeededGenerator) throws -> SimulatedNode {
        let own = try FoundedAccount(
            deviceCount: 1,
            hasPartialLogs: false,
            isSealed: options.isSealed,
            hasWords: true,
            random: &draw
        )
        return try insert(device: own.members[0].device, log: own.members[0].log, keyring: own.keyring)
    }
}
