import Queries
import Records
import ReplicaBehaviour
import Sodium
import Sync
import Wire

/// The node's notes about its zones, logs and devices.
extension NodeStoreBehaviour {
    func checkUpkeep(_ store: inout some NodeTransaction) throws {
        try require(store.upkeep(zone: TestZone.id) == UpkeepRow(zone: TestZone.id))
        var row = UpkeepRow(zone: TestZone.id)
        row.turnCount = 3
        row.prunedUnder = Hash(digesting: .treeNode, [1])
        row.checkpointMilliseconds = 4
        row.checkpointHeldSince = 5
        row.statementsHeldSince = 6
        // A record's name may begin with a byte that ends a string elsewhere.
        for place in ["", "\u{0}a", "e\u{301}", nil] {
            row.withdrawalPlace = place
            try store.save(row)
            let kept = try store.upkeep(zone: TestZone.id)
            try require(kept == row && kept.withdrawalPlace.map { Array($0.utf8) } == place.map { Array($0.utf8) })
        }
        try store.save(UpkeepRow(zone: TestZone.id))
        try require(store.upkeep(zone: TestZone.id) == UpkeepRow(zone: TestZone.id))
        try require(store.upkeep(zone: .zero) == UpkeepRow(zone: .zero))

        row.turnCount = .max
        row.checkpointMilliseconds = .max
        row.checkpointHeldSince = .max
        row.statementsHeldSince = .max
        try store.save(row)
        let clamped = try store.upkeep(zone: TestZone.id)
        try require(clamped == row.storable && clamped.statementsHeldSince == StorableLimits.numberMax)
    }

    func checkMarks(_ store: inout some NodeTransaction) throws {
        try require(store.feedMark(TestZone.id) == nil && store.newestFeedMark() == 0)
        let visible = FeedMark(place: .own, changed: 7, entered: 5)
        try store.save(visible, zone: TestZone.id)
        try store.save(FeedMark(place: .hidden, changed: 9, entered: 0), zone: .zero)
        try require(store.feedMark(TestZone.id) == visible)
        try require(store.feedMark(.zero) == FeedMark(place: .hidden, changed: 9, entered: 0))
        try require(store.newestFeedMark() == 9)
        try store.save(FeedMark(place: .own, changed: 11, entered: 11), zone: TestZone.id)
        try require(store.feedMark(TestZone.id)?.changed == 11 && store.newestFeedMark() == 11)
    }

    func checkOffers(_ store: inout some NodeTransaction) throws {
        let entry = Hash(digesting: .treeNode, [1])
        for answer in [nil, [], [1, 2]] as [[UInt8]?] {
            let offer = NotedOffer(milliseconds: 5, entry: entry, answer: answer)
            try store.setNotedOffer(offer, of: TestZone.id)
            try require(store.notedOffer(of: TestZone.id) == offer)
        }
        try require(store.notedOffer(of: .zero) == nil)
        try store.setNotedOffer(NotedOffer(milliseconds: .max, entry: entry, answer: nil), of: TestZone.id)
        try require(store.notedOffer(of: TestZone.id)?.milliseconds == StorableLimits.numberMax)
        for _ in 0..<2 {
            try store.setNotedOffer(nil, of: TestZone.id)
            try require(store.notedOffer(of: TestZone.id) == nil)
        }
        try store.setNotedOffer(nil, of: .zero)
    }

    func checkSharedSizes(_ store: inout some NodeTransaction) throws {
        let (data, control) = (TestAuthor(1).log(), TestAuthor(1).log(TestZone.id, .control))
        try require(store.sharedSize(of: data) == nil)
        for size in [5, 3, UInt64.max] {
            try store.setSharedSize(size, of: data)
            try require(store.sharedSize(of: data) == min(size, StorableLimits.numberMax))
            try require(store.sharedSize(of: control) == nil && store.sharedSize(of: TestAuthor(2).log()) == nil)
        }
        try store.setSharedSize(0, of: control)
        for _ in 0..<2 {
            try store.setSharedSize(nil, of: data)
            try require(store.sharedSize(of: data) == nil && store.sharedSize(of: control) == 0)
        }
    }

    func checkKnownDevices(_ store: inout some NodeTransaction) throws {
        try require(store.knownDevices() == KnownDevices())
        let account = AccountID(Digest32(word0: 1, word1: 0, word2: 0, word3: 0))
        let keys = (0..<3).map { KnownDevices.Key(Self.device(UInt8($0 + 1)), of: account) }
        let all = KnownDevices(since: [keys[0]: 1, keys[1]: .max, keys[2]: 0])
        try store.save(all)
        try require(store.knownDevices() == all.storable)
        let other = KnownDevices(since: [keys[1]: 7])
        try store.save(other)
        try require(store.knownDevices() == other)
        try store.save(KnownDevices())
        try require(store.knownDevices() == KnownDevices())
    }

    func checkRequestedIndexes(_ store: inout some NodeTransaction) throws {
        let indexes = [
            FieldIndex(type: "note", field: .named("z"), kind: .value),
            FieldIndex(type: "note", field: .named("a"), kind: .text),
            FieldIndex(type: "note", field: .system(.modifiedAt), kind: .value),
        ]
        try require(store.requestedIndexes(container: "x") == nil)
        for requested in [indexes, [], Array(indexes.reversed())] {
            try store.setRequestedIndexes(requested, container: "x")
            try require(store.requestedIndexes(container: "x") == requested)
            try require(store.requestedIndexes(container: "y") == nil)
        }
        // Two containers whose names look alike.
        try store.setRequestedIndexes([], container: "\u{E9}")
        try require(store.requestedIndexes(container: "e\u{301}") == nil)
    }

    func checkNumbersTaken(_ store: inout some NodeTransaction) throws {
        try require(store.inboxPosition() == 0)
        for number in 1...3 as ClosedRange<UInt64> { try require(store.takeMessageNumber() == number) }
        try require(store.takePayloadNumber() == 1 && store.takeMessageNumber() == 4 && store.takePayloadNumber() == 2)
        for position in [9, 3, UInt64.max] {
            try store.setInboxPosition(position)
            try require(store.inboxPosition() == min(position, StorableLimits.numberMax))
        }
    }
}
