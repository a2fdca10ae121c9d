import Identity
import Logging
import Peering
import Sync
import Wire

// The store's work for the core: questions are answered beside the writer, changes in the order of their commits.
extension SyncService {
    /// Puts a question to the store, and passes its answer to the core.
    func read(_ question: StoreRead, in group: inout DiscardingTaskGroup) {
        group.addTask { [dependencies, mailbox] in
            do {
                let inputs = try await dependencies.storage.read { transaction in
                    try question.answer(by: dependencies.replica.committer, in: transaction)
                }
                for input in inputs { mailbox.put(.input(input)) }
            } catch {
                dependencies.logger.error(
                    "the store could not be read",
                    metadata: ["question": "\(question.name)", "error": "\(error)"]
                )
                for input in question.unanswered { mailbox.put(.input(input)) }
            }
        }
    }

    /// Has the store make a change, and passes the reply to the core.
    nonisolated func write(_ change: StoreWrite) {
        if case .renewIfBehind(let key, _, let size) = change {
            dependencies.logger.notice(
                "a peer reports more of this store's log than the store holds",
                metadata: ["zone.id": "\(key.zone.shortText)", "peer.size": "\(size)"]
            )
        }
        let accepted = dependencies.commits.enqueue { [replica = dependencies.replica] transaction in
            try replica.change(&transaction) { try change.perform(by: $0, random: &$1, in: &$2) }
        } completion: { [replica = dependencies.replica, mailbox, logger = dependencies.logger] result in
            replica.announce(result)
            switch result {
            case .success(let changed):
                for input in changed.reply.inputs { logger.note(input) }
                mailbox.put(changed.reply)
            case .failure(let error):
                change.log(error, to: logger)
                mailbox.put(change.failed(error))
            }
        }
        if !accepted { mailbox.put(change.refused) }
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
        guard mayWantPayloads, core.sync.payloadRoom > 0 else { return }
        mayWantPayloads = false
        read(.wantedPayloads(known: core.sync.wantedPayloads, limit: core.sync.payloadRoom), in: &group)
    }

    /// Passes the core the requests that are due to relays.
    func lookForCustody(in group: inout DiscardingTaskGroup) {
        guard mayOweCustody else { return }
        mayOweCustody = false
        read(.custodyJobs(limit: core.sync.limits.custodyJobCountMax), in: &group)
    }
}

extension StoreRead {
    /// The name in the log.
    fileprivate var name: String {
        switch self {
        case .run: "run"
        case .skeleton: "skeleton of a log"
        case .deposits: "deposits"
        case .liveSet: "live set"
        case .payload: "payload"
        case .wantedPayloads: "wanted payloads"
        case .custodyJobs: "requests for relays"
        }
    }
}

extension StoreWrite {
    /// Logs a change that was not made.
    fileprivate func log(_ error: any Error, to logger: Logger) {
        switch self {
        case .apply(_, let run, let key, _):
            // All else is the sender's fault, or passes; the core reports it.
            guard case .storageFailed = RunOutcome(.failure(error), of: run) else { return }
            logger.error(
                "a run could not be stored",
                metadata: ["zone.id": "\(key.zone.shortText)", "error": "\(error)"]
            )
        case .learn(_, let zone, _):
            logger.notice("zone refused", metadata: ["zone.id": "\(zone.shortText)", "error": "\(error)"])
        case .join(_, let terms):
            let zone = ZoneID(terms.genesis)
            logger.notice("zone refused", metadata: ["zone.id": "\(zone.shortText)", "error": "\(error)"])
        case .met: logger.warning("the time of contact with a peer was not stored", metadata: ["error": "\(error)"])
        case .spoke: logger.warning("version of the channel not stored", metadata: ["error": "\(error)"])
        case .acknowledge: logger.warning("acknowledgement not saved", metadata: ["error": "\(error)"])
        case .renewIfBehind: logger.error("incarnation not renewed", metadata: ["error": "\(error)"])
        case .record: logger.notice("fork proof refused", metadata: ["error": "\(error)"])
        case .noteEmptyLogs: logger.warning("empty logs not stored", metadata: ["error": "\(error)"])
        case .serve: logger.notice("guest not served", metadata: ["error": "\(error)"])
        case .takeCustody, .endCustody:
            logger.warning("a payload cannot be kept for another device", metadata: ["error": "\(error)"])
        case .noteCustody:
            logger.warning("a relay's answer was not stored", metadata: ["error": "\(error)"])
        case .take, .keepOutline, .keepChunk:
            // A full disk is a health warning, and each part of a payload that comes would repeat it here.
            if let error = error as? StorageError, error.code == .diskFull { return }
            logger.warning("a peer's data could not be stored", metadata: ["error": "\(error)"])
        }
    }
}

extension Logger {
    /// Logs an answer of the store that people should see.
    fileprivate func note(_ input: SyncInput) {
        guard case .liveSetTaken(_, let zone, let outcome) = input else { return }
        switch outcome {
        case .settled(_, let count) where count > 0:
            notice(
                "dropped data that others deleted and pruned while this device was away",
                metadata: ["zone.id": "\(zone.shortText)", "operation.count": "\(count)"]
            )
        case .unusable:
            info("a peer's live set was not usable", metadata: ["zone.id": "\(zone.shortText)"])
        case .partial, .settled, .storageFailed:
            break
        }
    }
}
