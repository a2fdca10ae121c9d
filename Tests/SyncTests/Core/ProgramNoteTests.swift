import Sync
import Testing
import Wire

@Suite struct `The program of a device` {
    private let own = ProgramNote(version: "0.1.0")
    private let other = ProgramNote(version: "0.2.0")

    private func notes(_ effects: [SyncEffect]) -> [ProgramNote] {
        effects.compactMap { if case .send(_, .program(let note)) = $0 { note } else { nil } }
    }

    @Test func `is sent first by the device that was dialled, to one that knows the message`() throws {
        var harness = CoreHarness(program: own)
        #expect(notes(harness.open(2, isInitiator: false, remoteRevision: 1)) == [try #require(own)])
        #expect(notes(harness.open(3, isInitiator: false, remoteRevision: 0)).isEmpty, "it would refuse the message")
    }

    @Test func `is sent by the dialling device as an answer, once`() throws {
        var harness = CoreHarness(program: own)
        let (note, mine) = (try #require(other), try #require(own))
        #expect(notes(harness.open(2, isInitiator: true)).isEmpty)
        #expect(harness.core.program(in: 2) == nil)
        #expect(notes(harness.hear(2, .program(note))) == [mine])
        #expect(harness.core.program(in: 2) == note)
        #expect(notes(harness.hear(2, .program(note))).isEmpty, "two would go on for ever")
    }

    @Test func `is not answered by a device that tells nobody`() throws {
        var harness = CoreHarness()
        let note = try #require(other)
        #expect(notes(harness.open(2, isInitiator: false, remoteRevision: 1)).isEmpty)
        #expect(notes(harness.hear(2, .program(note))).isEmpty)
        #expect(harness.core.program(in: 2) == note)
    }

    @Test func `is sent to an unknown device once it is known, and that one's statement is kept`() throws {
        var harness = CoreHarness(program: own)
        let note = try #require(other)
        #expect(notes(harness.open(7, standing: .unknown, heads: [Sample.hash(9)], isInitiator: true)).isEmpty)
        #expect(notes(harness.hear(7, .program(note))).isEmpty)
        #expect(notes(harness.know([1, 2, 3, 4, 7])) == [try #require(own)])
        #expect(harness.core.program(in: 7) == note)
    }

    @Test func `is forgotten with the session, and stays known here when the account is replaced`() throws {
        var harness = CoreHarness(program: own)
        harness.open(2)
        harness.hear(2, .program(try #require(other)))
        harness.feed(.closed(2))
        #expect(harness.core.program(in: 2) == nil)
        harness.core.accountReplaced(Sample.account)
        harness.know([1, 2])
        #expect(notes(harness.open(2, isInitiator: false, remoteRevision: 1)) == [try #require(own)])
    }
}
