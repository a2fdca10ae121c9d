import Identity
import Records
import Sync
import TestSupport
import Testing
import Wire

/// The keys of zones, among accounts that seal their records.
@Suite struct `The key of a zone` {
    private func neighbours(_ counts: [Int] = [1, 1], seed: UInt64 = 1) throws -> Neighbours {
        try Neighbours(counts, seed: seed, envelopes: BoxEnvelopes())
    }

    private func epoch(_ neighbours: Neighbours, _ zone: ZoneID, on index: Int) throws -> Hash? {
        try neighbours.homes[index].store.zone(zone)?.sealing.epoch
    }

    private func restart(_ neighbours: inout Neighbours, _ index: Int) throws {
        neighbours.homes[index].store.keyring = EpochKeyring()
        try neighbours.change(index) { _ = try AccountUpkeep($0).applyCuts(in: &$2) }
    }

    @Test func `is there from the beginning, and no record is written without it`() throws {
        var neighbours = try neighbours()
        let zone = try neighbours.zone(of: 0)
        let epoch = try #require(try epoch(neighbours, zone, on: 0))
        try neighbours.write("groceries", "milk and tea", on: 0, zone: zone)
        let log = try #require(try neighbours.homes[0].store.logs(zone: zone).first { $0.key.lane == .data })
        let run = try #require(
            try RunExchange(neighbours.committer(0)).run(
                log.key,
                from: 0,
                byteCount: 1 << 20,
                in: neighbours.homes[0].store
            )
        )
        guard case .operation(let operation) = run.items[0] else {
            Issue.record("not an operation")
            return
        }
        #expect(operation.header.epoch == epoch)
        for secret in ["groceries", "milk and tea", "note", "text"] {
            #expect(!run.encoded.contains(Array(secret.utf8)))
        }
        #expect(try neighbours.text("groceries", on: 0, zone: zone) == "milk and tea")
    }

    @Test func `is given to a new reader, which then reads earlier records`() throws {
        var neighbours = try neighbours()
        let zone = try neighbours.zone(of: 0)
        try neighbours.write("a", "before", on: 0, zone: zone)
        _ = try neighbours.grant(.write, to: 1, by: 0, zone: zone)
        try neighbours.exchange(zone)
        #expect(try neighbours.text("a", on: 1, zone: zone) == "before")
        try neighbours.write("b", "after", on: 1, zone: zone)
        try neighbours.exchange(zone)
        #expect(try neighbours.text("b", on: 0, zone: zone) == "after")
        #expect(try neighbours.digests(zone, of: [0, 1]).count == 1)
    }

    @Test func `is given to an account that a checkpoint of the device itself admits`() throws {
        var neighbours = try neighbours([1, 1, 1])
        let zone = try neighbours.zone(of: 0)
        let caveats = Caveats(delegationDepth: 1)
        _ = try neighbours.grant(.admin, to: 1, by: 0, caveats: caveats, canDelegate: true, zone: zone)
        try neighbours.exchange(zone)
        try neighbours.write("a", "1", on: 0, zone: zone)
        // Neither knows of the other: the grant becomes effective once a checkpoint covers it.
        #expect(try neighbours.checkpoint(zone, on: 0) != nil)
        _ = try neighbours.grant(.read, to: 2, by: 1, zone: zone)
        try neighbours.pull(zone, from: 1, to: 0)
        #expect(try !neighbours.participants(of: zone, on: 0).contains(2))
        try neighbours.write("b", "1", on: 0, zone: zone)
        #expect(try neighbours.checkpoint(zone, on: 0) != nil)
        #expect(try neighbours.participants(of: zone, on: 0).contains(2))
        try neighbours.change(0) { committer, _, store in _ = try EpochKeys(committer).renewWhereDue(in: &store) }
        try neighbours.settle(zone)
        #expect(try neighbours.text("b", on: 2, zone: zone) == "1")
    }

    @Test func `changes when a reader is revoked, which cannot open later records`() throws {
        var neighbours = try neighbours([1, 1, 1])
        let zone = try neighbours.zone(of: 0)
        let right = try neighbours.grant(.write, to: 1, by: 0, zone: zone)
        _ = try neighbours.grant(.write, to: 2, by: 0, zone: zone)
        try neighbours.exchange(zone)
        let before = try epoch(neighbours, zone, on: 0)
        try neighbours.change(0) { _ = try ZoneSharing($0).revoke([right], zone: zone, reason: "", in: &$2) }
        let after = try #require(try epoch(neighbours, zone, on: 0))
        #expect(after != before)
        try neighbours.write("secret", "not for one", on: 0, zone: zone)
        try neighbours.exchange(zone)
        #expect(try neighbours.text("secret", on: 2, zone: zone) == "not for one")
        // It received all the bytes, and holds no key for them.
        #expect(try neighbours.text("secret", on: 1, zone: zone) == nil)
        #expect(neighbours.homes[1].store.keyring.key(after) == nil)
        let store = neighbours.homes[1].store
        let row = try store.record(zone: zone, tag: try RecordTag(of: "secret", zone: zone, in: store))
        #expect(row?.isLocked == true && row?.isDeleted == true)
    }

    /// Makes a device that begins a key and delivers it to one other, and is removed by a third that does not know of
    /// it.
    private func cutKey() throws -> (neighbours: Neighbours, zone: ZoneID, epoch: Hash) {
        var neighbours = try neighbours([4])
        let zone = try neighbours.zone(of: 0)
        try neighbours.write("b", "of the one who removes", on: 3, zone: zone)
        try neighbours.change(1) { _ = try EpochKeys($0).rotate(zone, in: &$2) }
        let cut = try #require(try epoch(neighbours, zone, on: 1))
        try neighbours.pull(zone, from: 1, to: 2)
        try neighbours.write("a", "under the key", on: 2, zone: zone)
        try neighbours.remove(1, by: 3)
        // Its statement comes before the operations that it cuts.
        for index in [0, 2] { try neighbours.pull(zone, from: 3, to: index) }
        try neighbours.settle(zone, among: [0, 2, 3])
        return (neighbours, zone, cut)
    }

    @Test func `that was begun above the cut of its maker reaches readers that did not have it`() throws {
        var (neighbours, zone, cut) = try cutKey()
        #expect(try neighbours.text("a", on: 2, zone: zone) == "under the key")
        for index in [0, 3] { #expect(neighbours.homes[index].store.keyring.key(cut) == nil) }
        #expect(try neighbours.homes[2].store.zone(zone)?.needsKeys == true)
        try neighbours.change(2) { _ = try ZoneUpkeep($0).maintain(zone, in: &$2) }
        #expect(try neighbours.homes[2].store.zone(zone)?.needsKeys == false)
        #expect(try neighbours.change(2) { try ZoneUpkeep($0).maintain(zone, in: &$2).number } == nil)
        try neighbours.settle(zone, among: [0, 2, 3])
        for index in [0, 3] {
            #expect(neighbours.homes[index].store.keyring.key(cut) != nil)
            #expect(try neighbours.text("a", on: index, zone: zone) == "under the key")
            // The repeated statement needs no further repetition.
            #expect(try neighbours.homes[index].store.zone(zone)?.needsKeys == false)
        }
        try restart(&neighbours, 3)
        #expect(try neighbours.text("a", on: 3, zone: zone) == "under the key")
        // No device writes under it: the removed device has it.
        for index in [0, 2, 3] { #expect(try epoch(neighbours, zone, on: index) != cut) }
    }

    @Test func `that was begun above a cut reaches readers that did not have it in a public zone, too`() throws {
        var (neighbours, zone, cut) = try cutKey()
        let access = PublicAccess(world: .read, authenticated: [], creator: [])
        try neighbours.change(0) { _ = try ZoneSharing($0).setPublicAccess(access, zone: zone, in: &$2) }
        try neighbours.settle(zone, among: [0, 2, 3])
        try neighbours.change(2) { _ = try ZoneUpkeep($0).maintain(zone, in: &$2) }
        try neighbours.settle(zone, among: [0, 2, 3])
        #expect(neighbours.homes[3].store.keyring.key(cut) != nil)
        #expect(try neighbours.text("a", on: 3, zone: zone) == "under the key")
    }

    @Test func `that a stricter cut removes afterwards is restated`() throws {
        var neighbours = try neighbours([4])
        let zone = try neighbours.zone(of: 0)
        try neighbours.write("b", "of the one who has not heard", on: 3, zone: zone)
        try neighbours.change(1) { _ = try EpochKeys($0).rotate(zone, in: &$2) }
        try neighbours.pull(zone, from: 1, to: 2)
        try neighbours.write("a", "under the key", on: 2, zone: zone)
        let before = neighbours.logs[0]
        // A device that knows the key removes its maker, and so does another one at the same time that does not.
        try neighbours.remove(1, by: 2)
        try neighbours.change(2) { _ = try ZoneUpkeep($0).maintain(zone, in: &$2) }
        #expect(try neighbours.homes[2].store.zone(zone)?.needsKeys == false)
        let removal = try before.removingDevice(
            neighbours.homes[1].keys.deviceID,
            witness: neighbours.homes[3].keys.deviceID,
            signer: .device(neighbours.homes[3].keys),
            using: &neighbours.random
        )
        try neighbours.logs[0].insert(removal.encoded)
        for index in [0, 2, 3] { try neighbours.change(index) { _ = try AccountUpkeep($0).applyCuts(in: &$2) } }
        try neighbours.pull(zone, from: 3, to: 2)
        #expect(try neighbours.homes[2].store.zone(zone)?.needsKeys == true)
        try neighbours.change(2) { _ = try ZoneUpkeep($0).maintain(zone, in: &$2) }
        try neighbours.settle(zone, among: [0, 2, 3])
        #expect(try neighbours.text("a", on: 3, zone: zone) == "under the key")
    }

    @Test func `that was given above a cut is given again`() throws {
        var neighbours = try neighbours([3, 1])
        let zone = try neighbours.zone(of: 0, history: .fromJoin)
        try neighbours.write("a", "for the account", on: 0, zone: zone)
        try neighbours.exchange(zone)
        let late = try neighbours.addDevice(of: 0, role: .full)
        let row = try #require(try neighbours.homes[0].store.zone(zone))
        try neighbours.change(late) { _ = try ZoneLifecycle($0).join(row.genesis, tagKey: row.tagKey, in: &$2) }
        for index in 0..<3 { try neighbours.change(index) { _ = try AccountUpkeep($0).applyCuts(in: &$2) } }
        #expect(try neighbours.change(1) { try ZoneUpkeep($0).maintain(zone, in: &$2).number } != nil)
        try neighbours.pull(zone, from: 1, to: 2)
        #expect(try neighbours.homes[2].store.zone(zone)?.needsKeys == false)
        try neighbours.remove(1, by: 0)
        // The present key leads to none of the earlier ones, which the other account may not have; and this device
        // has received a statement that no other device receives any more: that the late one has that key.
        _ = try neighbours.grant(.read, to: 1, by: 2, zone: zone)
        try neighbours.change(2) { _ = try ZoneUpkeep($0).maintain(zone, in: &$2) }
        try neighbours.settle(zone, among: [2, 3, late])
        #expect(try neighbours.text("a", on: late, zone: zone) == "for the account")
        #expect(try neighbours.text("a", on: 3, zone: zone) == nil)
    }

    @Test func `is restored after a restart, for all epochs, from the store`() throws {
        var neighbours = try neighbours([1, 1])
        let zone = try neighbours.zone(of: 0)
        _ = try neighbours.grant(.write, to: 1, by: 0, zone: zone)
        for round in 0..<3 {
            try neighbours.write("a\(round)", "text \(round)", on: 0, zone: zone)
            try neighbours.change(0) { _ = try EpochKeys($0).rotate(zone, in: &$2) }
            try neighbours.write("a\(round)", "text \(round) again", on: 0, zone: zone)
        }
        try neighbours.exchange(zone)
        for index in [0, 1] {
            try restart(&neighbours, index)
            try neighbours.write("of \(index)", "after the restart", on: index, zone: zone)
        }
        try neighbours.exchange(zone)
        for index in [0, 1] {
            #expect(try neighbours.text("a2", on: index, zone: zone) == "text 2 again")
            #expect(try neighbours.text("of \(1 - index)", on: index, zone: zone) == "after the restart")
        }
    }

    @Test func `of every earlier epoch is in the chain, for a reader that joins after many rotations`() throws {
        var neighbours = try neighbours([1, 1])
        let zone = try neighbours.zone(of: 0)
        for round in 0..<4 {
            try neighbours.write("a\(round)", "text \(round)", on: 0, zone: zone)
            try neighbours.change(0) { _ = try EpochKeys($0).rotate(zone, in: &$2) }
        }
        _ = try neighbours.grant(.read, to: 1, by: 0, zone: zone)
        try neighbours.exchange(zone)
        for round in 0..<4 { #expect(try neighbours.text("a\(round)", on: 1, zone: zone) == "text \(round)") }
    }

    @Test func `of an earlier epoch is not for a reader of a zone whose history begins with the join`() throws {
        var neighbours = try neighbours([1, 1])
        let zone = try neighbours.zone(of: 0, history: .fromJoin)
        try neighbours.write("old", "before the join", on: 0, zone: zone)
        _ = try neighbours.grant(.write, to: 1, by: 0, zone: zone)
        try neighbours.write("new", "after the join", on: 0, zone: zone)
        try neighbours.exchange(zone)
        #expect(try neighbours.text("old", on: 1, zone: zone) == nil)
        #expect(try neighbours.text("new", on: 1, zone: zone) == "after the join")
        // A member that cannot read the present state would drop it unseen.
        #expect(try neighbours.write("old", "blindly", on: 1, zone: zone) == .notReadable)
        try neighbours.write("old", "said again", on: 0, zone: zone)
        try neighbours.exchange(zone)
        #expect(try neighbours.text("old", on: 1, zone: zone) == "said again")
        #expect(try neighbours.write("old", "seen", on: 1, zone: zone) == nil)
    }

    @Test func `of before is for a further device of an account that had it`() throws {
        var neighbours = try neighbours([2, 1])
        let zone = try neighbours.zone(of: 2, history: .fromJoin)
        _ = try neighbours.grant(.write, to: 0, by: 2, zone: zone)
        try neighbours.write("a", "for both", on: 2, zone: zone)
        try neighbours.exchange(zone)
        #expect(try neighbours.text("a", on: 0, zone: zone) == "for both")
        #expect(try neighbours.text("a", on: 1, zone: zone) == "for both")
    }

    @Test func `changes when a device of a member is removed, by the first device that learns of it`() throws {
        var neighbours = try neighbours([1, 2])
        let zone = try neighbours.zone(of: 0)
        _ = try neighbours.grant(.write, to: 1, by: 0, zone: zone)
        try neighbours.exchange(zone)
        try neighbours.remove(2, by: 1)
        // Until a device has made a new key, no device writes under the old one.
        try neighbours.write("a", "for who is left", on: 0, zone: zone)
        let epoch = try #require(try epoch(neighbours, zone, on: 0))
        try neighbours.exchange(zone)
        #expect(try neighbours.text("a", on: 1, zone: zone) == "for who is left")
        #expect(neighbours.homes[2].store.keyring.key(epoch) == nil)
        #expect(try neighbours.text("a", on: 2, zone: zone) == nil)
    }

    @Test func `is also made by an account with append rights, since it must seal its records`() throws {
        var neighbours = try neighbours([1, 1, 1])
        let zone = try neighbours.zone(of: 0)
        let right = try neighbours.grant(.write, to: 1, by: 0, zone: zone)
        _ = try neighbours.grant(.append, to: 2, by: 0, zone: zone)
        try neighbours.exchange(zone)
        // The owner's operation travels without the key that followed it.
        try neighbours.say(.revoke(Revocation(capabilities: [right])), on: 0, zone: zone)
        try neighbours.pull(zone, from: 0, to: 2)
        #expect(try neighbours.write("mine", "sealed anew", on: 2, zone: zone) == nil)
        let epoch = try #require(try epoch(neighbours, zone, on: 2))
        try neighbours.exchange(zone)
        #expect(try neighbours.text("mine", on: 0, zone: zone) == "sealed anew")
        #expect(neighbours.homes[1].store.keyring.key(epoch) == nil)
    }

    @Test func `that two devices make at once is one of two that both can read`() throws {
        var neighbours = try neighbours([1, 1])
        let zone = try neighbours.zone(of: 0)
        _ = try neighbours.grant(.write, to: 1, by: 0, zone: zone)
        try neighbours.exchange(zone)
        for index in [0, 1] {
            try neighbours.change(index) { _ = try EpochKeys($0).rotate(zone, in: &$2) }
            try neighbours.write("of \(index)", "apart", on: index, zone: zone)
        }
        try neighbours.exchange(zone)
        for index in [0, 1] {
            #expect(try neighbours.text("of \(1 - index)", on: index, zone: zone) == "apart")
        }
        #expect(try epoch(neighbours, zone, on: 0) == epoch(neighbours, zone, on: 1))
    }

    @Test func `is published with a zone that becomes public, and changes when the zone is closed`() throws {
        var neighbours = try neighbours([1, 1])
        let zone = try neighbours.zone(of: 0)
        try neighbours.write("a", "sealed", on: 0, zone: zone)
        let open = PublicAccess(world: [.read], authenticated: [.read], creator: [])
        try neighbours.change(0) { _ = try ZoneSharing($0).setPublicAccess(open, zone: zone, in: &$2) }
        try neighbours.write("b", "in clear", on: 0, zone: zone)
        try neighbours.exchange(zone)
        #expect(try neighbours.text("a", on: 1, zone: zone) == "sealed")
        #expect(try neighbours.text("b", on: 1, zone: zone) == "in clear")
        #expect(try neighbours.homes[0].store.zone(zone)?.sealing == .open)
        try neighbours.change(0) { _ = try ZoneSharing($0).setPublicAccess(.none, zone: zone, in: &$2) }
        try neighbours.write("c", "sealed again", on: 0, zone: zone)
        try neighbours.exchange(zone)
        #expect(try neighbours.text("c", on: 1, zone: zone) == nil)
        #expect(try neighbours.text("c", on: 0, zone: zone) == "sealed again")
    }

    @Test func `that does not open here is followed by another when something is written`() throws {
        var neighbours = try neighbours([1, 1])
        let zone = try neighbours.zone(of: 0)
        _ = try neighbours.grant(.write, to: 1, by: 0, zone: zone)
        try neighbours.exchange(zone)
        // A malicious member leaves one reader out and claims that it did not.
        let present = try #require(try epoch(neighbours, zone, on: 0))
        let lie = KeyEpoch(
            previous: [present],
            confirm: Hash(neighbours.random.bytes(32)) ?? .zero,
            chain: [],
            envelopes: neighbours.homes.map { KeyEnvelope(device: $0.keys.deviceID, sealed: [1, 2, 3]) }
        )
        try neighbours.say(.epoch(lie.encoded), on: 1, zone: zone)
        try neighbours.exchange(zone)
        #expect(try neighbours.write("a", "still here", on: 0, zone: zone) == nil)
        try neighbours.exchange(zone)
        #expect(try neighbours.text("a", on: 1, zone: zone) == "still here")
    }

    @Test func `that a member falsely claims to disclose changes nothing`() throws {
        var neighbours = try neighbours([1, 1])
        let zone = try neighbours.zone(of: 0)
        _ = try neighbours.grant(.write, to: 1, by: 0, zone: zone)
        try neighbours.exchange(zone)
        let present = try #require(try epoch(neighbours, zone, on: 0))
        let lie = KeyDelivery(epoch: present, disclosed: Hash(neighbours.random.bytes(32)))
        try neighbours.say(.delivery(lie.encoded), on: 1, zone: zone)
        try neighbours.exchange(zone)
        try neighbours.write("a", "as before", on: 0, zone: zone)
        #expect(try epoch(neighbours, zone, on: 0) == present)
    }

    @Test(arguments: [ZoneHistory.full, .fromJoin])
    func `does not wait for a device that states an invalid key`(history: ZoneHistory) throws {
        var neighbours = try neighbours([1, 1, 1])
        let zone = try neighbours.zone(of: 0, history: history)
        try neighbours.restate([1, 2, 3], on: 1, issued: 2)
        _ = try neighbours.grant(.write, to: 1, by: 0, zone: zone)
        _ = try neighbours.grant(.write, to: 2, by: 0, zone: zone)
        try neighbours.exchange(zone)
        for index in [0, 2] {
            // Otherwise a member could make the others write key after key.
            #expect(try neighbours.change(index) { try ZoneUpkeep($0).maintain(zone, in: &$2) }.number == nil)
            #expect(try neighbours.homes[index].store.zone(zone)?.needsKeys == false)
        }
        try neighbours.write("a", "not for one", on: 2, zone: zone)
        try neighbours.exchange(zone)
        #expect(try neighbours.text("a", on: 0, zone: zone) == "not for one")
        #expect(try neighbours.text("a", on: 1, zone: zone) == nil)
        try neighbours.restate(nil, on: 1, issued: 3)
        #expect(try neighbours.change(0) { try ZoneUpkeep($0).maintain(zone, in: &$2) }.number != nil)
        try neighbours.write("b", "for all", on: 0, zone: zone)
        try neighbours.exchange(zone)
        #expect(try neighbours.text("b", on: 1, zone: zone) == "for all")
    }

    @Test func `follows after a month, and not before`() throws {
        var neighbours = try neighbours([1])
        let zone = try neighbours.zone(of: 0)
        let first = try epoch(neighbours, zone, on: 0)
        neighbours.homes[0].wall += EpochKeys.writingMilliseconds - 60_000
        try neighbours.change(0) { _ = try ZoneUpkeep($0).maintain(zone, in: &$2) }
        #expect(try epoch(neighbours, zone, on: 0) == first)
        neighbours.homes[0].wall += 120_000
        try neighbours.change(0) { _ = try ZoneUpkeep($0).maintain(zone, in: &$2) }
        let second = try epoch(neighbours, zone, on: 0)
        #expect(second != nil && second != first)
        #expect(try neighbours.change(0) { try ZoneUpkeep($0).maintain(zone, in: &$2) }.number == nil)
    }

    @Test func `follows after a month where its author's clock was thirty years ahead`() throws {
        var neighbours = try neighbours([2])
        let zone = try neighbours.zone(of: 0)
        let wall = neighbours.homes[0].wall
        neighbours.homes[1].wall += 30 * 31_557_600_000
        try neighbours.change(1) { _ = try EpochKeys($0).rotate(zone, in: &$2) }
        try neighbours.exchange(zone)
        let future = try epoch(neighbours, zone, on: 1)
        #expect(try epoch(neighbours, zone, on: 0) == future)
        // At the device that received it, and at its author, once the clock is right.
        for index in [0, 1] {
            neighbours.homes[index].wall = wall
            try neighbours.change(index) { _ = try ZoneUpkeep($0).maintain(zone, in: &$2) }
            #expect(try epoch(neighbours, zone, on: index) == future)
            neighbours.homes[index].wall = wall + EpochKeys.writingMilliseconds + 60_000
            try neighbours.change(index) { _ = try ZoneUpkeep($0).maintain(zone, in: &$2) }
            #expect(try epoch(neighbours, zone, on: index) != future)
        }
    }

    @Test(arguments: 1...12) func `is held by exactly those that may read, in any order of events`(
        seed: UInt64
    ) throws {
        var neighbours = try neighbours([2, 1, 1, 1], seed: seed)
        var dice = SeededGenerator(seed: seed &* 7_919)
        let zone = try neighbours.zone(of: 0, history: .full)
        var rights: [Int: Hash] = [:]
        var names: Set<String> = []
        for step in 0..<40 {
            switch Int.random(in: 0..<6, using: &dice) {
            case 0:
                let account = 1 + Int.random(in: 0..<3, using: &dice)
                guard rights[account] == nil else { continue }
                rights[account] = try neighbours.grant(
                    Bool.random(using: &dice) ? .write : .read,
                    to: account,
                    by: 0,
                    zone: zone
                )
            case 1:
                let held = rights.sorted { $0.key < $1.key }
                guard !held.isEmpty else { continue }
                let (account, right) = held[Int.random(in: 0..<held.count, using: &dice)]
                try neighbours.change(0) { _ = try ZoneSharing($0).revoke([right], zone: zone, reason: "", in: &$2) }
                rights[account] = nil
            case 2:
                try neighbours.change(0) { _ = try EpochKeys($0).rotate(zone, in: &$2) }
            case 3:
                let (from, to) = (Int.random(in: 0..<5, using: &dice), Int.random(in: 0..<5, using: &dice))
                if from != to { try neighbours.pull(zone, from: from, to: to) }
            default:
                let index = Int.random(in: 0..<5, using: &dice)
                guard try neighbours.homes[index].store.zone(zone)?.role != .unknown else { continue }
                let name = "r\(Int.random(in: 0..<6, using: &dice))"
                // A member that may only read is refused, and one that lacks a key may be.
                if (try? neighbours.write(name, "step \(step)", on: index, zone: zone)) == .some(nil) {
                    names.insert(name)
                }
            }
        }
        try neighbours.settle(zone)
        try neighbours.change(0) { _ = try ZoneUpkeep($0).maintain(zone, in: &$2) }
        try neighbours.settle(zone)
        try neighbours.write("last", "for members", on: 0, zone: zone)
        try neighbours.settle(zone)
        let last = try #require(try epoch(neighbours, zone, on: 0), "seed \(seed)")
        for (index, home) in neighbours.homes.enumerated() {
            let isMember = home.account == 0 || rights[home.account] != nil
            #expect((home.store.keyring.key(last) != nil) == isMember, "seed \(seed), device \(index)")
            guard isMember else { continue }
            for name in names.sorted() {
                let own = try neighbours.text(name, on: index, zone: zone)
                let owners = try neighbours.text(name, on: 0, zone: zone)
                #expect(own == owners, "seed \(seed), device \(index), \(name)")
            }
        }
    }
}

extension [UInt8] {
    /// Whether another array is a part of this one.
    fileprivate func contains(_ part: [UInt8]) -> Bool {
        guard !part.isEmpty, part.count <= count else { return false }
        return (0...(count - part.count)).contains { self[$0..<($0 + part.count)].elementsEqual(part) }
    }
}
