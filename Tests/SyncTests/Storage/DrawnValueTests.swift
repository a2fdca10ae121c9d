import Records
import Sodium
import Testing
import Wire

@testable import Sync

/// Values that a transaction draws once for each use, by the number of the use; and the bytes with that number.
@Suite struct `Numbers in hashes` {
    private func shared() throws -> (neighbours: Neighbours, zone: ZoneID) {
        var neighbours = try Neighbours([1, 1], envelopes: BoxEnvelopes())
        let zone = try neighbours.zone(of: 0)
        _ = try neighbours.grant(.write, to: 1, by: 0, zone: zone)
        try neighbours.settle(zone)
        return (neighbours, zone)
    }

    @Test func `give the messages of one transaction different names`() throws {
        var (neighbours, zone) = try shared()
        let drafts = [Neighbours.draft("one"), Neighbours.draft("two")]
        let ids = try neighbours.change(0) {
            try SentMessages($0).send(drafts, zone: zone, in: &$2).reply.get().map(\.id)
        }
        #expect(Set(ids).count == 2)
        try neighbours.exchangeMessages(zone)
        #expect(try Set(neighbours.inbox(1)) == ["one", "two"])
    }

    @Test func `give the payloads of one transaction secrets of their own`() throws {
        var (neighbours, zone) = try shared()
        let secrets = try neighbours.change(0) { committer, _, store in
            let first = try Payloads(committer).begin(zone: zone, announced: 1, in: &store)
            let second = try Payloads(committer).begin(zone: zone, announced: 1, in: &store)
            return [first.secret, second.secret]
        }
        #expect(Set(secrets).count == 2)
    }
}
