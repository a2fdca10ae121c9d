package import Wire

/// A local program's changes to one record.
package struct RecordWrite: Equatable, Sendable {
    /// The record's name, 1...255 bytes.
    package var name: String
    /// The record's type; needed for a new record, and if given for an existing one it must be the same, unless the
    /// write takes the record back.
    package var type: String?
    /// New values of fields.
    package var set: [FieldAssignment]
    /// Fields that are taken away.
    package var remove: [String]
    /// Additions to counters.
    package var increments: [CounterIncrement]
    /// Elements that enter sets.
    package var insertions: [SetElements]
    /// Elements that leave sets.
    package var withdrawals: [SetElements]
    /// True: fields that are not set are taken away.
    package var replaceAll: Bool
    /// True: the record is deleted; the write then states no other change.
    package var delete: Bool
    /// True: a deletion leaves the records that are anchored to the record.
    package var leavesAnchored: Bool
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
    /// True: the record becomes one of the write's type, whatever it was, and keeps nothing of it beside fields; see
    /// ``statement(_:type:_:)``.
    package var takesBack: Bool
    /// The change of the record's parent.
    package var parent: ParentChange

    /// A write.
    /// - Parameters: as the properties of the same names.
    package init(
        name: String,
        type: String? = nil,
        set: [FieldAssignment] = [],
        remove: [String] = [],
        increments: [CounterIncrement] = [],
        insertions: [SetElements] = [],
        withdrawals: [SetElements] = [],
        replaceAll: Bool = false,
        delete: Bool = false,
        leavesAnchored: Bool = false,
        ifVersion: RecordVersion? = nil,
        ifAbsent: Bool = false,
        resolve: Bool = false,
        replaceUnread: Bool = false,
        takesBack: Bool = false,
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
        self.leavesAnchored = leavesAnchored
        self.ifVersion = ifVersion
        self.ifAbsent = ifAbsent
        self.resolve = resolve
        self.replaceUnread = replaceUnread
        self.takesBack = takesBack
        self.parent = parent
    }

    /// The write by which a daemon states something in a record of its own: the record is made anew, whatever others
    /// have made of it.
    ///
    /// Names of such records are known to all members. One that may write can make the record before its daemon does,
    /// with another type, with fields that would make the statement void, or with content that cannot be read here.
    /// - Parameters:
    ///   - name: The record's name.
    ///   - type: Its type, one of daemons.
    ///   - fields: All of its fields.
    /// - Returns: The write.
    package static func statement(_ name: String, type: String, _ fields: [FieldAssignment]) -> RecordWrite {
        RecordWrite(
            name: name,
            type: type,
            set: fields,
            replaceAll: true,
            resolve: true,
            replaceUnread: true,
            takesBack: true
        )
    }
}
