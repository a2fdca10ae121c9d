import Glibc

/// The reason why a folder is not kept in step any more.
package struct FolderError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The stable code.
    package var code: String
    /// The fault, with the name of the folder or file.
    package var detail: String
    /// The next step.
    package var fix: String
    /// Whether the same command may succeed later.
    package var isTemporary: Bool

    /// Describes it.
    /// - Parameters: as the properties of the same names.
    package init(_ code: String, _ detail: String, fix: String, isTemporary: Bool = false) {
        self.code = code
        self.detail = detail
        self.fix = fix
        self.isTemporary = isTemporary
    }

    /// The reason and the next step.
    package var description: String { "\(detail) \(fix)" }
}

extension FolderError {
    static func unusable(_ path: String, _ fault: FileFault) -> FolderError {
        FolderError(
            "folder.unusable",
            "\(path) cannot be kept in step: \(fault).",
            fix: "Check the path, and that you may read and write the folder."
        )
    }

    static func unwritableState(_ path: String, _ fault: FileFault) -> FolderError {
        FolderError(
            "folder.state",
            "The state of the folder cannot be kept in \(path): \(fault).",
            fix: "Make space, or check that you may write there; then run the command again."
        )
    }

    static func inUse(_ path: String) -> FolderError {
        FolderError(
            "folder.in_use",
            "\(path) is kept in step by another process.",
            fix: "End that process first."
        )
    }

    static func otherZone(_ path: String, _ zone: String) -> FolderError {
        FolderError(
            "folder.other_zone",
            "\(path) is kept in step with another zone, \(zone).",
            fix: "Name that zone, or use another folder; without its file .kairan-folder the folder belongs to none."
        )
    }

    static func unmarked(_ path: String) -> FolderError {
        FolderError(
            "folder.unmarked",
            "\(path) was kept in step before, and its file .kairan-folder is missing. Its disk may not be mounted.",
            fix:
                "Mount the disk. If the folder is the right one, --begin-anew merges it with the zone and deletes nothing."
        )
    }

    static func moved(_ path: String) -> FolderError {
        FolderError(
            "folder.other",
            "\(path) is another folder, or on another file system, than the one that was kept in step.",
            fix:
                "Name the folder itself, not a copy of it. --begin-anew merges this one with the zone and deletes nothing."
        )
    }

    static func disappeared(_ path: String) -> FolderError {
        FolderError(
            "folder.gone",
            "\(path) is gone, was moved, or has lost its file .kairan-folder. Nothing was deleted in the zone.",
            fix: "Mount its disk, or name its new place; then run the command again."
        )
    }

    static func massDeletion(_ path: String, gone: Int, known: Int) -> FolderError {
        FolderError(
            "folder.mass_deletion",
            "\(gone) of the \(known) files that were in step are gone from \(path). Nothing was deleted in the zone.",
            fix: "If a disk is missing, mount it. If the files were deleted on purpose, add --confirm-deletions."
        )
    }

    static func zoneGone(_ zone: String) -> FolderError {
        FolderError(
            "folder.zone_gone",
            "The zone \(zone) was deleted, or this account or device has no part in it any more.",
            fix: "The files stay in the folder. Name another zone, or leave the folder as it is."
        )
    }
}

/// A failed system call.
struct FileFault: Error, Hashable, CustomStringConvertible {
    /// The file, for people.
    var name: String
    /// The system's error number.
    var number: Int32

    /// The reason, as a part of a sentence.
    var description: String { "\(name): \(String(cString: strerror(number)))" }
}
