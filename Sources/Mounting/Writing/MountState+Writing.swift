internal import FileRecords
internal import Glibc
internal import KairanClient

/// An opening of a file that is written.
struct WritingHandle: Sendable, Hashable {
    /// The number of the file.
    var id: NodeID
    /// Whether it was opened to write.
    var mayWrite: Bool
}

/// Files that are written, in front of those that the tree has.
extension ZoneMount.State {
    // MARK: Questions

    /// The file or folder of a name.
    func child(_ name: Name, of folder: NodeID) -> NodeID? {
        written.names[NamePlace(folder: folder, name: name)] ?? tree.child(name, of: folder)
    }

    /// The attributes of a file or folder; `nil` for a number that stands for nothing.
    func attributes(of id: NodeID) -> NodeAttributes? { written[id]?.attributes ?? tree.attributes(of: id) }

    /// The entries of a folder, in the order of their names; `nil` for no folder.
    func entries(of folder: NodeID) -> [FolderEntry]? {
        guard let entries = tree.entries(of: folder) else { return nil }
        let own = written.names(in: folder)
        guard !own.isEmpty else { return entries }
        let others = entries.filter { own[Name($0.name)] == nil }
        let mine = own.map { FolderEntry(name: $0.key.wrappedValue, id: $0.value) }
        return (others + mine).sorted { Name($0.name) < Name($1.name) }
    }

    /// The path of a file or folder, for people.
    func path(of id: NodeID) -> String { written[id]?.path.text ?? tree.path(of: id) }

    /// The bytes from which an open file is read; `nil` for those of a content of the zone.
    func staged(of handle: UInt64) -> StagingFile? { (writing[handle]?.id ?? files[handle]?.id).flatMap { staged[$0] } }

    /// The record that describes a file, of which the content is the file's; `nil` for an asset of any other record.
    func source(of id: NodeID) -> FileSource? {
        guard let file = tree.file(id), let source = tree.source(of: file.place.record),
            source.file.content.asset == file.content.asset
        else { return nil }
        return source
    }

    /// The record of a file, of one that is written too; `nil` where it has none.
    func record(of id: NodeID) -> FileSource? {
        guard let file = written[id] else { return source(of: id) }
        return file.source
    }

    /// Whether a file is of a kind that programs may change: one that a record of files describes, or will.
    func isChangeable(_ id: NodeID) -> Bool { written[id] != nil || source(of: id) != nil }

    /// Whether a program has a file open.
    func isOpen(_ id: NodeID) -> Bool {
        writing.values.contains { $0.id == id } || files.values.contains { $0.id == id }
    }

    // MARK: The beginning and the end of writing

    /// Makes a file one that is written, and counts a task that is at work on it.
    /// - Parameter id: The file, which may be one that is written already.
    /// - Throws: ``WriteFault``.
    mutating func beginWork(on id: NodeID) throws(WriteFault) {
        if let file = written[id] {
            // It was looked up before it lost its name: the kernel looks the name up again. No byte is written that is never stored.
            guard file.place != nil else { throw WriteFault(ESTALE) }
        } else {
            guard let file = tree.file(id) else { throw WriteFault(tree.isFolder(id) ? EISDIR : ESTALE) }
            guard let source = source(of: id) else { throw WriteFault(EACCES) }
            guard written.files.count < WrittenFiles.countMax else { throw WriteFault(ENFILE) }
            guard let identity = tree.files[id]?.identity, tree.detach(id) else { throw WriteFault(ESTALE) }
            let place = NamePlace(folder: identity.folder, name: identity.name)
            written.insert(WrittenFile(id, of: source, at: place, modified: file.modified))
        }
        workers[id, default: 0] += 1
    }

    /// Adds a file that is new, under a name that nothing has.
    /// - Parameters:
    ///   - path: Its path.
    ///   - place: Its name.
    ///   - isExecutable: Whether it may be executed.
    ///   - staging: Its bytes, none yet.
    ///   - time: The time, in milliseconds since 1970.
    /// - Returns: Its number.
    mutating func create(
        _ path: FilePath,
        at place: NamePlace,
        isExecutable: Bool,
        _ staging: StagingFile,
        time: Int64
    ) -> NodeID {
        lastHandle += 1
        // No content has an empty id; the number tells this file from a later one of the name.
        let content = FileContent(asset: "", byteCount: lastHandle)
        let id = tree.reserve(NodeIdentity(folder: place.folder, name: place.name, content: content))
        tree.keep(place.folder)
        written.insert(WrittenFile(id, new: path, at: place, isExecutable: isExecutable, time: time))
        staged[id] = staging
        return id
    }

    /// Opens a file that is written.
    /// - Returns: The number of the opening.
    mutating func open(_ id: NodeID, mayWrite: Bool) -> UInt64 {
        lastHandle += 1
        writing[lastHandle] = WritingHandle(id: id, mayWrite: mayWrite)
        return lastHandle
    }

    /// Counts a task that is at work on a file, if it is one that is written, so that it stays one.
    /// - Returns: Whether it is.
    mutating func pin(_ id: NodeID) -> Bool {
        guard written[id] != nil else { return false }
        workers[id, default: 0] += 1
        return true
    }

    /// Whether a file has bytes that the zone does not have, and no program has it open to write any more.
    func isLastChance(_ id: NodeID) -> Bool {
        guard written[id]?.hasUnstoredBytes == true, workers[id] == nil else { return false }
        return !writing.values.contains { $0.id == id && $0.mayWrite }
    }

    /// Ends the work of a task.
    /// - Returns: As ``settle(_:)``.
    mutating func endWork(on id: NodeID) -> UnsavedFile? {
        let count = workers[id] ?? 0
        workers[id] = count > 1 ? count - 1 : nil
        return settle(id)
    }

    /// Lets a file go that no program writes any more, and its bytes once none reads it.
    /// - Returns: The bytes that the zone does not have.
    mutating func settle(_ id: NodeID) -> UnsavedFile? {
        guard let file = written[id], workers[id] == nil else { return nil }
        guard !writing.values.contains(where: { $0.id == id && $0.mayWrite }) else { return nil }
        let unsaved = file.hasUnstoredBytes ? staged[id].map { UnsavedFile(path: file.path, bytes: $0) } : nil
        // The name belongs to the record from now on.
        written.update(id) { $0.unlink() }
        if !isOpen(id) {
            written.remove(id)
            staged[id] = nil
            tree.unreserve(id)
        }
        return unsaved
    }
}

/// The bytes of a file that a program has written and the zone does not have.
struct UnsavedFile: Sendable {
    /// The path of the file in the zone.
    var path: FilePath
    /// The bytes.
    var bytes: StagingFile
}

extension KernelAnswer {
    /// The answer that a closure returns, or the error that it throws.
    init(_ body: () throws -> KernelAnswer) {
        do {
            self = try body()
        } catch {
            self = .failure(WriteFault.number(of: error))
        }
    }
}
