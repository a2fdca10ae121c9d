import Identity
import Testing
import Wire

@testable import Node

@Suite(.timeLimit(.minutes(5))) struct `Pairing` {
    @Test func `two devices pair by ticket, show the same words, and are one account`() async throws {
        try await withNodes { nodes in
            let (desk, lap) = (try await nodes.start("desk"), try await nodes.start("lap"))
            let (host, guest) = try await pair(desk, lap)
            #expect(host.words == guest.words && host.words.count == 6)
            #expect(host.name == "lap" && guest.name == "desk")
            #expect(host.account == guest.account)
            for node in [desk, lap] {
                let account = try await node.node.devices.account()
                #expect(account.account == host.account && account.devices.map(\.name) == ["desk", "lap"])
            }
            try await desk.untilConnected(to: lap)
            try await lap.untilConnected(to: desk)
        }
    }

    @Test func `a device keeps its records when it is paired into another account`() async throws {
        try await withNodes { nodes in
            let (desk, lap) = (try await nodes.start(), try await nodes.start())
            let old = try await lap.makeZone("notes")
            try await lap.put("milk", in: "notes", [("text", .string("two")), ("count", .int64(2))])
            try await lap.put("gone", in: "notes", text: "x")
            try await lap.remove("gone", in: "notes")
            try await pair(desk, lap)
            // There at once, under another id, since the zone now belongs to another account.
            #expect(try await lap.node.records.field("count", of: "milk", in: "notes") == .int64(2))
            #expect(try await lap.node.zones.zone("notes").zone != old)
            #expect(try await lap.names(in: "notes") == ["milk"])
            try await desk.untilField("text", of: "milk", in: "notes", is: .string("two"))
            #expect(try await desk.names(in: "notes") == ["milk"])
            #expect(try await desk.node.zones.list().map(\.zone) == lap.node.zones.list().map(\.zone))
        }
    }

    @Test func `a device whose account has other devices refuses to join`() async throws {
        try await withNodes { nodes in
            let (desk, lap, other) = (try await nodes.start(), try await nodes.start(), try await nodes.start())
            try await pair(desk, lap)
            let offer = try await other.node.pairing.offerPairing()
            try await expectRefusal(.accountHasDevices) {
                try await lap.node.pairing.acceptPairing(ticket: offer.ticket)
            }
            #expect(try await lap.node.health.status().account == desk.node.health.status().account)
        }
    }

    @Test func `a used ticket is refused at once, with that reason`() async throws {
        try await withNodes { nodes in
            let (desk, lap, third) = (try await nodes.start(), try await nodes.start(), try await nodes.start())
            let offer = try await desk.node.pairing.offerPairing()
            await lap.node.sync.add(peers: [desk.address])
            await third.node.sync.add(peers: [desk.address])
            _ = try await lap.node.pairing.acceptPairing(ticket: offer.ticket)
            _ = try await desk.node.pairing.awaitPairing(ticket: offer.ticket, waitMilliseconds: 30_000)
            try await expectRefusal(.ticketUsed) { try await third.node.pairing.acceptPairing(ticket: offer.ticket) }
            #expect(try await desk.node.devices.account().devices.count == 2)
            #expect(try await third.node.devices.account().devices.count == 1)
        }
    }

    @Test func `a mistyped ticket is refused without a search`() async throws {
        try await withNodes { nodes in
            let desk = try await nodes.start()
            try await expectRefusal(.ticketMalformed) { try await desk.node.pairing.acceptPairing(ticket: "K7QF-2MXA") }
        }
    }

    @Test func `a ticket without an offering device is not found`() async throws {
        try await withNodes { nodes in
            let (desk, lap, elsewhere) = (try await nodes.start(), try await nodes.start(), try await nodes.start())
            let offer = try await elsewhere.node.pairing.offerPairing()
            await lap.node.sync.add(peers: [desk.address])
            let code = try await refusal {
                try await DevicePairing(lap.node.sync).join(ticket: offer.ticket, timeoutMilliseconds: 400)
            }
            #expect(code == .ticketNotFound)
            #expect(
                try await refusal {
                    try await desk.node.pairing.awaitPairing(ticket: offer.ticket, waitMilliseconds: 0)
                }
                    == .ticketNotFound
            )
        }
    }

    @Test func `a newer offer replaces an older one, whose ticket is refused`() async throws {
        try await withNodes { nodes in
            let (desk, lap) = (try await nodes.start(), try await nodes.start())
            let old = try await desk.node.pairing.offerPairing()
            let new = try await desk.node.pairing.offerPairing()
            await lap.node.sync.add(peers: [desk.address])
            try await expectRefusal(.ticketUsed) { try await lap.node.pairing.acceptPairing(ticket: old.ticket) }
            #expect(
                try await refusal { try await desk.node.pairing.awaitPairing(ticket: old.ticket, waitMilliseconds: 0) }
                    == .ticketUsed
            )
            // The attempt with the old one has cost the new one nothing.
            #expect(
                try await lap.node.pairing.acceptPairing(ticket: new.ticket).account
                    == desk.node.health.status().account
            )
        }
    }

    @Test func `an expired ticket is refused on both sides`() async throws {
        try await withNodes { nodes in
            let clock = TurnedClock()
            let desk = try await nodes.start("desk", clock: clock.clock)
            let lap = try await nodes.start("lap")
            let offer = try await desk.node.pairing.offerPairing()
            clock.advance(by: 600_001)
            await lap.node.sync.add(peers: [desk.address])
            try await expectRefusal(.ticketExpired) { try await lap.node.pairing.acceptPairing(ticket: offer.ticket) }
            #expect(
                try await refusal {
                    try await desk.node.pairing.awaitPairing(ticket: offer.ticket, waitMilliseconds: 0)
                }
                    == .ticketExpired
            )
            #expect(try await desk.node.devices.account().devices.count == 1)
        }
    }

    @Test func `a removed device learns that it stays removed, and how to come back`() async throws {
        try await withNodes { nodes in
            let (desk, lap) = (try await nodes.start("desk"), try await nodes.start("lap"))
            try await pair(desk, lap)
            try await lap.untilConnected(to: desk)
            let zone = try await lap.makeZone("notes")
            try await lap.put("milk", in: "notes", text: "two")
            try await converged(zone, lap, desk)
            try await desk.node.devices.removeDevice(lap.node.identity.device, words: nil)
            try await lap.until("it is notified") {
                try await $0.health.status().health.map(\.code).contains("account.removed")
            }
            let alone = try await nodes.restart(lap)
            let offer = try await desk.node.pairing.offerPairing()
            await alone.node.sync.add(peers: [desk.address])
            try await expectRefusal(.forbidden) { try await alone.node.pairing.acceptPairing(ticket: offer.ticket) }
            #expect(
                try await refusal {
                    try await desk.node.pairing.awaitPairing(ticket: offer.ticket, waitMilliseconds: 0)
                }
                    == .forbidden
            )
            // With new keys it is a new device. It has kept its records.
            try await nodes.stop(alone)
            _ = try StateRepair(directory: alone.directory.path).beginAnew()
            let new = try await nodes.start("lap", in: alone.directory)
            #expect(try await new.node.records.field("text", of: "milk", in: "notes") == .string("two"))
            try await pair(desk, new)
            try await new.untilConnected(to: desk)
            #expect(try await desk.node.devices.account().devices.count == 2)
        }
    }

    @Test func `a removed device may join another account, with its records`() async throws {
        try await withNodes { nodes in
            let (desk, lap, other) = (try await nodes.start(), try await nodes.start(), try await nodes.start())
            try await pair(desk, lap)
            let zone = try await lap.makeZone("notes")
            try await lap.put("milk", in: "notes", text: "two")
            try await converged(zone, lap, desk)
            try await desk.node.devices.removeDevice(lap.node.identity.device, words: nil)
            try await lap.until("it is notified") {
                try await $0.health.status().health.map(\.code).contains("account.removed")
            }
            try await pair(other, lap)
            try await other.untilField("text", of: "milk", in: "notes", is: .string("two"))
            #expect(try await lap.troubles().isEmpty)
        }
    }

    @Test func `the recovery words belong to the account; a device that joined does not keep them`() async throws {
        try await withNodes { nodes in
            let (desk, lap) = (try await nodes.start(), try await nodes.start())
            #expect(try await lap.node.devices.recoveryPhrase().count == 24)
            let words = try await desk.node.devices.recoveryPhrase()
            try await pair(desk, lap)
            try await expectRefusal(.recoveryUnavailable) { try await lap.node.devices.recoveryPhrase() }
            #expect(try await desk.node.devices.recoveryPhrase() == words)
        }
    }

    @Test func `a device pairs into an account with a log of half a mebibyte`() async throws {
        try await withNodes { nodes in
            let (desk, lap) = (try await nodes.start(), try await nodes.start())
            try desk.fillAccountLog(to: 524_288)
            try await pair(desk, lap)
            let entries = try #require(lap.node.identity.log(of: desk.node.identity.account)).entries
            #expect(entries.reduce(0) { $0 + $1.count } > 524_288)
            let zone = try await desk.makeZone("notes")
            try await converged(zone, desk, lap)
        }
    }
}
