internal import FileRecords
internal import Glibc
internal import KairanClient
internal import Synchronization

/// Files that are created, opened to be written, and written.
///
/// Bytes are written to and read from staging files on the thread that reads the calls of the kernel: so they are in the order of the calls.
/// Everything that asks the daemon is done by tasks.
extension ZoneMount {
    /// Whether programs may write.
    var isWritable: Bool { settings.staging != nil }

    /// Takes a request that changes something.
    func change(_ request: KernelRequest, _ answer: PendingAnswer) {
        guard isWritable else {
            answer.send(.failure(EROFS))
            return
        }
        switch request {
        case .create(let name, let folder, let mode, let flags): create(name, in: folder, mode: mode, flags, answer)
        case .set(let id, let handle, let change): set(change, of: id, by: handle, answer)
        case .makeFolder(let name, let folder): makeFolder(name, in: folder, answer)
        case .unlink(let name, let folder): unlink(name, from: folder, answer)
        case .removeFolder(let name, let folder): removeFolder(name, from: folder, answer)
        case .rename(let name, let folder, let newName, let newFolder, let flags):
            rename(name, of: folder, to: newName, of: newFolder, flags: flags, answer)
        default: answer.send(.failure(ENOSYS))
        }
    }

    /// Does work for a request on a task, and answers with its result.
    /// - Parameters:
    ///   - answer: The answer.
    ///   - path: The file, for the log.
    ///   - work: The work.
    /// - Returns: Whether a task does it; if not, the request has its answer.
    @discardableResult
    func serve(
        _ answer: PendingAnswer,
        _ path: String,
        _ work: @escaping @Sendable () async throws -> KernelAnswer
    ) -> Bool {
        guard pending.add(answer, cancel: {}) else { return false }
        let isLeft = leave(
            .change { [self] in
                let result: KernelAnswer
                do {
                    result = try await work()
                } catch {
                    if !Task.isCancelled { log.note(error, changing: path) }
                    result = .failure(WriteFault.number(of: error))
                }
                let isTaken = pending.finish(answer, result)
                // Where the kernel has dropped the request, it does not close the file.
                if !isTaken, case .openedAnew(let handle) = result { release(handle) }
            }
        )
        // There is room for as many jobs as there can be, so that this is the end of the mount.
        if !isLeft { pending.finish(answer, .failure(EIO)) }
        return isLeft
    }

    // MARK: Opening

    private func create(
        _ name: Name?,
        in folder: NodeID,
        mode: UInt32,
        _ flags: Int32,
        _ answer: PendingAnswer
    ) {
        do {
            guard let staging = settings.staging else { throw WriteFault(EROFS) }
            let (path, place) = try state.withLock { state throws(WriteFault) in
                let place = try state.freePlace(of: name, in: folder, taken: flags & O_EXCL != 0 ? EEXIST : ESTALE)
                guard state.written.files.count < WrittenFiles.countMax else { throw WriteFault(ENFILE) }
                return (try WrittenPath.path(of: name, in: state.tree.path(of: folder)), place)
            }
            let file = try StagingFile(in: staging.path)
            let isExecutable = mode & 0o100 != 0
            let made = state.withLock { state -> (handle: UInt64, attributes: NodeAttributes)? in
                let id = state.create(path, at: place, isExecutable: isExecutable, file, time: settings.now())
                // Before the answer is sent: the kernel may forget the number at once.
                state.tree.noteLookup(of: id)
                let handle = state.open(id, mayWrite: true)
                return state.attributes(of: id).map { (handle, $0) }
            }
            guard let made else { throw WriteFault(EIO) }
            guard !answer.send(.created(made.attributes, handle: made.handle)) else { return }
            state.withLock { state in
                // The program never had it.
                state.written.update(made.attributes.id) { $0.abandon() }
                state.tree.forget(made.attributes.id)
            }
            release(made.handle)
        } catch {
            answer.send(.failure(WriteFault.number(of: error)))
        }
    }

    /// Opens a file to write it, or one that is written to read it.
    func openToWrite(_ id: NodeID, flags: Int32, _ answer: PendingAnswer) {
        guard isWritable else {
            answer.send(.failure(EROFS))
            return
        }
        do {
            try state.withLock { state throws(WriteFault) in try state.beginWork(on: id) }
        } catch {
            answer.send(.failure(WriteFault.number(of: error)))
            return
        }
        let isServed = serve(answer, path(of: id)) { [self] in
            defer { endWork(on: id) }
            try await prepare(id, isEmpty: flags & O_TRUNC != 0)
            let mayWrite = flags & O_ACCMODE != O_RDONLY
            return .openedAnew(handle: state.withLock { $0.open(id, mayWrite: mayWrite) })
        }
        if !isServed { endWork(on: id) }
    }

    /// Makes the bytes of a file ready to be written: a copy of its content, or none.
    /// - Parameters:
    ///   - id: The file, at which a task is at work.
    ///   - isEmpty: Whether the content is dropped.
    /// - Throws: `KairanError`, ``WriteFault``, ``ReadFault``, `CancellationError`.
    func prepare(_ id: NodeID, isEmpty: Bool) async throws {
        try await gates.hold(id) {
            let (file, staged) = state.withLock { ($0.written[id], $0.staged[id]) }
            guard let file, let folder = settings.staging else { throw WriteFault(ESTALE) }
            let bytes = try staged ?? StagingFile(in: folder.path)
            if isEmpty {
                try bytes.resize(to: 0)
            } else if staged == nil, let source = file.source {
                try await copy(source, to: bytes, as: id)
            }
            state.withLock { state in
                state.staged[id] = bytes
                if isEmpty { state.written.update(id) { $0.resized(to: 0, at: settings.now()) } }
            }
        }
    }

    /// Copies the content of a file, with at most a mebibyte of it in memory.
    private func copy(_ source: FileSource, to bytes: StagingFile, as id: NodeID) async throws {
        let content = FileContent(asset: source.file.content.asset, byteCount: source.file.content.size)
        let place = FilePlace(
            record: Name(source.file.path.recordName),
            field: Name(FileRecord.Field.content),
            item: nil
        )
        var reader = ContentReader(self.source(of: content, at: place, as: id))
        var offset: UInt64 = 0
        while offset < content.byteCount {
            let end = min(offset + UInt64(2 * StagingFile.pieceByteCount), content.byteCount)
            let part = try await reader.read(offset..<end) { true }
            try bytes.write(part, at: offset)
            offset = end
        }
    }

    // MARK: Writing

    /// Writes bytes of an open file.
    func write(_ bytes: [UInt8], to handle: UInt64, at offset: UInt64, _ answer: PendingAnswer) {
        let (opened, staged) = state.withLock { ($0.writing[handle], $0.staged(of: handle)) }
        guard let opened, opened.mayWrite, let staged else {
            answer.send(.failure(EBADF))
            return
        }
        let (end, isTooLarge) = offset.addingReportingOverflow(UInt64(bytes.count))
        guard !isTooLarge, end <= WrittenFile.byteCountMax else {
            answer.send(.failure(EFBIG))
            return
        }
        let time = settings.now()
        do {
            try staged.write(bytes, at: offset)
        } catch {
            // A part of the bytes may be there, which the program does not count on.
            state.withLock { state in state.written.update(opened.id) { $0.wrote(offset..<offset, at: time) } }
            answer.send(.failure(WriteFault.number(of: error)))
            return
        }
        state.withLock { state in state.written.update(opened.id) { $0.wrote(offset..<end, at: time) } }
        answer.send(.written(bytes.count))
    }

    /// Stores the changes of an open file, when one of its descriptors is closed or a program waits for them to be durable.
    /// - Parameters:
    ///   - handle: The opening.
    ///   - isOfAll: Whether the changes of other openings count where this one cannot write: `fsync` is about the file.
    ///   - answer: The answer.
    func flush(_ handle: UInt64, ofAll isOfAll: Bool = false, _ answer: PendingAnswer) {
        guard isWritable else {
            // The kernel does not ask again.
            answer.send(.failure(ENOSYS))
            return
        }
        let file = state.withLock { state -> WrittenFile? in
            if let opened = state.writing[handle] { return opened.mayWrite || isOfAll ? state.written[opened.id] : nil }
            return isOfAll ? state.files[handle].flatMap { state.written[$0.id] } : nil
        }
        // A file that is only read, that has no changes, or no name any more.
        guard let file, file.isUnstored else {
            answer.send(.done)
            return
        }
        serve(answer, file.path.text) { [self] in
            try await store(file.id)
            return .done
        }
    }

    /// Lets an open file go.
    func release(_ handle: UInt64) {
        let (reader, id) = state.withLock { state -> (FileReader?, NodeID?) in
            if let opened = state.writing.removeValue(forKey: handle) { return (nil, opened.id) }
            let file = state.files.removeValue(forKey: handle)
            return (file?.reader, file?.id)
        }
        reader?.close()
        guard let id else { return }
        // Pages that a program has mapped are written after the last descriptor is closed; and a daemon that was gone may be back.
        let isPinned = state.withLock { state in state.isLastChance(id) && state.pin(id) }
        guard isPinned else { return keep(state.withLock { $0.settle(id) }) }
        let isLeft = leave(
            .change { [self] in
                do {
                    try await store(id)
                } catch {
                    log.note(error, changing: path(of: id))
                }
                endWork(on: id)
            }
        )
        if !isLeft { endWork(on: id) }
    }

    /// Ends the work of a task on a file.
    func endWork(on id: NodeID) {
        // The mount ends: the file has one more attempt there.
        guard !Task.isCancelled else { return }
        keep(state.withLock { $0.endWork(on: id) })
    }

    // MARK: Bytes that could not be stored

    /// Keeps bytes that the zone does not have, and reports where.
    private func keep(_ unsaved: UnsavedFile?) {
        guard let unsaved, let folder = settings.staging else { return }
        let name = StagingFolder.name(of: unsaved.path, at: settings.now())
        do {
            let path = try unsaved.bytes.keep(as: name, in: folder.unsaved)
            log.note("\(unsaved.path.text) is not in the zone. Its bytes are in \(path).")
        } catch {
            log.note("\(unsaved.path.text) is not in the zone, and its bytes are lost: \(error)")
        }
    }

    /// Stores all files that the zone does not have, at the end of the mount, as long as there is time.
    /// - Parameter time: The time for all of them together.
    func storeAll(within time: Duration = .seconds(20)) async {
        let files = state.withLock { $0.written.files.values.filter { $0.isUnstored }.map(\.id).sorted() }
        guard !files.isEmpty else { return }
        await withTaskGroup(of: Void.self) { group in
            group.addTask { [self] in
                for id in files where !Task.isCancelled {
                    do {
                        try await store(id)
                    } catch {
                        log.note(error, changing: path(of: id))
                    }
                }
            }
            // It ends early where all files are stored.
            group.addTask { try? await Task.sleep(for: time) }
            _ = await group.next()
            group.cancelAll()
        }
    }

    /// Keeps the bytes of all files that the zone does not have, at the end of the mount.
    func keepAll() {
        let all = state.withLock { state in
            state.workers = [:]
            state.writing = [:]
            return state.written.files.keys.sorted().compactMap { state.settle($0) }
        }
        for unsaved in all { keep(unsaved) }
    }
}

extension ZoneMount.State {
    /// A name in a folder that nothing has.
    /// - Parameters:
    ///   - name: The name; `nil` for one that is not UTF-8.
    ///   - folder: The folder.
    ///   - number: The error number where something has it.
    /// - Returns: The place.
    /// - Throws: ``WriteFault``.
    func freePlace(of name: Name?, in folder: NodeID, taken number: Int32) throws(WriteFault) -> NamePlace {
        guard let name else { throw WriteFault(EINVAL) }
        guard tree.isFolder(folder), tree.isInPlace(folder) else { throw WriteFault(ENOENT) }
        guard child(name, of: folder) == nil else { throw WriteFault(number) }
        return NamePlace(folder: folder, name: name)
    }
}
