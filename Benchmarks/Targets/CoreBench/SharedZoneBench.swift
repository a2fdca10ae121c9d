import Capabilities
import Identity
import Records
import Sodium
import Sync
import Synchronization
import TestSupport
import Wire

/// A zone with 100 participants and 1,000 changes of their rights, in stores in memory: the size of its control log,
/// the cost of resolving it, and the cost of one more change at its author and at a receiver.
struct SharedZoneBench {
    private static let participantCount = 100
    private static let changeCount = 1_000

    private var neighbours: Neighbours
    private let genesis: ZoneGenesis
    private var rights: [Int: Hash] = [:]

    /// Makes the zone, and a second store that has all of it.
    init() {
        do {
            neighbours = try Neighbours([Int](repeating: 1, count: Self.participantCount + 1), seed: 8)
            genesis = ZoneGenesis(
                owner: neighbours.account(0),
                container: "org.example.notes",
                name: "shared",
                salt: [UInt8](repeating: 3, count: ZoneGenesis.saltByteCount),
                history: .full,
                isDefault: false
            )
            try fill()
        } catch {
            preconditionFailure("a zone to measure: \(error)")
        }
    }

    private var zone: ZoneID { ZoneID(genesis) }

    private mutating func fill() throws {
        let genesis = genesis
        try neighbours.change(0) { _ = try ZoneLifecycle($0).create(genesis, in: &$2) }
        for account in 1...Self.participantCount { try grant(to: account) }
        for number in 0..<Self.changeCount {
            let account = 1 + number % Self.participantCount
            if number % 2 == 0 { try changeRights(of: account) } else { try grant(to: account) }
        }
        let tagKey = try neighbours.homes[0].store.zone(zone)?.tagKey ?? []
        try neighbours.change(1) { _ = try ZoneLifecycle($0).join(genesis, tagKey: tagKey, in: &$2) }
        // A run holds a part of the log.
        while try controlSize(neighbours.homes[1].store) < controlSize(neighbours.homes[0].store) {
            try neighbours.pull(zone, from: 0, to: 1)
        }
    }

    private func controlSize(_ store: MemoryStore) throws -> UInt64 {
        try store.logs(zone: zone).first { $0.key.lane == .control }?.size ?? 0
    }

    private func byteCount(_ log: LogKey, _ store: MemoryStore) throws -> Int {
        var (size, count) = (UInt64(0), 0)
        while let run = try RunExchange(neighbours.committer(0)).run(log, from: size, byteCount: 1 << 20, in: store) {
            size = run.signedHead.head.size
            count += run.encoded.count
        }
        return count
    }

    private mutating func capability(for account: Int) throws -> SignedCapability {
        let owner = neighbours.homes[0].keys
        return try Capability.issue(
            Capability.Terms(audience: neighbours.account(account), rights: Rights(.write)),
            resource: .zone(zone),
            owner: neighbours.account(0),
            signer: owner.deviceID,
            using: &neighbours.random,
            sign: owner.sign
        )
    }

    private mutating func grant(to account: Int) throws {
        let capability = try capability(for: account)
        rights[account] = capability.id
        try say(.grant(Grant(capability)))
    }

    /// Ends a right, and gives another in its place.
    private mutating func changeRights(of account: Int) throws {
        let ended = rights[account] ?? .zero
        let capability = try capability(for: account)
        rights[account] = capability.id
        try say(.revoke(Revocation(capabilities: [ended], cuts: [], regrants: [capability], reason: "")))
    }

    /// Commits an operation without checking whether it is allowed, which would take long for so many.
    private mutating func say(_ body: ControlBody) throws {
        let zone = zone
        try neighbours.change(0) { committer, _, store in
            try LocalWrites(
                zone: zone,
                author: try committer.author(in: zone, store),
                wallMilliseconds: committer.wallMilliseconds,
                sign: { committer.keys.sign($0, context: .treeHead) }
            ).commitControl(body, in: &store)
        }
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
        let key = neighbours.homes[0].keys
        let message = [UInt8](repeating: 1, count: 256)
        let signature = key.sign(message, context: .capability)
        let check = Measurement {
            key.deviceID.verifyingKey.isValid(signature.signature, over: message, context: .capability) ? 1 : 0
        }
        row("shared zone", ["", "milliseconds", "checks"])
        report("one check of a signature", check, beside: check)
        let (zone, owner, member) = (zone, neighbours.committer(0), neighbours.committer(1))
        let (store, other) = (neighbours.homes[0].store, neighbours.homes[1].store)
        report(
            "read its control log",
            try times { try HeldControl.all(zone: zone, in: store).count },
            beside: check
        )
        report("read, verify and resolve it", try times { try state(owner, zone, store) }, beside: check)
        let (remembering, knowing) = (remembering(owner), remembering(member))
        report("the same, remembering signatures", try times { try state(remembering, zone, store) }, beside: check)
        let random = neighbours.random
        let terms = Capability.Terms(audience: neighbours.account(5), rights: Rights(.read))
        for (name, committer) in [("one more grant", owner), ("the same, remembering signatures", remembering)] {
            let grants = try times {
                var (store, random) = (store, random)
                return try ZoneSharing(committer).grant(terms, zone: zone, random: &random, in: &store).notice.zones
                    .count
            }
            report(name, grants, beside: check)
        }
        let size = try controlSize(store)
        try grant(to: 7)
        guard let log = try store.logs(zone: zone).first(where: { $0.key.lane == .control }),
            let run = try RunExchange(owner).run(log.key, from: size, byteCount: 1 << 20, in: neighbours.homes[0].store)
        else { preconditionFailure("a run to measure") }
        for (name, committer) in [("one more arrives", member), ("the same, remembering signatures", knowing)] {
            let arrivals = try times {
                var (store, random) = (other, random)
                let taken = try RunExchange(committer).apply(run, key: log.key, random: &random, in: &store)
                guard case .durable = taken.reply else { preconditionFailure("the run is taken") }
                return taken.notice.zones.count
            }
            report(name, arrivals, beside: check)
        }
        let participants = try ZoneViews(owner).controlState(zone, in: store).participants.count
        print("  \(participants) participants, \(size) operations, \(try byteCount(log.key, store)) bytes on the wire")
    }

    /// The same committer, with a memory of signatures that outlives it.
    private func remembering(_ committer: Committer) -> Committer {
        let memory = Memory()
        return Committer(
            keys: committer.keys,
            account: committer.account,
            contacts: committer.accounts,
            keyring: committer.keyring,
            wallMilliseconds: committer.wallMilliseconds,
            verify: { signed in memory.signatures.withLock { $0.verify(signed) } }
        )
    }

    /// As a node has one.
    private final class Memory: Sendable {
        let signatures = Mutex(SignatureMemory())
    }

    private func state(_ committer: Committer, _ zone: ZoneID, _ store: MemoryStore) throws -> Int {
        try ZoneViews(committer).controlState(zone, in: store).participants.count
    }

    /// Measures a body that may fail, and then is not measured.
    private func times(_ body: () throws -> Int) throws -> Measurement {
        _ = try body()
        return Measurement {
            do { return try body() } catch { preconditionFailure("what is measured: \(error)") }
        }
    }

    private func report(_ name: String, _ measurement: Measurement, beside check: Measurement) {
        let milliseconds = measurement.microseconds / 1_000
        row("  " + name, ["", text(milliseconds, 3), text(measurement.microseconds / check.microseconds, 0)])
    }
}
