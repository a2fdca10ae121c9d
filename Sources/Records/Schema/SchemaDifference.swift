package import Wire

/// One difference between two schemas.
package struct SchemaDifference: Hashable, Sendable {
    /// The part of a schema that a difference concerns.
    package enum Aspect: String, Hashable, Sendable, CaseIterable {
        /// The type is there or not.
        case type
        /// The field is there or not.
        case field
        /// The kind of the field's values.
        case kind
        /// The kind of a list's or set's elements.
        case element
        /// Whether the field has to be there.
        case required
        /// The least value.
        case minimum
        /// The greatest value.
        case maximum
        /// The least length.
        case lengthMinimum = "length_minimum"
        /// The greatest length.
        case lengthMaximum = "length_maximum"
        /// The values there may be.
        case values
        /// An index.
        case index
        /// The policy for concurrent values.
        case conflicts
        /// Something that this version does not know.
        case unknown
    }

    /// The direction of a change.
    package enum Change: String, Hashable, Sendable, CaseIterable {
        /// It is new.
        case added
        /// It is gone; a renamed field is gone under its old name.
        case removed
        /// It is another one.
        case changed
        /// More is allowed than before.
        case loosened
        /// Less is allowed than before.
        case tightened
    }

    /// The record type.
    package let type: String
    /// The field; `nil` for a difference of the type itself.
    package let field: String?
    /// The part of the schema that it concerns.
    package let aspect: Aspect
    /// The direction of the change.
    package let change: Change

    /// Describes a difference.
    /// - Parameters: as the properties of the same names.
    package init(type: String, field: String?, aspect: Aspect, change: Change) {
        self.type = type
        self.field = field
        self.aspect = aspect
        self.change = change
    }

    /// Whether a schema in production allows the change: valid records stay valid, and nothing is removed.
    package var isAdditive: Bool { change == .added || change == .loosened }
}

extension Schema {
    /// Lists the differences of another schema from this one.
    /// - Parameter other: The later one.
    /// - Returns: The differences, by type and field; empty when both are equal.
    /// - Complexity: O(fields).
    package func differences(to other: Schema) -> [SchemaDifference] {
        var differences = SchemaDifferences(type: "")
        differences.compare(unknown, other.unknown, field: nil)
        for name in Set((types + other.types).map(\.name)).sorted() {
            differences.type = name.string
            switch (type(named: name.string), other.type(named: name.string)) {
            case (nil, _?): differences.note(nil, .type, .added)
            case (_?, nil): differences.note(nil, .type, .removed)
            case (let old?, let new?): differences.compare(old, new)
            case (nil, nil): break
            }
        }
        return differences.found
    }
}

/// The differences while they are looked for.
private struct SchemaDifferences {
    var type: String
    private(set) var found: [SchemaDifference] = []

    init(type: String) {
        self.type = type
    }

    mutating func note(_ field: String?, _ aspect: SchemaDifference.Aspect, _ change: SchemaDifference.Change) {
        found.append(SchemaDifference(type: type, field: field, aspect: aspect, change: change))
    }

    mutating func compare(_ old: RecordTypeSchema, _ new: RecordTypeSchema) {
        if old.conflicts != new.conflicts { note(nil, .conflicts, new.conflicts == .keep ? .loosened : .tightened) }
        compare(old.unknown, new.unknown, field: nil)
        for name in Set((old.fields + new.fields).map(\.name)).sorted() {
            switch (old.field(named: name.string), new.field(named: name.string)) {
            case (nil, let added?):
                note(name.string, .field, .added)
                // Existing records do not have the field.
                if added.isRequired { note(name.string, .required, .tightened) }
            case (_?, nil): note(name.string, .field, .removed)
            case (let old?, let new?): compare(old, new)
            case (nil, nil): break
            }
        }
    }

    mutating func compare(_ old: FieldSchema, _ new: FieldSchema) {
        let name = new.name.string
        guard old.kind == new.kind else {
            note(name, .kind, .changed)
            return
        }
        if old.element != new.element {
            note(name, .element, new.element == nil ? .loosened : old.element == nil ? .tightened : .changed)
        }
        if old.isRequired != new.isRequired { note(name, .required, new.isRequired ? .tightened : .loosened) }
        compare(old.minimum, new.minimum, name, .minimum) { $0.isBelow($1) }
        compare(old.maximum, new.maximum, name, .maximum) { $1.isBelow($0) }
        compare(old.lengthMinimum, new.lengthMinimum, name, .lengthMinimum, by: <)
        compare(old.lengthMaximum, new.lengthMaximum, name, .lengthMaximum, by: >)
        compareValues(old, new)
        for kind in [IndexKinds.value, .text] where old.indexes.contains(kind) != new.indexes.contains(kind) {
            note(name, .index, new.indexes.contains(kind) ? .added : .removed)
        }
        compare(old.unknown, new.unknown, field: name)
    }

    /// Compares two limits; `nil`, no limit, is the loosest.
    private mutating func compare<Limit: Equatable>(
        _ old: Limit?,
        _ new: Limit?,
        _ field: String,
        _ aspect: SchemaDifference.Aspect,
        by isLooser: (Limit, Limit) -> Bool
    ) {
        switch (old, new) {
        case (nil, nil): break
        case (nil, _?): note(field, aspect, .tightened)
        case (_?, nil): note(field, aspect, .loosened)
        case (let old?, let new?):
            if isLooser(new, old) {
                note(field, aspect, .loosened)
            } else if isLooser(old, new) {
                note(field, aspect, .tightened)
            }
        }
    }

    private mutating func compareValues(_ old: FieldSchema, _ new: FieldSchema) {
        let (before, after) = (Set(old.values), Set(new.values))
        guard before != after else { return }
        let isLoosened = after.isEmpty || (!before.isEmpty && before.isSubset(of: after))
        note(new.name.string, .values, isLoosened ? .loosened : .tightened)
    }

    /// Attributes that this version does not know may be added but not changed: it cannot tell which value would be
    /// tighter.
    mutating func compare(_ old: [SchemaAttribute], _ new: [SchemaAttribute], field: String?) {
        for tag in Set((old + new).map(\.tag)).sorted() {
            let (before, after) = (old.first { $0.tag == tag }, new.first { $0.tag == tag })
            guard before != after else { continue }
            note(field, .unknown, before == nil ? .added : after == nil ? .removed : .changed)
        }
    }
}
