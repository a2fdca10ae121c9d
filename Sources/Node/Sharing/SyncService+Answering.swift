import Identity
import Logging
import Peering
import Session
import Sodium
import Sync
import Wire

// The store's work for invitations, and the account's book.
extension SyncService {
    /// Decides about a request, and passes the decision to the core once it is durable.
    func redeem(_ attempt: JoinAttempt, claimed: ClaimedUse?, for id: ConnectionID) {
        let accepted = dependencies.commits.enqueue { [replica = dependencies.replica] transaction in
            try replica.change(&transaction) { committer, random, transaction in
                let redeemed = try Redemptions(committer).redeem(
                    attempt,
                    claimed: claimed,
                    random: &random,
                    in: &transaction
                )
                return Changed(redeemed.outcome, notice: redeemed.notice)
            }
        } completion: { [replica = dependencies.replica, mailbox, logger = dependencies.logger] result in
            replica.announce(result)
            switch result {
            case .success(let redeemed): mailbox.put(.redeemed(id, redeemed.reply))
            case .failure(let error):
                logger.error("invitation not answered", metadata: ["error": "\(error)"])
                mailbox.put(.redeemed(id, .refused(.busy)))
            }
        }
        if !accepted { mailbox.put(.redeemed(id, .refused(.busy))) }
    }

    /// Grants the noted request that a relay has answered.
    func settle(_ claimed: ClaimedUse) {
        _ = dependencies.commits.enqueue { [replica = dependencies.replica] transaction in
            try replica.change(&transaction) { try Redemptions($0).settle(claimed, random: &$1, in: &$2) }
        } completion: { [replica = dependencies.replica, logger = dependencies.logger] result in
            replica.announce(result)
            if case .failure(let error) = result {
                // An account that asks again is granted it: the claimed slot is kept.
                logger.error("a use that was claimed is not granted", metadata: ["error": "\(error)"])
            }
        }
    }

    /// Grants the requests that wait for this device, and passes the facts of the book to the core.
    func readBook() {
        mail.put(.bookMayHaveChanged)
        _ = dependencies.commits.enqueue { [replica = dependencies.replica] transaction in
            try replica.change(&transaction) { try BookFacts.settled(by: $0, random: &$1, in: &$2) }
        } completion: { [replica = dependencies.replica, mailbox, logger = dependencies.logger] result in
            replica.announce(result)
            switch result {
            case .success(let read): mailbox.put(.bookRead(read.reply))
            case .failure(let error):
                // The book's next change, or the next start, does it again.
                logger.error("invitations could not be read", metadata: ["error": "\(error)"])
            }
        }
    }
}
