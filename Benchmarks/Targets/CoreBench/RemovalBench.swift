import Identity
import Records
import Sync
import TestSupport
import Wire

/// The removal of a device that wrote in many zones: the entry of the account's log, and the transactions that say in
/// the zones how much of its logs counts, with a store in memory.
struct RemovalBench {
    private static let zoneCounts = [100, 1_000, 10_000]

    /// Prints the measurements.
    func run() {
        row("a device with zones is removed", ["zones", "entry", "largest step", "all steps"])
        for count in Self.zoneCounts {
            do {
                try measure(count)
            } catch {
                preconditionFailure("a device to remove: \(error)")
            }
        }
        print("a step is the transaction of \(AccountUpkeep.ruledZoneCount) zones, others commit in between; ms")
        print("")
    }

    private func measure(_ count: Int) throws {
        var neighbours = try Neighbours([2], seed: 3)
        try fill(&neighbours, zones: count)
        let entry = try neighbours.logs[0].removingDevice(
            neighbours.homes[1].keys.deviceID,
            witness: neighbours.homes[0].keys.deviceID,
            signer: .device(neighbours.homes[0].keys),
            using: &neighbours.random
        )
        try neighbours.logs[0].insert(entry.encoded)
        let committer = neighbours.committer(0)
        let zones = try AccountUpkeep(committer).zonesToRule(in: &neighbours.homes[0].store)
        var steps: [Double] = []
        for start in stride(from: 0, to: zones.count, by: AccountUpkeep.ruledZoneCount) {
            let now = zones[start..<min(start + AccountUpkeep.ruledZoneCount, zones.count)]
            steps.append(
                try Measurement.milliseconds {
                    _ = try AccountUpkeep(committer).applyCuts(to: now, in: &neighbours.homes[0].store)
                }
            )
        }
        row(
            "",
            [
                "\(count)", "\(entry.encoded.count) B", text(steps.max() ?? 0, 1), text(steps.reduce(0, +), 0),
            ]
        )
    }

    /// Makes zones in which the second device wrote, and the first one holds it.
    private func fill(_ neighbours: inout Neighbours, zones count: Int) throws {
        let (first, second) = (neighbours.committer(0), neighbours.committer(1))
        let write = WriteRequest([RecordWrite(name: "a", type: "note", set: [.init(field: "x", value: .bool(true))])])
        for number in 0..<count {
            let genesis = ZoneGenesis(
                owner: neighbours.account(0),
                container: "org.example.notes",
                name: "zone \(number)",
                salt: neighbours.random.bytes(ZoneGenesis.saltByteCount),
                history: .full,
                isDefault: false
            )
            let zone = try ZoneLifecycle(first).create(genesis, in: &neighbours.homes[0].store).zone
            _ = try ZoneLifecycle(second).learn(zone, genesis: genesis, in: &neighbours.homes[1].store)
            _ = try second.commit([write], zone: zone, in: &neighbours.homes[1].store)
            for log in try neighbours.homes[1].store.logs(zone: zone) where log.size > 0 {
                let run = try RunExchange(second).run(
                    log.key,
                    from: 0,
                    byteCount: 1 << 20,
                    in: neighbours.homes[1].store
                )
                guard let run else { continue }
                _ = try RunExchange(first).apply(
                    run,
                    key: log.key,
                    random: &neighbours.random,
                    in: &neighbours.homes[0].store
                )
            }
        }
    }
}
