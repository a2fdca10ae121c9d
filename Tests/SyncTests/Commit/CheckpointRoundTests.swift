import Sync
import Testing

@Suite struct `A round of work on checkpoints` {
    @Test func `computes work whose facts change meanwhile three times, and no more`() {
        var round = CheckpointRound()
        let goesOn = (0..<3).map { _ in round.goesOn(after: .stale) }
        #expect(goesOn == [true, true, false])
    }

    @Test func `goes on after work that was done, whatever was stale before`() {
        var round = CheckpointRound()
        let goesOn = [CheckpointStep.stale, .done, .stale, .done].map { round.goesOn(after: $0) }
        #expect(goesOn == [true, true, true, true])
    }
}
