import TestSupport
import Testing

@testable import Capabilities

@Suite struct RecencyMapTests {
    @Test func `the least recently used entry is evicted`() {
        var map = RecencyMap<Int, String>(capacity: 2)
        map.insert("a", for: 1)
        map.insert("b", for: 2)
        #expect(map.use(1) == "a")
        map.insert("c", for: 3)
        #expect(map.keys == [3, 1])
        #expect(map.use(2) == nil)
        #expect(map.evictedCount == 1)
    }

    @Test func `another value for a key needs no further room`() {
        var map = RecencyMap<Int, String>(capacity: 2)
        map.insert("a", for: 1)
        map.insert("b", for: 2)
        map.insert("c", for: 1)
        #expect(map.keys == [1, 2])
        #expect(map.use(1) == "c" && map.use(2) == "b" && map.evictedCount == 0)
    }

    @Test(arguments: [1, 2, 3, 7])
    func `it equals a plain list of the newest`(capacity: Int) {
        var generator = SeededGenerator(seed: UInt64(capacity))
        var map = RecencyMap<Int, UInt64>(capacity: capacity)
        var list: [(key: Int, value: UInt64)] = []
        for step in 0..<4_000 {
            let key = Int(generator.next() % 9)
            let place = list.firstIndex { $0.key == key }
            if generator.next() & 1 == 0 {
                let found = place.map { list.remove(at: $0) }
                if let found { list.insert(found, at: 0) }
                #expect(map.use(key) == found?.value, "step \(step)")
            } else {
                if let place { list.remove(at: place) }
                list.insert((key, UInt64(step)), at: 0)
                list = Array(list.prefix(capacity))
                map.insert(UInt64(step), for: key)
            }
            #expect(map.keys == list.map(\.key) && map.count == list.count, "step \(step)")
        }
    }
}
