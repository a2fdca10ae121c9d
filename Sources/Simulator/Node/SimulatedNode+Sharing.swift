import Identity
import Records
package import Sync
package import Wire

// The requests of people to a node about zones of several accounts.
extension SimulatedNode {
    /// Makes a statement about a zone or its members, as one job of the commit queue.
    ///
    /// - Parameters:
    ///   - what: A word for people.
    ///   - body: The work.
    ///   - completion: Called once, unless the process ends before.
    package func decide(
        _ what: String,
        _ body: @escaping (Committer, inout SeededGenerator, inout MemoryStore) throws -> CommitNotice,
        completion: @escaping (Result<CommitNotice, any Error>) throws -> Void = { _ in }
    ) {
        guard let process, !process.isQueueFull else { return }
        let number = simulation.makeNumber()
        simulation.trace.note(.issue, at: simulation.now, node: index, number, what)
        process.enqueue(
            CommitJob { process, transaction in
                try body(process.committer(), &process.node.random, &transaction)
            } completion: { [unowned self] result in
                var text = "\(what): done"
                if case .failure(let error) = result { text = "\(what): \(error)" }
                simulation.trace.note(.answer, at: simulation.now, node: index, number, text)
                try completion(result)
            }
        )
    }

    /// Becomes a participant in a zone that another account has offered.
    package func accept(_ zone: ZoneID) {
        guard let terms = process?.offers.removeValue(forKey: zone) else { return }
        decide("join") { committer, _, transaction in
            try ZoneLifecycle(committer).join(terms.genesis, tagKey: terms.tagKey, in: &transaction).notice
        }
    }

    /// Asks a device of the inviting account for a right by an invitation.
    ///
    /// This stands for the channel under the invitation's key: the decisions and the stored state on both sides are
    /// the daemon's, the bytes in between are not sent. Both directions of the link must be free when the request and
    /// the answer go.
    ///
    /// - Parameters:
    ///   - invite: The identifier of the invitation.
    ///   - other: A device of the inviting account.
    package func ask(_ invite: [UInt8], of other: SimulatedNode) {
        guard let process, simulation.network.isOpen(between: index, and: other.index) else { return }
        let attempt = (log: process.log, device: device)
        simulation.schedule(after: random.number(1...50), for: other) { other in
            try other.answer(invite, attempt.log, attempt.device, to: self)
        }
    }

    private func answer(_ invite: [UInt8], _ sent: AccountLog, _ asking: DeviceID, to other: SimulatedNode) throws {
        guard let process else { return }
        guard !process.blocked.contains(sent.account), let log = try? process.merged(sent.entries, of: sent.account)
        else { return }
        try redeem(JoinAttempt(account: log.state, device: asking, invite: invite), log, claimed: nil, for: other)
    }

    private func redeem(
        _ attempt: JoinAttempt,
        _ log: AccountLog,
        claimed: ClaimedUse?,
        for other: SimulatedNode
    ) throws {
        var outcome = RedemptionOutcome.refused(.busy)
        decide("redeem") { committer, random, transaction in
            let redeemed = try Redemptions(committer).redeem(
                attempt,
                claimed: claimed,
                random: &random,
                in: &transaction
            )
            outcome = redeemed.outcome
            return redeemed.notice
        } completion: { [unowned self] result in
            guard case .success = result else { return }
            if case .refused = outcome { return }
            if case .claim(let claim) = outcome {
                guard let process = self.process else { return }
                process.claimants.append(NodeProcess.Claimant(id: claim.id, attempt: attempt, log: log, node: other))
                return try process.feedMail(.claim(claim, isAwaited: true))
            }
            try keep(log.entries, of: log.account)
            guard let own = self.process?.log, simulation.network.isOpen(between: index, and: other.index) else {
                return
            }
            simulation.schedule(after: random.number(1...50), for: other) { try $0.hear(outcome, from: own) }
        }
    }

    /// Handles a relay's answer to a claim: answers the devices that wait for it, or makes the noted grant.
    func heard(_ claimed: ClaimedUse) {
        guard let process else { return }
        let id = claimed.claim.id
        let waiting = process.claimants.filter { $0.id == id }
        process.claimants.removeAll { $0.id == id }
        for claimant in waiting {
            simulation.schedule(after: 0, for: self) { node in
                // More may have become known of the account since it asked.
                guard let log = try? node.process?.merged(claimant.log.entries, of: claimant.log.account) else {
                    return
                }
                let (device, invite) = (claimant.attempt.device, claimant.attempt.invite)
                let attempt = JoinAttempt(account: log.state, device: device, invite: invite)
                try node.redeem(attempt, log, claimed: claimed, for: claimant.node)
            }
        }
        guard waiting.isEmpty, claimed.answer == .held else { return }
        decide("settle") { committer, random, transaction in
            try Redemptions(committer).settle(claimed, random: &random, in: &transaction)
        }
    }

    private func hear(_ outcome: RedemptionOutcome, from inviter: AccountLog) throws {
        try keep(inviter.entries, of: inviter.account)
        guard case .joined(let terms, _) = outcome else { return }
        decide("join") { committer, _, transaction in
            try ZoneLifecycle(committer).join(terms.genesis, tagKey: terms.tagKey, in: &transaction).notice
        }
    }

    /// Keeps new entries of another account's log.
    func keep(_ entries: [[UInt8]], of account: AccountID) throws {
        guard let process else { return }
        let before = process.contacts[account]?.announcedHeads
        do {
            try process.insertContactEntries(entries, of: account)
        } catch is StorageError {
            // The entries come again with the next request, or the next session.
        } catch is AccountError {
            // The entries make no valid log.
        }
        guard process.contacts[account]?.announcedHeads != before else { return }
        var effects: [SyncEffect] = []
        try process.contactChanged(account, into: &effects)
        try process.perform(&effects)
    }
}
