/// The difference between two versions of a record's fields: elements and amounts added to or removed from sets and
/// counters, and new values of all other fields.
///
/// Concurrent additions by several devices all take effect; a written value replaces concurrent writes by other
/// devices.
struct FieldChanges: Sendable, Hashable {
    var fields: NameDictionary<RecordValue> = [:]
    var removedFields: [String] = []
    var increments: NameDictionary<Int64> = [:]
    var insertions: NameDictionary<[RecordValue]> = [:]
    var withdrawals: NameDictionary<[RecordValue]> = [:]

    /// Creates an empty set of changes.
    init() {}

    /// Computes the changes that turn the known fields into the wanted ones.
    /// - Parameters:
    ///   - known: The fields as this client knows them.
    ///   - wanted: The fields of the encoded value; fields that it does not name stay unchanged.
    init(from known: NameDictionary<RecordValue>, to wanted: RecordFields) {
        for (name, value) in wanted.values where !(known[name]?.isSame(as: value) ?? false) {
            set(name, to: value, from: known[name])
        }
        removedFields = wanted.absent.filter { known[$0] != nil }
    }

    var isEmpty: Bool {
        fields.isEmpty && removedFields.isEmpty && increments.isEmpty && insertions.isEmpty && withdrawals.isEmpty
    }

    /// Sets a field.
    /// - Parameters:
    ///   - name: The name of the field.
    ///   - value: The new value.
    ///   - known: The value as this client knows it; `nil` if the field is absent.
    mutating func set(_ name: String, to value: RecordValue, from known: RecordValue?) {
        switch (known, value) {
        case (.counter(let before), .counter(let after)):
            let (difference, overflows) = after.subtractingReportingOverflow(before)
            if overflows { fields[name] = value } else { increments[name] = difference }
        // A counter or set that starts out empty or at zero has to be written explicitly; otherwise the field would
        // not exist.
        case (nil, .counter(let total)) where total != 0: increments[name] = total
        case (nil, .set(let elements)) where !elements.isEmpty: insertions[name] = elements
        case (.set(let before), .set(let after)):
            let (old, new) = (Set(before), Set(after))
            let (added, taken) = (after.filter { !old.contains($0) }, before.filter { !new.contains($0) })
            if !added.isEmpty { insertions[name] = added }
            if !taken.isEmpty { withdrawals[name] = taken }
        default: fields[name] = value
        }
    }

    /// The fields of a record after the changes.
    func applied(to record: NameDictionary<RecordValue>) -> NameDictionary<RecordValue> {
        var result = record.merging(fields) { _, new in new }
        for name in removedFields { result[name] = nil }
        for (name, difference) in increments {
            let before: Int64 = if case .counter(let total)? = result[name] { total } else { 0 }
            let (total, overflows) = before.addingReportingOverflow(difference)
            result[name] = .counter(overflows ? (difference < 0 ? .min : .max) : total)
        }
        for (name, _) in insertions.merging(withdrawals, uniquingKeysWith: { first, _ in first }) {
            let before: [RecordValue] = if case .set(let elements)? = result[name] { elements } else { [] }
            let taken = Set(withdrawals[name] ?? [])
            let added = (insertions[name] ?? []).filter { !before.contains($0) }
            result[name] = .set(before.filter { !taken.contains($0) } + added)
        }
        return result
    }

    /// Whether sets have all inserted elements, and none of the withdrawn ones.
    func hasSets(of record: NameDictionary<RecordValue>) -> Bool {
        func elements(_ name: String) -> [RecordValue] {
            if case .set(let elements)? = record[name] { elements } else { [] }
        }
        return insertions.allSatisfy { name, added in Set(added).isSubset(of: elements(name)) }
            && withdrawals.allSatisfy { name, taken in Set(taken).isDisjoint(with: elements(name)) }
    }
}

extension RecordWrite {
    /// Applies the changes.
    mutating func take(_ changes: FieldChanges) {
        fields = changes.fields
        removedFields = changes.removedFields
        increments = changes.increments
        insertions = changes.insertions
        withdrawals = changes.withdrawals
    }
}
