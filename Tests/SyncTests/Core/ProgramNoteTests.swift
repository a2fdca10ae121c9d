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

    @Test func `is not answered by a device that discloses nothing`() throws {
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

    @Test func `is sent to another account's device when something is shared with it for the first time, once`() throws
    {
        var desk = try Desk(program: own)
        let zone = try desk.neighbours.zone(of: 0)
        try desk.tellRights(zone)
        try desk.tellZone(zone)
        // A zone in which Bob may only see who takes part: its contents are not shared.
        let wall = desk.neighbours.homes[0].wall
        let later = Caveats(notBefore: wall + 1_000, expires: nil)
        _ = try desk.neighbours.grant(.read, to: 1, by: 0, caveats: later, zone: zone)
        try desk.tellRights(zone)
        #expect(notes(desk.open(2, remoteRevision: 1)).isEmpty, "nothing is shared yet")
        _ = try desk.neighbours.grant(.read, to: 1, by: 0, zone: zone)
        #expect(notes(try desk.tellRights(zone)) == [try #require(own)])
        let second = try desk.neighbours.zone(of: 0)
        _ = try desk.neighbours.grant(.read, to: 1, by: 0, zone: second)
        #expect(notes(try desk.tellRights(second) + desk.tellZone(second)).isEmpty, "it was sent already")
    }

    @Test func `is sent when a right begins by the clock, or a shared zone arrives after its rights`() throws {
        let note = try #require(own)
        var desk = try Desk(program: own)
        let zone = try desk.neighbours.zone(of: 0)
        let wall = desk.neighbours.homes[0].wall
        let later = Caveats(notBefore: wall + 1_000, expires: nil)
        _ = try desk.neighbours.grant(.read, to: 1, by: 0, caveats: later, zone: zone)
        try desk.tellRights(zone)
        try desk.tellZone(zone)
        #expect(notes(desk.open(2, remoteRevision: 1)).isEmpty)
        desk.neighbours.homes[0].wall = wall + 1_000
        #expect(notes(desk.feed(.tick)) == [note])

        var other = try Desk(program: own)
        let arriving = try other.neighbours.zone(of: 0)
        _ = try other.neighbours.grant(.read, to: 1, by: 0, zone: arriving)
        try other.tellRights(arriving)
        #expect(notes(other.open(2, remoteRevision: 1)).isEmpty)
        #expect(notes(try other.tellZone(arriving)) == [note])
    }

    @Test func `ends with the session, and stays known here when the account is replaced`() throws {
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
