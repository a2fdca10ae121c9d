import KairanClient
import TestSupport
import Testing

@Suite struct `Lines and events out of pieces` {
    private func lines(_ text: String, pieces: [Int]) throws -> [String] {
        var splitter = LineSplitter(lineByteCountMax: 64)
        var result: [String] = []
        var rest = Array(text.utf8)[...]
        for count in pieces {
            try splitter.append(rest.prefix(count))
            rest = rest.dropFirst(count)
            while let line = splitter.next() { result.append(String(decoding: line, as: UTF8.self)) }
        }
        try splitter.append(rest)
        splitter.finish()
        while let line = splitter.next() { result.append(String(decoding: line, as: UTF8.self)) }
        return result
    }

    @Test func `the pieces do not matter`() throws {
        let text = "one\n\ntwo\r\nthree\r\n\nlast"
        let expected = ["one", "", "two", "three", "", "last"]
        for first in 0...text.utf8.count {
            #expect(try lines(text, pieces: [first, 1]) == expected)
        }
        #expect(try lines(text, pieces: Array(repeating: 1, count: text.utf8.count)) == expected)
        #expect(try lines("", pieces: []) == [])
        #expect(try lines("a\n", pieces: []) == ["a"])
    }

    @Test func `a line without an end is refused at the limit`() throws {
        var splitter = LineSplitter(lineByteCountMax: 4)
        try splitter.append(Array("abc\nabcd".utf8))
        #expect(splitter.next() == Array("abc".utf8) && splitter.next() == nil)
        #expect(throws: LineSplitter.LineTooLong.self) { try splitter.append([0x61]) }
    }

    @Test func `events are assembled, comments dropped`() {
        var events = ServerSentEvents()
        var result: [ServerSentEvents.Event] = []
        for line in [": hello", "", "id: t1", "data: {\"a\":1}", "", "data:x", "data: y", "", "event: other", ""] {
            if let event = events.event(after: Array(line.utf8)) { result.append(event) }
        }
        #expect(result.map(\.id) == ["t1", nil])
        #expect(result.map { String(decoding: $0.data, as: UTF8.self) } == ["{\"a\":1}", "x\ny"])
    }
}
