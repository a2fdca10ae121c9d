import FoundationEssentials
import TestSupport
import Testing

@testable import KairanClient

@Suite struct `Zones that a sync engine makes and deletes` {
    private static func rest(_ run: inout ZoneRun, _ seed: UInt64 = 0) throws {
        for _ in 0..<5000 where try !run.step() { return }
        Issue.record("seed \(seed): it does not come to rest")
    }

    private static func save(_ zone: String, _ name: String) -> SyncEngine.PendingChange {
        .save(RecordID(zone: zone, name: name))
    }

    @Test(arguments: 0..<200)
    func `each zone exists once or not at all, with its saved records, despite failures and crashes`(
        seed: UInt64
    ) throws {
        var run = ZoneRun(seed: seed)
        run.failurePercent = Int.random(in: 0...60, using: &run.generator)
        var wanted: [String: Set<String>?] = [:]
        for number in 0..<120 {
            let name = ["a", "b", "c"][Int.random(in: 0..<3, using: &run.generator)]
            switch Int.random(in: 0..<12, using: &run.generator) {
            case 0:
                run.add(zones: [.save(name: name)])
                if case .some(.some) = wanted[name] {} else { wanted[name] = .some([]) }
            case 1:
                guard wanted[name] != nil else { continue }
                run.add(zones: [.delete(zone: name)])
                wanted[name] = .some(nil)
            case 2..<5:
                guard case .some(.some(let before)) = wanted[name] else { continue }
                run.add([Self.save(name, "r\(number)")])
                wanted[name] = .some(before.union(["r\(number)"]))
            case 5: try run.crash()
            case 6: run.core.noticedZones()
            default: for _ in 0..<Int.random(in: 1...8, using: &run.generator) { _ = try run.step() }
            }
        }
        run.failurePercent = 0
        try Self.rest(&run, seed)
        for (name, records) in wanted {
            let zones = run.zones(named: name)
            #expect(zones.count == (records == nil ? 0 : 1), "seed \(seed), \(name)")
            guard let records, let zone = zones.first else { continue }
            #expect(run.records[zone]?.isSuperset(of: records) == true, "seed \(seed), \(name)")
        }
        let state = run.core.storable
        #expect(state.pending.count == 0 && state.zoneChanges.entries.isEmpty, "seed \(seed)")
    }

    @Test func `records of a new zone wait for it, are named by its id then, and the zone is no news`() throws {
        var run = ZoneRun(seed: 1)
        run.add([Self.save("a", "early")])
        run.add(zones: [.save(name: "a")])
        try Self.rest(&run)
        let zone = try #require(run.zones(named: "a").first)
        run.add([Self.save("a", "late")])
        #expect(run.core.storable.pending[RecordID(zone: zone, name: "late")] != nil)
        try Self.rest(&run)
        #expect(run.records[zone] == ["early", "late"])
        var order: [String] = []
        for event in run.told {
            switch event {
            case .sentDatabaseChanges(let saved, _, _): order += saved.map { "zone \($0.name)" }
            case .sentRecordZoneChanges(let saved, _, _): order += saved.map(\.name)
            case .fetchedDatabaseChanges: order.append("news")
            default: break
            }
        }
        #expect(order == ["zone a", "early", "late"])
    }

    @Test func `a refused zone is reported with the problem, and so are its records until it is added again`()
        throws
    {
        var run = ZoneRun(seed: 2)
        run.add(zones: [.save(name: "bad")])
        run.add([Self.save("bad", "r")])
        try Self.rest(&run)
        try run.crash()
        run.add([Self.save("bad", "later")])
        try Self.rest(&run)
        var failures: [String] = []
        for event in run.told {
            switch event {
            case .sentDatabaseChanges(_, _, let failed):
                failures += failed.map { $0.change.zone + " " + $0.problem.code }
            case .sentRecordZoneChanges(_, _, let failed):
                failures += failed.map { $0.change.id.name + " " + $0.problem.code }
            default: break
            }
        }
        #expect(failures == ["bad invalid_argument", "r invalid_argument", "later invalid_argument"])
        #expect(run.core.storable.pending.count == 2 && run.core.storable.zoneChanges["bad"]?.refusal != nil)
        run.add(zones: [.save(name: "bad")])
        #expect(run.core.storable.pending.inOrder.allSatisfy { $0.refusal == nil })
    }

    @Test func `changes of a deleted zone are dropped and reported, and sent if the deletion is refused`() throws {
        var run = ZoneRun(seed: 3)
        run.add(zones: [.save(name: "gone"), .save(name: "kept")])
        try Self.rest(&run)
        let (gone, kept) = (
            try #require(run.zones(named: "gone").first), try #require(run.zones(named: "kept").first)
        )
        for zone in [gone, kept] {
            run.add(zones: [.delete(zone: zone)])
            run.add([Self.save(zone, "r")])
        }
        try Self.rest(&run)
        var dropped: [SyncEngine.PendingChange] = []
        var departures: [ZoneDeparture] = []
        for event in run.told {
            switch event {
            case .droppedRecordZoneChanges(let changes): dropped += changes
            case .fetchedDatabaseChanges(_, let removed): departures += removed
            default: break
            }
        }
        #expect(dropped == [Self.save(gone, "r")] && run.records[gone] == nil)
        #expect(run.records[kept] == ["r"] && run.core.storable.zoneChanges[kept]?.refusal?.code == "right.admin")
        #expect(departures.isEmpty, "the application deleted it itself")
    }

    @Test func `a zone that cannot be made for now does not keep the records of others waiting`() throws {
        var run = ZoneRun(seed: 4)
        let other = run.make("other").zone
        run.add(zones: [.save(name: "a")])
        run.add([Self.save("a", "r"), Self.save(other, "s")])
        var attempts = 0
        while run.records[other]?.isEmpty == true {
            try #require(attempts < 100)
            attempts += 1
            let effect = run.core.next(at: run.now)
            switch effect {
            case .saveZone: run.core.zoneChangeFailed(.model("busy", isRetryable: true), at: run.now)
            case .connect: run.core.connected()
            case .listZones: run.core.listed([ZoneRun.description(other, "other")], account: "me")
            case .fetch(let zone, _):
                run.core.fetched(ChangeSet(zones: [], changes: [], token: "t", more: false), zone: zone)
            case .describe(let ids):
                run.core.described(ids.map { _ in SyncEngine.Draft(type: "T", fields: [:], base: nil) })
            case .send(let zone, let writes):
                #expect(zone == other && writes.map(\.name) == ["s"])
                return
            case .deliver: break
            default: Issue.record("unexpected: \(effect)")
            }
        }
    }

    @Test func `a zone whose creation is cancelled also drops the changes of its records`() throws {
        var run = ZoneRun(seed: 5)
        run.add(zones: [.save(name: "a")])
        run.add([Self.save("a", "r")])
        run.core.remove(zones: ["a"])
        #expect(run.core.storable.pending.count == 0, "they would be sent after a restart")
        try Self.rest(&run)
        #expect(run.names.isEmpty)
        #expect(
            run.told.contains { event in
                if case .droppedRecordZoneChanges([Self.save("a", "r")]) = event { true } else { false }
            }
        )
    }

    @Test func `a state of an earlier version has no changes of zones`() throws {
        let stored = #"{"zones":{},"pending":[],"sent":[]}"#
        let state = try JSONDecoder().decode(SyncEngine.State.self, from: Data(stored.utf8))
        #expect(state == SyncEngine.State())
    }
}
