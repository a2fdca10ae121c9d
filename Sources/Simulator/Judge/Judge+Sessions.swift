import Identity
import Peering
package import Sync
package import Wire

// Checks the state that a process holds in memory.
extension Judge {
    /// The number of jobs that may wait in a process.
    private static let waitingJobCountMax = 65_536

    /// How long a session may continue with an account that shares nothing any more, in milliseconds.
    private static let leavingMilliseconds: UInt64 = 5_000
    /// The interval of that check, in milliseconds.
    private static let leavingInterval: UInt64 = 1_000

    /// How long a node may fail to notice that its wall clock was set, in milliseconds: until a peer sends to it, or
    /// it pings.
    private static let clockMilliseconds: UInt64 = 22_000

    /// Checks that a node ends its sessions with devices that do not belong to its account, at once, and with accounts that share nothing any
    /// more, after telling them why.
    func checkLeaving(of process: NodeProcess, time: UInt64) throws {
        guard time >= (leavingChecked[process.node.index] ?? 0) + Self.leavingInterval else { return }
        leavingChecked[process.node.index] = time
        try MemberSessions.check(process, time: time)
        guard process.simulation.hasSeveralAccounts else { return }
        for (id, link) in process.links.sorted(by: { $0.key < $1.key })
        where link.account != process.log.account && process.core.sessions.isOpen(id) {
            let session = UnsharedSession(node: process.node.index, life: process.life, session: id)
            let wall = process.node.wallMilliseconds
            // Before the device is confirmed nothing at all is sent, and confirmation has a deadline of its own.
            var rights: SharedRights?
            var known: [RightsModel] = []
            if process.core.sync.isActive(id), let store = process.node.store {
                known = try self.rights(of: process, in: store)
                rights = SharedRights(
                    zones: known,
                    own: SharedRights.Party(device: process.device, account: process.log.account),
                    other: SharedRights.Party(device: link.device, account: link.account)
                )
            }
            guard let rights, !rights.isShared(at: wall) else {
                unsharedSince[session] = nil
                sharedUntil[session] = rights?.end(after: wall)
                continue
            }
            // No message announces that a right has run out: it ended at its time, whenever that is noticed.
            let end = min(wall, max(sharedUntil[session] ?? .max, rights.end(before: wall)))
            let since = unsharedSince[session] ?? time - min(wall - end, time)
            unsharedSince[session] = since
            let begin = max(since, clockTurned[process.node.index].map { $0 + Self.clockMilliseconds } ?? 0)
            // The effects of an account's log are settled zone by zone, each in a transaction of its own.
            let settling = UInt64(known.count + 1) * process.simulation.options.commitMilliseconds
            guard time > begin + Self.leavingMilliseconds + Self.leavingInterval + settling else { continue }
            let zones = process.core.sync.sharedZones(with: link.device, of: link.account).map(\.shortText)
            throw Violation(
                .leaving,
                time: time,
                node: process.node.index,
                "a session with \(link.device.shortText) is open, whose account has shared no zone since \(since);"
                    + " the node regards as shared: \(zones.joined(separator: ", "))"
            )
        }
    }

    /// The rights in each of a node's zones.
    private func rights(of process: NodeProcess, in store: MemoryStore) throws -> [RightsModel] {
        if let known = nodeRights[process] { return known }
        let accounts = process.accounts
        let zones = try store.zones().map {
            try rights(in: $0, store: store, accounts: accounts, ownDevice: process.device)
        }
        nodeRights[process] = zones
        return zones
    }

    /// Checks that there is one session with each device, and that all queues and tables are within their bounds.
    func checkSessions(of process: NodeProcess, node: Int, time: UInt64) throws {
        if process.links.count > 1 {
            let devices = process.sessionDevices
            guard Set(devices).count == devices.count else {
                throw Violation(.oneSession, time: time, node: node, "two sessions with one device")
            }
        }
        guard process.waitingJobCount <= Self.waitingJobCountMax else {
            throw Violation(.caps, time: time, node: node, "\(process.waitingJobCount) jobs wait")
        }
        let limits = process.simulation.options.limits
        let custody = process.core.sync.custodyLoad
        guard custody.jobs <= limits.custodyJobCountMax, custody.asked <= limits.custodyAskedCountMax,
            custody.pending <= limits.custodyAskedCountMax
        else { throw Violation(.caps, time: time, node: node, "the load of custody is \(custody)") }
        guard let load = process.core.sync.payloadLoad else { return }
        guard load.wanted <= limits.payloadWantCountMax, load.asked <= limits.payloadWindowCount,
            load.serving <= limits.payloadServingCountMax
        else { throw Violation(.caps, time: time, node: node, "the load of payloads is \(load)") }
    }

    /// Checks that only a byzantine device is taken for a liar.
    package func mistrusts(_ device: DeviceID, on node: SimulatedNode, in simulation: Simulation) throws {
        checkCount += 1
        guard !byzantine.contains(device) else { return }
        throw Violation(
            .messages,
            time: simulation.now,
            node: node.index,
            "\(device.shortText) is reported for a wrong answer about a payload, and it does not lie"
        )
    }
}

extension Judge {
    /// Checks that an anomaly names a liar: the author of the signed part, else the device that sent it.
    ///
    /// A log forks without a liar where a disk is rolled back.
    package func told(of anomaly: Anomaly, on node: SimulatedNode, in simulation: Simulation) throws {
        checkCount += 1
        guard anomaly.kind != .forkedLog, !byzantine.contains(node.device),
            let accused = anomaly.author ?? anomaly.peer, !byzantine.contains(accused),
            anomaly.kind != .outOfSchema || !schemaBreakers.contains(accused)
        else { return }
        throw Violation(
            .anomalies,
            time: simulation.now,
            node: node.index,
            "\(accused.shortText) is reported as \(anomaly.kind.rawValue) (\(anomaly.detail)), and it does not lie"
        )
    }
}
