package import FileRecords
package import KairanInterface

/// A folder as it was read: the files and folders directly in it.
package struct FolderListing: Sendable, Hashable {
    /// The folder; `nil` for the one that is kept in step.
    package var folder: FilePath?
    /// The files that can be kept in step.
    package var files: [FilePath: FileIdentity] = [:]
    /// The folders.
    package var folders: Set<FilePath> = []
    /// The entries that cannot be kept in step, by their names for people, with the reasons.
    package var problems: [String: String] = [:]
    /// The paths of such entries, which hide the files that the base has there.
    package var obstacles: Set<FilePath> = []
    /// Whether there are parts of files that an earlier run left behind.
    package var hasParts = false
    /// Whether the folder could not be read, so that nothing is known of its files.
    package var isHidden = false

    /// An empty folder.
    package init(of folder: FilePath?) { self.folder = folder }
}

extension FolderCore {
    // MARK: The folder

    /// Takes in a folder as it was read.
    /// - Parameters:
    ///   - listing: The folder.
    ///   - now: The time at which the reading began, in milliseconds.
    package mutating func listed(_ listing: FolderListing, at now: Int64) {
        tell(listing.problems, in: listing.folder)
        guard !listing.isHidden else {
            if let folder = listing.folder { hidden.insert(folder) }
            return
        }
        for (path, identity) in listing.files { setLocal(path, identity, at: now) }
        for path in tree.files(in: listing.folder) where listing.files[path] == nil {
            if !listing.obstacles.contains(path) { setLocal(path, nil, at: now) }
        }
        for folder in tree.folders(in: listing.folder) where !listing.folders.contains(folder) {
            guard !listing.obstacles.contains(folder) else { continue }
            for path in tree.files(beneath: folder) { setLocal(path, nil, at: now) }
        }
        // This folder can be read now, and entries that are gone hide nothing any more.
        let shown = hidden.filter { path in
            if path == listing.folder { return true }
            guard path.folder == listing.folder else { return false }
            return !listing.folders.contains(path) && !listing.obstacles.contains(path)
        }
        hidden.formUnion(listing.obstacles)
        for path in shown { show(path, at: now) }
    }

    /// All of the folder has been read once: a file with a base that was not listed is gone.
    /// - Parameter now: The time, in milliseconds.
    package mutating func finishedReading(at now: Int64) {
        isFolderRead = true
        for path in bases.keys where locals[path] == nil && !isHidden(path) { goneSince[path] = goneSince[path] ?? now }
        begin()
    }

    /// Files are to be ignored by other rules from now on.
    package mutating func setRules(_ rules: IgnoreRules) {
        guard rules != self.rules else { return }
        self.rules = rules
        dirty.formUnion(bases.keys)
        dirty.formUnion(locals.keys)
        dirty.formUnion(remotes.keys)
    }

    /// Everything that could not be done is tried again, also where a person had to change something.
    package mutating func retryAll() {
        dirty.formUnion(failures.keys)
        failures = [:]
        problems = [:]
        settledConflicts = [:]
    }

    /// The daemon can be reached again.
    /// - Complexity: O(failures).
    package mutating func reconnected() {
        for (path, failed) in failures where failed.isOfLink {
            failures[path] = nil
            dirty.insert(path)
        }
    }

    /// Content has arrived at this device.
    /// - Parameter asset: Its id.
    /// - Complexity: O(failures).
    package mutating func arrived(_ asset: String) {
        for path in failures.keys where remotes[path]?.file.content.asset == asset {
            failures[path] = nil
            dirty.insert(path)
        }
    }

    /// Takes in the present file of a path; `nil` for none.
    mutating func setLocal(_ path: FilePath, _ identity: FileIdentity?, at now: Int64) {
        guard let identity else {
            guard locals.removeValue(forKey: path) != nil else { return }
            tree.remove(path)
            unhashed.remove(path)
            if bases[path] != nil { goneSince[path] = goneSince[path] ?? now }
            changed(path)
            return
        }
        if let present = locals[path] {
            guard present.identity != identity else { return }
            // A file that was only renamed, or whose mode was changed, has the same bytes if it says so in all other respects.
            let digest = present.identity.isSameFile(as: identity) ? present.digest : nil
            locals[path] = LocalFile(identity: identity, digest: digest, since: now, appeared: present.appeared)
        } else {
            locals[path] = LocalFile(identity: identity, since: now, appeared: now)
            tree.insert(path)
        }
        goneSince[path] = nil
        if bases[path] == nil, locals[path]?.digest == nil { unhashed.insert(path) } else { unhashed.remove(path) }
        changed(path)
    }

    /// A path that was hidden, with all beneath it, is not any more.
    ///
    /// The folders in it are read next, before anything is decided.
    private mutating func show(_ shown: FilePath, at now: Int64) {
        hidden.remove(shown)
        for path in bases.keys where path == shown || path.isBeneath(shown) {
            if locals[path] == nil { goneSince[path] = goneSince[path] ?? now }
            dirty.insert(path)
        }
        for path in locals.keys where path == shown || path.isBeneath(shown) { dirty.insert(path) }
        for path in remotes.keys where path == shown || path.isBeneath(shown) { dirty.insert(path) }
    }

    private mutating func changed(_ path: FilePath) {
        failures[path] = nil
        dirty.insert(path)
    }

    private mutating func tell(_ found: [String: String], in folder: FilePath?) {
        let key = folder?.text ?? ""
        let known = problems[key] ?? [:]
        for (path, reason) in found.sorted(by: { $0.key < $1.key }) where known[path] != reason {
            news.append(.problem(path, reason: reason))
        }
        problems[key] = found.isEmpty ? nil : found
    }

    // MARK: The zone

    /// The zone is read anew: nothing that was known of it holds any more.
    package mutating func beganZone() {
        isZoneRead = false
        remotes = [:]
        tombstones = []
        foreign = []
        unknown = []
        uncertain = []
        settledConflicts = [:]
        splits = [:]
        for path in flights.keys { flights[path]?.wasTold = true }
    }

    /// Takes in a record of the feed as it is, or its deletion.
    package mutating func received(_ record: Record) {
        if let path = path(of: record.name) ?? FileRecord(record)?.path { flights[path]?.wasTold = true }
        learn(record)
    }

    /// Takes in the newest state of a record.
    mutating func learn(_ record: Record) {
        if let file = FileRecord(record) {
            foreign.remove(Name(record.name))
            set(ZoneFile(file: file, version: record.version, conflicts: record.conflicts), of: file.path)
            return
        }
        if record.isDeleted {
            foreign.remove(Name(record.name))
        } else {
            foreign.insert(Name(record.name))
        }
        guard let path = path(of: record.name) else { return }
        set(nil, of: path, wasDeleted: record.isDeleted)
    }

    /// All records have been received once.
    package mutating func finishedZone() {
        isZoneRead = true
        begin()
    }

    /// Takes in the file that the zone has at a path; `nil` for none.
    mutating func set(_ file: ZoneFile?, of path: FilePath, wasDeleted: Bool = false) {
        if let file {
            guard remotes[path] != file else { return }
            remotes[path] = file
            tombstones.remove(path)
            unknown.remove(path)
            note(nameOf: path)
        } else {
            let isNew = wasDeleted ? tombstones.insert(path).inserted : false
            guard remotes.removeValue(forKey: path) != nil || isNew || !wasDeleted else { return }
        }
        failures[path] = nil
        dirty.insert(path)
    }

    /// The path that a record of a name describes; `nil` where that is not known.
    func path(of name: String) -> FilePath? {
        if let path = FilePath(name), path.recordName.isSameName(as: name) { return path }
        return hashedPaths[Name(name)]
    }

    /// Looks at all paths once both sides are known.
    private mutating func begin() {
        guard isReady else { return }
        dirty.formUnion(bases.keys)
        dirty.formUnion(locals.keys)
        dirty.formUnion(remotes.keys)
    }
}
