import Testing
import Wire

@testable import Sync

@Suite struct `A question for a zone's state` {
    @Test func `is asked again when five seconds have brought no answer, or at once after one`() {
        let (limits, zone) = (SyncLimits(), Sample.zone(0))
        var turns = ComparisonTurns(isInitiator: true, at: 0, limits)
        let asked = ([0, 4_999, 5_000] as [UInt64]).map { turns.ask(zone, at: $0, limits) }
        #expect(asked == [true, false, true])
        turns.answered(zone)
        let isAsked = turns.ask(zone, at: 5_001, limits)
        #expect(isAsked)
    }
}
