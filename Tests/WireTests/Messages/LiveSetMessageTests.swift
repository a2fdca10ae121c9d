import Testing
import Wire

@Suite struct `A page of a live set` {
    private func record(_ tag: UInt8, _ counters: [UInt64]) -> LiveSetPage.Record {
        LiveSetPage.Record(tag: Layout.id(tag), dots: counters.map { Dot(actor: Layout.id(9), counter: $0) })
    }

    private func decode(_ records: [LiveSetPage.Record], isLast: Bool, checkpoint: UInt8 = 2) throws -> LiveSetPage {
        let page = LiveSetPage(
            zone: Layout.id(1),
            checkpoint: Layout.id(checkpoint),
            records: records,
            isLast: isLast
        )
        return try LiveSetPage(decoding: page.encoded)
    }

    @Test func `is read as it was written`() throws {
        let records = [record(3, [1, 4]), record(4, [2])]
        #expect(try decode(records, isLast: true).records == records)
        #expect(try decode([], isLast: true).isLast)
    }

    @Test func `has its records and their operations in order, each once`() {
        #expect(throws: WireError.notAscending) { try decode([record(4, [1]), record(3, [1])], isLast: true) }
        #expect(throws: WireError.notAscending) { try decode([record(3, [1]), record(3, [2])], isLast: true) }
        #expect(throws: WireError.notAscending) { try decode([record(3, [2, 1])], isLast: true) }
    }

    @Test func `has a minimum size, unless it is the last`() throws {
        let dots = (1...UInt64(Limits.liveSetPageDotCountMin)).map { $0 }
        #expect(try !decode([record(3, dots)], isLast: false).isLast)
        #expect(throws: WireError.self) { try decode([record(3, dots.dropLast())], isLast: false) }
        #expect(throws: WireError.self) { try decode([record(3, [])], isLast: true) }
        #expect(throws: WireError.self) { try decode([], isLast: false) }
        #expect(throws: WireError.self) { try decode([record(3, [1])], isLast: true, checkpoint: 0) }
    }

    @Test func `has a bound for all its operations together`() throws {
        let half = (1...UInt64(Limits.liveSetDotCountMax / 2)).map { $0 }
        #expect(try decode([record(3, half), record(4, half)], isLast: true).records.count == 2)
        #expect(throws: WireError.tooLong(limit: Limits.liveSetDotCountMax)) {
            try decode([record(3, half), record(4, half), record(5, [1])], isLast: true)
        }
    }
}
