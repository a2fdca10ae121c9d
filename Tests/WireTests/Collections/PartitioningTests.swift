import Testing
import Wire

@Suite struct `A collection in order` {
    @Test func `is divided where a search from the beginning would divide it`() {
        for count in 0..<20 {
            let all = (0..<count).map { $0 / 2 }
            for value in -1...10 {
                #expect(all.partitioningIndex { $0 < value } == all.firstIndex { $0 >= value } ?? all.endIndex)
                let part = all.dropFirst(3)
                #expect(part.partitioningIndex { $0 < value } == part.firstIndex { $0 >= value } ?? part.endIndex)
            }
        }
    }
}
