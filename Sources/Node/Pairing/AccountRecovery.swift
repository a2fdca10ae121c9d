import Identity
import Session
import Sodium
import Sync
import Wire

/// Joining by the recovery words, which give a key pair whose public half the account log names, and the secret of a channel, which the
/// account's devices hold.
///
///     newcomer                                   any device of the account
///        | -- handshake under the secret -------->  |   its first message is signed by the words; the answer names account and heads
///        | -- recoverRequest(entry) ------------->  |   signed by the secret half over these heads; accepted if valid
///        | <- pairWelcome(secrets, account log) --  |   durable before it is sent
///        | -- pairDone -------------------------->  |   durable before it is sent
struct AccountRecovery: Sendable {
    private let sync: SyncService

    /// Recovers the account on a service's device.
    init(_ sync: SyncService) {
        self.sync = sync
    }

    /// The minimum number of characters of an account's id that must be given: making accounts until 80 bits of one
    /// fit is infeasible.
    static let accountPrefixCountMin = 16

    /// Looks for any device of the account that the words belong to, and joins it.
    /// - Parameters:
    ///   - words: The words.
    ///   - account: The beginning of the account's id, if the person knows it; other accounts are passed over.
    ///   - timeoutMilliseconds: The time to look.
    /// - Returns: The device that let this one in.
    /// - Throws: See `NodeAPI`.
    func recover(
        words: String,
        account: String? = nil,
        timeoutMilliseconds: UInt64 = 45_000
    ) async throws(NodeError) -> PairingOutcome {
        let key = try Self.recoveryKey(of: words)
        let prefix = try Self.accountPrefix(account)
        let identity = sync.dependencies.identity
        let state = identity.accountState
        if state.recoveryKey == key.publicKey || state.earlierRecoveryKeys.contains(key.publicKey) {
            throw identity.isRemoved ? PairingRefusal.removedDevice : Self.recoveredAlready
        }
        let secret = ChannelSecret(
            purpose: .recovery(key: key.publicKey.bytes),
            key: key.door.presharedKey(),
            sign: { [key] in key.signingKey.signature(over: $0, context: $1) }
        )
        return try await AccountSearch(sync).join(
            JoiningCore.Search(
                key: .recovery(key: key.publicKey.bytes),
                recoveryKey: key,
                accountPrefix: prefix
            ),
            under: secret,
            timeoutMilliseconds: timeoutMilliseconds,
            otherwise: Self.recoveryNotFound
        )
    }

    private static func accountPrefix(_ text: String?) throws(NodeError) -> String {
        guard let text else { return "" }
        guard (accountPrefixCountMin...AccountID.textCharacterCount).contains(text.utf8.count) else {
            throw NodeError(
                .invalidArgument,
                "An account's name has \(AccountID.textCharacterCount) characters, not \(text.utf8.count).",
                fix: "Give all of them, or at least the first \(accountPrefixCountMin)."
            )
        }
        return text.lowercased()
    }

    /// Returns the key of the given words.
    /// - Throws: `recoveryMalformed`.
    static func recoveryKey(of words: String) throws(NodeError) -> RecoveryKey {
        do {
            return RecoveryKey(try RecoveryPhrase(typed: words))
        } catch {
            throw NodeError(
                .recoveryMalformed,
                "These are not recovery words: \(error).",
                fix: "Compare them one by one with the paper; they are 24, in their order."
            )
        }
    }

    private static let recoveredAlready = NodeError(
        .recoveryNotNeeded,
        "These words are those of the account to which this device belongs.",
        fix: "No action is needed: `kairan device ls` lists its devices."
    )

    private static let recoveryNotFound = NodeError(
        .recoveryNotFound,
        "No device of that account was found.",
        fix: "One of its devices must be on, and in this network (`kairan peers`) or among this daemon's peers."
            + " If one is, the words are another account's."
    )
}
