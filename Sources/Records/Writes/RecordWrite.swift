package import Wire

/// A local program's changes to one record.
package struct RecordWrite: Equatable, Sendable {
    /// A field and its new value.
    package struct Assignment: Equatable, Sendable {
        /// The field's name, 1...255 bytes.
        package var field: String
        /// Its value; counters and sets are changed by `increments`, `insertions` and `withdrawals` instead.
        package var value: FieldValue

        /// An assignment.
        package init(field: String, value: FieldValue) {
            self.field = field
            self.value = value
        }
    }

    /// An addition to a counter.
    package struct Increment: Equatable, Sendable {
        /// The field; it is absent or a counter.
        package var field: String
        /// The added amount; negative to subtract.
        ///
        /// Sums wrap around at 64 bits.
        package var amount: Int64

        /// An increment.
        package init(field: String, amount: Int64) {
            self.field = field
            self.amount = amount
        }
    }

    /// Elements that enter or leave a set.
    package struct Elements: Equatable, Sendable {
        /// The field; it is absent or a set.
        package var field: String
        /// The elements; neither lists, sets nor counters.
        package var values: [FieldValue]

        /// Elements of a set field.
        package init(field: String, values: [FieldValue]) {
            self.field = field
            self.values = values
        }
    }

    /// A change of the record's parent.
    package enum ParentChange: Equatable, Sendable {
        /// It stays as it is; none on a new record.
        case keep
        /// It becomes the record of this name.
        case set(String)
        /// It is taken away.
        case clear
    }

    /// The record's name, 1...255 bytes.
    package var name: String
    /// The record's type; needed for a new record, and if given for an existing one it must be the same.
    package var type: String?
    /// New values of fields.
    package var set: [Assignment]
    /// Fields that are taken away.
    package var remove: [String]
    /// Additions to counters.
    package var increments: [Increment]
    /// Elements that enter sets.
    package var insertions: [Elements]
    /// Elements that leave sets.
    package var withdrawals: [Elements]
    /// True: fields that are not set are taken away.
    package var replaceAll: Bool
    /// True: the record is deleted; the write then states no other change.
    package var delete: Bool
    /// The version the record must have.
    ///
    /// Naming it says that its author has seen the record's conflicts: losing values of the fields that are not set are
    /// dropped.
    package var ifVersion: RecordVersion?
    /// True: the record must not exist.
    package var ifAbsent: Bool
    /// True: losing values are dropped as with `ifVersion`, whatever the version is.
    package var resolve: Bool
    /// True: the write also replaces the content that cannot be read here; else it is refused if there is any.
    package var replaceUnread: Bool
    /// The change of the record's parent.
    package var parent: ParentChange

    /// A write.
    /// - Parameters: as the properties of the same names.
    package init(
        name: String,
        type: String? = nil,
        set: [Assignment] = [],
        remove: [String] = [],
        increments: [Increment] = [],
        insertions: [Elements] = [],
        withdrawals: [Elements] = [],
        replaceAll: Bool = false,
        delete: Bool = false,
        ifVersion: RecordVersion? = nil,
        ifAbsent: Bool = false,
        resolve: Bool = false,
        replaceUnread: Bool = false,
        parent: ParentChange = .keep
    ) {
        self.name = name
        self.type = type
        self.set = set
        self.remove = remove
        self.increments = increments
        self.insertions = insertions
        self.withdrawals = withdrawals
        self.replaceAll = replaceAll
        self.delete = delete
        self.ifVersion = ifVersion
        self.ifAbsent = ifAbsent
        self.resolve = resolve
        self.replaceUnread = replaceUnread
        self.parent = parent
    }
}
