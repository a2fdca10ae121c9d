import FuzzKit
import Queries
import Wire

/// The queries of programs: a predicate, a cursor, and records to which the predicate is applied.
///
/// The first byte selects which. A text is a predicate or a refusal that names a place in it; a predicate written and
/// read again is the same one; an index leaves out no record that the predicate matches.
let queryTarget = FuzzTarget(
    "queries",
    inputByteCountMax: 1_024,
    run: { bytes in
        guard let form = bytes.first else { return }
        let text = String(decoding: bytes.dropFirst(), as: UTF8.self)
        if form & 1 == 1 {
            tryCursor(text)
        } else {
            tryPredicate(text)
        }
    },
    seeds: {
        let predicates = [
            "a = 1", "not (`b c` != \"x\\n\" or a >= -1.5e3)", "a in (1, 'two', true) and @parent is null",
            "a begins with \"x\" and b contains 3 and a between 1 and 2", "near(a, 48.2, 16.3, 500) or a exists",
            "a matches 'one tw*'", "a = date(\"5\") or a = bytes(\"0aff\") or a = reference(\"r\")",
        ]
        return predicates.map { [0] + Array($0.utf8) }
            + samples.map { [1] + Array(QueryCursor.text(cursorQuery.position(of: $0), of: cursorQuery).utf8) }
    }
)

private let forms = LiteralForms(
    readTime: { Int64($0) },
    writeTime: { String($0) },
    readBytes: { Hexadecimal.decode($0) },
    writeBytes: { Hexadecimal.encode($0) }
)

private let cursorQuery = Query(type: "t", sort: [SortField(.named("a")), SortField(.named("b"), isAscending: false)])

private let samples: [QueryRecord] = {
    let values: [FieldValue] = [
        .null, .string(""), .string("one Two"), .string(String(repeating: "x", count: 300)), .int64(.min),
        .int64(1 << 53 + 1),
        .double(.nan), .double(-0.0), .double(.infinity), .bool(true), .bytes([10, 255]), .date(milliseconds: 5),
        .location(latitude: 48.2, longitude: 16.3), .reference(zone: nil, record: "r"),
        .list([.int64(3), .string("two")]),
    ]
    return values.enumerated().map { index, value in
        QueryRecord(
            name: "r\(index)",
            type: "t",
            creator: .zero,
            modifier: .zero,
            modifiedMilliseconds: UInt64(index),
            parent: index % 2 == 0 ? nil : "r0",
            conflicts: index % 3,
            fields: [BytewiseString("a"): value, BytewiseString("b"): values[(index * 7 + 3) % values.count]]
        )
    }
}()

private func tryPredicate(_ text: String) {
    let predicate: Predicate
    do {
        predicate = try PredicateParser.parse(text, forms: forms)
    } catch {
        demand(error.offset <= text.utf8.count && error.column <= error.offset + 1, "a mistake has a place in the text")
        return
    }
    let written = predicate.text(forms)
    if written.utf8.count <= QueryLimits.textByteCountMax {
        let again = always("a written predicate is one") { try PredicateParser.parse(written, forms: forms) }
        demand(again == predicate && again.text(forms) == written, "reading is the opposite of writing: \(written)")
    }
    let query = Query(type: "t", predicate: predicate, sort: [SortField(.named("a"), isAscending: false)])
    let indexes = ["a", "b"].map { FieldIndex(type: "t", field: .named($0), kind: .value) }
    let plan = QueryPlan.choose(for: query, among: indexes)
    for record in samples {
        demand(predicate.matches(record) != Predicate.not(predicate).matches(record), "a predicate holds or does not")
        guard case .walk(let index, let ranges, _, _) = plan, query.matches(record) else { continue }
        let key = record[index.field].flatMap { SortValue($0) }?.bytes ?? SortRange.missing
        let isInside = ranges.contains {
            !key.lexicographicallyPrecedes($0.low) && key.lexicographicallyPrecedes($0.end)
        }
        demand(isInside, "an index has every record that is meant: \(written)")
    }
}

private func tryCursor(_ text: String) {
    // Each refusal is an outcome that is allowed.
    guard let place = try? QueryCursor.position(text, of: cursorQuery) else { return }
    demand(QueryCursor.text(place, of: cursorQuery) == text, "a cursor is canonical")
    demand(!cursorQuery.areAscending(place, place), "no place is before itself")
    for record in samples {
        let other = cursorQuery.position(of: record)
        let (one, two) = (cursorQuery.areAscending(place, other), cursorQuery.areAscending(other, place))
        demand(one != two || place == other, "places are in one order")
    }
}
