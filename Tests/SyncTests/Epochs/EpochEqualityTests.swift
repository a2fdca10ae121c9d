@testable import Records
import TestSupport
import Testing
import Wire

@testable import Sync

@Suite struct `Two graphs of epochs` {
    private static let zone = ZoneID(Digest32(word0: 1, word1: 2, word2: 3, word3: 4))

    private func statement() throws -> EpochStatement {
        let epoch = KeyEpoch(previous: [], confirm: .zero, chain: [], envelopes: [])
        let actor = ActorID(Digest32(word0: 5, word1: 0, word2: 0, word3: 0))
        let body = ControlBody.epoch(epoch.encoded)
        let operation = Operation.statement(body, at: Dot(actor: actor, counter: 1))
        return try #require(EpochStatement(operation, body, by: .zero))
    }

    @Test func `are equal when their statements are, and each is handed on in both or in neither`() throws {
        let statement = try statement()
        func graph(isHandedOn: Bool) -> EpochGraph {
            EpochGraph([(statement: statement, isHandedOn: isHandedOn)], zone: Self.zone)
        }
        #expect(graph(isHandedOn: true) == graph(isHandedOn: true))
        #expect(graph(isHandedOn: true) != graph(isHandedOn: false))
    }
}
