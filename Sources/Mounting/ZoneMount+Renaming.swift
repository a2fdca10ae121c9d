internal import FileRecords
internal import Glibc
internal import KairanClient
internal import Synchronization

/// Files and folders that get other names.
///
/// The name of a record follows from the path of its file, so a file that is moved has another record, with the same content and all other
/// fields; nothing is uploaded. A file that replaces another one leaves the record of that one in place.
extension ZoneMount {
    /// The maximum number of files of a folder that is moved; a larger one is refused with `E2BIG`.
    static let movedCountMax = 10_000
    /// The files of a folder that are moved in one batch, which has two writes for each.
    private static let batchCount = 500

    /// Renames a file or a folder.
    func rename(
        _ name: Name?,
        of folder: NodeID,
        to newName: Name?,
        of newFolder: NodeID,
        flags: UInt32,
        _ answer: PendingAnswer
    ) {
        let decided: (plan: RenamePlan, pins: [PinnedFile])
        do {
            // In one step with the decision: a task that ends in between would leave a file that is neither.
            decided = try state.withLock { state throws(WriteFault) -> (plan: RenamePlan, pins: [PinnedFile]) in
                let from = name.map { NamePlace(folder: folder, name: $0) }
                let plan = try RenamePlan(from, to: newName, of: newFolder, flags: flags, state)
                // Neither goes with its last file.
                state.tree.keep(folder)
                state.tree.keep(newFolder)
                guard case .file(let id, _, _, let target) = plan else { return (plan, []) }
                var pins = [state.pinned(id)]
                if let target { pins.append(state.pinned(target)) }
                return (plan, pins)
            }
        } catch {
            answer.send(.failure(WriteFault.number(of: error)))
            return
        }
        let pins = decided.pins
        switch decided.plan {
        case .nothing: answer.send(.done)
        case .file(_, let path, let place, _):
            guard let source = pins.first else {
                answer.send(.failure(EIO))
                return
            }
            let replaced = pins.dropFirst().first
            let isServed = serve(answer, path.text) { [self] in
                defer { unpin(pins) }
                // Its gate is taken for that, so it comes before.
                if let replaced { await preserve(replaced.id) }
                try await holding(pins.map(\.id)) {
                    try await moveFile(source, to: path, at: place, over: replaced)
                }
                return .done
            }
            if !isServed { unpin(pins) }
        case .folder(let id, let path, let place):
            serve(answer, path.text) { [self] in
                // One at a time, and those that wait for one wait here.
                try await gates.hold(.root) { try await moveFolder(id, to: path, at: place) }
                return .done
            }
        }
    }

    // MARK: Files

    /// A file that is renamed or replaced, as it was when the kernel asked for that.
    struct PinnedFile: Sendable {
        /// Its number.
        var id: NodeID
        /// Its record; `nil` for a file that was never stored.
        var record: FileSource?
        /// Whether it is one that is written, which stays one meanwhile.
        var isWritten: Bool
    }

    /// Ends the work on files.
    func unpin(_ files: [PinnedFile]) {
        for file in files where file.isWritten { endWork(on: file.id) }
    }

    /// Gives a file another name; its gate is held, and that of the file that it replaces.
    private func moveFile(
        _ file: PinnedFile,
        to path: FilePath,
        at place: NamePlace,
        over target: PinnedFile?
    ) async throws {
        // Under its old name: so a change that cannot be stored leaves both names as they are.
        try await storeHeld(file.id)
        let found = file.isWritten ? state.withLock { $0.written[file.id]?.source } : file.record
        guard let source = found else { throw WriteFault(EBUSY) }
        if let target {
            try await replace(target, by: file.id, source, path, at: place)
        } else {
            try await move(file.id, source, to: path, at: place)
        }
    }

    private func move(_ id: NodeID, _ source: FileSource, to path: FilePath, at place: NamePlace) async throws {
        let names = [path.recordName, source.file.path.recordName]
        let records = try await writing(names) { try await writer.move(source, to: path) }
        finishMove(of: id, records, at: place, path)
    }

    private func replace(
        _ target: PinnedFile,
        by id: NodeID,
        _ source: FileSource,
        _ path: FilePath,
        at place: NamePlace
    ) async throws {
        let record = target.isWritten ? state.withLock { $0.written[target.id]?.source } : target.record
        guard let record else {
            // The other file was never stored.
            state.withLock { state in state.written.update(target.id) { $0.unlink() } }
            try await move(id, source, to: path, at: place)
            return
        }
        let names = [record.file.path.recordName, source.file.path.recordName]
        let records = try await writing(names) { try await writer.replace(record, by: source) }
        state.withLock { state in state.written.update(target.id) { $0.unlink() } }
        finishMove(of: id, records, at: place, record.file.path)
    }

    /// Has a file that is written, if it is one, stand for the record that has its content now.
    private func finishMove(of id: NodeID, _ records: [Record], at place: NamePlace, _ path: FilePath) {
        // The deleted record, which is no file, is behind it.
        guard let stored = records.compactMap({ Self.source($0) }).last else { return }
        var place = place
        if stored.file.path != path {
            place.name = Name(stored.file.path.lastPart)
            log.note("\(path.text) was changed by another device. This version is \(stored.file.path.text).")
        }
        let new = place
        state.withLock { state in
            guard state.written[id]?.place != nil else { return }
            state.written.update(id) { $0.moved(to: new, stored) }
        }
    }

    // MARK: Folders

    /// Moves all files of a folder, in batches in the order of their paths.
    ///
    /// Where a batch is refused, the files of those before it have been moved, and the others have not.
    private func moveFolder(_ id: NodeID, to path: FilePath, at place: NamePlace) async throws {
        let (old, written) = state.withLock { state in
            state.moving = Set(state.tree.allFolders(from: id))
            let files = state.written.files.values.filter { file in
                file.place.map { state.moving.contains($0.folder) } == true
            }
            return (FilePath(state.tree.path(of: id)), files.map(\.id))
        }
        defer { state.withLock { $0.moving = [] } }
        guard let old else { throw WriteFault(EINVAL) }
        // No file of them is stored under its old path once its record has the new one.
        try await gates.hold(written) { try await moveHeld(id, written, from: old, to: path, at: place) }
    }

    /// Moves a folder whose written files are held.
    private func moveHeld(
        _ id: NodeID,
        _ written: [NodeID],
        from old: FilePath,
        to path: FilePath,
        at place: NamePlace
    ) async throws {
        for file in written.sorted() { try await storeHeld(file) }
        let moves = try state.withLock { state throws(WriteFault) in
            guard let records = state.tree.records(beneath: id) else { throw WriteFault(EPERM) }
            guard records.count <= Self.movedCountMax else { throw WriteFault(E2BIG) }
            guard path.parts.count + state.depth(beneath: id) <= FilePath.shownPartCountMax else {
                throw WriteFault(ENAMETOOLONG)
            }
            var moves: [(source: FileSource, path: FilePath)] = []
            for source in records.compactMap({ state.tree.source(of: $0) }) {
                guard let path = source.file.path.moved(from: old, to: path), path.isShown else {
                    throw WriteFault(ENAMETOOLONG)
                }
                moves.append((source, path))
            }
            return moves
        }
        let time = settings.now()
        let isNew = state.withLock { state in
            let isNew = state.tree.child(place.name, of: place.folder) == nil
            state.moveFolders(from: id, to: place, at: time)
            return isNew
        }
        do {
            try await moveFiles(moves, beneath: id, from: old, at: place)
        } catch {
            // The folders that were made for it go, where no file has come into them.
            state.withLock { state in
                guard isNew, let made = state.tree.child(place.name, of: place.folder) else { return }
                state.dropFolders(from: made, at: time)
            }
            throw error
        }
        state.withLock { $0.dropFolders(from: id, at: time) }
    }

    private func moveFiles(
        _ moves: [(source: FileSource, path: FilePath)],
        beneath id: NodeID,
        from old: FilePath,
        at place: NamePlace
    ) async throws {
        var rest = moves[...]
        while !rest.isEmpty {
            let part = Array(rest.prefix(Self.batchCount))
            rest = rest.dropFirst(part.count)
            var settled: [(source: FileSource, path: FilePath)] = []
            for move in part { settled.append((try await settle(move.source), move.path)) }
            // Other programs may have written large fields into the records.
            for writes in ZoneWriter.batches(try await writer.moves(settled)) {
                let records = try await writing(writes.map(\.name)) {
                    try await settings.client.saveAtomically(writes, in: settings.zone)
                }
                state.withLock { $0.moveWritten(records, beneath: id, from: old, to: place) }
            }
        }
    }

    /// Ends a conflict in a record before it is moved.
    private func settle(_ source: FileSource) async throws -> FileSource {
        guard source.conflictCount > 0 else { return source }
        let records = try await writing([source.file.path.recordName]) { try await writer.settle(source).records }
        return Self.source(records.last) ?? source
    }
}

extension FilePath {
    /// The path of a file when a folder that it is in gets another path; `nil` where it would be too long.
    func moved(from old: FilePath, to new: FilePath) -> FilePath? {
        guard isBeneath(old) else { return nil }
        return FilePath(new.text + String(Substring(text.utf8.dropFirst(old.text.utf8.count))))
    }
}

extension ZoneMount.State {
    /// Notes a file that work is about to be done on.
    mutating func pinned(_ id: NodeID) -> ZoneMount.PinnedFile {
        ZoneMount.PinnedFile(id: id, record: record(of: id), isWritten: pin(id))
    }

    /// Whether a folder that one of some written files is in is being moved.
    func isMoving(_ files: [NodeID]) -> Bool {
        files.contains { written[$0]?.place.map { moving.contains($0.folder) } == true }
    }

    /// Makes the folders at the new place of a folder that is moved, those without files too.
    mutating func moveFolders(from id: NodeID, to place: NamePlace, at time: Int64) {
        // The kernel has removed the folder that is replaced, so another number stands for the name.
        if let replaced = tree.folders[place.folder]?.subfolders[place.name] { _ = tree.release(replaced, at: time) }
        for folder in tree.allFolders(from: id) where tree.folders[folder]?.isKept == true || folder == id {
            _ = makeFolders(relative(folder, to: id), at: place, time: time)
        }
    }

    /// Gives the written files of a folder that is moved the names that their records have now.
    mutating func moveWritten(_ records: [Record], beneath id: NodeID, from old: FilePath, to place: NamePlace) {
        let folders = Set(tree.allFolders(from: id))
        for record in records {
            guard let source = ZoneMount.source(record), let root = tree.child(place.name, of: place.folder) else {
                continue
            }
            for file in written.files.values {
                guard let former = file.place, folders.contains(former.folder),
                    source.file.path == file.path.moved(from: old, to: tree.filePath(of: root) ?? old)
                else { continue }
                let folder = makeFolders(relative(former.folder, to: id), at: place, time: file.modified)
                written.update(file.id) { $0.moved(to: NamePlace(folder: folder, name: former.name), source) }
            }
        }
    }

    /// Removes the folders of a folder that was moved; one in which a file was added meanwhile stays.
    mutating func dropFolders(from id: NodeID, at time: Int64) {
        for folder in tree.allFolders(from: id).reversed() where entries(of: folder)?.isEmpty == true {
            _ = tree.release(folder, at: time)
        }
    }

    /// The number of folders in the longest chain of folders beneath a folder.
    func depth(beneath root: NodeID) -> Int {
        tree.allFolders(from: root).map { relative($0, to: root).count }.max() ?? 0
    }

    /// The names from a folder down to one beneath it.
    private func relative(_ folder: NodeID, to root: NodeID) -> [Name] {
        var names: [Name] = []
        var next = folder
        while next != root, next != .root, let identity = tree.folders[next]?.identity {
            names.append(identity.name)
            next = identity.folder
        }
        return names.reversed()
    }

    /// The folder of a path beneath a place; folders that are missing are made.
    private mutating func makeFolders(_ names: [Name], at place: NamePlace, time: Int64) -> NodeID {
        var folder = place.folder
        for name in [place.name] + names {
            if let present = tree.folders[folder]?.subfolders[name] {
                tree.keep(present)
                folder = present
            } else {
                folder = tree.makeFolder(name, in: folder, at: time)
            }
        }
        return folder
    }
}

extension MountTree {
    /// The path of a folder; `nil` for the root.
    fileprivate func filePath(of folder: NodeID) -> FilePath? { FilePath(path(of: folder)) }
}
