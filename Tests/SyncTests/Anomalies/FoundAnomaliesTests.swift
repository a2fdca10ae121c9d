import Capabilities
import Identity
import Records
import Sodium
import Sync
import TestSupport
import Testing
import Wire

@Suite struct `Anomalies that a transaction finds in a run` {
    /// Pulls everything of a zone that one device lacks from another one, and returns the anomalies in it.
    private func pull(_ zone: ZoneID, from source: Int, to target: Int, _ n: inout Neighbours) throws -> [Anomaly] {
        var found: [Anomaly] = []
        for lane in [Lane.control, .data] {
            for row in try n.homes[source].store.logs(zone: zone) where row.key.lane == lane {
                let from = try n.homes[target].store.log(row.key)?.heldSize ?? 0
                let store = n.homes[source].store
                guard
                    let run = try RunExchange(n.committer(source)).run(
                        row.key,
                        from: from,
                        byteCount: 1 << 20,
                        in: store
                    )
                else { continue }
                found += try n.change(target) {
                    try RunExchange($0).apply(run, key: row.key, random: &$1, in: &$2).notice.anomalies
                }
            }
        }
        return found
    }

    /// Commits an operation without checking whether it is allowed.
    private func say(_ body: ControlBody, in zone: ZoneID, by index: Int, _ n: inout Neighbours) throws {
        try n.change(index) { committer, _, store in
            try LocalWrites(
                zone: zone,
                author: try committer.author(in: zone, store),
                wallMilliseconds: committer.wallMilliseconds,
                sign: { committer.keys.sign($0, context: .treeHead) }
            ).commitControl(body, in: &store)
        }
    }

    /// A capability under the right that a device has in a zone.
    private func capability(
        _ level: AccessLevel,
        by index: Int,
        in zone: ZoneID,
        _ n: inout Neighbours
    ) throws -> SignedCapability {
        let keys = n.homes[index].keys
        return try Capability.issue(
            Capability.Terms(audience: n.account(2), rights: Rights(level)),
            resource: .zone(zone),
            owner: n.account(n.homes[index].account),
            signer: keys.deviceID,
            using: &n.random,
            sign: keys.sign
        )
    }

    /// Alice (device 0) owns the zone, Bob (1) has a right, Carol (2) looks on.
    private func shared(_ level: AccessLevel, canDelegate: Bool = false) throws -> (Neighbours, ZoneID) {
        var n = try Neighbours([1, 1, 1])
        let zone = try n.zone(of: 0)
        _ = try n.grant(
            level,
            to: 1,
            by: 0,
            caveats: canDelegate ? Caveats(delegationDepth: 1) : Caveats(),
            canDelegate: canDelegate,
            zone: zone
        )
        try n.exchange(zone)
        return (n, zone)
    }

    @Test func `a capability under a signature that is not its own, as often as it comes, once`() throws {
        var (n, zone) = try shared(.admin)
        for _ in 0..<3 {
            let (one, other) = (
                try capability(.read, by: 1, in: zone, &n), try capability(.read, by: 1, in: zone, &n)
            )
            let forged = SignedCapability(one.capability, signature: other.signature)
            try say(.grant(Grant(forged)), in: zone, by: 1, &n)
        }
        let found = try pull(zone, from: 1, to: 0, &n)
        #expect(found.map(\.kind) == [.refusedCapability])
        #expect(found.map(\.author) == [n.homes[1].keys.deviceID])
        #expect(found.map(\.zone) == [zone])
        #expect(found.map(\.count) == [3])
        #expect(found.map(\.detail) == ["capability_bad_signature"])
        #expect(try pull(zone, from: 1, to: 0, &n).isEmpty, "it is held by now")
        #expect(try pull(zone, from: 0, to: 2, &n).map(\.author) == found.map(\.author), "whoever hands it on")
    }

    @Test func `a capability that is not under the granting account's right`() throws {
        var (n, zone) = try shared(.write)
        try say(.grant(Grant(try capability(.admin, by: 1, in: zone, &n))), in: zone, by: 1, &n)
        #expect(try pull(zone, from: 1, to: 0, &n).map(\.kind) == [.refusedCapability])
    }

    @Test func `a capability that a revocation grants anew and may not`() throws {
        var (n, zone) = try shared(.admin)
        let regrant = try capability(.admin, by: 1, in: zone, &n)
        try say(.revoke(Revocation(capabilities: [regrant.id], regrants: [regrant])), in: zone, by: 1, &n)
        #expect(try pull(zone, from: 1, to: 0, &n).map(\.kind) == [.refusedCapability])
    }

    @Test func `something about the zone that the author's right does not reach to`() throws {
        var (n, zone) = try shared(.read)
        try say(.publicAccess(.none), in: zone, by: 1, &n)
        let found = try pull(zone, from: 1, to: 0, &n)
        #expect(found.map(\.kind) == [.outOfRight])
        #expect(found.map(\.detail) == ["level_too_low"])
    }

    @Test func `a record that the author may not write`() throws {
        var (n, zone) = try shared(.append)
        try n.write("a", "alice", on: 0, zone: zone)
        try n.exchange(zone)
        var row = try #require(try n.homes[1].store.zone(zone))
        row.role = .owner
        try n.homes[1].store.save(row)
        #expect(try n.write("a", "stolen", on: 1, zone: zone) == nil)
        let found = try pull(zone, from: 1, to: 0, &n)
        #expect(found.map(\.kind) == [.outOfRight])
        #expect(found.map(\.author) == [n.homes[1].keys.deviceID])
    }

    @Test func `a second history of a log`() throws {
        var (n, zone) = try shared(.write)
        let before = n.homes[1].store
        try n.write("a", "one", on: 1, zone: zone)
        #expect(try pull(zone, from: 1, to: 0, &n).isEmpty)
        n.homes[1].store = before
        try n.write("b", "other", on: 1, zone: zone)
        let key = try #require(try n.homes[1].store.logs(zone: zone).first { $0.key.lane == .data }).key
        let store = n.homes[1].store
        let run = try #require(try RunExchange(n.committer(1)).run(key, from: 0, byteCount: 1 << 20, in: store))
        let found = try n.change(0) { try RunExchange($0).apply(run, key: key, random: &$1, in: &$2).notice.anomalies }
        #expect(found.map(\.kind) == [.forkedLog])
        #expect(found.map(\.author) == [n.homes[1].keys.deviceID])
    }

    @Test func `nothing in the operations of honest devices, in any order of arrival`() throws {
        for seed in 0..<12 as Range<UInt64> {
            var dice = SeededGenerator(seed: seed)
            var n = try Neighbours([2, 2, 1], seed: seed + 1)
            let zone = try n.zone(of: 0)
            var granted: [(id: Hash, by: Int)] = []
            var found: [Anomaly] = []
            for step in 0..<60 {
                let index = Int(dice.next() % 5)
                // A device refuses by itself anything that it may not do.
                switch dice.next() % 6 {
                case 0:
                    let account = Int(dice.next() % 3)
                    let level = AccessLevel.allCases[Int(dice.next() % UInt64(AccessLevel.allCases.count))]
                    let canDelegate = level == .admin
                    let caveats = canDelegate ? Caveats(delegationDepth: 1) : Caveats()
                    if let id = try? n.grant(
                        level,
                        to: account,
                        by: index,
                        caveats: caveats,
                        canDelegate: canDelegate,
                        zone: zone
                    ) {
                        granted.append((id, index))
                    }
                case 1 where !granted.isEmpty:
                    let ended = granted[Int(dice.next() % UInt64(granted.count))]
                    _ = try? n.change(ended.by) {
                        try ZoneSharing($0).revoke([ended.id], zone: zone, reason: "", in: &$2)
                    }
                case 2: _ = try? n.change(index) { try ZoneSharing($0).leave(zone, in: &$2) }
                case 3: _ = try? n.delete("r\(dice.next() % 3)", on: index, zone: zone)
                default: _ = try? n.write("r\(dice.next() % 3)", "\(step)", on: index, zone: zone)
                }
                let target = Int(dice.next() % 5)
                if target != index { found += try pull(zone, from: index, to: target, &n) }
            }
            #expect(found.isEmpty, "seed \(seed): \(found.map { ($0.kind, $0.detail) })")
        }
    }
}
