import KairanInterface
import Records
import Sync
import Wire

/// Answers requests about writes in quarantine.
struct QuarantineRequests: QuarantineAPI {
    /// Entries shown at once.
    private static let countMax = 1_000

    let store: CallerStore

    func list(zone reference: String?) async throws(NodeError) -> [QuarantineView] {
        try await store.read { transaction in
            var found: [QuarantineEntry] = []
            for zone in try store.zones.ids(of: reference, in: transaction) where found.count < Self.countMax {
                found += try Quarantine(of: zone).entries(limit: Self.countMax - found.count, in: transaction)
            }
            return found.map(QuarantineView.init)
        }
    }

    func adoptQuarantined(_ id: String, zone reference: String) async throws(NodeError) -> Bool {
        try await store.write(in: reference) { zone, transaction in
            let dot = try Self.dot(id)
            do {
                return try store.limit.keep(zone: zone.id, in: &transaction) { transaction in
                    try QuarantineDecisions(store.committer).adopt(dot, zone: zone.id, in: &transaction)
                }
            } catch let refusal as QuarantineRefusal {
                throw NodeError(refusal, id: id)
            }
        }
    }

    func purgeQuarantined(_ id: String, zone reference: String) async throws(NodeError) {
        try await store.write(in: reference) { zone, transaction in
            let dot = try Self.dot(id)
            do {
                let decisions = QuarantineDecisions(store.committer)
                return Changed((), notice: try decisions.purge(dot, zone: zone.id, in: &transaction))
            } catch let refusal as QuarantineRefusal {
                throw NodeError(refusal, id: id)
            }
        }
    }

    private static func dot(_ id: String) throws(NodeError) -> Dot {
        guard let dot = Dot(quarantineID: id) else {
            throw NodeError(
                .quarantineUnknown,
                "\"\(id)\" is not the id of a write.",
                fix: "`kairan quarantine ls` lists them."
            )
        }
        return dot
    }
}

extension Dot {
    /// The id of a quarantined operation: `COUNTER.LOG`.
    fileprivate var quarantineID: String { "\(counter).\(actor.text)" }

    /// Parses a text written by `quarantineID`.
    fileprivate init?(quarantineID text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, let counter = UInt64(parts[0]), counter > 0, "\(counter)" == parts[0],
            let actor = ActorID(text: String(parts[1]))
        else { return nil }
        self.init(actor: actor, counter: counter)
    }
}

extension QuarantineView {
    fileprivate init(_ entry: QuarantineEntry) {
        let reason: QuarantinedWrite.Reason =
            switch entry.reason {
            case .aboveCut: .aboveCut
            case .forked: .forked
            case .outOfRight: .outOfRight
            case .outOfSchema: .outOfSchema
            case .unsound: .unsound
            }
        self.init(
            id: entry.dot.quarantineID,
            zone: entry.zone,
            record: entry.name,
            type: entry.type,
            isDeletion: entry.isDeletion,
            author: entry.device,
            reason: reason,
            writtenAt: entry.time.milliseconds,
            byteCount: entry.byteCount
        )
    }
}

extension NodeError {
    /// The error of a refusal by the replica to adopt or to purge.
    fileprivate init(_ refusal: QuarantineRefusal, id: String) {
        switch refusal {
        case .unknown:
            self.init(
                .quarantineUnknown,
                "No write \"\(id)\" is quarantined.",
                fix: "`kairan quarantine ls` lists them; another device may have adopted it."
            )
        case .forked:
            self.init(
                .quarantineNotNow,
                "The write \"\(id)\" becomes effective without a decision.",
                fix: "Wait; it leaves the list once all operations that its author had seen are here."
            )
        case .waiting:
            self.init(
                .quarantineNotNow,
                "The author of \"\(id)\" had seen writes that are not here yet.",
                fix: "Let this device meet the others, and try again."
            )
        case .notReadable:
            self.init(
                .recordNotReadable,
                "The write \"\(id)\", or its record, is sealed under a key that is not here.",
                fix: "Let another device of the zone adopt it."
            )
        case .unsound:
            self.init(
                .recordNotReadable,
                "The content of \"\(id)\" does not belong to its record.",
                fix: "Leave it; it has no effect."
            )
        case .notAllowed:
            self.init(
                .rightTooNarrow,
                "This account's right in the zone does not cover the record.",
                fix: "Ask the zone's owner to adopt it."
            )
        case .tooLarge:
            self.init(
                .recordTooLarge,
                "The record would be too large with the content of \"\(id)\".",
                fix: "Make the record smaller first."
            )
        case .needed:
            self.init(
                .quarantineNeeded,
                "Other devices need \"\(id)\" to check its log.",
                fix: "Leave it; it has no effect."
            )
        case .ownLog:
            self.init(
                .quarantineNeeded,
                "This device wrote \"\(id)\", and is the only one that certainly has it.",
                fix: "Leave it; it has no effect."
            )
        }
    }
}
