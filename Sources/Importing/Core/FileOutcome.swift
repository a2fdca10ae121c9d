package import FileRecords

/// The end of one file, or of something else in the folder.
package struct FileOutcome: Sendable, Hashable {
    /// The kinds of ends.
    package enum Kind: String, Sendable, Hashable, CaseIterable {
        /// A record was made.
        case added
        /// The record names other content now.
        case changed
        /// The record has another time or mark, and its content as before.
        case described
        /// The record describes the file already.
        case unchanged
        /// It could not be imported.
        case refused
        /// It is nothing that records describe.
        case leftOut = "left_out"
        /// It has no record; only where nothing is imported.
        case new
        /// It would have to be read, to be compared with its record; only where nothing is imported.
        case unread
    }

    /// The path below the imported folder, for people: bytes that are not UTF-8 are replaced.
    package var source: String
    /// The path in the zone; `nil` where it has none.
    package var path: FilePath?
    /// The kind.
    package var kind: Kind
    /// The number of bytes; 0 for anything but a file.
    package var size: UInt64
    /// The reason why it is not imported; `nil` for files that are.
    package var obstacle: Obstacle?

    /// Describes it.
    /// - Parameters: as the properties of the same names.
    package init(source: String, path: FilePath?, kind: Kind, size: UInt64 = 0, obstacle: Obstacle? = nil) {
        (self.source, self.path, self.kind) = (source, path, kind)
        (self.size, self.obstacle) = (size, obstacle)
    }

    /// Describes something that is not imported.
    /// - Parameters:
    ///   - source: The path below the imported folder, for people.
    ///   - path: The path in the zone; `nil` where it has none.
    ///   - size: The number of bytes; 0 for anything but a file.
    ///   - obstacle: The reason.
    package init(source: String, path: FilePath?, size: UInt64 = 0, refusedFor obstacle: Obstacle) {
        let kind = obstacle.standing == .leftOut ? Kind.leftOut : .refused
        self.init(source: source, path: path, kind: kind, size: size, obstacle: obstacle)
    }
}

/// The numbers of an import.
package struct ImportSummary: Sendable, Hashable {
    /// The outcomes of each kind.
    package private(set) var counts: [FileOutcome.Kind: Int] = [:]
    /// Those of the refused ones for which another attempt may succeed.
    package private(set) var temporaryCount = 0
    /// The bytes of the files that were added or changed.
    package private(set) var byteCount: UInt64 = 0
    /// The files whose metadata or thumbnail a tool did not make, although it had begun to.
    package var toolFailureCount = 0
    /// The hidden files and folders that were passed over.
    package var hiddenCount = 0

    /// Counts nothing yet.
    package init() {}

    /// The number of outcomes of a kind.
    package func count(_ kind: FileOutcome.Kind) -> Int { counts[kind, default: 0] }

    /// Counts an outcome.
    package mutating func note(_ outcome: FileOutcome) {
        counts[outcome.kind, default: 0] += 1
        if outcome.kind == .added || outcome.kind == .changed { byteCount &+= outcome.size }
        if outcome.kind == .refused, outcome.obstacle?.standing == .temporary { temporaryCount += 1 }
    }

    /// The exit code of a program: 0 where all was imported, 75 where another attempt may do that, and 1 else.
    package var exitCode: Int32 {
        let refused = count(.refused)
        return refused == 0 ? 0 : refused == temporaryCount ? 75 : 1
    }
}

/// How far an import is, among the files that it has to read.
package struct FolderProgress: Sendable, Hashable {
    /// The files that are done.
    package var fileCount = 0
    /// All of these files.
    package var fileTotal = 0
    /// The bytes that are done.
    package var byteCount: UInt64 = 0
    /// All of these bytes.
    package var byteTotal: UInt64 = 0
}
