import Sync
import Testing
import Wire

@Suite struct `The notice of a transaction` {
    private func payload(_ number: Int) -> PayloadID { PayloadID(Sample.hash(UInt64(number)).digest) }

    @Test func `has the changes of all of its parts for peers, in their order`() {
        var notice = CommitNotice()
        for number in 1...2 {
            var part = CommitNotice(number: UInt64(number))
            let zone = PeerNotice.ZoneChange(snapshot: Sample.snapshot(number, [1: 1]), before: [:])
            part.note(
                PeerNotice(
                    of: Sample.account,
                    zones: [zone],
                    forgotten: [Sample.zone(number + 2)],
                    unwanted: [payload(number)]
                )
            )
            notice.merge(part)
        }
        #expect(notice.number == 2)
        #expect(notice.zones.map(\.snapshot.zone) == [Sample.zone(1), Sample.zone(2)])
        #expect(notice.peers?.forgotten == [Sample.zone(3), Sample.zone(4)])
        #expect(notice.peers?.unwanted == [payload(1), payload(2)])
    }
}
