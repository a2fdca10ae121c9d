import Identity
import Peering
import Records
import Sync
import Wire

// The store's work for the core, as in production: questions are answered beside the writer, changes in the order of their commits.
// Besides, the judge hears of it, and a node that misbehaves falsifies its answers.
extension NodeProcess {
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
        let sender = change.session.flatMap { links[$0]?.device }
        enqueue(
            CommitJob { process, transaction in
                try change.perform(by: process.committer(), random: &process.node.random, in: &transaction)
            } completion: { [unowned self] result in
                let reply: StoreWrite.Reply
                switch result {
                case .success(let changed): reply = changed.reply
                case .failure(let error): reply = change.failed(error)
                }
                try reportToJudge(change, reply, hasFailed: result.isFailure, from: sender)
                for input in reply.inputs { try feed(input) }
                if reply.mayWantPayloads { mayWantPayloads = true }
                if reply.mayOweCustody { mayOweCustody = true }
                // Further messages may be ready for delivery now.
                if change.isOfPayload, reply.mayWantPayloads { try settleInbox() }
            }
        )
    }

    /// Passes wanted payloads to the core, as many as it has room for.
    func lookForPayloads() {
        guard mayWantPayloads, simulation.options.hasMessages, core.sync.payloadRoom > 0 else { return }
        mayWantPayloads = false
        read(.wantedPayloads(known: core.sync.wantedPayloads, limit: core.sync.payloadRoom))
    }

    /// Passes pending requests for relays to the core.
    func lookForCustody() {
        guard mayOweCustody, simulation.options.hasMessages else { return }
        mayOweCustody = false
        read(.custodyJobs(limit: core.sync.limits.custodyJobCountMax))
    }

    // MARK: The judge

    private func announceToJudge(_ change: StoreWrite) throws {
        guard case .apply(let session, let run, _, let purpose) = change, let link = links[session],
            link.account != log.account
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

    private func reportToJudge(
        _ change: StoreWrite,
        _ reply: StoreWrite.Reply,
        hasFailed: Bool,
        from sender: DeviceID?
    ) throws {
        for input in reply.inputs {
            switch (change, input) {
            case (.apply(_, let run, _, .deposit), .runApplied(_, _, .durable)) where !hasFailed:
                try simulation.judge.deposited(run, on: node, in: simulation)
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
