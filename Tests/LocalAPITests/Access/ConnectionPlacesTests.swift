import Testing

@testable import LocalAPI

@Suite struct `Places for connections` {
    @Test func `are few for strangers, more for applications, and come back`() {
        let places = ConnectionPlaces()
        let stranger = Caller.other(seesStatus: true)
        for _ in 0..<ConnectionPlaces.perOtherUser { #expect(places.take(stranger, user: 1)) }
        #expect(!places.take(stranger, user: 1))
        #expect(places.take(stranger, user: 2) && places.take(stranger, user: nil))
        for _ in 0..<ConnectionPlaces.perBoundUser { #expect(places.take(.bound([]), user: 1)) }
        #expect(!places.take(.bound([]), user: 1) && places.take(.bound([]), user: 2))
        places.release(.bound([]), user: 1)
        #expect(places.take(.bound([]), user: 1))
        for _ in 0..<10_000 { #expect(places.take(.admin, user: 1)) }
    }

    @Test func `of all strangers together are bounded`() {
        let places = ConnectionPlaces()
        let stranger = Caller.other(seesStatus: false)
        let taken = (0..<1_000 as Range<UInt32>).filter { places.take(stranger, user: $0) }
        #expect(taken.count == ConnectionPlaces.allOthers)
        places.release(stranger, user: 0)
        #expect(places.take(stranger, user: 5_000) && !places.take(stranger, user: 5_001))
    }
}
