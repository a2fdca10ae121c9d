import Capabilities
import Identity
import Records
import Testing
import Wire

@testable import Sync

@Suite struct `An invitation that is over` {
    @Test func `leaves the book with all of its requests, however many there are`() throws {
        var n = try Neighbours([1])
        let zone = try n.zone(of: 0)
        let invite = try n.invite(by: 0, zone: zone)
        let requests = (1...300 as ClosedRange<UInt64>).map { number in
            let account = AccountID(Digest32(word0: number, word1: 0, word2: 0, word3: 9))
            let id = Redemption.ID(invite: invite.identifier, account: account)
            return Redemption(id: id, device: .zero, asked: number).write
        }
        for part in [requests.prefix(150), requests.dropFirst(150)] {
            try n.change(0) { _ = try AccountZone($0).save(Array(part), in: &$2) }
        }
        #expect(try Redemptions(n.committer(0)).all(by: invite, in: n.homes[0].store).count == 300)
        n.homes[0].wall = invite.forgotten + 86_400_000
        n.homes[0].witnesses = ClockWitnesses(count: 2, median: n.homes[0].wall)
        _ = try n.invite(.read, by: 0, zone: zone)
        #expect(try Redemptions(n.committer(0)).all(by: invite, in: n.homes[0].store).isEmpty)
        #expect(try n.state(of: invite, on: 0) == nil)
    }
}
