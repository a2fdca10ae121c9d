import Identity
import Session
import Sodium
import Testing
import Transport
import Wire

@testable import Node

@Suite(.timeLimit(.minutes(5))) struct `A connection that brings more than may wait` {
    @Test func `may be sent the longest account log with a run behind it`() {
        #expect(TransportLimits().waitingByteCountMax >= AccountLog.byteCountMax + Limits.messageByteCountMax)
    }

    @Test func `is read further when its messages were consumed, also one about an invitation`() async throws {
        try await withNodes { nodes in
            let sync = try await nodes.start().node.sync
            var random = SystemRandom()
            let account = AccountID(.zero)
            let connection = try StagedConnection(
                DeviceIdentity(using: &random),
                of: account,
                purpose: .invite(identifier: [1])
            )
            await sync.facts.opened(connection)
            let half = [UInt8](repeating: 1, count: 262_144)
            let message = PeerMessage.accountEntries(
                AccountEntries(account: account, entries: [half, half], more: true)
            )
            let count = SyncFact.waitingByteCountMax / 524_288 + 1
            #expect(await !sync.deliver([PeerMessage](repeating: message, count: count), on: connection.id))
            var events = connection.events.makeAsyncIterator()
            #expect(await events.next() == .readOn)
        }
    }
}
