import Capabilities
import Identity
import Records
import Sealing
import Sodium
import Sync
import Synchronization
import TestSupport
import Wire

/// The cost of each kind of control operation in a zone that holds 10,000: the whole way through the committer, with
/// a store in memory and with the keys of epochs.
///
/// Each round of the held operations has ten of them. The owner revokes an account, begins another epoch, admits the
/// account again and delivers the key to it; the owner's second device states that the zone is closed; two
/// administrators each delegate a right and revoke it; a member writes an operation of an unknown kind.
struct ControlLogBench {
    private static let repeatCount = 21
    private static let heldCounts = [1_000, 10_000]
    /// The number of rounds after which the owner's device receives the operations of the others.
    private static let exchangedRoundCount = 50

    // Accounts, by number.
    private static let administrators = [1, 2]
    private static let members = [3, 4, 5]
    /// The accounts that are revoked, and admitted again.
    private static let visitors = Array(6...19)
    /// The accounts to which administrators delegate rights.
    private static let guests = Array(20...23)

    private var neighbours: Neighbours
    private let genesis: ZoneGenesis
    private let memory = Memory()
    private let envelopes = XWingEnvelopes()
    private var rights: [Int: Hash] = [:]
    private var chains: [Int: CapabilityChain] = [:]
    private var roundCount = 0
    /// The sessions' knowledge of the zone in the meantime: it shares the kept state, which is copied when it
    /// changes.
    private var notice: CommitNotice?

    /// As a node has one: signatures are remembered, and control logs as they were resolved last.
    private final class Memory: Sendable {
        let signatures = Mutex(SignatureMemory())
        let controls = ControlMemory()
    }

    /// Makes the zone, with its participants.
    init() {
        do {
            let accountCount = Self.guests.count + Self.visitors.count + Self.members.count + Self.administrators.count
            neighbours = try Neighbours(
                [2] + [Int](repeating: 1, count: accountCount),
                seed: 10,
                envelopes: envelopes
            )
            genesis = ZoneGenesis(
                owner: neighbours.account(0),
                container: "org.example.notes",
                name: "long",
                salt: [UInt8](repeating: 5, count: ZoneGenesis.saltByteCount),
                history: .full,
                isDefault: false
            )
            try begin()
        } catch {
            preconditionFailure("a zone to measure: \(error)")
        }
    }

    private var zone: ZoneID { ZoneID(genesis) }

    /// The device of an account that has one; the owner's are the first two.
    private func home(of account: Int) -> Int { account + 1 }

    private func committer(_ index: Int) -> Committer {
        let plain = neighbours.committer(index)
        guard index == 0 else { return plain }
        let memory = memory
        return Committer(
            keys: plain.keys,
            account: plain.account,
            contacts: plain.accounts,
            keyring: plain.keyring,
            wallMilliseconds: plain.wallMilliseconds,
            envelopes: envelopes,
            verify: { signed in memory.signatures.withLock { $0.verify(signed) } },
            controls: memory.controls
        )
    }

    // MARK: Filling

    private mutating func begin() throws {
        let genesis = genesis
        try neighbours.change(0) { _ = try ZoneLifecycle($0).create(genesis, in: &$2) }
        let tagKey = try neighbours.homes[0].store.zone(zone)?.tagKey ?? []
        for account in Self.administrators { try grant(Rights(.admin, canDelegate: true), to: account) }
        for account in Self.members + Self.visitors { try grant(Rights(.write), to: account) }
        for index in [1] + (Self.administrators + Self.members).map(home) {
            try neighbours.change(index) { _ = try ZoneLifecycle($0).join(genesis, tagKey: tagKey, in: &$2) }
            try neighbours.pull(zone, from: 0, to: index)
        }
    }

    private mutating func grant(_ granted: Rights, to account: Int) throws {
        let caveats = Caveats(delegationDepth: granted.canDelegate ? 1 : 0)
        let terms = Capability.Terms(audience: neighbours.account(account), rights: granted, caveats: caveats)
        let made = try ZoneSharing(committer(0)).grant(
            terms,
            zone: zone,
            random: &neighbours.random,
            in: &neighbours.homes[0].store
        )
        rights[account] = made.reply.id
        notice = made.notice
        let verified = try VerifiedCapability(UnverifiedCapability(made.reply))
        chains[account] = try CapabilityChain(root: verified, owner: neighbours.account(0))
    }

    private mutating func revoke(_ account: Int) throws {
        let right = rights[account] ?? .zero
        notice = try ZoneSharing(committer(0)).revoke([right], zone: zone, reason: "", in: &neighbours.homes[0].store)
    }

    /// Returns a right that an administrator delegates.
    private mutating func passedOn(by account: Int, to guest: Int) throws -> SignedCapability {
        guard let chain = chains[account] else { preconditionFailure("an administrator has a right") }
        let keys = neighbours.homes[home(of: account)].keys
        return try Capability.issue(
            Capability.Terms(audience: neighbours.account(guest), rights: Rights(.relay)),
            under: chain,
            signer: keys.deviceID,
            using: &neighbours.random,
            sign: keys.sign
        )
    }

    /// Commits an operation without checking whether it is allowed, and without the duties of a ruler, which are not
    /// measured here.
    private mutating func say(_ body: ControlBody, by index: Int) throws {
        let committer = committer(index)
        try LocalWrites(
            zone: zone,
            author: try committer.author(in: zone, neighbours.homes[index].store),
            wallMilliseconds: committer.wallMilliseconds,
            sign: { committer.keys.sign($0, context: .treeHead) }
        ).commitControl(body, in: &neighbours.homes[index].store)
    }

    private mutating func addRound() throws {
        let visitor = Self.visitors[roundCount % Self.visitors.count]
        try revoke(visitor)
        try grant(Rights(.write), to: visitor)
        try say(.publicAccess(.none), by: 1)
        for account in Self.administrators {
            let capability = try passedOn(by: account, to: Self.guests[roundCount % Self.guests.count])
            try say(.grant(Grant(capability)), by: home(of: account))
            let revocation = Revocation(capabilities: [capability.id], cuts: [], regrants: [], reason: "")
            try say(.revoke(revocation), by: home(of: account))
        }
        try say(.unknown(tag: 99, bytes: [1, 2, 3]), by: home(of: Self.members[roundCount % Self.members.count]))
        roundCount += 1
    }

    private mutating func fill(to count: Int) throws {
        while try controlCount() < count {
            for _ in 0..<Self.exchangedRoundCount { try addRound() }
            while try pull() {}
        }
    }

    private func controlCount() throws -> Int {
        Int(try neighbours.homes[0].store.logs(zone: zone).filter { $0.key.lane == .control }.map(\.size).reduce(0, +))
    }

    private func epochCount() throws -> Int {
        let store = neighbours.homes[0].store
        return try store.logs(zone: zone).filter { $0.key.lane == .control }.reduce(0) { count, row in
            try store.items(row.key, from: 0, to: row.size).reduce(count) { count, item in
                guard case .operation(let stored) = item.content,
                    case .epoch = try ControlBody(decoding: stored.operation.body)
                else { return count }
                return count + 1
            }
        }
    }

    /// Returns a run of the operations of others that the owner's device lacks.
    private func newRun() throws -> (run: Run, key: LogKey)? {
        for index in [1] + (Self.administrators + Self.members).map(home) {
            let (device, store) = (neighbours.homes[index].keys.deviceID, neighbours.homes[index].store)
            for row in try store.logs(zone: zone) where row.key.lane == .control && row.device == device {
                let held = try neighbours.homes[0].store.log(row.key)?.heldSize ?? 0
                let run = try RunExchange(neighbours.committer(index)).run(
                    row.key,
                    from: held,
                    byteCount: 1 << 20,
                    in: store
                )
                if let run { return (run, row.key) }
            }
        }
        return nil
    }

    private mutating func pull() throws -> Bool {
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
            for count in Self.heldCounts {
                try fill(to: count)
                try measure()
            }
            try measureDecidedAnew()
        } catch {
            row("a zone to measure: \(error)", [])
            preconditionFailure("a zone to measure: \(error)")
        }
    }

    private mutating func measure() throws {
        row("control log", ["µs, median", "largest", "sealing"])
        row("  \(try controlCount()) held, \(try epochCount()) epochs", [])
        let seal = try sealing()
        let committer = committer(0)
        let zone = zone
        try report("unknown, arrives") { try $0.takeNext(.unknown(tag: 99, bytes: [7]), by: Self.members[0]) }
        try report("closes the zone") { bench in
            try bench.milliseconds {
                bench.notice = try ZoneSharing(committer).setPublicAccess(
                    .none,
                    zone: zone,
                    in: &bench.neighbours.homes[0].store
                )
            }
        }
        var number = 0
        let (visitors, administrator) = (Self.visitors, Self.administrators[0])
        try report("revocation, with another key", sealing: seal * Double(readerCount - 1)) { bench in
            let visitor = visitors[number % visitors.count]
            number += 1
            let milliseconds = try bench.milliseconds { try bench.revoke(visitor) }
            try bench.grant(Rights(.write), to: visitor)
            return milliseconds
        }
        try report("grant, with the key", sealing: seal) { bench in
            let visitor = visitors[number % visitors.count]
            number += 1
            try bench.revoke(visitor)
            return try bench.milliseconds { try bench.grant(Rights(.write), to: visitor) }
        }
        try report("another key", sealing: seal * Double(readerCount)) { bench in
            try bench.milliseconds {
                bench.notice = try EpochKeys(committer).rotate(zone, in: &bench.neighbours.homes[0].store).notice
            }
        }
        var passed: [Hash] = []
        try report("grant by an administrator, arrives") { bench in
            let capability = try bench.passedOn(by: administrator, to: Self.guests[0])
            passed.append(capability.id)
            return try bench.takeNext(.grant(Grant(capability)), by: administrator)
        }
        try report("revocation by one, arrives") { bench in
            let ended = Revocation(capabilities: [passed.removeLast()], cuts: [], regrants: [], reason: "")
            return try bench.takeNext(.revoke(ended), by: administrator)
        }
        try report("share ls") { bench in
            try bench.milliseconds {
                let store = bench.neighbours.homes[0].store
                let state = try ZoneViews(committer).controlState(zone, in: store)
                let times = try ZoneViews(committer).grantTimes(state, zone: zone, in: store)
                guard times.count == state.participants.values.reduce(0, { $0 + $1.capabilities.count }) else {
                    preconditionFailure("each right that holds was granted at a time")
                }
            }
        }
        try report("members") { bench in
            try bench.milliseconds {
                guard let row = try bench.neighbours.homes[0].store.zone(zone) else { return }
                let members = try ZoneViews(committer).members(of: row, in: bench.neighbours.homes[0].store)
                guard members.count >= bench.readerCount else { preconditionFailure("a zone has members") }
            }
        }
    }

    /// Measures the operations that cannot be entered into the kept resolution, and are decided anew.
    private mutating func measureDecidedAnew() throws {
        row("control log, decided anew", ["µs, median", "largest", "sealing"])
        row("  \(try controlCount()) held", [])
        let (committer, zone) = (committer(0), zone)
        var left = 0
        var ended: [Hash] = []
        try report("a member leaves, arrives", times: Self.members.count) { bench in
            let member = Self.members[left]
            left += 1
            ended.append(bench.rights[member] ?? .zero)
            return try bench.takeNext(.leave(Leave(cuts: [])), by: member)
        }
        try report("a cut is raised", times: Self.members.count) { bench in
            let raise = CutRaise(capability: ended.removeLast(), cuts: [])
            return try bench.milliseconds {
                bench.notice = try ControlStatements(committer).say(
                    .raiseCut(raise),
                    zone: zone,
                    in: &bench.neighbours.homes[0].store
                )
            }
        }
        let consent = try neighbours.consent(of: Self.administrators[0], zone: zone, from: 0)
        try report("the zone is passed on", times: 1) { bench in
            try bench.milliseconds {
                bench.notice = try ZoneTransfers(committer).transfer(
                    zone,
                    with: consent,
                    keeping: .admin,
                    in: &bench.neighbours.homes[0].store
                )
            }
        }
    }

    /// The number of devices that read the zone: those of the owner, administrators, members and visitors.
    private var readerCount: Int { 2 + Self.administrators.count + Self.members.count + Self.visitors.count }

    /// Microseconds that one envelope takes.
    private func sealing() throws -> Double {
        let key = try envelopes.encapsulationKey(seed: [UInt8](repeating: 7, count: 32))
        let (envelopes, entropy) = (envelopes, TransactionEntropy())
        return Measurement {
            do {
                return try envelopes.seal([UInt8](repeating: 1, count: 32), to: key, info: [1], entropy: entropy).count
            } catch {
                preconditionFailure("an envelope: \(error)")
            }
        }.microseconds
    }

    private func milliseconds(_ body: () throws -> Void) rethrows -> Double {
        try Measurement.milliseconds(body)
    }

    /// Commits an operation of an account, and measures its cost at the receiver.
    private mutating func takeNext(_ body: ControlBody, by account: Int) throws -> Double {
        try say(body, by: home(of: account))
        guard let (run, key) = try newRun() else { preconditionFailure("a run to measure") }
        let committer = committer(0)
        return try Measurement.milliseconds { try take(run, key, by: committer) }
    }

    private mutating func report(
        _ name: String,
        times: Int = Self.repeatCount,
        sealing: Double? = nil,
        _ body: (inout Self) throws -> Double
    ) throws {
        // The previous measurement may have left keys to renew.
        notice = try EpochKeys(committer(0)).renewIfDue(zone, in: &neighbours.homes[0].store)
        var all: [Double] = []
        for _ in 0..<times { all.append(try body(&self) * 1_000) }
        all.sort()
        row("    " + name, [text(all[times / 2], 0), text(all[times - 1], 0), sealing.map { text($0, 0) } ?? ""])
    }
}
