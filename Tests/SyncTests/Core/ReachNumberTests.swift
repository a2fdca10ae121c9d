import Sync
import Testing
import Wire

@Suite struct `Questions whether a port is open` {
    private func numbers(_ effects: [SyncEffect]) -> [UInt64] {
        effects.compactMap { effect in
            guard case .send(_, .reachRequest(let request)) = effect else { return nil }
            return request.number
        }
    }

    @Test func `have a number each, so that no answer settles another one`() throws {
        var harness = CoreHarness(program: ProgramNote(version: "0.1.0"))
        for device in [2, 3] { harness.open(device, isInitiator: false, remoteRevision: 1) }
        var asked = numbers(harness.feed(.reachAsked))
        try #require(asked.count == 2)
        harness.wait(60_000, hearing: [2, 3])
        asked += numbers(harness.feed(.reachAsked))
        #expect(asked.count == 4 && Set(asked).count == 4)
    }
}
