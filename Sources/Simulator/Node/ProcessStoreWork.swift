import Identity
import Peering
import Records
import Sync
import Wire

/// The store's work for the core, as in production: questions are answered beside the writer,
/// changes in the order of their commits.
///
/// Besides, the judge hears of it, and a node that misbehaves falsifies its answers.
final class ProcessStoreWork {
    private unowned let process: NodeProcess
    /// Whether the store may know wanted payloads that the core does not know; it does at the
    /// start.
    private var mayWantPayloads = true
    /// Whether there may be requests for relays that the core does not know.
    private var mayOweCustody = true

    init(_ process: NodeProcess) { self.process = process }

    private var node: SimulatedNode { process.node }
    private var simulation: Simulation { process.simulation }

    /// Puts a question to the store, and passes its answer to the core a little later.
    func read(_ question: StoreRead) {
        simulation.schedule(after: node.random.number(0...3), for: node) { node in
            guard let process = node.process else { return }
            let inputs: [SyncInput]
            do {
                inputs = try question.answer(by: process.committer(), in: node.disk.read())
            } catch is StorageError {
                inputs = question.unanswered
            }
            for input in inputs { try process.feed(node.falsified(input)) }
        }
    }

    /// Has the store make a change, and passes the reply to the core.
    func write(_ change: StoreWrite) throws {
        try announceToJudge(change)
        // The session may have ended when the reply comes.
        let sender = change.session.flatMap { process.links[$0]?.device }
        process.commits.enqueue(isPatient: change.isPatient) { process, transaction in
            try change.perform(by: process.committer(), random: &process.node.random, in: &transaction)
        } completion: { [unowned self] result in
            let reply: StoreWrite.Reply
            switch result {
            case .success(let changed): reply = changed.reply
            case .failure(let error): reply = change.failed(error)
            }
            try report(change, reply, hasFailed: result.isFailure, from: sender)
            for input in reply.inputs { try process.feed(input) }
            if reply.mayWantPayloads { mayWantPayloads = true }
            if reply.mayOweCustody { mayOweCustody = true }
            // Further messages may be ready for delivery now.
            if change.isOfPayload, reply.mayWantPayloads { try process.inbox.settle(.everything) }
        }
    }

    // MARK: Payloads

    /// Notes that messages were entered.
    /// - Parameter hasWants: Whether payloads of theirs are wanted.
    func messagesEntered(hasWants: Bool) {
        if hasWants { mayWantPayloads = true }
        mayOweCustody = true
    }

    /// Notes that assets are wanted that were not before.
    func assetsWanted() { mayWantPayloads = true }

    /// Notes changes that may give relays other contents to keep.
    func custodyChanged(_ news: CustodyNews) throws {
        if news.hasSettings || news.hasReleases { mayOweCustody = true }
        try process.feed(.custodyNews(news))
    }

    /// Notes that the account was replaced.
    func accountReplaced() { mayWantPayloads = true }

    /// Passes the core the wanted payloads for which it has room, and pending requests for relays.
    func lookForPayloads() {
        guard simulation.options.hasMessages || simulation.options.hasAssets else { return }
        if process.core.sync.isPayloadSearchDue(isNew: mayWantPayloads),
            let search = process.core.sync.takePayloadSearch(isNew: mayWantPayloads)
        {
            mayWantPayloads = false
            read(.wantedPayloads(search))
        }
        if mayOweCustody {
            mayOweCustody = false
            read(.custodyJobs(limit: process.core.sync.limits.custodyJobCountMax))
        }
        if let search = process.core.sync.takeCustodySearch() { read(.contentsToKeep(search)) }
    }

    // MARK: Invitations

    /// Decides about a request to take part in a zone.
    func redeem(_ attempt: JoinAttempt, claimed: ClaimedUse?, for id: SessionID) throws {
        guard !process.commits.isFull else { return try process.decided(.refused(.busy), on: id) }
        process.commits.enqueue { process, transaction -> Changed<RedemptionOutcome> in
            let redeemed = try Redemptions(process.committer()).redeem(
                attempt,
                claimed: claimed,
                random: &process.node.random,
                in: &transaction
            )
            return Changed(redeemed.outcome, notice: redeemed.notice)
        } completion: { [unowned self] result in
            let outcome = (try? result.get())?.reply ?? .refused(.busy)
            try process.decided(outcome, on: id)
        }
    }

    /// Makes a zone known here, in which this account takes part by an invitation.
    func enter(_ zone: InvitedZone<NetworkAddress>) {
        process.commits.enqueue { process, transaction in
            let committer = process.committer()
            try PeerMemory(committer).met(zone.device, at: zone.address.description, in: &transaction)
            return try ZoneLifecycle(committer).join(
                zone.terms.genesis,
                tagKey: zone.terms.tagKey,
                in: &transaction
            ).notice
        } completion: { [unowned self] result in
            // It is asked again where it failed, and answered the same.
            if case .success = result { try process.step { $0.entered(zone, in: &$1) } }
        }
    }

    /// Makes the grants that wait for this device, and passes the facts of the account's book to
    /// the core.
    func readBook() {
        guard simulation.hasSeveralAccounts else { return }
        process.commits.enqueue { process, transaction in
            try BookFacts.granting(by: process.committer(), random: &process.node.random, in: &transaction)
        } completion: { [unowned self] result in
            if case .success(let read) = result { try process.step { $0.bookRead(read.reply, in: &$1) } }
        }
    }

    // MARK: The judge

    private func announceToJudge(_ change: StoreWrite) throws {
        if case .evict(let drop) = change { return try simulation.judge.decides(drop, on: node, in: simulation) }
        guard case .apply(let session, let run, _, let purpose) = change, let link = process.links[session],
            link.account != process.log.account
        else { return }
        try simulation.judge.takes(
            run,
            isDeposit: purpose == .deposit,
            from: link.device,
            of: link.account,
            on: node,
            in: simulation
        )
    }

    private func report(
        _ change: StoreWrite,
        _ reply: StoreWrite.Reply,
        hasFailed: Bool,
        from sender: DeviceID?
    ) throws {
        for input in reply.inputs {
            switch (change, input) {
            case (.apply(_, let run, _, .deposit), .runApplied(_, _, .durable)) where !hasFailed:
                try simulation.judge.deposited(run, on: node, in: simulation)
            case (.apply, .runApplied(_, _, .misplaced)):
                simulation.statistics.misplacedRuns += 1
            case (_, .payloadKept(_, _, _, .mismatch)):
                if let sender { try simulation.judge.mistrusts(sender, on: node, in: simulation) }
            default: break
            }
        }
    }
}

extension SimulatedNode {
    /// The answer of a node to a peer's question: another one where the node misbehaves.
    fileprivate func falsified(_ input: SyncInput) -> SyncInput {
        switch (misdeed, input) {
        case (let misdeed?, .payloadRead(let session, let request, let answer)):
            .payloadRead(session, request, answer.after(misdeed, to: request, &random))
        case (.falseLiveSets, .liveSetRead(let session, let page)):
            .liveSetRead(session, page.withholding(&random))
        default: input
        }
    }
}

extension StoreWrite {
    /// The session whose peer sent a part of a payload.
    fileprivate var session: SessionID? {
        switch self {
        case .keepOutline(let session, _, _), .keepChunk(let session, _): session
        default: nil
        }
    }

    /// Whether it keeps a part of a payload.
    fileprivate var isOfPayload: Bool { session != nil }
}

extension Result {
    fileprivate var isFailure: Bool {
        if case .failure = self { true } else { false }
    }
}
