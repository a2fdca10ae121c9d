import KairanInterface
import Foundation
import Records
import Sodium
import Sync
import Testing
import Wire

@testable import Identity
@testable import Node

/// Records are sealed under keys that only the readers of a zone have.
@Suite(.timeLimit(.minutes(5))) struct `A sealed zone` {
    private static let shared = "canary that both of them may read, and nobody else"
    private static let later = "canary which was written after the other was put out"

    @Test func `is read by participants, and no later part of it by a revoked account, whatever it is given`()
        async throws
    {
        try await withNodes { nodes in
            let (alice, bob) = (try await nodes.start("alice"), try await nodes.start("bob"))
            let zone = try await alice.makeZone("notes")
            try await alice.put("n1", in: "notes", text: Self.shared)
            await bob.node.sync.add(peers: [alice.address])
            let invite = try await alice.node.inviting.invite(
                zone: "notes",
                terms: ShareTerms(level: .write),
                limits: InviteLimits()
            )
            try await bob.join(invite.invite.link)
            try await bob.untilField("text", of: "n1", in: zone.text, is: .string(Self.shared))
            try await bob.put("n2", in: zone.text, text: "his")
            try await alice.untilField("text", of: "n2", in: "notes", is: .string("his"))
            let epoch = try #require(try await alice.node.zones.zone("notes").epoch)
            #expect(try await bob.node.zones.zone(zone.text).epoch == epoch)

            let account = bob.node.identity.account
            let revoked = try await alice.node.sharing.revokeShare(
                zone: "notes",
                account: account.text,
                reason: "enough",
                keepsBelow: false
            )
            try await bob.until("put out") { try await $0.zones.zone(zone.text).rights == nil }
            let next = try #require(revoked.epoch)
            #expect(next.text != epoch)
            try await alice.put("n1", in: "notes", text: Self.later)
            #expect(try await alice.node.records.field("text", of: "n1", in: "notes") == .string(Self.later))
            #expect(try await alice.node.zones.zone("notes").epoch == next.text)

            // A device that stores the zone for others, or an attacker who has its store, delivers everything.
            let runs = try await alice.runs(of: zone, unknownTo: bob)
            #expect(runs.contains { $0.key.lane == .data })
            for held in try await alice.runs(of: zone) {
                #expect(!Self.canaries.contains { $0.isIn(Data(held.run.encoded)) })
            }
            try await bob.take(runs)
            let held = try await bob.storage.read { transaction in
                try transaction.logs(zone: zone).filter { $0.key.lane == .data }.map(\.heldSize).reduce(0, +)
            }
            #expect(held >= 3, "the sealed operations are there")
            let known = try #require(Hash(text: epoch))
            #expect(try await bob.storage.read { $0.keyring.key(known) != nil })
            #expect(try await bob.storage.read { $0.keyring.key(next) == nil })
            try await nodes.stop(bob)
            try await nodes.stop(alice)
            let (his, hers) = (bob.directory.path, alice.directory.path)
            #expect(try Self.canaries.leaks(in: his, isSealed: true).allSatisfy { $0.hasPrefix("shared") })
            // The canaries are found where they may be: on a reader's machine the records are in clear.
            #expect(try Self.canaries.leaks(in: hers, isSealed: true).contains { $0.hasPrefix("later") })
        }
    }

    private static let canaries = [Canary("shared", text: shared), Canary("later", text: later)]

    @Test func `reports an unreadable record as unreadable, not as deleted`() async throws {
        try await withNodes { nodes in
            let (alice, bob) = (try await nodes.start("alice"), try await nodes.start("bob"))
            let zone = try await alice.node.zones.createZone(name: "notes", container: "tests", history: .fromJoin).zone
            try await alice.put("before", in: "notes", text: "his join")
            await bob.node.sync.add(peers: [alice.address])
            let invite = try await alice.node.inviting.invite(
                zone: "notes",
                terms: ShareTerms(level: .write),
                limits: InviteLimits()
            )
            try await bob.join(invite.invite.link)
            try await bob.until("the zone is there") { try await $0.zones.zoneIfKnown(zone.text) != nil }
            try await alice.put("after", in: "notes", text: "his join")
            try await bob.untilField("text", of: "after", in: zone.text, is: .string("his join"))
            try await expectRefusal(.recordNotReadable) {
                try await bob.node.records.record(zone: zone.text, name: "before")
            }
            let told = try await bob.node.feed.changes(zone: zone.text, since: nil, limit: 10)
            // Where newcomers see nothing of the time before, devices publish prekeys for messages as well.
            let records = told.changes.map(\.record).filter { $0.type != ReservedType.prekey }
            #expect(records.map(\.name) == ["after"])
            try await alice.put("before", in: "notes", text: "said again")
            try await bob.untilField("text", of: "before", in: zone.text, is: .string("said again"))
        }
    }

    @Test func `has another key on request, and all participants continue to read`() async throws {
        try await withNodes { nodes in
            let (desk, lap) = (try await nodes.start("desk"), try await nodes.start("lap"))
            try await pair(desk, lap)
            let zone = try await desk.makeZone("notes")
            try await desk.put("milk", in: "notes", text: "one")
            try await lap.untilField("text", of: "milk", in: "notes", is: .string("one"))
            let first = try await desk.node.zones.zone("notes").epoch
            let second = try await lap.node.sharing.rotateEpoch(zone: "notes")
            #expect(second.zone == zone && first != nil && second.epoch.text != first)
            try await desk.until("the other key") { try await $0.zones.zone("notes").epoch == second.epoch.text }
            try await desk.put("milk", in: "notes", text: "two")
            try await lap.untilField("text", of: "milk", in: "notes", is: .string("two"))
            // Everything is open again before anything else happens.
            let again = try await nodes.restart(lap)
            #expect(try await again.node.zones.zone("notes").epoch == second.epoch.text)
            try await again.put("milk", in: "notes", text: "three")
            #expect(try await again.troubles().isEmpty)

            _ = try await desk.node.sharing.setPublicAccess(zone: "notes", PublicAccessChange(world: .read))
            try await expectRefusal(.zoneUnsealed) { try await desk.node.sharing.rotateEpoch(zone: "notes") }
            #expect(try await desk.node.zones.zone("notes").epoch == nil)
        }
    }

    @Test func `is read and written by a device that is added later`() async throws {
        try await withNodes { nodes in
            let (desk, lap) = (try await nodes.start("desk"), try await nodes.start("lap"))
            try await desk.makeZone("notes")
            try await desk.put("milk", in: "notes", text: "one")
            try await lap.makeZone("own")
            try await lap.put("bread", in: "own", text: "brought along")
            try await pair(desk, lap)
            try await lap.untilField("text", of: "milk", in: "notes", is: .string("one"))
            try await desk.untilField("text", of: "bread", in: "own", is: .string("brought along"))
            try await lap.put("milk", in: "notes", text: "two")
            try await desk.untilField("text", of: "milk", in: "notes", is: .string("two"))
            let before = try await desk.node.zones.zone("notes").epoch
            try await desk.node.devices.removeDevice(lap.node.identity.device, words: nil)
            try await desk.until("a key that the removed one has not") {
                let epoch = try await $0.zones.zone("notes").epoch
                return epoch != nil && epoch != before
            }
        }
    }
}

/// An account founded by a program without sealing, which goes on with one that seals.
@Suite(.timeLimit(.minutes(5))) struct `An account of an earlier version` {
    private static func stated(_ node: RunningNode, _ device: DeviceID) -> Int? {
        node.node.identity.accountState.devices[device]?.certificate.certificate.encapsulationKey.count
    }

    @Test func `states its devices' keys at their next start, once, and seals from then on`() async throws {
        try await withNodes { nodes in
            var desk = try await nodes.start("desk", isSealing: false)
            var lap = try await nodes.start("lap", isSealing: false)
            try await pair(desk, lap)
            let (first, second) = (desk.node.identity.device, lap.node.identity.device)
            try await desk.makeZone("notes")
            try await desk.put("milk", in: "notes", text: "in clear")
            try await lap.untilField("text", of: "milk", in: "notes", is: .string("in clear"))
            #expect(Self.stated(desk, first) == 0 && Self.stated(lap, second) == 0)
            #expect(try await desk.node.zones.zone("notes").epoch == nil)
            let addedAt = try await desk.node.devices.account().devices.map(\.addedMilliseconds)
            try await nodes.stop(desk)
            try await nodes.stop(lap)

            // Both at once, without having received the other's.
            desk = try await nodes.start("desk", in: desk.directory)
            lap = try await nodes.start("lap", in: lap.directory)
            #expect(Self.stated(desk, first) == 1_216 && Self.stated(lap, second) == 1_216)
            #expect(Self.stated(desk, second) == 0)
            await lap.node.sync.add(peers: [desk.address])
            for node in [desk, lap] {
                // No event reports it.
                while Self.stated(node, first) != 1_216 || Self.stated(node, second) != 1_216 { await Task.yield() }
            }
            #expect(try await desk.node.devices.account().devices.map(\.addedMilliseconds) == addedAt)
            #expect(try await lap.node.records.field("text", of: "milk", in: "notes") == .string("in clear"))
            try await desk.put("milk", in: "notes", text: "sealed")
            #expect(try await desk.node.zones.zone("notes").epoch != nil)
            try await lap.untilField("text", of: "milk", in: "notes", is: .string("sealed"))
            await desk.node.maintenance.work()
            await lap.node.maintenance.work()
            #expect(try await desk.troubles() == [])
            #expect(try await lap.troubles() == [])

            let (heads, certificate) = (desk.node.identity.accountHeads, desk.node.identity.certificate)
            desk = try await nodes.restart(desk)
            #expect(desk.node.identity.accountHeads == heads && desk.node.identity.certificate == certificate)
        }
    }

    @Test func `enters a certificate that was on the disk before a crash`() async throws {
        try await withNodes { nodes in
            var desk = try await nodes.start("desk", isSealing: false)
            let log = try desk.node.identity.files.readAccountEntries()
            let device = desk.node.identity.device
            try await nodes.stop(desk)
            desk = try await nodes.start("desk", in: desk.directory)
            #expect(Self.stated(desk, device) == 1_216)
            try await nodes.stop(desk)
            // The file was written, and the entry was not.
            try desk.node.identity.files.writeAccountEntries(log)
            desk = try await nodes.start("desk", in: desk.directory)
            #expect(Self.stated(desk, device) == 1_216)
        }
    }

    @Test func `enters the certificate of a device that may not write, and gives it keys`() async throws {
        try await withNodes { nodes in
            var desk = try await nodes.start("desk", isSealing: false)
            var lap = try await nodes.start("lap", isSealing: false)
            try await pair(desk, lap, role: .readOnly)
            let second = lap.node.identity.device
            try await nodes.stop(lap)
            try await nodes.stop(desk)
            desk = try await nodes.start("desk", in: desk.directory)
            try await desk.makeZone("notes")
            try await desk.put("milk", in: "notes", text: "one")
            try await desk.node.keys.look()
            #expect(try await desk.troubles() == ["devices.without_key"])
            lap = try await nodes.start("lap", in: lap.directory, peers: [desk.address])
            try await lap.untilField("text", of: "milk", in: "notes", is: .string("one"))
            #expect(Self.stated(desk, second) == 1_216)
            try await desk.node.keys.look()
            #expect(try await desk.troubles().isEmpty)
        }
    }

    @Test func `reports zones in which nothing can be written without a key`() async throws {
        try await withNodes { nodes in
            var desk = try await nodes.start("desk", isSealing: false)
            let identity = desk.node.identity
            try await desk.makeZone("notes")
            let before = try #require(identity.log(of: identity.account))
            let keyring = identity.committer(wallMilliseconds: 0).keyring
            try await nodes.stop(desk)
            desk = try await nodes.start("desk", in: desk.directory)
            try await desk.put("milk", in: "notes", text: "none")
            let lap = try await nodes.start("lap")
            try await pair(desk, lap)
            try await lap.untilField("text", of: "milk", in: "notes", is: .string("none"))
            // As if the other had been removed, and the account's log had no room for the entry that states the own
            // key.
            try desk.node.identity.replaceAccount(log: before, keyring: keyring)
            try await desk.applyCuts()
            try await expectRefusal(.zoneNoKey) { try await desk.put("milk", in: "notes", text: "one") }
            try await expectRefusal(.zoneNoKey) { try await desk.node.sharing.rotateEpoch(zone: "notes") }
            try await desk.node.keys.look()
            #expect(try await desk.troubles() == [], "it may be but a moment")
            try await desk.node.keys.look()
            #expect(try await desk.troubles() == ["keys.missing"])
        }
    }

    @Test func `reports zones with unreadable records`() async throws {
        try await withNodes { nodes in
            var desk = try await nodes.start("desk")
            let lap = try await nodes.start("lap", isSealing: false)
            try await pair(desk, lap)
            let zone = try await desk.makeZone("notes")
            try await desk.put("milk", in: "notes", text: "one")
            try await lap.until("the zone") { try await $0.zones.zoneIfKnown(zone.text) != nil }
            let runs = try await desk.runs(of: zone, unknownTo: lap)
            try await nodes.stop(desk)
            try await lap.take(runs)
            // With a new key, for which no envelope exists, it can read nothing and write nothing.
            try await nodes.stop(lap)
            desk = try await nodes.start("lap", in: lap.directory)
            try await expectRefusal(.recordNotReadable) { try await desk.put("milk", in: "notes", text: "blindly") }
            try await desk.node.keys.look()
            #expect(try await desk.troubles().contains("records.unreadable"))
        }
    }
}

/// A run of one log that a device holds.
private struct HeldRun: Sendable {
    var key: LogKey
    var run: Run
}

extension RunningNode {
    /// Returns all runs of a zone that are held, or those that another node lacks; control logs first.
    fileprivate func runs(
        of zone: ZoneID,
        unknownTo other: RunningNode? = nil
    ) async throws -> [HeldRun] {
        let committer = node.identity.committer(wallMilliseconds: 0)
        let held = try await other?.storage.read { transaction in
            try transaction.logs(zone: zone).reduce(into: [LogKey: UInt64]()) { $0[$1.key] = $1.size }
        }
        return try await storage.read { transaction in
            try transaction.logs(zone: zone).sorted { $0.key.lane < $1.key.lane }.compactMap { row in
                let from = held?[row.key] ?? 0
                guard from < row.size else { return nil }
                let run = try RunExchange(committer).run(row.key, from: from, byteCount: 1 << 20, in: transaction)
                return run.map { HeldRun(key: row.key, run: $0) }
            }
        }
    }

    /// Applies the runs that are not held yet, from any sender.
    fileprivate func take(_ runs: [HeldRun]) async throws {
        for held in runs where held.key.actor != node.identity.actor {
            _ = try await node.store.commits.perform { [commitService = node.commitService] transaction in
                try commitService.change(&transaction) {
                    try RunExchange($0).apply(
                        held.run,
                        key: held.key,
                        for: .replication(liveSet: nil),
                        random: &$1,
                        in: &$2
                    )
                }
            } whenDurable: { [commitService = node.commitService] in
                commitService.announce($0.notice)
            }
        }
    }

    /// Applies the present account to the zones, as after each change of it.
    fileprivate func applyCuts() async throws {
        _ = try await node.store.commits.perform { [commitService = node.commitService] transaction in
            try commitService.change(&transaction) { try AccountUpkeep($0).applyCuts(in: &$2) }
        } whenDurable: { [commitService = node.commitService] in
            commitService.announce($0)
        }
    }
}
