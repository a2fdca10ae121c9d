package import FileRecords
import KairanInterface

/// Keeps a folder and a zone in step: facts about both go in, decisions come out.
///
/// It is a value without a clock: each fact comes with its time. For each path it compares the file of the folder and the record of the zone
/// with the *base*, the state in which both were last in step, and takes the step of ``FolderStep/of(_:_:)``. At most one decision about a
/// path is under way. Bases change only when a decision has been carried out, so a process that ends at any moment continues, after
/// it has looked at folder and zone again, as if it had not ended.
package struct FolderCore: Sendable {
    /// The way in which a folder is kept in step.
    package struct Settings: Sendable, Hashable {
        /// The name of this device, for conflict files.
        package var deviceName: String
        /// The names of devices by their ids, for conflict files.
        package var deviceNames: [String: String]
        /// Whether a person has confirmed that many files were deleted.
        package var confirmsDeletions: Bool

        /// Describes it.
        /// - Parameters: as the properties of the same names.
        package init(deviceName: String, deviceNames: [String: String] = [:], confirmsDeletions: Bool = false) {
            self.deviceName = deviceName
            self.deviceNames = deviceNames
            self.confirmsDeletions = confirmsDeletions
        }
    }

    /// The reason why the core decides nothing any more.
    package enum Halt: Sendable, Hashable {
        /// So many files of so many are gone from the folder, and a person has to confirm that.
        case massDeletion(gone: Int, known: Int)
    }

    /// The time for which a file must not change before it is looked at, and a deletion must last before it is one, in milliseconds.
    package static let settleMilliseconds: Int64 = 1_000
    /// The time for which a new file that does not settle delays deletions, one of which it may be the other half of, in milliseconds.
    static let unsettledMilliseconds: Int64 = 60_000
    /// The size from which on a file is too large for an asset, in bytes.
    package static let sizeLimit: UInt64 = 16 << 30
    /// The file with the patterns of files that are not kept in step.
    package static let ignoreFileName = ".kairanignore"

    /// A file of the folder.
    struct LocalFile: Sendable, Hashable {
        var identity: FileIdentity
        /// The digest of its content; `nil` before it is computed.
        var digest: FileDigest?
        /// The time since when it has been as it is.
        var since: Int64
        /// The time since when there has been a file.
        var appeared: Int64
    }

    /// A decision that is under way.
    struct Flight: Sendable, Hashable {
        var decision: FolderDecision
        /// The version of the record when it was decided.
        var version: String?
        /// The file that a written record describes, with whether its content was seen to have its digest.
        var written: Written?
        /// Whether the feed has told of the record since then: it is not known whether the answer or that is newer.
        var wasTold = false
    }

    /// The file that a record is written for.
    struct Written: Sendable, Hashable {
        var identity: FileIdentity
        var digest: FileDigest
        var isVerified: Bool
    }

    /// A decision that failed.
    struct Failed: Sendable, Hashable {
        var reason: String
        /// The number of failures without a change.
        var count: Int
        /// The time of the next attempt.
        var until: Int64
        /// Whether the connection to the daemon was the reason.
        var isOfLink = false
    }

    let settings: Settings
    let ignoreFile: FilePath?
    var rules: IgnoreRules

    // Facts.
    var bases: [FilePath: FolderBase]
    var locals: [FilePath: LocalFile] = [:]
    var tree = FolderTree()
    /// The times since when files with a base have been gone.
    var goneSince: [FilePath: Int64] = [:]
    /// Folders that cannot be looked into, and paths of links and the like: nothing is known of the files there.
    var hidden: Set<FilePath> = []
    var remotes: [FilePath: ZoneFile] = [:]
    /// The paths whose records were deleted.
    var tombstones: Set<FilePath> = []
    /// The names of records that describe no file, and take the names of files.
    var foreign: Set<Name> = []
    /// The paths of records whose names are no paths.
    var hashedPaths: [Name: FilePath] = [:]
    /// The paths with a base whose records the daemon knows nothing about.
    var unknown: Set<FilePath> = []
    /// The paths whose records have to be asked for, since the last word about them may be an old one.
    var uncertain: Set<FilePath> = []
    var contents = KnownContents()
    var isFolderRead = false
    var isZoneRead = false

    // Work.
    var dirty: Set<FilePath> = []
    var flights: [FilePath: Flight] = [:]
    /// The paths that decisions under way give files to.
    var reserved: Set<FilePath> = []
    var waiting: [FolderWork: PathQueue] = [:]
    var settling = PathTimers()
    var retries = PathTimers()
    var failures: [FilePath: Failed] = [:]
    /// The number of times in a row that a record had another version than was expected.
    var mismatches: [FilePath: Int] = [:]
    /// The paths whose records are to be deleted, as soon as deletions may be made.
    var doomed: Set<FilePath> = []
    /// Deletions that a person has confirmed.
    var confirmed: Set<FilePath> = []
    /// The versions of records whose conflicts are not about the file, or cannot be ended here.
    var settledConflicts: [FilePath: String] = [:]
    var splits: [FilePath: [ZoneFile]] = [:]
    /// The new files without a digest.
    var unhashed: Set<FilePath> = []
    /// The names that were found to be in use while files were moved aside.
    var taken: [FilePath: Int] = [:]
    var guarding = DeletionGuard()
    var mayConfirm: Bool
    var problems: [String: [String: String]] = [:]

    // Effects.
    var decisions: [FolderDecision] = []
    var changes: [BaseChange] = []
    var news: [FolderNews] = []
    /// The reason why nothing is decided any more; `nil` while there is none.
    package internal(set) var halt: Halt?

    /// Begins with the bases of an earlier run.
    /// - Parameters:
    ///   - bases: The bases by their paths; none in the first run.
    ///   - rules: The files that are not kept in step.
    ///   - settings: The way in which the folder is kept in step.
    package init(bases: [FilePath: FolderBase] = [:], rules: IgnoreRules = .none, settings: Settings) {
        self.bases = bases
        self.rules = rules
        self.settings = settings
        ignoreFile = FilePath(Self.ignoreFileName)
        mayConfirm = settings.confirmsDeletions
        for (path, base) in bases {
            note(nameOf: path)
            if base.isVerified { contents.note(base.digest, of: base.asset) }
        }
    }

    // MARK: Answers

    /// The number of files that are in step.
    package var inStepCount: Int { bases.count }
    /// Whether both sides are known as a whole.
    package var isReady: Bool { isFolderRead && isZoneRead }
    /// The bases by their paths.
    package var allBases: [FilePath: FolderBase] { bases }
    /// The paths that could not be brought into step, with the reasons.
    package var failedPaths: [FilePath: String] { failures.mapValues(\.reason) }

    /// Whether something is under way, or will be without another fact: attempts that are repeated after failures do not count.
    package var hasWork: Bool {
        guard halt == nil else { return false }
        return !isReady || !dirty.isEmpty || !flights.isEmpty || !doomed.isEmpty || !settling.isEmpty
            || waiting.values.contains { !$0.isEmpty }
    }

    /// The time at which ``decide(at:)`` has something to do without another fact; `nil` for none.
    package var wakeAt: Int64? {
        guard halt == nil, isReady else { return nil }
        return [settling.first, retries.first].compactMap(\.self).min()
    }

    /// Returns the changes of bases since the last call, which are kept on the disk before any decision that follows is carried out.
    package mutating func takeChanges() -> [BaseChange] {
        defer { changes = [] }
        return changes
    }

    /// Returns the news since the last call.
    package mutating func takeNews() -> [FolderNews] {
        defer { news = [] }
        return news
    }

    // MARK: Helpers

    /// Whether nothing is known of a path, because it or a folder that it is in is hidden.
    func isHidden(_ path: FilePath) -> Bool {
        guard !hidden.isEmpty else { return false }
        var next: FilePath? = path
        while let present = next {
            if hidden.contains(present) { return true }
            next = present.folder
        }
        return false
    }

    mutating func note(nameOf path: FilePath) {
        let name = path.recordName
        if !name.isSameName(as: path.text) { hashedPaths[Name(name)] = path }
    }

    mutating func setBase(_ base: FolderBase, of path: FilePath) {
        guard bases[path] != base else { return }
        bases[path] = base
        note(nameOf: path)
        if locals[path] != nil { goneSince[path] = nil }
        unknown.remove(path)
        unhashed.remove(path)
        if base.isVerified { contents.note(base.digest, of: base.asset) }
        changes.append(.set(path, base))
    }

    mutating func forgetBase(of path: FilePath) {
        goneSince[path] = nil
        unknown.remove(path)
        confirmed.remove(path)
        guard bases.removeValue(forKey: path) != nil else { return }
        changes.append(.forget(path))
        if let file = locals[path], file.digest == nil { unhashed.insert(path) }
    }
}
