import Capabilities
import Identity
import Records
import Sodium
import Sync
import TestSupport
import Testing
import Wire

@Suite("Sharing a zone with peers that break the rules")
struct SharingAbuseTests {
    private func checkpoint(_ n: inout Neighbours, _ zone: ZoneID, on index: Int) throws -> Checkpoint? {
        n.homes[index].wall += 2 * 24 * 60 * 60 * 1_000
        let sizes = try Dictionary(
            uniqueKeysWithValues: n.homes[index].store.logs(zone: zone).map { ($0.key, $0.size) }
        )
        for other in n.homes.indices where other != index {
            let device = n.homes[other].keys.deviceID
            try n.change(index) { try PeerMemory($0).acknowledged(by: device, sizes, in: &$2) }
        }
        return try n.change(index) { committer, _, store in
            let made = try CheckpointUpkeep(committer).settle(zone, in: &store).checkpoint
            try CheckpointUpkeep(committer).pruneAll(zone, in: &store)
            return made
        }
    }

    @Test func `void operations behind a fork are not restated under the owner's right`() throws {
        var n = try Neighbours([2, 1])
        let zone = try n.zone(of: 0)
        let capability = try n.grant(.append, to: 1, by: 0, zone: zone)
        try n.write("a", "alice", on: 0, zone: zone)
        try n.exchange(zone)
        var row = try #require(try n.homes[2].store.zone(zone))
        #expect(row.right == capability)
        row.role = .owner
        try n.homes[2].store.save(row)
        let before = n.homes[2].store
        #expect(try n.write("a", "stolen", on: 2, zone: zone) == nil)
        try n.pull(zone, from: 2, to: 0)
        #expect(try n.text("a", on: 0, zone: zone) == "alice")
        n.homes[2].store = before
        #expect(try n.write("c", "other history", on: 2, zone: zone) == nil)
        try n.pull(zone, from: 2, to: 1)
        // the two of Alice's meet
        let key = try #require(
            try n.homes[1].store.logs(zone: zone).first { $0.right == capability && $0.key.lane == .data }
        ).key
        let run = try #require(
            try RunExchange(n.committer(1)).run(key, from: 0, byteCount: 1 << 20, in: n.homes[1].store)
        )
        let outcome = n.apply(run, on: 0)
        guard case .fork = outcome else { Issue.record("\(outcome)"); return }
        for _ in 0..<3 { try n.change(0) { _ = try ZoneUpkeep($0).maintain(zone, in: &$2) } }
        try n.pull(zone, from: 0, to: 1)
        #expect(try n.text("a", on: 0, zone: zone) == "alice")
        #expect(try n.text("a", on: 1, zone: zone) == "alice")
    }

    @Test func `checkpoints continue after a participant's control log forked`() throws {
        var n = try Neighbours([2, 1, 1])
        let zone = try n.zone(of: 0)
        let caveats = Caveats(delegationDepth: 1)
        let capability = try n.grant(.admin, to: 1, by: 0, caveats: caveats, canDelegate: true, zone: zone)
        try n.exchange(zone)
        let before = n.homes[2].store
        _ = try n.grant(.read, to: 2, by: 2, zone: zone)
        try n.write("a", "1", on: 0, zone: zone)
        try n.exchange(zone)
        let first = try #require(try checkpoint(&n, zone, on: 0))
        #expect(first.logs.contains { $0.lane == .control })
        try n.exchange(zone)
        // Bob's machine is rolled back and writes something else.
        let ahead = n.homes[2].store
        n.homes[2].store = before
        _ = try n.grant(.write, to: 2, by: 2, zone: zone)
        let key = try #require(
            try n.homes[2].store.logs(zone: zone).first { $0.right == capability && $0.key.lane == .control }
        ).key
        let run = try #require(
            try RunExchange(n.committer(2)).run(key, from: 0, byteCount: 1 << 20, in: n.homes[2].store)
        )
        let outcome = n.apply(run, on: 0)
        guard case .fork(let proof) = outcome else { Issue.record("\(outcome)"); return }
        try n.change(1) { _ = try RunExchange($0).record(proof, random: &$1, in: &$2) }
        n.homes[2].store = ahead
        try n.write("a", "2", on: 0, zone: zone)
        try n.write("b", "2", on: 0, zone: zone)
        try n.exchange(zone, among: [0, 1])
        let second = try #require(try checkpoint(&n, zone, on: 0))
        #expect(try n.homes[0].store.zone(zone)?.adopted == second, "the maker adopts its own checkpoint")
    }

    @Test func `a fork of a control log is obeyed at once`() throws {
        var n = try Neighbours([2, 1, 1])
        let zone = try n.zone(of: 0)
        let caveats = Caveats(delegationDepth: 1)
        let capability = try n.grant(.admin, to: 1, by: 0, caveats: caveats, canDelegate: true, zone: zone)
        try n.exchange(zone)
        let before = n.homes[2].store
        _ = try n.grant(.write, to: 2, by: 2, zone: zone)
        try n.exchange(zone)
        try n.write("a", "carol", on: 3, zone: zone)
        try n.exchange(zone)
        n.homes[2].store = before
        _ = try n.grant(.read, to: 2, by: 2, zone: zone)
        let key = try #require(
            try n.homes[2].store.logs(zone: zone).first { $0.right == capability && $0.key.lane == .control }
        ).key
        let run = try #require(
            try RunExchange(n.committer(2)).run(key, from: 0, byteCount: 1 << 20, in: n.homes[2].store)
        )
        guard case .fork(let proof) = n.apply(run, on: 0) else { Issue.record("no fork"); return }
        try n.change(1) { _ = try RunExchange($0).record(proof, random: &$1, in: &$2) }
        let texts = try [0, 1].map { try n.text("a", on: $0, zone: zone) ?? "-" }
        let digest = try n.digests(zone, of: [0])
        try n.change(0) { _ = try AccountUpkeep($0).applyCuts(in: &$2) }
        #expect(try n.digests(zone, of: [0]) == digest, "ruling again changes nothing")
        let after = try [0, 1].map { try n.text("a", on: $0, zone: zone) ?? "-" }
        #expect(texts == after, "\(texts) \(after)")
    }

    @Test func `a device that may not write adds no control logs to the disks of others`() throws {
        var n = try Neighbours([1, 1])
        let zone = try n.zone(of: 0)
        let keys = DeviceIdentity(using: &n.random)
        let entry = try n.logs[0].addingDevice(
            try keys.certificate(name: "device", issued: 1),
            role: .readOnly,
            name: "device",
            signer: .device(n.homes[0].keys),
            using: &n.random
        )
        try n.logs[0].insert(entry.encoded)
        var store = MemoryStore(feedIdentity: n.random.bytes(16))
        _ = try StoreLifetime.begin(hasKeys: false, sentinel: .missing, machine: [], random: &n.random, in: &store)
        n.homes.append(Neighbours.Home(account: 0, keys: keys, store: store))
        let genesis = try #require(try n.homes[0].store.zone(zone)).genesis
        try n.change(2) { _ = try ZoneLifecycle($0).learn(zone, genesis: genesis, in: &$2) }
        let held = try n.homes[0].store.logs(zone: zone).count
        for _ in 1...20 {
            var row = try #require(try n.homes[2].store.zone(zone))
            row.right = Hash(try #require(Digest32(n.random.bytes(32))))
            row.role = .owner
            try n.homes[2].store.save(row)
            let keys = n.homes[2].keys
            try n.change(2) { committer, _, store in
                _ = try LocalWrites(
                    zone: zone,
                    author: try committer.author(in: zone, store),
                    wallMilliseconds: 1_700_000_000_000,
                    sign: { keys.sign($0, context: .treeHead) }
                ).commitControl(.publicAccess(.none), in: &store)
            }
        }
        try n.pull(zone, from: 2, to: 0)
        #expect(try n.homes[0].store.logs(zone: zone).filter { $0.size > 0 }.count == held)
        _ = try n.grant(.read, to: 1, by: 0, zone: zone)
        let own = try #require(
            try n.homes[0].store.logs(zone: zone).first {
                $0.device == n.homes[0].keys.deviceID && $0.key.lane == .control
            }
        )
        let head = try #require(try n.homes[0].store.head(own.key, atOrBelow: own.size))
        #expect(head.signed.head.seen.entries.count == 0, "what it says is named by everybody from now on")
    }

    @Test func `an account with append rights does not restate records of others`() throws {
        var n = try Neighbours([2, 1])
        let zone = try n.zone(of: 0)
        _ = try n.grant(.append, to: 1, by: 0, zone: zone)
        try n.exchange(zone)
        let before = n.homes[1].store
        try n.write("a", "x", on: 1, zone: zone)
        try n.pull(zone, from: 1, to: 2)
        n.homes[1].store = before
        try n.write("b", "y", on: 1, zone: zone)
        try n.pull(zone, from: 1, to: 0)
        let key = try #require(try n.homes[0].store.logs(zone: zone).first { $0.key.lane == .data }).key
        let run = try #require(
            try RunExchange(n.committer(0)).run(key, from: 0, byteCount: 1 << 20, in: n.homes[0].store)
        )
        guard case .fork(let proof) = n.apply(run, on: 2) else { Issue.record("no fork"); return }
        for i in [0, 1] { try n.change(i) { _ = try RunExchange($0).record(proof, random: &$1, in: &$2) } }
        for i in [0, 1, 2] { for _ in 0..<2 { try n.change(i) { _ = try ZoneUpkeep($0).maintain(zone, in: &$2) } } }
        try n.exchange(zone)
        let texts = try [0, 1, 2].map { try n.text("a", on: $0, zone: zone) ?? "-" }
        #expect(try n.digests(zone, of: [0, 1, 2]).count == 1)
        #expect(Set(texts).count == 1, "\(texts)")
    }

    @Test func `an account with read rights cannot fill disks`() throws {
        var n = try Neighbours([1, 1])
        let zone = try n.zone(of: 0)
        let capability = try n.grant(.read, to: 1, by: 0, zone: zone)
        try n.exchange(zone)
        var row = try #require(try n.homes[1].store.zone(zone))
        row.role = .owner
        try n.homes[1].store.save(row)
        for i in 0..<20 { try n.write("junk\(i)", "x", on: 1, zone: zone) }
        try n.pull(zone, from: 1, to: 0)
        let log = try n.homes[0].store.logs(zone: zone).first { $0.right == capability && $0.key.lane == .data }
        #expect(log?.size ?? 0 == 0)
    }
}
