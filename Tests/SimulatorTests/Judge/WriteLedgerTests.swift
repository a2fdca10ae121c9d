import Simulator
import Testing
import Wire

@Suite struct WriteLedgerTests {
    private func place(_ counter: UInt64) -> OperationLibrary.Place {
        let digest = Digest32(word0: 1, word1: 2, word2: 3, word3: 4)
        let key = LogKey(zone: ZoneID(digest), actor: ActorID(digest), lane: .data)
        return OperationLibrary.Place(key: key, counter: counter)
    }

    private func write(
        _ counter: UInt64,
        brought: Set<String> = [],
        replaced: Set<String> = []
    ) -> WriteLedger.Write {
        let tag = RecordTag(Digest32(word0: 9, word1: 0, word2: 0, word3: 0))
        return WriteLedger.Write(place: place(counter), tag: tag, node: 0, brought: brought, replaced: replaced)
    }

    @Test func `a write that was never committed cannot be acknowledged`() {
        var ledger = WriteLedger()
        ledger.add(write(1))
        let known = ledger.acknowledge(place(1))
        let unknown = ledger.acknowledge(place(2))
        #expect(known)
        #expect(!unknown)
        #expect(ledger.acknowledgedCount == 1)
    }

    @Test func `the account that replaced a value is remembered`() {
        var ledger = WriteLedger()
        ledger.add(write(1, brought: ["a"]))
        ledger.add(write(2, brought: ["b"], replaced: ["a"]))
        #expect(ledger.replacers(of: "a").map(\.place.counter) == [2])
        #expect(ledger.replacers(of: "b").isEmpty)
    }

    @Test func `only writes that no device holds are excused`() {
        var ledger = WriteLedger()
        ledger.add(write(1))
        ledger.add(write(2))
        ledger.excuse(because: "the disk was lost") { $0.place.counter == 1 }
        #expect(ledger.writes.map { $0.excuse == nil } == [true, false])
    }

    @Test func `of two writes at one place only the one that no device holds is lost`() {
        var ledger = WriteLedger()
        ledger.add(write(1))
        var second = write(1)
        second.entry = 1
        ledger.add(second)
        ledger.excuse(because: "the disk was set back") { $0.entry == 1 }
        #expect(ledger.isLost(place(1), entry: 0))
        #expect(!ledger.isLost(place(1), entry: 1))
        #expect(!ledger.isLost(place(1)))
    }

    @Test func `a place is lost when no device holds the write there`() {
        var ledger = WriteLedger()
        ledger.add(write(1))
        ledger.add(write(2))
        ledger.excuse(because: "the disk was lost") { $0.place.counter == 1 }
        #expect(!ledger.isLost(place(1)))
        #expect(ledger.isLost(place(2)))
        #expect(!ledger.isLost(place(3)))
    }

    @Test func `after a disk was rolled back only the writes that it still holds are required of it`() {
        var ledger = WriteLedger()
        ledger.add(write(1))
        ledger.add(write(2))
        ledger.setBack(0) { $0.place.counter == 1 }
        ledger.setBack(1) { _ in false }
        #expect(ledger.writes.map(\.isSetBack) == [false, true])
    }
}
