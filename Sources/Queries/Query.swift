package import Wire

/// A question about the records of one zone.
package struct Query: Hashable, Sendable {
    /// The type of the records.
    package var type: BytewiseString
    /// The condition; `nil` = all records of the type.
    package var predicate: Predicate?
    /// The order of the answer; records that are equal in all of these fields are in the order of their names, in the
    /// direction of the last field.
    package var sort: [SortField]

    /// Makes a question.
    package init(type: String, predicate: Predicate? = nil, sort: [SortField] = []) {
        self.type = BytewiseString(type)
        self.predicate = predicate
        self.sort = sort
    }

    /// Whether a record is part of the answer.
    package func matches(_ record: QueryRecord) -> Bool {
        record.type.isBytewiseEqual(to: type.string) && predicate?.matches(record) ?? true
    }

    /// Returns the position of a record in the answer.
    package func position(of record: QueryRecord) -> QueryPosition {
        QueryPosition(values: sort.map { record[$0.field].flatMap { SortValue($0) } }, name: record.name)
    }

    /// Whether one place of the answer comes before another.
    package func areAscending(_ left: QueryPosition, _ right: QueryPosition) -> Bool {
        for (index, key) in sort.enumerated() {
            switch (left.values[index], right.values[index]) {
            case (nil, nil): continue
            case (nil, _): return false
            case (_, nil): return true
            case (let one?, let other?):
                if one != other { return (one < other) == key.isAscending }
            }
        }
        let (one, other) = namesAscend ? (left, right) : (right, left)
        return one.name.isBytewiseLess(than: other.name)
    }

    /// The direction in which names decide.
    package var namesAscend: Bool { sort.last?.isAscending ?? true }
}

/// A place in the answer to a query.
package struct QueryPosition: Hashable, Sendable {
    /// One for each sort field; `nil` for a record without one.
    package var values: [SortValue?]
    /// The record's name.
    package var name: String

    /// Makes a place.
    package init(values: [SortValue?], name: String) {
        self.values = values
        self.name = name
    }

    /// Whether both are the same bytes.
    package static func == (left: Self, right: Self) -> Bool {
        left.values == right.values && left.name.isBytewiseEqual(to: right.name)
    }

    /// Feeds values and name.
    package func hash(into hasher: inout Hasher) {
        hasher.combine(values)
        hasher.combine(BytewiseString(name))
    }
}
