import Identity
import Records
import Sync
import Wire

extension Neighbours {
    /// Lets a device deposit its operations above the cuts of its logs with one that may keep them.
    @discardableResult
    mutating func deposit(_ zone: ZoneID, from source: Int, to target: Int) throws -> [RunOutcome] {
        var outcomes: [RunOutcome] = []
        let own = homes[source].keys.deviceID
        let isRemoved = logs[homes[source].account].state.standing(of: own) == .removed
        let held = try positions(of: source, in: zone, on: target)
        for row in try homes[source].store.logs(zone: zone) where row.device == own {
            var from: UInt64 = 0
            // A removed device learns how much the other one holds.
            let limit = held.first { $0.key == row.key.actorLane }?.size ?? 0
            while let run = try RunExchange(committer(source)).deposit(
                row.key,
                above: isRemoved ? limit : nil,
                from: from,
                byteCount: 1 << 20,
                in: homes[source].store
            ) {
                from = run.signedHead.head.size
                outcomes.append(keep(run, on: target))
            }
        }
        return outcomes
    }

    mutating func keep(_ run: Run, on index: Int) -> RunOutcome {
        let result = Result {
            try change(index) {
                try RunExchange($0).apply(run, key: run.signedHead.head.key, for: .deposit, random: &$1, in: &$2).reply
            }
        }
        return RunOutcome(result, of: run)
    }

    func quarantine(_ zone: ZoneID, on index: Int) throws -> [QuarantineEntry] {
        try Quarantine(of: zone).entries(limit: .max, in: homes[index].store)
    }

    /// Returns the states of a zone's logs that a device sends to others.
    func told(_ zone: ZoneID, on index: Int) throws -> [LogState] {
        guard let row = try homes[index].store.zone(zone) else { return [] }
        return try ZoneViews(committer(index)).snapshot(of: row, in: homes[index].store).toldLogs
    }
}
