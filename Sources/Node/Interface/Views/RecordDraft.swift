package import Wire

/// One write to one record, as a program asks for it.
package struct RecordDraft: Sendable {
    /// The record's name, 1...255 bytes of UTF-8.
    package var name: String
    /// Its type; `nil` keeps it (a new record gets `Record`).
    package var type: String?
    /// Fields to set.
    package var fields: [(name: String, value: FieldValue)]
    /// Fields to remove.
    package var removed: [String]
    /// Amounts that are added to counters.
    package var increments: [(name: String, amount: Int64)]
    /// Elements that enter sets.
    package var insertions: [(name: String, elements: [FieldValue])]
    /// Elements that leave sets.
    package var withdrawals: [(name: String, elements: [FieldValue])]
    /// The change of its parent.
    package var parent: ParentChange
    /// Whether fields that are not named are dropped.
    package var replacesAll: Bool
    /// Whether the record is deleted; then nothing else may be set.
    package var isDeletion: Bool
    /// Refuse unless the record's version is this (`""` = refuse if it exists).
    package var ifVersion: String?

    /// Makes a draft.
    package init(
        name: String,
        type: String? = nil,
        fields: [(name: String, value: FieldValue)] = [],
        removed: [String] = [],
        increments: [(name: String, amount: Int64)] = [],
        insertions: [(name: String, elements: [FieldValue])] = [],
        withdrawals: [(name: String, elements: [FieldValue])] = [],
        parent: ParentChange = .keep,
        replacesAll: Bool = false,
        isDeletion: Bool = false,
        ifVersion: String? = nil
    ) {
        self.name = name
        self.type = type
        self.fields = fields
        self.removed = removed
        self.increments = increments
        self.insertions = insertions
        self.withdrawals = withdrawals
        self.parent = parent
        self.replacesAll = replacesAll
        self.isDeletion = isDeletion
        self.ifVersion = ifVersion
    }
}
