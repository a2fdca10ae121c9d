/// What an application may do to records.
enum WriteKind: CaseIterable {
    /// Gives one or two fields new values.
    case set
    /// Deletes the record.
    case delete
    /// Gives all fields new values and takes the others away.
    case replace
    /// Reads the record and writes it on the condition that it has not changed.
    case conditional
    /// Makes a record on the condition that there is none.
    case create
    /// Decides a conflict.
    case resolve
    /// Takes a field away.
    case remove
    /// Adds to a counter.
    case increment
    /// Puts an element into a set.
    case insert
    /// Takes elements out of a set.
    case withdraw

    /// How often each is chosen.
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
