internal import Glibc
internal import Synchronization

/// Folders.
extension ZoneMount {
    /// Opens a folder.
    func openFolder(_ id: NodeID, _ answer: PendingAnswer) {
        let handle = state.withLock { state -> UInt64? in
            guard state.tree.isFolder(id), state.folders.count < Self.openMax else { return nil }
            state.lastHandle += 1
            state.folders[state.lastHandle] = OpenFolder(id: id)
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
        let listed = state.withLock { state -> [NodeID]? in
            guard let entries = Self.entries(of: handle, from: offset, &state) else { return nil }
            var listed: [NodeID] = []
            let first = Int(clamping: offset)
            for index in entries.indices.dropFirst(first) {
                let entry = entries[index]
                // One that has gone since.
                guard let attributes = state.attributes(of: entry.id) else { continue }
                guard page.add(entry.name, attributes, next: UInt64(index) + 1) else { break }
                // The first two are the folder itself and the one that it is in, which the kernel does not count.
                if isPlus, index >= 2 { listed.append(entry.id) }
            }
            // Before the answer is sent: the kernel may forget the numbers at once.
            for id in listed { state.tree.noteLookup(of: id) }
            return listed
        }
        guard let listed else {
            answer.send(.failure(EBADF))
            return
        }
        guard !answer.send(.bytes(page.bytes)) else { return }
        state.withLock { state in
            for id in listed { state.tree.forget(id) }
        }
    }

    /// The entries of an open folder, with `.` and `..` at their beginning.
    private static func entries(of handle: UInt64, from offset: UInt64, _ state: inout State) -> [FolderEntry]? {
        guard let folder = state.folders[handle] else { return nil }
        if offset > 0, let entries = folder.entries { return entries }
        let parent = state.tree.parent(of: folder.id)
        let own = [FolderEntry(name: ".", id: folder.id), FolderEntry(name: "..", id: parent)]
        // A folder that has gone since has no entries.
        let entries = own + (state.entries(of: folder.id) ?? [])
        state.folders[handle]?.entries = entries
        return entries
    }
}
