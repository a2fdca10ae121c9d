import Identity
import Peering
import Sync
import Wire

/// The law that a node ends its sessions with devices that do not belong to its account, at once,
/// and with accounts that share nothing any more, after telling them why.
struct LeavingLaw {
    /// A session of a process.
    private struct Session: Hashable {
        var node: Int
        var life: Int
        var session: UInt64
    }

    /// How long a session may continue with an account that shares nothing any more, in milliseconds.
    private static let leavingMilliseconds: UInt64 = 5_000
    /// The interval of the check, in milliseconds.
    private static let leavingInterval: UInt64 = 1_000
    /// How long a node may fail to notice that its wall clock was set, in milliseconds: until a peer sends to it, or
    /// it pings.
    private static let clockMilliseconds: UInt64 = 22_000

    private let evidence: Evidence
    /// The time of the last check of each node's sessions.
    private var lastCheck: [Int: UInt64] = [:]
    /// The rights in the zones of each node, as they were determined last.
    private var nodeRights = NodeRights()
    /// The time since which each session has been with an account that shares nothing with its node.
    private var unsharedSince: [Session: UInt64] = [:]
    /// The end, by its node's wall clock, of the time in which each session's account shares something, as last
    /// known.
    private var sharedUntil: [Session: UInt64] = [:]

    init(_ evidence: Evidence) { self.evidence = evidence }

    /// Takes note that a machine's wall clock is about to be set.
    mutating func clockTurns(on node: SimulatedNode) {
        sharedUntil = sharedUntil.filter { $0.key.node != node.index }
    }

    /// Checks the sessions of a process, if the last check was long enough ago.
    mutating func check(_ process: NodeProcess, time: UInt64) throws {
        guard time >= (lastCheck[process.node.index] ?? 0) + Self.leavingInterval else { return }
        lastCheck[process.node.index] = time
        try MemberSessions.check(process, time: time)
        guard process.simulation.hasSeveralAccounts else { return }
        for (id, link) in process.links.sorted(by: { $0.key < $1.key })
        where link.account != process.log.account && process.core.sessions.isOpen(id) {
            let session = Session(node: process.node.index, life: process.life, session: id)
            let wall = process.node.wallMilliseconds
            // Before the device is confirmed nothing at all is sent, and confirmation has a deadline of its own.
            let rights = process.core.sync.isActive(id) ? try sharedRights(of: process, with: link) : nil
            guard let rights, !rights.isShared(at: wall) else {
                unsharedSince[session] = nil
                sharedUntil[session] = rights?.end(after: wall)
                continue
            }
            // No message announces that a right has run out: it ended at its time, whenever that is noticed.
            let end = min(wall, max(sharedUntil[session] ?? .max, rights.end(before: wall)))
            let since = unsharedSince[session] ?? time - min(wall - end, time)
            unsharedSince[session] = since
            let turned = evidence.clockTurned[process.node.index]
            let begin = max(since, turned.map { $0 + Self.clockMilliseconds } ?? 0)
            // The effects of an account's log are settled zone by zone, each in a transaction of its own.
            let settling = UInt64(rights.zones.count + 1) * process.simulation.options.commitMilliseconds
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

    private mutating func sharedRights(of process: NodeProcess, with link: ProcessChannels.Link) throws -> SharedRights?
    {
        guard let store = process.node.store else { return nil }
        return SharedRights(
            zones: try rights(of: process, in: store),
            own: SharedRights.Party(device: process.device, account: process.log.account),
            other: SharedRights.Party(device: link.device, account: link.account)
        )
    }

    /// The rights in each of a node's zones.
    private mutating func rights(of process: NodeProcess, in store: MemoryStore) throws -> [RightsModel] {
        if let known = nodeRights[process] { return known }
        let accounts = process.accounts
        let zones = try store.zones().map {
            try evidence.rights.model(in: $0, store: store, accounts: accounts, ownDevice: process.device)
        }
        nodeRights[process] = zones
        return zones
    }
}
