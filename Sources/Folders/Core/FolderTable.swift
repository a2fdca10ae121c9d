/// The state of a path in the folder.
package enum LocalState: Sendable, Hashable, CaseIterable {
    /// There is no file.
    case absent
    /// The file is the one of the base.
    case unchanged
    /// The file has other bytes than the base, or another mark of execution.
    case changed
    /// There is a file, and the path has no base.
    case new
}

/// The state of a path in the zone.
package enum ZoneState: Sendable, Hashable, CaseIterable {
    /// The daemon knows of no record of this name: neither of a present nor of a deleted one.
    case unknown
    /// The record was deleted.
    case deleted
    /// The record describes the file of the base.
    case unchanged
    /// The record describes another file than the base.
    case changed
    /// There is a record, and the path has no base.
    case new
}

/// The way to bring both sides of a path into step.
package enum FolderStep: Sendable, Hashable {
    /// Both are in step.
    case nothing
    /// Both are gone, and so is the base.
    case forget
    /// The folder gets the file of the zone.
    case download
    /// The file of the folder goes to the trash.
    case trash
    /// The zone gets the file of the folder.
    case upload
    /// The record is deleted.
    case deleteRecord
    /// Both have a file that the other one has not seen: equal ones are in step, of different ones both are kept.
    case compare

    /// The step for the states of both sides.
    ///
    /// Changes win over deletions. A file that the daemon knows nothing about was not deleted: its records may have been lost with the daemon's
    /// store. States that exclude each other (the base is there for one side and not for the other one) are treated as two new files, which
    /// loses neither.
    /// - Parameters:
    ///   - local: The folder's side.
    ///   - zone: The zone's side.
    /// - Returns: The step.
    package static func of(_ local: LocalState, _ zone: ZoneState) -> FolderStep {
        switch (local, zone) {
        case (.absent, .unknown), (.absent, .deleted): .forget
        case (.absent, .unchanged): .deleteRecord
        case (.absent, .changed), (.absent, .new): .download
        case (.unchanged, .unknown): .upload
        case (.unchanged, .deleted): .trash
        case (.unchanged, .unchanged): .nothing
        case (.unchanged, .changed): .download
        case (.changed, .unknown), (.changed, .deleted), (.changed, .unchanged): .upload
        case (.changed, .changed): .compare
        case (.new, .unknown), (.new, .deleted): .upload
        case (.new, .new): .compare
        case (.unchanged, .new), (.changed, .new), (.new, .unchanged), (.new, .changed): .compare
        }
    }
}
