import Identity
import Logging
import Peering
import Sync
import Wire

// The store's work for the core: questions are answered beside the writer, changes in the order of their commits.
extension SyncService {
    /// Puts a question to the store, and passes its answer to the core.
    func read(_ question: StoreRead, in group: inout DiscardingTaskGroup) {
        group.addTask { [dependencies, facts] in
            do {
                let (storage, service) = (dependencies.storage, dependencies.commitService)
                var inputs: [SyncInput]?
                if question.mayBeBrief {
                    inputs = try await storage.readBriefly { transaction in
                        try question.isBrief(in: transaction)
                            ? try question.answer(by: service.committer, in: transaction) : nil
                    }
                }
                if inputs == nil {
                    inputs = try await storage.read { try question.answer(by: service.committer, in: $0) }
                }
                for input in inputs ?? [] { facts.put(.input(input)) }
            } catch {
                dependencies.logger.error(
                    "the store could not be read",
                    metadata: ["question": "\(question.name)", "error": "\(error)"]
                )
                for input in question.unanswered { facts.put(.input(input)) }
            }
        }
    }

    /// Has the store make a change, and passes the reply to the core.
    nonisolated func write(_ change: StoreWrite) {
        let commitService = dependencies.commitService
        let accepted = dependencies.commits.enqueue(isPatient: change.isPatient) { transaction in
            try commitService.change(&transaction) { try change.perform(by: $0, random: &$1, in: &$2) }
        } completion: { [facts, logger = dependencies.logger] result in
            commitService.announce(result)
            switch result {
            case .success(let changed):
                if case .renewIfBehind(let signed) = change, changed.notice.renewed != nil {
                    logger.notice(
                        "a peer holds more of this store's log than the store",
                        metadata: ["zone.id": "\(signed.head.zone.shortText)", "peer.size": "\(signed.head.size)"]
                    )
                }
                if case .recheck = change, changed.notice.number != nil {
                    logger.warning("a content that a peer asked for is damaged here, and is fetched again")
                }
                for input in changed.reply.inputs { logger.note(input) }
                facts.put(changed.reply)
            case .failure(let error):
                change.log(error, to: logger)
                facts.put(change.failed(error))
            }
        }
        if !accepted { facts.put(change.refused) }
    }

    /// Passes the reply to a change to the core.
    func stored(_ reply: StoreWrite.Reply) {
        step { core, turn in
            for input in reply.inputs { core.feed(input, in: &turn) }
        }
        if reply.mayWantPayloads { mayWantPayloads = true }
        if reply.mayOweCustody { mayOweCustody = true }
    }

    /// Passes the core the wanted payloads, as many as it has room for.
    func lookForPayloads(in group: inout DiscardingTaskGroup) {
        guard core.sync.isPayloadSearchDue(isNew: mayWantPayloads),
            let search = core.sync.takePayloadSearch(isNew: mayWantPayloads)
        else { return }
        mayWantPayloads = false
        read(.wantedPayloads(search), in: &group)
    }

    /// Passes the core the requests that are due to relays.
    func lookForCustody(in group: inout DiscardingTaskGroup) {
        guard mayOweCustody else { return }
        mayOweCustody = false
        read(.custodyJobs(limit: core.sync.limits.custodyJobCountMax), in: &group)
    }

    /// Passes the core the contents of records that relays are to keep, as many as it has room for.
    func lookForContents(in group: inout DiscardingTaskGroup) {
        guard let search = core.sync.takeCustodySearch() else { return }
        read(.contentsToKeep(search), in: &group)
    }
}
