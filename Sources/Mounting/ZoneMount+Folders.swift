internal import Glibc
internal import Synchronization

/// Folders.
extension ZoneMount {
    /// Opens a folder.
    func openFolder(_ id: NodeID, _ answer: PendingAnswer) {
        let handle = state.withLock { state -> UInt64? in
            guard state.tree.isFolder(id), state.listings.count < Self.openMax else { return nil }
            state.lastHandle += 1
            state.listings.open(id, as: state.lastHandle)
            return state.lastHandle
        }
        guard let handle else {
            let isThere = state.withLock { $0.tree.isFolder(id) }
            answer.send(.failure(isThere ? ENFILE : ESTALE))
            return
        }
        if !answer.send(.opened(handle: handle)) { take(.releaseFolder(handle: handle)) }
    }

    /// Lists a folder as it was when its reading began.
    func readFolder(_ handle: UInt64, from offset: UInt64, room: Int, isPlus: Bool, _ answer: PendingAnswer) {
        var page = FolderPage(room: room, isPlus: isPlus, owner: owner)
        let listed: [NodeID]
        do {
            listed = try state.withLock { state throws(WriteFault) -> [NodeID] in
                let entries = try Self.entries(of: handle, from: offset, &state)
                var listed: [NodeID] = []
                var isAtEnd = true
                let first = Int(clamping: offset)
                for index in entries.indices.dropFirst(first) {
                    let entry = entries[index]
                    // One that has gone since.
                    guard let attributes = state.attributes(of: entry.id) else { continue }
                    guard page.add(entry.name, attributes, next: UInt64(index) + 1) else {
                        isAtEnd = false
                        break
                    }
                    // The first two are the folder itself and the one that it is in, which the kernel does not count.
                    if isPlus, index >= 2 { listed.append(entry.id) }
                }
                if isAtEnd { state.listings.finish(handle) }
                // Before the answer is sent: the kernel may forget the numbers at once.
                for id in listed { state.tree.noteLookup(of: id) }
                return listed
            }
        } catch {
            answer.send(.failure(WriteFault.number(of: error)))
            return
        }
        guard !answer.send(.bytes(page.bytes)) else { return }
        state.withLock { state in
            for id in listed { state.tree.forget(id) }
        }
    }

    /// The entries of an open folder, with `.` and `..` at their beginning.
    /// - Throws: ``WriteFault``: `EBADF`; `ENFILE` where programs are reading too many entries.
    private static func entries(
        of handle: UInt64,
        from offset: UInt64,
        _ state: inout State
    ) throws(WriteFault) -> [FolderEntry] {
        guard let folder = state.listings.folder(of: handle) else { throw WriteFault(EBADF) }
        if let entries = state.listings.entries(of: handle, from: offset) { return entries }
        let parent = state.tree.parent(of: folder)
        let own = [FolderEntry(name: ".", id: folder), FolderEntry(name: "..", id: parent)]
        // A folder that has gone since has no entries.
        let entries = own + (state.entries(of: folder) ?? [])
        guard state.listings.begin(handle, with: entries) else { throw WriteFault(ENFILE) }
        return entries
    }
}
