import Testing

@testable import Mounting

@Suite struct `The copies of folders that are read` {
    private static func entries(_ count: Int) -> [FolderEntry] {
        (0..<count).map { FolderEntry(name: "f\($0)", id: NodeID(number: UInt64($0) + 2)) }
    }

    @Test func `go with the last page, and are made anew for a return in front of it`() {
        var listings = FolderListings()
        listings.open(.root, as: 7)
        #expect(listings.folder(of: 7) == .root && listings.folder(of: 8) == nil)
        #expect(listings.entries(of: 7, from: 0) == nil && listings.entries(of: 7, from: 2) == nil)
        let all = Self.entries(5)
        let isKept = listings.begin(7, with: all)
        #expect(isKept && listings.entryCount == 5)
        #expect(listings.entries(of: 7, from: 2) == all)
        #expect(listings.entries(of: 7, from: 0) == nil, "a program that rewinds sees the folder as it is")
        listings.finish(7)
        #expect(listings.entryCount == 0)
        #expect(listings.entries(of: 7, from: 5) == [] && listings.entries(of: 7, from: 4) == nil)
        listings.finish(7)
        #expect(listings.entries(of: 7, from: 5) == [])
        listings.close(7)
        #expect(listings.count == 0 && listings.folder(of: 7) == nil)
    }

    @Test func `have a bound together, which one alone may pass`() {
        var listings = FolderListings(entryCountMax: 10)
        for handle in 1...3 as ClosedRange<UInt64> { listings.open(.root, as: handle) }
        #expect(listings.begin(1, with: Self.entries(12)) == true)
        #expect(listings.begin(2, with: Self.entries(1)) == false)
        #expect(listings.begin(1, with: Self.entries(8)) == true, "the copy in its place goes first")
        #expect(listings.begin(2, with: Self.entries(2)) == true)
        #expect(listings.begin(3, with: Self.entries(1)) == false)
        #expect(listings.entryCount == 10)
        listings.close(1)
        #expect(listings.entryCount == 2)
        #expect(listings.begin(3, with: Self.entries(8)) == true)
        #expect(listings.begin(9, with: []) == false, "it is not open")
    }
}
