import Identity
import Records
import Sync
import Wire

// Nothing may be forgotten that a member could still need.
extension Judge {
    /// A checkpoint covers only what every member it waits for holds durably.
    func checkMade(_ checkpoint: Checkpoint, zone: ZoneID, _ commit: ObservedCommit) throws {
        for device in commit.account?.activeDevices ?? []
        where device != commit.device && !checkpoint.lapsed.contains(device) && !setBack.contains(device)
            && !byzantine.contains(device)
        {
            guard let store = durableStore(device) else { continue }
            if case .deleted = try store.zone(zone)?.state { continue }
            for log in checkpoint.logs where log.size > 0 {
                let key = LogKey(zone: zone, actor: log.actor, lane: log.lane)
                if library.forked.contains(key) { continue }
                let row = try store.log(key)
                guard row?.size ?? 0 < log.size, row?.cut == nil else { continue }
                throw commit.violation(
                    .forgetting,
                    "a checkpoint covers \(key) up to \(log.size), but \(device.shortText) holds \(row?.size ?? 0)"
                )
            }
        }
    }

    /// Everything that a store has forgotten must be superseded, or a settled tombstone, under an adopted checkpoint.
    func checkForgotten(zone: ZoneRow, row: LogRow, items: [StoredItem], _ look: StoreLook) throws {
        guard row.key.lane == .data, !library.forked.contains(row.key), !byzantine.contains(row.device) else { return }
        let known = ([zone.adopted].compactMap { $0 } + zone.candidates + library.checkpoints.values)
        for item in items {
            let last: UInt64
            switch item.content {
            case .operation: continue
            case .stub: last = item.first + 1
            case .gap(let gap): last = gap.endLeaf
            }
            // Of what others forgot under a checkpoint that is not adopted here, the checkpoint must at least be known.
            let allowing = zone.adopted.flatMap { $0.size(row.key.actorLane) >= last ? $0 : nil }
            guard let checkpoint = allowing ?? known.first(where: { $0.size(row.key.actorLane) >= last }) else {
                throw look.violation(.forgetting, "\(row.key) lacks \(item.first + 1) to \(last) under no checkpoint")
            }
            guard allowing != nil else { continue }
            for counter in item.first + 1...last {
                let place = OperationLibrary.Place(key: row.key, counter: counter)
                guard let reason = reasonToKeep(place, under: checkpoint) else { continue }
                throw look.violation(.forgetting, "\(place) was forgotten: \(reason)")
            }
        }
    }

    /// Why an operation must not be forgotten under a checkpoint; nil when it may be.
    private func reasonToKeep(_ place: OperationLibrary.Place, under checkpoint: Checkpoint) -> String? {
        guard let entry = library.entries(at: place).first, let body = entry.body else { return nil }
        let sizes = checkpoint.dataSizes
        let dot = Dot(actor: place.key.actor, counter: place.counter)
        let isSuperseded = library.places(zone: place.key.zone, tag: entry.operation.header.tag).contains { other in
            guard other != place, sizes.covers(Dot(actor: other.key.actor, counter: other.counter)) else {
                return false
            }
            return library.entries(at: other).contains { $0.operation.header.vector.covers(dot) }
        }
        if isSuperseded { return nil }
        guard body.isDeleted else { return "nothing that the checkpoint covers supersedes it" }
        let previous = library.checkpoints[checkpoint.previous]?.dataSizes ?? VersionVector()
        return previous.covers(dot) ? nil : "it is a tombstone that only one checkpoint covers"
    }
}
