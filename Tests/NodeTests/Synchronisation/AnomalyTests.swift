import KairanInterface
import Exposition
import Sync
import Testing
import Wire

@testable import Node

@Suite(.timeLimit(.minutes(5))) struct `An anomaly` {
    /// Makes a zone of the first node that the second one may write in.
    private func shared(_ host: RunningNode, _ guest: RunningNode) async throws -> ZoneID {
        let zone = try await host.makeZone("notes")
        await guest.node.sync.add(peers: [host.address])
        let terms = ShareTerms(level: .write)
        let invite = try await host.node.inviting.invite(zone: "notes", terms: terms, limits: InviteLimits())
        #expect(try await guest.join(invite.invite.link).state == .joined)
        return zone
    }

    @Test func `is reported to administrators, with names, the first time at once and then together`() async throws {
        try await withNodes { nodes in
            let catcher = LogCatcher()
            let alice = try await nodes.start("alice's desk", log: catcher, metrics: MetricRegistry())
            let bob = try await nodes.start("bob's lap")
            let zone = try await shared(alice, bob)
            let begun = ContinuousClock.now
            let events = try await alice.node.feed.events(zone: nil, since: nil)
            try await bob.say(bob.forgedGrants(20, in: zone), in: zone)
            var told: [AnomalyEvent] = []
            for await event in events {
                guard case .anomaly(let anomaly) = event else { continue }
                told.append(anomaly)
                break
            }
            let first = try #require(told.first)
            #expect(first.kind == .refusedCapability && first.zone == zone && first.count > 0)
            #expect(first.author == bob.node.identity.device && first.authorName == "bob's lap")
            #expect(first.peer == bob.node.identity.device && first.peerName == "bob's lap")
            #expect(first.account == bob.node.identity.account)
            for _ in 0..<5 { try await bob.say(bob.forgedGrants(20, in: zone), in: zone) }
            let series = #"kairan_anomalies_total{kind="refused_capability"}"#
            try await bob.put("n1", in: zone.text, text: "honest")
            try await alice.untilField("text", of: "n1", in: "notes", is: .string("honest"))
            while try await !alice.node.metrics.text().contains("\(series) 120\n") { await Task.yield() }
            try await alice.put("last", in: "notes", text: "x")
            for await event in events {
                if case .anomaly(let anomaly) = event { told.append(anomaly) }
                if case .change(let change, _) = event, change.record.name == "last" { break }
            }
            let minutes = Int(begun.duration(to: .now).components.seconds / 60)
            #expect(told.count <= 1 + minutes)
            #expect(catcher.text.split(separator: "\n").count { $0.contains(" anomaly ") } <= 1 + minutes)
            #expect(catcher.text.contains("capability_bad_signature"))
        }
    }

    @Test func `names no device that may be invented`() async throws {
        try await withNodes { nodes in
            let desk = try await nodes.start("desk")
            let events = try await desk.node.feed.events(zone: nil, since: nil)
            let impostor = try Impostor(account: desk.node.identity.account)
            try await impostor.meet(desk, secret: desk.node.identity.fleetSecret) { encounters in
                let connection = try #require(await encounters.connection())
                connection.send([99, 1, 2, 3])
                #expect(await encounters.closeReason() != nil)
            }
            for await event in events {
                guard case .anomaly(let anomaly) = event else { continue }
                #expect(anomaly == AnomalyEvent(Anomaly(.violation, detail: "")))
                break
            }
        }
    }

    @Test func `is reported for a channel without a valid certificate`() async throws {
        try await withNodes { nodes in
            let desk = try await nodes.start("desk")
            let events = try await desk.node.feed.events(zone: nil, since: nil)
            let impostor = try Impostor { _ in [0] }
            try await impostor.meet(desk, secret: desk.node.identity.fleetSecret) { encounters in
                #expect(await encounters.closeReason() != nil)
            }
            for await event in events {
                guard case .anomaly(let anomaly) = event else { continue }
                #expect(anomaly.kind == .violation && anomaly.peer == nil)
                break
            }
        }
    }
}
