import FileRecords
import FoundationEssentials
import KairanInterface

extension FolderCore {
    /// The state of the folder's side, or the work that shows it.
    private enum Look {
        case state(LocalState)
        case hash(FileIdentity)
        case wait(until: Int64)
    }

    /// Decides what can be done now.
    /// - Parameter now: The time, in milliseconds.
    /// - Returns: The decisions; each is answered by ``finished(_:_:at:)``.
    package mutating func decide(at now: Int64) -> [FolderDecision] {
        guard isReady, halt == nil else { return [] }
        dirty.formUnion(settling.take(at: now))
        dirty.formUnion(retries.take(at: now))
        // The patterns come first, so that no file is uploaded that another device has ignored.
        if let ignoreFile {
            if dirty.remove(ignoreFile) != nil || isWaiting(ignoreFile) { look(at: ignoreFile, at: now) }
            if isPending(ignoreFile, at: now) { return takeDecisions() }
        }
        let paths = dirty.sorted()
        dirty = []
        for path in paths { look(at: path, at: now) }
        for work in FolderWork.allCases {
            while hasRoom(for: work), let path = waiting[work]?.popFirst() { look(at: path, at: now) }
        }
        decideDeletions(at: now)
        if !hasWork { mayConfirm = false }
        return halt == nil ? takeDecisions() : []
    }

    private mutating func takeDecisions() -> [FolderDecision] {
        defer { decisions = [] }
        return decisions
    }

    private func isWaiting(_ path: FilePath) -> Bool { waiting.values.contains { $0.contains(path) } }

    private func isPending(_ path: FilePath, at now: Int64) -> Bool {
        if flights[path] != nil { return true }
        guard failures[path] == nil else { return false }
        if isWaiting(path) { return true }
        guard let file = locals[path], file.digest == nil, file.identity != bases[path]?.identity else { return false }
        return now < file.since + Self.settleMilliseconds
    }

    /// Looks at a path and decides.
    private mutating func look(at path: FilePath, at now: Int64) {
        doomed.remove(path)
        for work in FolderWork.allCases { waiting[work]?.remove(path) }
        // The outcome makes the path dirty again.
        guard flights[path] == nil, !reserved.contains(path), !isHidden(path) else { return }
        guard !rules.isIgnored(path) else { return drop(path) }
        if let failed = failures[path], failed.until > now { return retries.add(path, at: failed.until) }
        guard !uncertain.contains(path) else { return emit(.ask(path)) }
        guard isConflictSettled(path) else { return }
        switch local(path, at: now) {
        case .wait(let until): settling.add(path, at: until)
        case .hash(let identity):
            guard identity.size < Self.sizeLimit else { return fail(path, Self.tooLarge, at: now) }
            emit(.hash(path, identity))
        case .state(let state): step(path, state, at: now)
        }
    }

    private mutating func step(_ path: FilePath, _ local: LocalState, at now: Int64) {
        let zone = zone(path)
        // A record that is neither there nor known to be deleted may have been lost with the daemon's store.
        if zone == .unknown, bases[path] != nil, !unknown.contains(path), !isForeign(path) { return emit(.ask(path)) }
        switch FolderStep.of(local, zone) {
        case .nothing: failures[path] = nil
        case .forget:
            failures[path] = nil
            forgetBase(of: path)
        case .download: download(path)
        case .trash: trash(path)
        case .upload: upload(path, at: now)
        case .deleteRecord: doomed.insert(path)
        case .compare: compare(path, at: now)
        }
    }

    // MARK: States

    private mutating func local(_ path: FilePath, at now: Int64) -> Look {
        let base = bases[path]
        guard let file = locals[path] else {
            guard base != nil else { return .state(.absent) }
            let since = goneSince[path] ?? now
            goneSince[path] = since
            let settled = since + Self.settleMilliseconds
            return now < settled ? .wait(until: settled) : .state(.absent)
        }
        if let base, base.identity == file.identity { return .state(.unchanged) }
        guard let digest = file.digest else {
            let settled = file.since + Self.settleMilliseconds
            return now < settled ? .wait(until: settled) : .hash(file.identity)
        }
        guard var base else { return .state(.new) }
        guard digest == base.digest, file.identity.isExecutable == base.identity.isExecutable else {
            return .state(.changed)
        }
        base.identity = file.identity
        setBase(base, of: path)
        return .state(.unchanged)
    }

    private mutating func zone(_ path: FilePath) -> ZoneState {
        guard let remote = remotes[path] else { return tombstones.contains(path) ? .deleted : .unknown }
        guard var base = bases[path] else { return .new }
        guard remote.version != base.version else { return .unchanged }
        guard remote.file.content.asset == base.asset, remote.file.isExecutable == base.isExecutable else {
            return .changed
        }
        base.version = remote.version
        setBase(base, of: path)
        return .unchanged
    }

    private func isForeign(_ path: FilePath) -> Bool { !foreign.isEmpty && foreign.contains(Name(path.recordName)) }

    private static let tooLarge = FolderFailure("it is larger than an asset may be", isTemporary: false)

    private mutating func drop(_ path: FilePath) {
        // Without its base the path is a new one if it is ever looked at again: then nothing is deleted.
        forgetBase(of: path)
        unhashed.remove(path)
        failures[path] = nil
    }

    // MARK: Steps

    private mutating func download(_ path: FilePath) {
        guard let remote = remotes[path] else { return }
        guard let file = locals[path] else { return emit(.download(remote.file, expecting: .nothing)) }
        if let base = bases[path], base.asset == remote.file.content.asset {
            return emit(.mark(path, isExecutable: remote.file.isExecutable, expecting: file.identity))
        }
        if let digest = file.digest ?? bases[path]?.digest, contents.digest(of: remote.file) == digest {
            return adopt(path, digest)
        }
        // Bytes that were adopted because of a stated digest were never sent to the zone.
        let isSaved = bases[path]?.isVerified == true
        emit(.download(remote.file, expecting: isSaved ? .file(file.identity) : .unsavedFile(file.identity)))
    }

    private mutating func trash(_ path: FilePath) {
        guard let file = locals[path] else { return }
        emit(.trash(path, expecting: file.identity))
    }

    private mutating func upload(_ path: FilePath, at now: Int64) {
        guard let file = locals[path], let digest = file.digest ?? bases[path]?.digest else { return }
        guard !isForeign(path) else {
            return fail(path, FolderFailure("another record has its name", isTemporary: false), at: now)
        }
        let (base, remote) = (bases[path], remotes[path])
        // Content that the record names already, as where only the mark of execution has changed, and content that was moved.
        var isVerified = true
        var asset = contents.asset(of: digest)
        if let base, let remote, base.digest == digest, base.asset == remote.file.content.asset,
            !contents.isLost(base.asset)
        {
            (asset, isVerified) = (base.asset, base.isVerified)
        }
        guard let asset else { return emit(.upload(path, file.identity, digest)) }
        let written = Written(identity: file.identity, digest: digest, isVerified: isVerified)
        emit(.write(record(path, asset, written), ifVersion: remote?.version ?? ""), written)
    }

    /// The file that a record is to describe.
    private func record(_ path: FilePath, _ asset: String, _ written: Written) -> FileRecord {
        let (base, remote, identity) = (bases[path], remotes[path]?.file, written.identity)
        // A file system without the mark shows the same one all the time: the record keeps its own.
        let isExecutable =
            base.map { $0.identity.isExecutable == identity.isExecutable ? $0.isExecutable : identity.isExecutable }
            ?? identity.isExecutable
        var content = AssetDescription(
            asset: asset,
            size: identity.size,
            mediaType: remote?.content.mediaType,
            modifiedAt: Date(milliseconds: identity.modifiedMilliseconds)
        )
        if let remote, remote.content.asset == asset { content = remote.content }
        return FileRecord(
            path: path,
            content: content,
            digest: written.digest,
            isExecutable: isExecutable,
            conflictOf: ConflictName.original(of: path)
        )
    }

    private mutating func compare(_ path: FilePath, at now: Int64) {
        guard let file = locals[path], let remote = remotes[path], let digest = file.digest ?? bases[path]?.digest
        else { return }
        guard let other = contents.digest(of: remote.file) else {
            guard remote.file.content.size == file.identity.size else { return keepBoth(path, file, at: now) }
            return emit(.inspect(remote.file))
        }
        if other == digest { adopt(path, digest) } else { keepBoth(path, file, at: now) }
    }

    /// Both sides have the same bytes: only the base is noted.
    private mutating func adopt(_ path: FilePath, _ digest: FileDigest) {
        guard let file = locals[path], let remote = remotes[path] else { return }
        let asset = remote.file.content.asset
        // Where the marks differ, the record's is a change that the folder has not seen yet: its version is not the base's.
        let isSame = remote.file.isExecutable == file.identity.isExecutable
        let base = FolderBase(
            digest: digest,
            identity: file.identity,
            version: isSame ? remote.version : "",
            asset: asset,
            isVerified: contents.digest(of: asset) == digest,
            isExecutable: file.identity.isExecutable
        )
        setBase(base, of: path)
        failures[path] = nil
        news.append(.adopted(path))
        if !isSame {
            emit(.mark(path, isExecutable: remote.file.isExecutable, expecting: file.identity))
        }
    }

    private mutating func keepBoth(_ path: FilePath, _ file: LocalFile, at now: Int64) {
        let time = ConflictName.word(milliseconds: file.identity.modifiedMilliseconds)
        let kept = freeName(for: path, device: settings.deviceName, time: time, from: taken[path] ?? 1) { _ in false }
        guard let kept else {
            return fail(path, FolderFailure("a conflict file would have too long a name", isTemporary: false), at: now)
        }
        guard start(.keepBoth(path, expecting: file.identity, as: kept.path)) else { return }
        taken[path] = kept.number
        reserved.insert(kept.path)
        // Without the base the folder's side is new, so the missing file is not taken for a deletion until the zone's one is here.
        forgetBase(of: path)
    }

    /// A name for a conflict file that neither side has.
    /// - Parameters:
    ///   - path: The file.
    ///   - device: The device that wrote the version.
    ///   - time: The time of the version.
    ///   - first: The number to begin with.
    ///   - isSame: Whether a name that the zone has is that of this very version.
    /// - Returns: The path with its number; `nil` if there is none.
    func freeName(
        for path: FilePath,
        device: String,
        time: String,
        from first: Int = 1,
        unless isSame: (FilePath) -> Bool
    ) -> (path: FilePath, number: Int)? {
        for number in first..<(first + 1_000) {
            guard let name = ConflictName.path(of: path, device: device, time: time, number: number) else { return nil }
            if isSame(name) { return (name, number) }
            if locals[name] == nil, remotes[name] == nil, !reserved.contains(name), flights[name] == nil {
                return (name, number)
            }
        }
        return nil
    }

    // MARK: Deletions

    private mutating func decideDeletions(at now: Int64) {
        guard !doomed.isEmpty, !mayFindMoved(at: now) else { return }
        let open = doomed.subtracting(confirmed)
        if !isAllowed(open, at: now) {
            guard mayConfirm else {
                halt = .massDeletion(gone: open.count, known: bases.count)
                return
            }
            mayConfirm = false
            confirmed.formUnion(open)
        }
        for path in doomed.sorted() {
            guard hasRoom(for: .quick) else { return }
            guard let remote = remotes[path] else { continue }
            doomed.remove(path)
            emit(.deleteRecord(path, ifVersion: remote.version))
        }
    }

    /// Whether a new file that is still to be read may be one that was moved.
    private func mayFindMoved(at now: Int64) -> Bool {
        unhashed.contains { path in
            guard let file = locals[path], failures[path] == nil, !rules.isIgnored(path) else { return false }
            if flights[path] != nil || now >= file.since + Self.settleMilliseconds { return true }
            return now < file.appeared + Self.unsettledMilliseconds
        }
    }

    private mutating func isAllowed(_ gone: Set<FilePath>, at now: Int64) -> Bool {
        if guarding.allows(gone.count, of: bases.count, isEmpty: locals.isEmpty, at: now) { return true }
        guard !locals.isEmpty else { return false }
        // A file whose bytes are still in the folder, under another name, is not lost.
        let present = Set(locals.compactMap { $0.value.digest ?? bases[$0.key]?.digest })
        let missing = gone.count { path in bases[path].map { !present.contains($0.digest) } ?? true }
        return guarding.allows(missing, of: bases.count, isEmpty: false, at: now)
    }

    // MARK: Emitting

    func hasRoom(for work: FolderWork) -> Bool {
        flights.values.count { $0.decision.work == work } < work.width
    }

    /// Makes a decision, or lets its path wait for a place.
    mutating func emit(_ decision: FolderDecision, _ written: Written? = nil) { _ = start(decision, written) }

    /// Makes a decision, or lets its path wait for a place.
    /// - Parameters:
    ///   - decision: The decision.
    ///   - written: For a write, the file that the record describes.
    /// - Returns: Whether the decision was made.
    private mutating func start(_ decision: FolderDecision, _ written: Written? = nil) -> Bool {
        let path = decision.path
        guard hasRoom(for: decision.work) else {
            waiting[decision.work, default: PathQueue()].append(path)
            return false
        }
        flights[path] = Flight(decision: decision, version: remotes[path]?.version, written: written)
        decisions.append(decision)
        return true
    }
}

extension KnownContents {
    /// The digest of a record's content: as it was seen here, else as its writer has stated it.
    fileprivate func digest(of file: FileRecord) -> FileDigest? { digest(of: file.content.asset) ?? file.digest }
}
