import FileRecords
import FoundationEssentials
import KairanInterface

extension FolderCore {
    /// The times that a record may have another version than was expected before the next attempt waits.
    private static let mismatchCountMax = 8
    private static let firstPauseMilliseconds: Int64 = 1_000
    private static let longestPauseMilliseconds: Int64 = 600_000

    /// Takes in the outcome of a decision.
    /// - Parameters:
    ///   - decision: The decision, as ``decide(at:)`` returned it.
    ///   - outcome: The outcome.
    ///   - now: The time, in milliseconds.
    package mutating func finished(_ decision: FolderDecision, _ outcome: FolderOutcome, at now: Int64) {
        let path = decision.path
        let flight = flights.removeValue(forKey: path)
        dirty.insert(path)
        if case .keepBoth(_, _, let kept) = decision {
            reserved.remove(kept)
            dirty.insert(kept)
        }
        switch outcome {
        case .stale(let identity): setLocal(path, identity, at: now)
        case .skipped: failures[path] = Failed(reason: "it was only shown", count: 1, until: .max)
        case .failed(let failure):
            guard case .split = decision, !failure.isTemporary, let version = remotes[path]?.version else {
                return fail(path, failure, at: now)
            }
            // Without the right to end the conflict this folder shows the version that every reader shows.
            settledConflicts[path] = version
            news.append(.problem(path.text, reason: failure.reason))
        case .mismatch(let record): mismatch(path, record, at: now)
        default:
            failures[path] = nil
            succeed(decision, outcome, flight, at: now)
        }
    }

    private mutating func succeed(
        _ decision: FolderDecision,
        _ outcome: FolderOutcome,
        _ flight: Flight?,
        at now: Int64
    ) {
        let path = decision.path
        switch (decision, outcome) {
        case (.hash(_, let identity), .hashed(let digest)):
            guard locals[path]?.identity == identity else { return }
            locals[path]?.digest = digest
            unhashed.remove(path)
        case (.upload(_, _, let digest), .uploaded(let asset)): contents.note(digest, of: asset)
        case (.write(let file, _), .written(let records)):
            if let record = records.first, let flight { wrote(file, record, flight) }
        case (.write(let file, _), .contentUnknown): contents.lose(file.content.asset)
        case (.download(let file, _), .placed(let identity, let digest)):
            downloaded(file, identity, digest, flight?.version, at: now)
        case (.mark(_, let isExecutable, _), .changed(let identity)):
            marked(path, isExecutable, identity, flight?.version, at: now)
        case (.trash, .gone):
            setLocal(path, nil, at: now)
            forgetBase(of: path)
            news.append(.trashed(path))
        case (.deleteRecord, .gone):
            mismatches[path] = nil
            forgetBase(of: path)
            if flight?.wasTold == false { set(nil, of: path, wasDeleted: true) } else { uncertain.insert(path) }
            guarding.note(at: now)
            news.append(.deleted(path))
        case (.keepBoth(_, _, let kept), .changed(let identity)): keptBoth(path, kept, identity, at: now)
        case (.keepBoth, .taken): taken[path, default: 1] += 1
        case (.inspect(let file), .hashed(let digest)): contents.note(digest, of: file.content.asset)
        case (.look, .looked(let record, let siblings)):
            if flight?.wasTold == false { looked(path, record, siblings) }
        case (.split(_, let writes), .written): didSplit(path, writes)
        case (.split, .contentUnknown): splits[path] = nil
        case (.ask, .asked(let record, let wasDeleted)):
            // Where the feed has told of the record meanwhile, it is asked for again.
            if flight?.wasTold == false { asked(path, record, wasDeleted) }
        default: fail(path, FolderFailure("the answer does not fit", isTemporary: true), at: now)
        }
    }

    // MARK: Failures

    /// Takes note of a failure; the path is looked at again when something about it changes, or after a while.
    mutating func fail(_ path: FilePath, _ failure: FolderFailure, at now: Int64) {
        let before = failures[path]
        let count = (before?.count ?? 0) + 1
        let pause = min(Self.firstPauseMilliseconds << Int64(min(count - 1, 10)), Self.longestPauseMilliseconds)
        failures[path] = Failed(
            reason: failure.reason,
            count: count,
            until: failure.isTemporary ? now + pause : .max,
            isOfLink: failure.isOfLink
        )
        retries.add(path, at: failures[path]?.until ?? .max)
        guard !failure.isOfLink, before?.reason != failure.reason else { return }
        news.append(.problem(path.text, reason: failure.reason))
    }

    /// The record has another version than was expected: it is asked for, since the answer may be older than the feed's last word.
    private mutating func mismatch(_ path: FilePath, _ record: Record?, at now: Int64) {
        // A conflict is looked at again, with the names that are in use now.
        splits[path] = nil
        let other = record.flatMap { self.path(of: $0.name) } ?? path
        uncertain.formUnion([path, other])
        dirty.insert(other)
        mismatches[path, default: 0] += 1
        guard mismatches[path] ?? 0 > Self.mismatchCountMax else { return }
        fail(path, FolderFailure("its record changes all the time", isTemporary: true), at: now)
    }

    private mutating func asked(_ path: FilePath, _ record: Record?, _ wasDeleted: Bool) {
        uncertain.remove(path)
        if let record { return learn(record) }
        set(nil, of: path, wasDeleted: wasDeleted)
        guard !wasDeleted else { return }
        tombstones.remove(path)
        unknown.insert(path)
    }

    // MARK: Both sides are in step

    private mutating func wrote(_ file: FileRecord, _ record: Record, _ flight: Flight) {
        // An answer and the feed come on two ways: the newer of both is not known.
        if flight.wasTold { uncertain.insert(file.path) } else { learn(record) }
        mismatches[file.path] = nil
        guard let written = flight.written, let stored = FileRecord(record), stored.path == file.path else { return }
        let base = FolderBase(
            digest: written.digest,
            identity: written.identity,
            version: record.version,
            asset: stored.content.asset,
            isVerified: written.isVerified,
            isExecutable: stored.isExecutable
        )
        setBase(base, of: file.path)
        news.append(.uploaded(file.path))
    }

    private mutating func downloaded(
        _ file: FileRecord,
        _ identity: FileIdentity,
        _ digest: FileDigest,
        _ version: String?,
        at now: Int64
    ) {
        let path = file.path
        setLocal(path, identity, at: now)
        locals[path]?.digest = digest
        taken[path] = nil
        let base = FolderBase(
            digest: digest,
            identity: identity,
            version: version ?? "",
            asset: file.content.asset,
            isVerified: true,
            isExecutable: file.isExecutable
        )
        setBase(base, of: path)
        news.append(.downloaded(path))
    }

    private mutating func marked(
        _ path: FilePath,
        _ isExecutable: Bool,
        _ identity: FileIdentity,
        _ version: String?,
        at now: Int64
    ) {
        guard var base = bases[path] else { return }
        let digest = locals[path]?.digest
        setLocal(path, identity, at: now)
        locals[path]?.digest = digest
        (base.identity, base.isExecutable) = (identity, isExecutable)
        base.version = version ?? base.version
        setBase(base, of: path)
        news.append(.marked(path, isExecutable: isExecutable))
    }

    private mutating func keptBoth(_ path: FilePath, _ kept: FilePath, _ identity: FileIdentity, at now: Int64) {
        let digest = locals[path]?.digest
        setLocal(path, nil, at: now)
        setLocal(kept, identity, at: now)
        locals[kept]?.digest = digest
        if digest != nil { unhashed.remove(kept) }
        taken[path] = nil
        news.append(.conflict(path, kept: kept))
    }

    // MARK: Conflicts in records

    /// Whether the record of a path holds one version of the file; otherwise decides what leads there.
    ///
    /// As long as it holds several, nothing else is decided about the path: a write or a download could end the only copy of one.
    mutating func isConflictSettled(_ path: FilePath) -> Bool {
        guard let remote = remotes[path], remote.conflicts > 0, settledConflicts[path] != remote.version else {
            splits[path] = nil
            return true
        }
        if let writes = splits[path], writes.last?.version == remote.version {
            emit(.split(path, writes))
        } else {
            emit(.look(path))
        }
        return false
    }

    private mutating func looked(_ path: FilePath, _ record: Record?, _ siblings: [Sibling]) {
        guard let record else {
            uncertain.insert(path)
            return
        }
        learn(record)
        guard let shown = FileRecord(record), shown.path == path, record.conflicts > 0 else { return }
        let sides = siblings.compactMap { side(of: record, $0) }
        // The versions differ in fields of other programs alone.
        guard sides.contains(where: { !$0.file.isSameFile(as: shown) }) else {
            settledConflicts[path] = record.version
            return
        }
        var winner = shown
        let computed = contents.digest(of: shown.content.asset)
        winner.digest = computed ?? shown.digest
        var writes: [ZoneFile] = []
        var seen: Set<String> = [shown.content.asset]
        var names: Set<FilePath> = []
        for var side in sides where seen.insert(side.file.content.asset).inserted {
            let other = contents.digest(of: side.file.content.asset)
            // Two uploads of the same bytes are no conflict for people. A digest that was not computed here is a statement of its writer, and
            // ends no version of another one.
            if let computed, other == computed { continue }
            side.file.digest = other ?? side.file.digest
            if let lost = lost(side, of: path, besides: names) {
                names.insert(lost.path)
                writes.append(ZoneFile(file: lost, version: ""))
            }
        }
        writes.append(ZoneFile(file: winner, version: record.version))
        splits[path] = writes
    }

    /// One side of a conflict: its file, and the device that wrote it as the version.
    private func side(of record: Record, _ sibling: Sibling) -> ZoneFile? {
        var shown = record
        (shown.fields, shown.version) = (sibling.fields, sibling.version)
        guard let file = FileRecord(shown) else { return nil }
        return ZoneFile(file: file, version: sibling.by)
    }

    /// The conflict file for a lost version; `nil` where the zone has it already.
    private func lost(_ side: ZoneFile, of path: FilePath, besides names: Set<FilePath>) -> FileRecord? {
        let device = settings.deviceNames[side.version] ?? String(side.version.prefix(8))
        let asset = side.file.content.asset
        let time =
            side.file.content.modifiedAt.map { ConflictName.word(milliseconds: $0.roundedMilliseconds) }
            ?? String(asset.prefix(8))
        var first = 1
        while let free = freeName(
            for: path,
            device: device,
            time: time,
            from: first,
            unless: { remotes[$0]?.file.content.asset == asset }
        ) {
            if remotes[free.path]?.file.content.asset == asset { return nil }
            if !names.contains(free.path) {
                return FileRecord(
                    path: free.path,
                    content: side.file.content,
                    digest: side.file.digest,
                    isExecutable: side.file.isExecutable,
                    conflictOf: path
                )
            }
            first = free.number + 1
        }
        // There is no room for a name: the version is kept under one that cannot be read as a conflict's.
        return FilePath(asset, in: path.folder).map {
            FileRecord(path: $0, content: side.file.content, digest: side.file.digest, conflictOf: path)
        }
    }

    private mutating func didSplit(_ path: FilePath, _ writes: [ZoneFile]) {
        splits[path] = nil
        mismatches[path] = nil
        for write in writes {
            uncertain.insert(write.file.path)
            dirty.insert(write.file.path)
        }
        news.append(.split(path, writes.dropLast().map(\.file.path)))
    }
}

extension FileRecord {
    /// Whether both describe the same content and the same mark of execution.
    fileprivate func isSameFile(as other: FileRecord) -> Bool {
        content.asset == other.content.asset && isExecutable == other.isExecutable
    }
}
