import Identity
import Logging
import Sync
import Wire

// The store's work for the core, in the words of the log.

extension StoreRead {
    /// The name in the log.
    var name: String {
        switch self {
        case .run: "run"
        case .skeleton: "skeleton of a log"
        case .deposits: "deposits"
        case .liveSet: "live set"
        case .payload: "payload"
        case .wantedPayloads: "wanted payloads"
        case .custodyJobs: "requests for relays"
        case .contentsToKeep: "contents for relays"
        case .holding: "contents that are held"
        case .holders: "contents to ask about"
        }
    }
}

extension StoreWrite {
    /// Logs a change that was not made.
    func log(_ error: any Error, to logger: Logger) {
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
        case .recheck: logger.warning("a damaged content was not noted", metadata: ["error": "\(error)"])
        case .takeCustody, .endCustody:
            logger.warning("a payload cannot be kept for another device", metadata: ["error": "\(error)"])
        case .noteCustody:
            logger.warning("a relay's answer was not stored", metadata: ["error": "\(error)"])
        case .beginEviction, .evict, .endEviction:
            logger.warning("an eviction was not stored", metadata: ["error": "\(error)"])
        case .retain: logger.warning("a promise was not stored", metadata: ["error": "\(error)"])
        case .noteHolders:
            logger.warning("a device's answer about contents was not stored", metadata: ["error": "\(error)"])
        case .take, .keepOutline, .keepChunk:
            // A full disk is a health warning, and each part of a payload that comes would repeat it here.
            if let error = error as? StorageError, error.code == .diskFull { return }
            logger.warning("a peer's data could not be stored", metadata: ["error": "\(error)"])
        }
    }
}

extension Logger {
    /// Logs an answer of the store that people should see.
    func note(_ input: SyncInput) {
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
