import Foundation
import Identity
import Peering
import Session
import Testing
import Wire

@testable import Node

extension RunningNode {
    /// The entry of the key by which it finds and calls the devices of its account.
    fileprivate var fleetKey: Hash { node.identity.fleetKeys.key.entry }

    /// Returns whether it recognises the announcement of another one.
    fileprivate func recognises(_ other: RunningNode) -> Bool {
        let (nonce, wall) = ([UInt8](repeating: 7, count: DiscoveryTag.nonceByteCount), UInt64(1_800_000_000_000))
        let tag = other.node.identity.discoveryTag(nonce: nonce, at: wall)
        return node.identity.fleetKeys.entry(recognising: tag, nonce: nonce, at: wall) != nil
    }

    fileprivate func untilKey(_ expected: Hash) async {
        await untilFleet { $0.fleetKeys.key.entry == expected }
    }

    /// Waits without an event: no event reports another key.
    fileprivate func untilFleet(_ fact: (NodeIdentity) -> Bool) async {
        while !fact(node.identity) { await Task.yield() }
    }
}

/// A removal replaces the key by which the account's own devices find and call each other.
@Suite(.timeLimit(.minutes(5))) struct `The fleet key` {
    @Test func `changes after a removal, for all but the removed device`() async throws {
        try await withNodes { nodes in
            let (desk, lap, lost) = (
                try await nodes.start("desk"), try await nodes.start("lap"), try await nodes.start("lost")
            )
            try await pair(desk, lap)
            try await pair(desk, lost)
            let zone = try await desk.makeZone("notes")
            try await converged(zone, desk, lap)
            try await converged(zone, desk, lost)
            #expect(desk.fleetKey.isZero && lost.recognises(desk))
            try await desk.node.devices.removeDevice(lost.node.identity.device, words: nil)
            #expect(!desk.fleetKey.isZero && !desk.node.identity.accountState.fleet.isDue)
            await lap.untilKey(desk.fleetKey)
            try await lost.untilDisconnected(from: desk)
            // It finds no tag that it can read, its own is still read, and it opens no full session.
            #expect(!lost.recognises(desk) && !lost.recognises(lap))
            #expect(lap.recognises(desk) && desk.recognises(lost))
            let back = try await nodes.restart(lost)
            await back.node.sync.add(peers: [desk.address, lap.address])
            try await back.until("it is notified") {
                try await $0.health.status().health.map(\.code).contains("account.removed")
            }
            #expect(back.fleetKey.isZero && !back.recognises(desk))
            #expect(try await desk.node.peers.list().map(\.device) == [lap.node.identity.device])
            // The others go on, also over a restart of one, which has a session by the new key alone.
            try await nodes.stop(lap)
            try await desk.put("milk", in: "notes", text: "one")
            let again = try await nodes.start("lap", in: lap.directory)
            #expect(again.fleetKey == desk.fleetKey)
            await again.node.sync.add(peers: [desk.address])
            try await converged(zone, desk, again)
            // A device that joins now has the key at once.
            let guest = try await nodes.start("guest")
            try await pair(again, guest)
            #expect(guest.fleetKey == desk.fleetKey)
            await guest.node.sync.add(peers: [desk.address])
            try await converged(zone, desk, guest)
        }
    }

    @Test(arguments: [true, false])
    func `reaches a device that was off during the removal, whichever side dials`(awayCalls: Bool) async throws {
        try await withNodes { nodes in
            let (desk, lap, lost) = (
                try await nodes.start("desk"), try await nodes.start("lap"), try await nodes.start("lost")
            )
            try await pair(desk, lap)
            try await pair(desk, lost)
            let zone = try await desk.makeZone("notes")
            try await converged(zone, desk, lap)
            try await lap.until("three devices") { try await $0.devices.account().devices.count == 3 }
            try await nodes.stop(lap)
            try await desk.node.devices.removeDevice(lost.node.identity.device, words: nil)
            try await desk.put("milk", in: "notes", text: "one")
            let back = try await nodes.start("lap", in: lap.directory)
            #expect(back.fleetKey.isZero)
            if awayCalls {
                await back.node.sync.add(peers: [desk.address])
            } else {
                await desk.node.sync.add(peers: [back.address])
            }
            await back.untilKey(desk.fleetKey)
            try await converged(zone, desk, back)
            try await back.put("bread", in: "notes", text: "two")
            try await converged(zone, back, desk)
        }
    }

    @Test func `converges after two removals that did not know of each other`() async throws {
        try await withNodes { nodes in
            let (desk, lap) = (try await nodes.start("desk"), try await nodes.start("lap"))
            let (one, other) = (try await nodes.start("one"), try await nodes.start("other"))
            for guest in [lap, one, other] { try await pair(desk, guest) }
            let zone = try await desk.makeZone("notes")
            try await converged(zone, desk, lap)
            try await lap.until("four devices") { try await $0.devices.account().devices.count == 4 }
            try await nodes.stop(one)
            try await nodes.stop(other)
            try await nodes.stop(lap)
            try await desk.node.devices.removeDevice(one.node.identity.device, words: nil)
            let apart = desk.directory
            try await nodes.stop(desk)
            let back = try await nodes.start("lap", in: lap.directory)
            try await back.node.devices.removeDevice(other.node.identity.device, words: nil)
            let again = try await nodes.start("desk", in: apart)
            #expect(again.fleetKey != back.fleetKey && !again.fleetKey.isZero && !back.fleetKey.isZero)
            await back.node.sync.add(peers: [again.address])
            try await again.until("both removals") { try await $0.devices.account().devices.count == 2 }
            try await back.until("both removals") { try await $0.devices.account().devices.count == 2 }
            for node in [again, back] {
                await node.untilFleet { !$0.accountState.fleet.isDue }
            }
            let present = try #require(again.node.identity.accountState.fleet.generations.first).entry
            await again.untilKey(present)
            await back.untilKey(again.fleetKey)
            #expect(back.node.identity.accountState.fleet == again.node.identity.accountState.fleet)
            try await back.put("milk", in: "notes", text: "one")
            try await converged(zone, back, again)
            #expect(!one.recognises(again) && !other.recognises(again))
        }
    }

    @Test func `changes after a removal by the words, and reaches the recovering device`() async throws {
        try await withNodes { nodes in
            let (desk, lost) = (try await nodes.start("desk"), try await nodes.start("lost"))
            try await pair(desk, lost)
            let words = try await desk.node.devices.recoveryPhrase().joined(separator: " ")
            try await desk.node.devices.removeDevice(lost.node.identity.device, words: words)
            #expect(!desk.fleetKey.isZero && !desk.node.identity.accountState.fleet.isDue && !lost.recognises(desk))
            let zone = try await desk.makeZone("notes")
            let new = try await nodes.start("new", peers: [desk.address])
            _ = try await new.node.devices.recoverAccount(words: words)
            #expect(new.fleetKey == desk.fleetKey)
            try await converged(zone, desk, new)
        }
    }

    @Test func `is opened again where the file of secrets did not get as far as the account's log`() async throws {
        try await withNodes { nodes in
            let (desk, lost) = (try await nodes.start("desk"), try await nodes.start("lost"))
            try await pair(desk, lost)
            let file = desk.directory.path + "/keys/account.key"
            let before = try desk.directory.bytes("keys/account.key")
            try await desk.node.devices.removeDevice(lost.node.identity.device, words: nil)
            let key = desk.fleetKey
            try await nodes.stop(desk)
            try Data(before).write(to: URL(fileURLWithPath: file))
            let back = try await nodes.start("desk", in: desk.directory)
            await back.untilKey(key)
            #expect(try desk.directory.bytes("keys/account.key") != before)
        }
    }
}
