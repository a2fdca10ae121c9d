package import Wire

/// A round of work on messages, in one transaction: the messages and receipts that the feed reports are entered, and
/// the work that is due by then is done.
///
///     take what the feed reports
///     state prekeys      that the time has made due
///     answer             prekeys that messages have made due, receipts, and messages that are sealed again
///     drop               messages that have expired, prekeys, payloads
///     resume             sealing messages again that have waited for an hour
///     take the records that were just written
///
/// Messages make only answers due. So a round that they cause looks for no more, and does not examine each zone.
///
/// A step that writes records may be refused, and the transaction with it. Then the steps are done one by one, each in
/// a transaction of its own, so that one zone does not keep the others waiting.
package struct InboxRound: Sendable {
    /// The steps that a round looks for.
    package enum Scope: Sendable {
        /// Those that messages and receipts make due: answers.
        case messages
        /// All of them, also those that are due by the time, or since rights or keys have changed.
        case everything
    }

    /// A part of the work that can be refused.
    package enum Step: Hashable, Sendable {
        /// Stating prekeys in a zone.
        case statePrekeys(ZoneID)
        /// Writing the answers that are owed in a zone, behind the prekey that they make necessary.
        case answer(ZoneID)
        /// Dropping messages that have expired.
        case dropMessages
        /// Dropping prekeys that no message needs.
        case dropPrekeys
        /// Dropping payloads that no message needs, some at a time.
        case dropPayloads
        /// Making messages due that have waited to be sealed again, some at a time.
        case resumeSealing

        /// Whether the step is done in parts, until one changes nothing.
        package var isInParts: Bool {
            switch self {
            case .answer, .dropMessages, .dropPayloads, .resumeSealing: true
            case .statePrekeys, .dropPrekeys: false
            }
        }
    }

    let committer: Committer

    /// Works within one transaction.
    package init(_ committer: Committer) {
        self.committer = committer
    }

    /// The steps that are due, in the order in which they are done.
    /// - Parameters:
    ///   - scope: The steps to look for.
    ///   - transaction: The store.
    /// - Returns: The steps; empty when nothing is due.
    /// - Throws: Any error of the store.
    /// - Complexity: O(zones in which answers are owed); O(zones) for all steps.
    package func steps(_ scope: Scope = .everything, in transaction: some NodeTransaction) throws -> [Step] {
        let answers = try Inbox(committer).zonesOwingAnswers(in: transaction).map(Step.answer)
        guard scope == .everything else { return answers }
        var steps = try Prekeys(committer).zonesLacking(in: transaction).map(Step.statePrekeys)
        steps += answers
        if try Inbox(committer).hasExpired(in: transaction) { steps.append(.dropMessages) }
        if try Prekeys(committer).hasToDrop(in: transaction) { steps.append(.dropPrekeys) }
        if try Payloads(committer).hasToDrop(in: transaction) { steps.append(.dropPayloads) }
        if try Inbox(committer).hasToResume(in: transaction) { steps.append(.resumeSealing) }
        return steps
    }

    /// Whether a round would do anything.
    /// - Parameters:
    ///   - scope: The steps to look for.
    ///   - transaction: The store.
    /// - Returns: Whether the feed has something to enter, or a step is due.
    /// - Throws: Any error of the store.
    package func isDue(_ scope: Scope = .everything, in transaction: some NodeTransaction) throws -> Bool {
        try Inbox(committer).hasUnseen(in: transaction) || !steps(scope, in: transaction).isEmpty
    }

    /// Does one step.
    /// - Parameters:
    ///   - step: The step.
    ///   - transaction: The store.
    /// - Returns: The notice; without a number when there was nothing to do.
    /// - Throws: As ``Committer/commit(_:zone:in:)``: the step stays due then.
    package func perform(_ step: Step, in transaction: inout some NodeTransaction) throws -> CommitNotice {
        switch step {
        case .statePrekeys(let zone): try Prekeys(committer).state(zone, in: &transaction)
        case .answer(let zone): try answer(zone, in: &transaction)
        case .dropMessages: try Inbox(committer).dropExpired(in: &transaction)
        case .dropPrekeys: try Prekeys(committer).drop(in: &transaction)
        case .dropPayloads: try Payloads(committer).drop(in: &transaction)
        case .resumeSealing: try Inbox(committer).resumeSealing(in: &transaction)
        }
    }

    /// A sender that learns that a message cannot be opened has to know the key that can.
    private func answer(_ zone: ZoneID, in transaction: inout some NodeTransaction) throws -> CommitNotice {
        guard try Prekeys(committer).isUrgent(zone, in: transaction) else {
            return try Inbox(committer).writeAnswers(zone, in: &transaction)
        }
        var notice = try Prekeys(committer).state(zone, in: &transaction)
        notice.merge(try Inbox(committer).writeAnswers(zone, in: &transaction))
        return notice
    }

    /// Does the whole round.
    /// - Parameters:
    ///   - scope: The steps to look for.
    ///   - transaction: The store.
    /// - Returns: The result. The notice has no number when nothing was due; more may be due after a round that did
    ///   something.
    /// - Throws: ``CommitError`` or `ReplicaError` when a step was refused, or an error of the store; the transaction is
    ///   to be undone.
    package func run(
        _ scope: Scope = .everything,
        in transaction: inout some NodeTransaction
    ) throws -> Inbox.Intake {
        var intake = try Inbox(committer).take(in: &transaction)
        guard !intake.hasMore else { return intake }
        var isChanged = false
        for step in try steps(scope, in: transaction) {
            let notice = try perform(step, in: &transaction)
            guard notice.number != nil else { continue }
            isChanged = true
            intake.notice.merge(notice)
            switch step {
            case .dropMessages, .dropPayloads: intake.hasCustodyChanges = true
            case .statePrekeys, .answer, .dropPrekeys, .resumeSealing: break
            }
        }
        guard isChanged else { return intake }
        if intake.notice.needsInbox { intake.add(try Inbox(committer).take(in: &transaction)) }
        // Some steps do a part of their work, so that writes come between the parts.
        if try !steps(scope, in: transaction).isEmpty { intake.hasMore = true }
        return intake
    }

    /// The result of work of which a round was a part.
    package struct Completed<Value: Sendable>: Sendable {
        /// The value of the work.
        package let value: Value
        /// The result of the round; its notice is that of the transaction.
        package let intake: Inbox.Intake
    }

    /// Finishes messages, as ``Inbox/finish(_:in:)`` does, and answers them in the same transaction.
    /// - Parameters:
    ///   - ids: The messages.
    ///   - transaction: The store.
    /// - Returns: The refusals, and the result of the round; without a number, and with nothing done, when all others were finished before.
    /// - Throws: As ``run(_:in:)``; the transaction is to be undone.
    package func finish(
        _ ids: [MessageID],
        in transaction: inout some NodeTransaction
    ) throws -> Completed<[MessageID: MessageRefusal]> {
        let finished = try Inbox(committer).finish(ids, in: &transaction)
        var intake = Inbox.Intake(notice: finished.notice)
        if intake.notice.number != nil { intake.add(try run(.messages, in: &transaction)) }
        return Completed(value: finished.reply, intake: intake)
    }

    /// Sends messages, as ``SentMessages/send(_:zone:in:)`` does, and enters them in the same transaction.
    ///
    /// Where the feed reports something else as well, the next round enters them.
    /// - Parameters:
    ///   - drafts: The messages; none of them is about another one of them.
    ///   - zone: The zone.
    ///   - transaction: The store.
    /// - Returns: The messages in the same order, or the first refusal, after which the transaction is to be undone.
    /// - Throws: As ``SentMessages/send(_:zone:in:)``.
    package func send(
        _ drafts: [SentMessages.Draft],
        zone: ZoneID,
        in transaction: inout some NodeTransaction
    ) throws -> Completed<Result<[MessageRow], SentMessages.Refusal>> {
        let isEntered = try !Inbox(committer).hasUnseen(in: transaction)
        let sent = try SentMessages(committer).send(drafts, zone: zone, in: &transaction)
        var intake = Inbox.Intake(notice: sent.notice)
        guard case .success(let rows) = sent.reply else { return Completed(value: sent.reply, intake: intake) }
        // The feed reports the messages that were written, and nothing else: entering them now saves a transaction.
        if isEntered { intake.add(try Inbox(committer).take(in: &transaction)) }
        intake.hasCustodyChanges = intake.hasCustodyChanges || rows.contains { $0.payload != nil }
        intake.makesPrekeyDue = try Prekeys(committer).isUrgent(zone, in: transaction)
        return Completed(value: sent.reply, intake: intake)
    }
}
