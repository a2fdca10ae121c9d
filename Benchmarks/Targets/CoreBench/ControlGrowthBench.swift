import Capabilities
import Identity
import Records
import Sodium
import Sync
import Synchronization
import TestSupport
import Wire

/// The cost of one more control operation in a zone that holds many: the whole way through the committer, with a
/// store in memory.
///
/// Half of the held operations are changes of 100 participants' rights by the owner, half are operations of an
/// unknown kind, by a member that may only read.
struct ControlGrowthBench {
    private static let participantCount = 100
    private static let repeatCount = 31

    private var neighbours: Neighbours
    private let genesis: ZoneGenesis
    private var rights: [Int: Hash] = [:]
    private let memory = Memory()
    /// The sessions' knowledge of the zone in the meantime: it shares the kept state, which is copied when it
    /// changes.
    private var notice: CommitNotice?

    /// Makes the zone in the owner's store, and one of the member's in another.
    init() {
        do {
            neighbours = try Neighbours([Int](repeating: 1, count: Self.participantCount + 1), seed: 9)
            genesis = ZoneGenesis(
                owner: neighbours.account(0),
                container: "org.example.notes",
                name: "growing",
                salt: [UInt8](repeating: 4, count: ZoneGenesis.saltByteCount),
                history: .full,
                isDefault: false
            )
            let genesis = genesis
            try neighbours.change(0) { _ = try ZoneLifecycle($0).create(genesis, in: &$2) }
            for account in 1...Self.participantCount { try grant(to: account) }
            let tagKey = try neighbours.homes[0].store.zone(zone)?.tagKey ?? []
            try neighbours.change(1) { _ = try ZoneLifecycle($0).join(genesis, tagKey: tagKey, in: &$2) }
            try neighbours.pull(zone, from: 0, to: 1)
        } catch {
            preconditionFailure("a zone to measure: \(error)")
        }
    }

    private var zone: ZoneID { ZoneID(genesis) }

    /// As a node has one: signatures are remembered, and control logs as they were resolved last.
    private final class Memory: Sendable {
        let signatures = Mutex(SignatureMemory())
        let controls = ControlMemory()
    }

    private func committer(_ index: Int) -> Committer {
        let plain = neighbours.committer(index)
        let memory = memory
        return Committer(
            keys: plain.keys,
            account: plain.account,
            contacts: plain.accounts,
            keyring: plain.keyring,
            wallMilliseconds: plain.wallMilliseconds,
            verify: { signed in memory.signatures.withLock { $0.verify(signed) } },
            controls: memory.controls
        )
    }

    // MARK: Filling

    private mutating func grant(to account: Int) throws {
        let owner = neighbours.homes[0].keys
        let capability = try Capability.issue(
            Capability.Terms(audience: neighbours.account(account), rights: Rights(account == 1 ? .read : .write)),
            resource: .zone(zone),
            owner: neighbours.account(0),
            signer: owner.deviceID,
            using: &neighbours.random,
            sign: owner.sign
        )
        let ended = rights.updateValue(capability.id, forKey: account)
        let regrant = Revocation(capabilities: [ended ?? .zero], cuts: [], regrants: [capability], reason: "")
        try say(ended == nil ? .grant(Grant(capability)) : .revoke(regrant), by: 0)
    }

    /// Commits an operation without checking whether it is allowed, which would take long for so many.
    private mutating func say(_ body: ControlBody, by index: Int) throws {
        let committer = committer(index)
        try LocalWrites(
            zone: zone,
            author: try committer.author(in: zone, neighbours.homes[index].store),
            wallMilliseconds: committer.wallMilliseconds,
            sign: { committer.keys.sign($0, context: .treeHead) }
        ).commitControl(body, in: &neighbours.homes[index].store)
    }

    private mutating func fill(to count: Int) throws {
        var account = 1
        while try controlCount() + 2 < count {
            for _ in 0..<min(500, (count - (try controlCount())) / 2) {
                // The member's own right stays as it is.
                account = 2 + (account - 1) % (Self.participantCount - 1)
                try grant(to: account)
                try say(.unknown(tag: 99, bytes: [1, 2, 3]), by: 1)
            }
            while try pull() {}
        }
    }

    private func controlCount() throws -> Int {
        Int(try neighbours.homes[0].store.logs(zone: zone).filter { $0.key.lane == .control }.map(\.size).reduce(0, +))
    }

    private func newRun() throws -> (run: Run, key: LogKey)? {
        let own = neighbours.committer(1).device
        for row in try neighbours.homes[1].store.logs(zone: zone) where row.key.lane == .control && row.device == own {
            let from = try neighbours.homes[0].store.log(row.key)?.heldSize ?? 0
            let store = neighbours.homes[1].store
            return try RunExchange(neighbours.committer(1)).run(row.key, from: from, byteCount: 1 << 20, in: store)
                .map { ($0, row.key) }
        }
        return nil
    }

    @discardableResult private mutating func pull() throws -> Bool {
        guard let (run, key) = try newRun() else { return false }
        try take(run, key, by: committer(0))
        return true
    }

    private mutating func take(_ run: Run, _ key: LogKey, by committer: Committer) throws {
        let taken = try RunExchange(committer).apply(
            run,
            key: key,
            random: &neighbours.random,
            in: &neighbours.homes[0].store
        )
        guard case .durable = taken.reply else { preconditionFailure("the run is taken: \(taken)") }
        notice = taken.notice
    }

    // MARK: Measuring

    /// Measures, and writes the table.
    mutating func run() {
        do {
            try measure()
        } catch {
            preconditionFailure("a zone to measure: \(error)")
        }
    }

    private mutating func measure() throws {
        row("one more control operation, ms", ["it is unknown", "it grants", "it ends a right"])
        for count in [200, 1_000, 10_000] {
            try fill(to: count)
            var (arriving, granting, ending): ([Double], [Double], [Double]) = ([], [], [])
            for number in 0..<Self.repeatCount {
                try say(.unknown(tag: 99, bytes: [UInt8(number)]), by: 1)
                guard let (run, key) = try newRun() else { preconditionFailure("a run to measure") }
                let (zone, committer) = (zone, committer(0))
                arriving.append(try Measurement.milliseconds { try take(run, key, by: committer) })
                let account = 2 + number
                let terms = Capability.Terms(audience: neighbours.account(account), rights: Rights(.read))
                var given = Hash.zero
                granting.append(
                    try Measurement.milliseconds {
                        let granted = try ZoneSharing(committer).grant(
                            terms,
                            zone: zone,
                            random: &neighbours.random,
                            in: &neighbours.homes[0].store
                        )
                        (given, notice) = (granted.reply.id, granted.notice)
                    }
                )
                ending.append(
                    try Measurement.milliseconds {
                        notice = try ZoneSharing(committer).revoke(
                            [given],
                            zone: zone,
                            reason: "",
                            in: &neighbours.homes[0].store
                        )
                    }
                )
            }
            let medians = [arriving, granting, ending].map { text($0.sorted()[Self.repeatCount / 2], 2) }
            row("  \(try controlCount()) held", medians)
        }
    }
}
