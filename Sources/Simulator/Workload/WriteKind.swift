/// A kind of write by an application.
enum WriteKind: CaseIterable {
    /// Gives one or two fields new values.
    case set
    /// Deletes the record.
    case delete
    /// Gives all fields new values and removes the others.
    case replace
    /// Reads the record and writes it on the condition that it has not changed.
    case conditional
    /// Creates a record on the condition that there is none.
    case create
    /// Resolves a conflict.
    case resolve
    /// Removes a field.
    case remove
    /// Adds to a counter.
    case increment
    /// Puts an element into a set.
    case insert
    /// Removes elements from a set.
    case withdraw

    /// The relative frequency of this kind.
    var weight: Int {
        switch self {
        case .set: 36
        case .delete: 9
        case .replace: 5
        case .conditional: 12
        case .create: 3
        case .resolve: 9
        case .remove: 4
        case .increment: 9
        case .insert: 8
        case .withdraw: 5
        }
    }

    static func drawn(using random: inout SeededGenerator) -> WriteKind {
        var left = random.index(below: allCases.reduce(0) { $0 + $1.weight })
        for kind in allCases {
            if left < kind.weight { return kind }
            left -= kind.weight
        }
        return .set
    }
}
