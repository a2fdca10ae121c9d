import Identity
package import Session
package import Sync
package import Wire

/// The facts of the account's book about invited and blocked accounts, as one transaction found them.
package struct BookFacts: Sendable {
    /// The owner of the book; `nil` before it was read.
    package private(set) var account: AccountID?
    /// The secrets of the channels under the invitations that are answered.
    package private(set) var inviteSecrets: [ChannelSecret] = []
    /// The accounts that this account has blocked.
    package private(set) var blocked: Set<AccountID> = []
    /// The claims that relays are to be asked about before a right is granted.
    package private(set) var claims: [UseClaim] = []
    /// Whether a request waits for the log of an account: then the book is looked through again although nothing changed.
    package private(set) var awaitsLogs = false

    /// Knows of no book.
    package init() {}

    /// Grants the requests that wait for this device, and reads the invited and the blocked accounts.
    ///
    /// A grant changes the book, so that the driver asks again, and finds nothing more to do.
    /// - Parameters:
    ///   - committer: The account, the keys and the time.
    ///   - random: For the grants.
    ///   - transaction: The store.
    /// - Returns: The facts.
    /// - Throws: `ReplicaError`, `CommitError`, or an error of the store.
    package static func granting(
        by committer: Committer,
        random: inout some RandomNumberGenerator,
        in transaction: inout some NodeTransaction
    ) throws -> Changed<BookFacts> {
        let grants = try Redemptions(committer).grantWaiting(random: &random, in: &transaction)
        var facts = BookFacts()
        facts.account = committer.account.account
        facts.claims = grants.claims
        facts.awaitsLogs = grants.awaitsLogs
        facts.blocked = Set(try Blocklist(committer).all(transaction).map(\.account))
        facts.inviteSecrets = try Invitations(committer).answered(in: transaction).map { invite in
            ChannelSecret(purpose: .invite(identifier: invite.identifier), key: invite.secret.presharedKey())
        }
        return Changed(facts, notice: grants.notice)
    }
}
