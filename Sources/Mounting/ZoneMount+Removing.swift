internal import FileRecords
internal import Glibc
internal import KairanClient
internal import Synchronization

/// Folders that programs make, and files and folders that they remove.
///
/// A zone has no folders. Those without files are in the memory of the mount alone; a folder in which a program has changed something stays until
/// it is removed, as programs expect.
extension ZoneMount {
    /// Makes a folder.
    func makeFolder(_ name: Name?, in folder: NodeID, _ answer: PendingAnswer) {
        let time = settings.now()
        do {
            let made = try state.withLock { state throws(WriteFault) -> NodeAttributes? in
                let place = try state.freePlace(of: name, in: folder, taken: EEXIST)
                _ = try WrittenPath.path(of: name, in: state.tree.path(of: folder))
                let id = state.tree.makeFolder(place.name, in: folder, at: time)
                state.tree.noteLookup(of: id)
                return state.tree.attributes(of: id)
            }
            guard let made else { throw WriteFault(EIO) }
            if !answer.send(.entry(made)) { state.withLock { $0.tree.forget(made.id) } }
        } catch {
            answer.send(.failure(WriteFault.number(of: error)))
        }
    }

    /// Removes a folder without files.
    func removeFolder(_ name: Name?, from folder: NodeID, _ answer: PendingAnswer) {
        let time = settings.now()
        let number = state.withLock { state -> Int32 in
            guard let name, let id = state.child(name, of: folder) else { return ENOENT }
            guard state.tree.isFolder(id) else { return ENOTDIR }
            guard state.entries(of: id)?.isEmpty == true else { return ENOTEMPTY }
            state.tree.keep(folder)
            _ = state.tree.release(id, at: time)
            // A file in it is not shown, since its name belongs to another one.
            return state.tree.isInPlace(id) ? ENOTEMPTY : 0
        }
        answer.send(number == 0 ? .done : .failure(number))
    }

    /// Removes a file.
    func unlink(_ name: Name?, from folder: NodeID, _ answer: PendingAnswer) {
        let file: PinnedFile
        do {
            // In one step with the decision: a task that ends in between would leave a file that is neither.
            file = try state.withLock { state throws(WriteFault) -> PinnedFile in
                guard let name, let id = state.child(name, of: folder) else { throw WriteFault(ENOENT) }
                guard !state.tree.isFolder(id) else { throw WriteFault(EISDIR) }
                guard state.isChangeable(id) else { throw WriteFault(EPERM) }
                state.tree.keep(folder)
                return state.pinned(id)
            }
        } catch {
            answer.send(.failure(WriteFault.number(of: error)))
            return
        }
        let isServed = serve(answer, path(of: file.id)) { [self] in
            defer { unpin([file]) }
            if file.isWritten {
                try await removeWritten(file.id)
            } else if let record = file.record {
                await preserve(file.id)
                try await remove(record)
            } else {
                throw WriteFault(ESTALE)
            }
            return .done
        }
        if !isServed { unpin([file]) }
    }

    /// Deletes the record of a file.
    func remove(_ source: FileSource) async throws {
        do {
            _ = try await writing([source.file.path.recordName]) { try await writer.delete(source) }
        } catch let error as KairanError where WriteFault.isGone(error) {
            // Another device was first; the tree has learned of it.
        }
    }

    /// Removes a file that is written: its record goes, and nothing of it is stored any more.
    private func removeWritten(_ id: NodeID) async throws {
        try await holding([id]) {
            if let source = state.withLock({ $0.written[id]?.source }) {
                do {
                    try await remove(source)
                } catch let error as KairanError where error.code == "record.version_mismatch" {
                    // The version of another device, which this program has not seen, is shown in its place.
                }
            }
            state.withLock { state in state.written.update(id) { $0.unlink() } }
        }
    }

    /// Copies the content of a file that is about to go, if programs read it: they have it until they close it.
    ///
    /// Where the content cannot be read now, they learn of that when they read on.
    func preserve(_ id: NodeID) async {
        let isRead = state.withLock { state in
            guard state.written[id] == nil, state.isOpen(id) else { return false }
            do {
                try state.beginWork(on: id)
                return true
            } catch {
                return false
            }
        }
        guard isRead else { return }
        try? await prepare(id, isEmpty: false)
        endWork(on: id)
    }
}
