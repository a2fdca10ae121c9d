import Queries
import Testing
import Wire

@Suite struct `The work for one page of a query` {
    private func record(_ name: String, _ value: Int64) -> QueryRecord {
        QueryRecord(
            name: name,
            type: "note",
            creator: DeviceID(.zero),
            modifier: DeviceID(.zero),
            modifiedMilliseconds: 0,
            parent: nil,
            conflicts: 0,
            fields: [BytewiseString("n"): .int64(value)]
        )
    }

    @Test(arguments: [1, 2, 7, 20, 21, 100])
    func `is bounded where records come in order, and loses none of them`(lookCountMax: Int) {
        let records = (0..<20).map { record("r\($0 + 10)", Int64($0)) }
        let query = Query(
            type: "note",
            predicate: .oneOf(.named("n"), [.int64(3), .int64(4), .int64(17), .int64(19)])
        )
        for limit in [1, 3, 10] {
            var found: [String] = []
            var place: QueryPosition?
            var pages = 0
            repeat {
                var selection = QuerySelection<String>(query, after: place, limit: limit, lookCountMax: lookCountMax)
                var looked = 0
                for record in records {
                    if let place, !query.areAscending(place, query.position(of: record)) { continue }
                    looked += 1
                    guard selection.offerNext(record, record.name) else { break }
                }
                #expect(looked <= lookCountMax)
                let page = selection.page
                found += page.choices.map(\.payload)
                place = page.more ? page.choices.last?.position : selection.end
                pages += 1
            } while place != nil && pages < 100
            #expect(found == ["r13", "r14", "r27", "r29"], "limit \(limit)")
        }
    }
}
