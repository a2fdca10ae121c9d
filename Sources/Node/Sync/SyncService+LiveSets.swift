import Logging
import Records
import Sync
import Wire

// The live set under a checkpoint: sending it to a device that was away for long, and receiving it as one.
extension SyncService {
    func readLiveSet(_ request: LiveSetRequest, session: SessionID, in group: inout DiscardingTaskGroup) {
        group.addTask { [dependencies, mailbox] in
            do {
                let page = try await dependencies.storage.read { transaction in
                    try request.page(in: transaction)
                }
                mailbox.put(.input(.liveSetRead(session, page)))
            } catch {
                dependencies.logger.error("live set could not be read", metadata: ["error": "\(error)"])
                mailbox.put(.input(.liveSetRead(session, LiveSetPage(nothingOf: request.zone))))
            }
        }
    }

    func takeLiveSet(_ page: LiveSetPage, comparison: LiveSetComparison, session: SessionID) {
        let accepted = dependencies.commits.enqueue { [replica = dependencies.replica] transaction in
            try replica.change(&transaction) { try $0.take(page, comparison: comparison, in: &$2) }
        } completion: { [replica = dependencies.replica, mailbox, logger = dependencies.logger] result in
            replica.announce(result)
            let outcome = LiveSetOutcome(result.map(\.reply))
            let zone: Logger.MetadataValue = "\(page.zone.shortText)"
            switch outcome {
            case .settled(_, let count) where count > 0:
                logger.notice(
                    "dropped data that others deleted and pruned while this device was away",
                    metadata: ["zone.id": zone, "operation.count": "\(count)"]
                )
            case .unusable:
                logger.info("a peer's live set was not usable", metadata: ["zone.id": zone])
            case .partial, .settled, .storageFailed:
                break
            }
            mailbox.put(.input(.liveSetTaken(session, page.zone, outcome)))
        }
        if !accepted { mailbox.put(.input(.liveSetTaken(session, page.zone, .storageFailed))) }
    }
}
