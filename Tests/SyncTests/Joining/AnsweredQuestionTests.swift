import Identity
import Sync
import Testing
import Wire

@Suite struct `Questions about invitations that were answered` {
    private func ahead(more: Bool) -> PeerMessage {
        let entries = [[UInt8]](repeating: [UInt8](repeating: 1, count: 262_144), count: 2)
        return .accountEntries(AccountEntries(account: .zero, entries: entries, more: more))
    }

    @Test func `leave room for another account log of the greatest length`() throws {
        var exchange = InvitationMessages()
        for id in [SessionID(1), 2] { exchange.open(id, as: .answering, with: .zero) }
        let count = AccountLog.byteCountMax >> 19
        for number in 1...count {
            #expect(try exchange.take(ahead(more: number < count), on: 1) == .incomplete)
        }
        let question = PeerMessage.joinRequest(JoinRequest(account: .zero, entries: []))
        guard case .message = try exchange.take(question, on: 1) else {
            Issue.record("the question is whole")
            return
        }
        exchange.answered(1)
        for _ in 1...count { #expect(try exchange.take(ahead(more: true), on: 2) == .incomplete) }
    }
}
