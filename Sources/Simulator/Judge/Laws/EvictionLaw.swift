import Identity
import Records
import Sync
import Wire

/// The law that devices evict contents by promises that others keep, so that the last copy stays (docs/protocol/evictions.md).
///
/// It knows the requests of applications, the promises that devices send with the connections on which they travel, and the stores.
struct EvictionLaw {
    /// A promise that was sent.
    private struct Promise {
        let holder: SimulatedNode
        let time: UInt64
        let connection: UInt64
    }

    /// A drop that a core has decided on, and the devices whose promises it may use.
    private struct Drop {
        let order: EvictionOrder
        let holders: Set<DeviceID>
    }

    private let evidence: Evidence
    /// The requests of applications on each node that are not answered.
    private var orders: [Int: [UInt64: EvictionOrder]] = [:]
    /// The promises that were sent to each device.
    private var promises: [DeviceID: [PayloadID: [Promise]]] = [:]
    /// The drops of each node that may be committed, or found on its disk.
    private var drops: [Int: [PayloadID: Drop]] = [:]
    /// The contents that each device has promised to keep, with the time of its last promise.
    private var bound: [DeviceID: [PayloadID: UInt64]] = [:]
    /// The devices that have evicted a content since they promised last to keep it.
    private var evictors: [PayloadID: Set<DeviceID>] = [:]

    /// The time from its request in which a promise may be used, in milliseconds.
    private static let usableMilliseconds: UInt64 = 15 * 60 * 1_000
    /// The shortest time for which a device is bound, in milliseconds: a promise that stands is repeated as it is while it ends an hour
    /// earlier at most than a new one.
    private static let boundMilliseconds: UInt64 = 23 * 60 * 60 * 1_000

    init(_ evidence: Evidence) { self.evidence = evidence }

    // MARK: Observations

    /// Takes note of a request that is about to be made.
    mutating func asks(_ order: EvictionOrder, on node: SimulatedNode) {
        orders[node.index, default: [:]][order.id] = order
    }

    /// Takes note of the answer to a request.
    mutating func settled(_ id: UInt64, _ outcome: EvictionOutcome, on node: SimulatedNode) {
        guard let order = orders[node.index]?.removeValue(forKey: id) else { return }
        // A transaction that failed may be found on the disk later.
        if outcome != .refused(.storage) { drops[node.index]?[order.payload] = nil }
    }

    /// Takes note of the end of a process, once its store has been looked at.
    mutating func ended(_ node: SimulatedNode) {
        orders[node.index] = nil
        drops[node.index] = nil
    }

    /// Takes note that a disk was rolled back, lost or copied: promises on it may be lost.
    mutating func disturbed(_ node: SimulatedNode) {
        ended(node)
        bound[node.device] = nil
    }

    /// Takes note that a clock is about to be set: the times until which promises stand may come earlier.
    mutating func clockTurns() { bound = [:] }

    // MARK: Promises

    /// Checks that a device has what it promises to keep.
    mutating func states(_ answer: RetentionAnswer, to link: ProcessChannels.Link, by node: SimulatedNode) throws {
        let promised = answer.statuses.filter { if case .promised = $0.word { true } else { false } }.map(\.payload)
        for payload in promised {
            evidence.checkCount += 1
            let isHonest = !evidence.byzantine.contains(node.device)
            if isHonest, try !Self.holds(payload, node) {
                throw Violation(.evictions, at: node, "\(payload.shortText) is promised, and not all of it is here")
            }
            let promise = Promise(holder: node, time: node.simulation.now, connection: link.end.connection.id)
            promises[link.device, default: [:]][payload, default: []].append(promise)
            bound[node.device, default: [:]][payload] = node.simulation.now
            evictors[payload]?.remove(node.device)
        }
    }

    /// Whether a node has sent another one a promise to keep a content.
    func hasPromised(_ payload: PayloadID, _ holder: SimulatedNode, to node: SimulatedNode) -> Bool {
        promises[node.device]?[payload]?.contains { $0.holder.device == holder.device } ?? false
    }

    /// Checks that a device drops a content at an application's request, and that enough devices that count have promised to keep it: by
    /// sessions that stand, not too long ago.
    mutating func decides(_ drop: EvictionDrop, on node: SimulatedNode) throws {
        guard !evidence.byzantine.contains(node.device), let process = node.process else { return }
        evidence.checkCount += 1
        let payload = drop.payload
        let pending = orders[node.index, default: [:]].values.filter { $0.payload == payload }
        guard let order = pending.max(by: { $0.id < $1.id }) else {
            throw Violation(.evictions, at: node, "\(payload.shortText) is evicted, and no application asks for that")
        }
        let (now, connections) = (node.simulation.now, Set(process.links.values.map(\.end.connection.id)))
        let usable = (promises[node.device]?[payload] ?? []).filter { promise in
            connections.contains(promise.connection) && now < promise.time + Self.usableMilliseconds
                && promise.holder.device != node.device
                && (order.countsOthers || promise.holder.accountID == node.accountID)
        }
        let holders = Set(usable.map(\.holder.device))
        guard holders.count >= order.copies else {
            throw Violation(
                .evictions,
                at: node,
                "\(payload.shortText) is evicted by \(holders.count) promises that may be used, and it takes \(order.copies)"
            )
        }
        drops[node.index, default: [:]][payload] = Drop(order: order, holders: holders)
    }

    // MARK: Each step of a store

    /// Whether a node may be evicting a content: then its drop is a subject of this law.
    func isDecided(_ payload: PayloadID, on node: Int) -> Bool { drops[node]?[payload] != nil }

    /// Checks the drops in a step.
    /// - Parameter commit: The step.
    /// - Returns: The contents that it has evicted.
    /// - Throws: ``Violation``.
    mutating func check(_ commit: ObservedCommit) throws -> [PayloadID] {
        var evicted: [PayloadID] = []
        for (payload, drop) in (drops[commit.node] ?? [:]).sorted(by: { $0.key < $1.key }) {
            guard try commit.before.payload(payload)?.state == .present,
                try commit.after.payload(payload)?.state != .present
            else { continue }
            evidence.checkCount += 1
            try checkBound(payload, commit)
            try checkCopies(payload, drop, commit)
            evictors[payload, default: []].insert(commit.device)
            drops[commit.node]?[payload] = nil
            evicted.append(payload)
        }
        return evicted
    }

    /// Checks that a device has not promised to keep a content that it drops.
    private func checkBound(_ payload: PayloadID, _ commit: ObservedCommit) throws {
        guard let time = bound[commit.device]?[payload], commit.time < time + Self.boundMilliseconds else { return }
        throw commit.violation(
            .evictions,
            "\(payload.shortText) is evicted, and was promised to another device \((commit.time - time) / 1_000) s before"
        )
    }

    /// Checks that as many other devices as the request says have a content that is dropped.
    ///
    /// Deletion wins over promises, and none brings back a disk: of the devices whose promises were used, those that have the content no more
    /// are excused. One that has evicted it was not bound any more by a disturbed disk or clock; then the last copy is there all the same, as
    /// long as that was the only event of this kind (`Models/README.md`).
    private func checkCopies(_ payload: PayloadID, _ drop: Drop, _ commit: ObservedCommit) throws {
        let account = evidence.nodes.first { $0.index == commit.node }?.accountID
        var holders: Set<DeviceID> = []
        for node in evidence.nodes where node.device != commit.device && !evidence.byzantine.contains(node.device) {
            guard drop.order.countsOthers || node.accountID == account else { continue }
            if try Self.holds(payload, node) { holders.insert(node.device) }
        }
        let missing = drop.holders.subtracting(holders)
        let unbound = missing.intersection(evictors[payload] ?? [])
        guard unbound.isEmpty || evidence.disturbedNodes.count + evidence.clockTurned.count < 2 else { return }
        let needed = max(drop.order.copies - unbound.count, 1)
        let excused = missing.count - unbound.count
        guard holders.count + excused < needed else { return }
        throw commit.violation(
            .evictions,
            "\(payload.shortText) is evicted, and \(holders.count) of \(drop.order.copies) other devices have it"
        )
    }

    /// Whether the disk of a node has all of a content.
    private static func holds(_ payload: PayloadID, _ node: SimulatedNode) throws -> Bool {
        guard let store = node.disk.image().database, let row = try store.payload(payload), row.state == .present
        else { return false }
        let counts = try store.chunkCounts(of: row.number)
        return counts.all > 0 && counts.present == counts.all
    }

    // MARK: In the end

    /// Checks that a device has each content that any has evicted and that a record names.
    ///
    /// Where a disk was disturbed the copies on it may be gone, and where a clock was set contents may have been dropped that no record named.
    func checkKept(among members: [SimulatedNode]) throws {
        guard evidence.disturbedNodes.isEmpty, evidence.clockTurned.isEmpty else { return }
        for payload in evictors.keys.sorted() {
            let honest = evidence.nodes.filter { !evidence.byzantine.contains($0.device) }
            if try honest.contains(where: { try Self.holds(payload, $0) }) { continue }
            let naming = try members.first { node in
                guard let store = node.store else { return false }
                return try NamedAssets(in: store).places[payload] != nil
            }
            guard let naming else { continue }
            throw Violation(
                .evictions,
                at: naming,
                "no device has \(payload.shortText), which was evicted and which a record names"
            )
        }
    }
}
