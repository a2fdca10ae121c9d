import Records
import Testing
import Wire

@testable import Sync

@Suite struct `Several rulings on a zone in one transaction` {
    @Test func `report together the records that any of them changed, and a change without records`() throws {
        var household = try Household(1)
        let genesis = household.genesis()
        let zone = try ZoneLifecycle(household.committer(0)).create(genesis, in: &household.homes[0].store).zone
        for name in ["a", "b"] { try household.write(name, "1", on: 0, zone: zone) }
        let rows = try household.homes[0].store.records(zone: zone, after: nil, limit: 9).records
        var whole: RulingOutcome?
        whole.add(nil)
        #expect(whole.map(\.changed.count) == nil)
        whole.add(changed: [])
        #expect(whole.map(\.changed.count) == 0)
        for row in rows { whole.add(changed: [row]) }
        whole.add(nil)
        #expect(whole?.changed.map(\.name) == ["a", "b"])
    }
}
