import Logging
import Peering
import Session
import Sync
import Wire

/// The store's work for invitations: decisions about requests, the account's book, and zones that were joined.
///
/// The outcomes are facts for the synchronisation, in the order of the commits.
struct InvitationCommits: Sendable {
    let commits: CommitQueue
    let commitService: CommitService
    let facts: ChannelQueue<SyncFact>
    let logger: Logger

    /// Decides about a request, and passes the decision to the core once it is durable.
    func redeem(_ attempt: JoinAttempt, claimed: ClaimedUse?, for id: ConnectionID) {
        let accepted = commits.enqueue { [commitService] transaction in
            try commitService.change(&transaction) { committer, random, transaction in
                let redeemed = try Redemptions(committer).redeem(
                    attempt,
                    claimed: claimed,
                    random: &random,
                    in: &transaction
                )
                return Changed(redeemed.outcome, notice: redeemed.notice)
            }
        } completion: { [commitService, facts, logger] result in
            commitService.announce(result)
            switch result {
            case .success(let redeemed): facts.put(.redeemed(id, redeemed.reply))
            case .failure(let error):
                logger.error("invitation not answered", metadata: ["error": "\(error)"])
                facts.put(.redeemed(id, .refused(.busy)))
            }
        }
        if !accepted { facts.put(.redeemed(id, .refused(.busy))) }
    }

    /// Grants the noted request that a relay has answered.
    func grant(_ claimed: ClaimedUse) {
        _ = commits.enqueue { [commitService] transaction in
            try commitService.change(&transaction) { try Redemptions($0).grant(claimed, random: &$1, in: &$2) }
        } completion: { [commitService, logger] result in
            commitService.announce(result)
            if case .failure(let error) = result {
                // An account that asks again is granted it: the claimed slot is kept.
                logger.error("a use that was claimed is not granted", metadata: ["error": "\(error)"])
            }
        }
    }

    /// Grants the requests that wait for this device, and passes the facts of the book to the core.
    func readBook() {
        _ = commits.enqueue { [commitService] transaction in
            try commitService.change(&transaction) { try BookFacts.granting(by: $0, random: &$1, in: &$2) }
        } completion: { [commitService, facts, logger] result in
            commitService.announce(result)
            switch result {
            case .success(let read): facts.put(.bookRead(read.reply))
            case .failure(let error):
                // The book's next change, or the next start, does it again.
                logger.error("invitations could not be read", metadata: ["error": "\(error)"])
            }
        }
    }

    /// Makes a zone known here; its control log names the accounts that take part by now.
    func enter(_ zone: InvitedZone<PeerAddress>) {
        _ = commits.enqueue { [commitService] transaction in
            // Where mDNS does not reach, this address is all that is known of the inviting account.
            try PeerMemory(commitService.committer).met(zone.device, at: zone.address.description, in: &transaction)
            return try commitService.change(&transaction) { committer, _, transaction in
                let terms = zone.terms
                return try ZoneLifecycle(committer).join(terms.genesis, tagKey: terms.tagKey, in: &transaction).notice
            }
        } completion: { [commitService, facts, logger] result in
            commitService.announce(result)
            switch result {
            case .success: facts.put(.joined(zone))
            // It is asked again, and answered the same.
            case .failure(let error): logger.error("zone not joined", metadata: ["error": "\(error)"])
            }
        }
    }
}
