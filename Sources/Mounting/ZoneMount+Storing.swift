internal import FileRecords
internal import FoundationEssentials
internal import Glibc
internal import KairanClient
internal import Synchronization

/// Changes of the zone: content and facts of files, and the records that the tree shows because of them.
extension ZoneMount {
    /// The times that an upload begins anew because the file was cut off meanwhile.
    private static let uploadCountMax = 8
    /// The times that a record is asked for because the feed tells of it all the time.
    private static let refreshCountMax = 8

    /// Writes files as records.
    var writer: ZoneWriter {
        ZoneWriter(
            zone: settings.zone,
            client: settings.client,
            device: settings.device,
            sentDigest: { [weak self] asset in self?.sentDigest(of: asset) }
        )
    }

    private func sentDigest(of asset: String) -> FileDigest? { state.withLock { $0.sent.digest(of: asset) } }

    // MARK: Storing

    /// Stores the changes of a file that is written; does nothing where the zone has them.
    /// - Parameter id: The file.
    /// - Throws: `KairanError`, ``WriteFault``, `CancellationError`.
    func store(_ id: NodeID) async throws {
        try await holding([id]) { try await storeHeld(id) }
    }

    /// Does something while no other task stores, moves or removes any of some files, and no folder that one is in is being moved.
    ///
    /// A file that is opened while its folder is moved has the old path until its record has the new one: stored meanwhile, it would be a
    /// second file.
    /// - Parameters:
    ///   - ids: The files.
    ///   - body: Does it.
    /// - Returns: The value that the closure returns.
    /// - Throws: The errors of the closure.
    func holding<Value: Sendable>(
        _ ids: [NodeID],
        _ body: () async throws -> Value
    ) async throws -> Value {
        while true {
            let done: Value? = try await gates.hold(ids) { () async throws -> Value? in
                guard !state.withLock({ $0.isMoving(ids) }) else { return nil }
                return try await body()
            }
            if let done { return done }
            // It holds no file meanwhile, since the one that moves the folder may wait for that.
            await gates.hold(.root) {}
        }
    }

    /// Stores the changes of a file whose gate is held.
    func storeHeld(_ id: NodeID) async throws {
        let (found, staged) = state.withLock { ($0.written[id]?.draft, $0.staged[id]) }
        guard var draft = found else { return }
        var file: FileRecord
        if !draft.hasNewContent, let source = draft.source {
            file = source.file
        } else {
            guard let staged else { throw WriteFault(ESTALE) }
            let uploaded = try await upload(staged, &draft, of: id)
            file = FileRecord(path: draft.path, content: uploaded.content, digest: uploaded.digest)
        }
        file.content.modifiedAt = Date(milliseconds: draft.modified)
        file.isExecutable = draft.isExecutable
        let stating = file
        let source = draft.source
        let records = try await writing([draft.path.recordName]) { try await writer.store(stating, over: source) }
        guard let stored = Self.source(records.last) else { throw WriteFault(EIO) }
        if stored.file.path != draft.path {
            log.note("\(draft.path.text) was changed by another device. This version is \(stored.file.path.text).")
        }
        let done = draft
        state.withLock { state in state.written.update(id) { $0.stored(done, in: stored) } }
    }

    /// Uploads the bytes of a file; begins anew where a program cuts it off meanwhile.
    private func upload(
        _ staged: StagingFile,
        _ draft: inout WrittenFile.Draft,
        of id: NodeID
    ) async throws -> (content: AssetDescription, digest: FileDigest) {
        for _ in 0..<Self.uploadCountMax {
            let bytes = StagedBytes(staged, byteCount: draft.byteCount)
            do {
                let client = settings.client.assets
                let uploaded = try await client.upload(bytes, size: draft.byteCount, in: settings.zone)
                let digest = bytes.digest
                state.withLock { $0.sent.note(digest, of: uploaded.asset) }
                return (AssetDescription(asset: uploaded.asset, size: uploaded.size), digest)
            } catch {
                guard let next = state.withLock({ $0.written[id]?.draft }), next.byteCount < draft.byteCount else {
                    throw error
                }
                draft = next
            }
        }
        throw WriteFault(EBUSY)
    }

    /// The file that a record describes; `nil` where it describes none.
    static func source(_ record: Record?) -> FileSource? {
        guard let record, let file = FileRecord(record) else { return nil }
        return FileSource(file: file, version: record.version, conflictCount: record.conflicts)
    }

    // MARK: Attributes

    /// Sets attributes of a file; a folder has none that a program can set.
    func set(_ change: NodeChange, of id: NodeID, by handle: UInt64?, _ answer: PendingAnswer) {
        guard change.user ?? owner.user == owner.user, change.group ?? owner.group == owner.group else {
            answer.send(.failure(EPERM))
            return
        }
        guard change.byteCount ?? 0 <= WrittenFile.byteCountMax else {
            answer.send(.failure(EFBIG))
            return
        }
        let isExecutable = change.mode.map { $0 & 0o100 != 0 }
        let (attributes, staged, isWritten) = state.withLock { state in
            (state.attributes(of: id), state.staged[id], state.written[id] != nil)
        }
        guard let attributes else {
            answer.send(.failure(ESTALE))
            return
        }
        if let staged {
            setNow(change, isExecutable, of: id, staged, isByHandle: handle != nil, answer)
        } else if let byteCount = change.byteCount {
            resize(id, to: byteCount, isExecutable, change.modified, answer)
        } else if isWritten {
            // Its bytes are being made ready by a program that opens it.
            let isPinned = state.withLock { state in
                state.written.update(id) { $0.set(isExecutable: isExecutable, modified: change.modified) }
                return handle == nil && state.written[id]?.isUnstored == true && state.pin(id)
            }
            storeNow(id, isPinned: isPinned, answer)
        } else if attributes.isFolder {
            answer.send(.attributes(attributes))
        } else {
            setFacts(of: id, attributes, isExecutable, change.modified, answer)
        }
    }

    /// Sets attributes of a file that is written: by a descriptor they are stored with its next flush, by the path at once.
    private func setNow(
        _ change: NodeChange,
        _ isExecutable: Bool?,
        of id: NodeID,
        _ staged: StagingFile,
        isByHandle: Bool,
        _ answer: PendingAnswer
    ) {
        let time = settings.now()
        do {
            if let byteCount = change.byteCount { try staged.resize(to: byteCount) }
        } catch {
            answer.send(.failure(WriteFault.number(of: error)))
            return
        }
        let isChange = change.byteCount != nil || isExecutable != nil || change.modified != nil
        let isPinned = state.withLock { state in
            state.written.update(id) { file in
                if let byteCount = change.byteCount { file.resized(to: byteCount, at: time) }
                file.set(isExecutable: isExecutable, modified: change.modified)
            }
            return isChange && !isByHandle && state.written[id]?.isUnstored == true && state.pin(id)
        }
        storeNow(id, isPinned: isPinned, answer)
    }

    /// Stores a file that is written, and answers with its attributes: a program that names the path closes nothing behind it.
    private func storeNow(_ id: NodeID, isPinned: Bool, _ answer: PendingAnswer) {
        guard isPinned else {
            answer.send(attributesAnswer(of: id))
            return
        }
        let isServed = serve(answer, path(of: id)) { [self] in
            defer { endWork(on: id) }
            try await store(id)
            return attributesAnswer(of: id)
        }
        if !isServed { endWork(on: id) }
    }

    /// Cuts off or extends a file that no program has open to write, and stores it.
    private func resize(
        _ id: NodeID,
        to byteCount: UInt64,
        _ isExecutable: Bool?,
        _ modified: Int64?,
        _ answer: PendingAnswer
    ) {
        do {
            try state.withLock { state throws(WriteFault) in try state.beginWork(on: id) }
        } catch {
            answer.send(.failure(WriteFault.number(of: error)))
            return
        }
        let isServed = serve(answer, path(of: id)) { [self] in
            defer { endWork(on: id) }
            try await prepare(id, isEmpty: byteCount == 0)
            let time = settings.now()
            do {
                if let staged = state.withLock({ $0.staged[id] }) { try staged.resize(to: byteCount) }
                state.withLock { state in
                    state.written.update(id) { file in
                        file.resized(to: byteCount, at: time)
                        file.set(isExecutable: isExecutable, modified: modified)
                    }
                }
                try await store(id)
            } catch {
                // The program knows that its change was not made, and has written no bytes.
                state.withLock { state in
                    // Another task may make the bytes ready for a program that opens the file.
                    guard !state.isOpen(id), state.workers[id] == 1 else { return }
                    state.written.update(id) { $0.abandon() }
                    state.staged[id] = nil
                }
                throw error
            }
            return attributesAnswer(of: id)
        }
        if !isServed { endWork(on: id) }
    }

    /// Writes facts of a file that no program writes into its record.
    private func setFacts(
        of id: NodeID,
        _ attributes: NodeAttributes,
        _ isExecutable: Bool?,
        _ modified: Int64?,
        _ answer: PendingAnswer
    ) {
        let isSame =
            isExecutable ?? attributes.isExecutable == attributes.isExecutable
            && modified ?? attributes.modified == attributes.modified
        guard !isSame else {
            answer.send(.attributes(attributes))
            return
        }
        guard let source = state.withLock({ $0.source(of: id) }) else {
            answer.send(.failure(EPERM))
            return
        }
        serve(answer, path(of: id)) { [self] in
            _ = try await writing([source.file.path.recordName]) {
                try await writer.change(source, isExecutable: isExecutable, modified: modified)
            }
            return attributesAnswer(of: id)
        }
    }

    private func attributesAnswer(of id: NodeID) -> KernelAnswer {
        state.withLock { $0.attributes(of: id) }.map { .attributes($0) } ?? .failure(ESTALE)
    }

    // MARK: Answers and the feed

    /// Makes writes, and takes the records of the answer into the tree at once.
    ///
    /// The kernel keeps no names and attributes of a writable mount, so it is not told.
    /// - Parameters:
    ///   - names: The records that are written.
    ///   - body: Makes the writes.
    /// - Returns: The records that the closure returns.
    /// - Throws: The errors of the closure.
    func writing(_ names: [String], _ body: () async throws -> [Record]) async throws -> [Record] {
        let keys = names.map { Name($0) }
        state.withLock { state in
            for key in keys { state.own.begin(key) }
        }
        let records: [Record]
        do {
            records = try await body()
        } catch {
            state.withLock { state in
                for key in keys { _ = state.own.end(key) }
            }
            // The change may have been made, and the record may have another version than this mount knows. A daemon that does not answer
            // about one of them is not asked about the others.
            for key in keys { guard await refresh(key) else { break } }
            throw error
        }
        let time = settings.now()
        let uncertain = state.withLock { state -> Set<Name> in
            let answered = Set(records.map { Name($0.name) })
            // Of a conflict file, which was not named, it is not known what the feed has told; and it is there because of another write.
            let others = answered.symmetricDifference(keys)
            let uncertain = others.union(keys.filter { state.own.end($0) })
            for record in records where !uncertain.contains(Name(record.name)) {
                _ = state.tree.apply(RecordFiles(record), at: time)
                state.own.expect(record.version, of: Name(record.name))
            }
            return uncertain
        }
        for key in uncertain { await refresh(key) }
        return records
    }

    /// Asks for a record, and takes it into the tree; leaves that to the feed where the daemon does not answer.
    /// - Returns: Whether the daemon has answered.
    @discardableResult
    func refresh(_ name: Name) async -> Bool {
        for _ in 0..<Self.refreshCountMax {
            state.withLock { $0.own.begin(name) }
            let found = await current(name)
            let isDone = state.withLock { state in
                let isTold = state.own.end(name)
                guard let found else { return true }
                guard !isTold else { return false }
                _ = state.tree.apply(found.files, at: settings.now())
                return true
            }
            if isDone { return found != nil }
        }
        return true
    }

    /// Takes in a change that the feed tells of.
    /// - Parameters:
    ///   - change: The change.
    ///   - time: The time, in milliseconds since 1970.
    /// - Returns: The parts that the kernel knows and that have changed.
    func learn(_ change: Change, at time: Int64) async -> TreeNews {
        let hadDeepFiles = state.withLock { $0.tree.deepFileCount > 0 }
        let news = await take(change, at: time)
        // Once: others may write very many such records.
        if !hadDeepFiles { noteDeepFiles() }
        return news
    }

    private func take(_ change: Change, at time: Int64) async -> TreeNews {
        let name = Name(change.record.name)
        let files = change.kind == .save ? RecordFiles(change.record) : RecordFiles(without: change.record.name)
        let (news, shown) = state.withLock { state -> (TreeNews, String?) in
            let shown = state.own.told(name, change.record.version)
            return (shown == nil ? state.tree.apply(files, at: time) : TreeNews(), shown)
        }
        guard let shown else { return news }
        // It may be older than the answer to a write of this mount.
        let found = await current(name)
        return state.withLock { state in
            guard state.own.asked(name, found?.version, insteadOf: shown) else { return TreeNews() }
            return state.tree.apply(found?.files ?? files, at: time)
        }
    }

    /// The record as the daemon has it; `nil` where it does not answer.
    private func current(_ name: Name) async -> (files: RecordFiles, version: String?)? {
        do {
            let record = try await settings.client.record(name.wrappedValue, in: settings.zone)
            return (RecordFiles(record), record.version)
        } catch let error as KairanError where WriteFault.isGone(error) {
            return (RecordFiles(without: name.wrappedValue), nil)
        } catch {
            return nil
        }
    }
}
