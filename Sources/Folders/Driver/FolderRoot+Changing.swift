import CFiles
import FileRecords
import Glibc

/// The outcome of a change in the folder.
enum FolderChange: Sendable, Hashable {
    /// It was made: the file as it is now.
    case done(FileIdentity)
    /// The file is another one than expected, and was left as it is: the present file, `nil` for none.
    case stale(FileIdentity?)
    /// The new name is in use.
    case taken
}

/// A file that is being written, under a name of its own beside its place.
///
/// It is removed when it is used no more, unless it got its place.
final class PartFile: Sendable {
    let folder: OpenFile
    let file: OpenFile
    let name: String

    /// Begins a file.
    /// - Parameter folder: The folder of its place.
    /// - Throws: ``FileFault``.
    init(in folder: OpenFile) throws(FileFault) {
        var generator = SystemRandomNumberGenerator()
        let name = FolderRoot.partPrefix + String(generator.next() as UInt64, radix: 16)
        file = try folder.open(name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, mode: 0o666)
        (self.folder, self.name) = (folder, name)
    }

    /// Removes the file, if it has not got its place.
    ///
    /// A name in its place, that of the replaced file, may be there by then: it is the caller's to remove.
    func abandon() {
        guard let present = try? folder.status(of: name), let own = try? file.status(name), present.st_ino == own.st_ino
        else { return }
        // A part that stays is moved to the trash by the next run.
        unlinkat(folder.number, name, 0)
    }
}

extension FolderRoot {
    /// Gives a written file its place, if the folder is there as expected.
    ///
    /// The exchange of names is one step for all other programs, and what comes out of it is looked at: a file that was written to at the last
    /// moment gets its place back.
    /// - Parameters:
    ///   - part: The file, with all of its bytes.
    ///   - path: The place.
    ///   - expectation: The file that is replaced.
    ///   - day: The day for the trash, as `2026-07-21`.
    /// - Returns: The outcome.
    /// - Throws: ``FileFault``.
    func place(
        _ part: PartFile,
        at path: FilePath,
        expecting expectation: LocalExpectation,
        on day: String
    ) throws(FileFault) -> FolderChange {
        let (folder, name) = (part.folder, path.lastPart)
        try part.file.synchronize(path.text)
        let own = FileIdentity(try part.file.status(path.text))
        // The bin that keeps the replaced file; `nil` where that goes.
        let bin: String? = if case .unsavedFile = expectation { day } else { nil }
        switch expectation {
        case .nothing:
            guard try renameToNew(folder, part.name, folder, name) else {
                guard let present = try identity(of: path) else { throw FileFault(name: path.text, number: EEXIST) }
                return .stale(present)
            }
        case .file(let expected), .unsavedFile(let expected):
            let present = try identity(of: path)
            guard present == expected else { return .stale(present) }
            if kairan_exchange(folder.number, part.name, folder.number, name) == 0 {
                let replaced = try folder.status(of: part.name).map { FileIdentity($0) }
                guard let replaced, replaced.isSameFile(as: expected) else {
                    guard kairan_exchange(folder.number, part.name, folder.number, name) == 0 else {
                        throw FileFault(name: path.text, number: errno)
                    }
                    return .stale(try identity(of: path))
                }
                if let bin {
                    _ = try moveToTrash(folder, path, named: part.name, on: bin)
                } else if unlinkat(folder.number, part.name, 0) != 0 {
                    throw FileFault(name: path.text, number: errno)
                }
            } else {
                // File systems without the exchange: the replaced file was looked at a moment ago.
                guard errno == EINVAL || errno == ENOSYS else { throw FileFault(name: path.text, number: errno) }
                if let bin { _ = try moveToTrash(folder, path, on: bin) }
                guard renameat(folder.number, part.name, folder.number, name) == 0 else {
                    throw FileFault(name: path.text, number: errno)
                }
            }
        }
        try folder.synchronize(path.text)
        let placed = try folder.status(of: name).map { FileIdentity($0) }
        // Another program was at it already: the next reading sees that.
        guard let placed, placed.isSameFile(as: own) else { return .stale(try identity(of: path)) }
        return .done(placed)
    }

    /// Gives a file another name in its folder, if it is as expected.
    /// - Parameters:
    ///   - path: The file.
    ///   - expected: The expected file.
    ///   - new: The new path, in the same folder.
    /// - Returns: The outcome.
    /// - Throws: ``FileFault``.
    func moveAside(
        _ path: FilePath,
        expecting expected: FileIdentity,
        to new: FilePath
    ) throws(FileFault) -> FolderChange {
        let present = try identity(of: path)
        guard present == expected else { return .stale(present) }
        let folder = try open(path.folder)
        guard try renameToNew(folder, path.lastPart, folder, new.lastPart) else { return .taken }
        let moved = try folder.status(of: new.lastPart).map { FileIdentity($0) }
        try folder.synchronize(path.text)
        guard let moved, moved.isSameFile(as: expected) else {
            // Whatever came there has its own name back, or keeps the new one: both are names of the folder.
            _ = try renameToNew(folder, new.lastPart, folder, path.lastPart)
            return .stale(try identity(of: path))
        }
        return .done(moved)
    }

    /// Moves a file to the trash, if it is as expected, and removes the folders that are empty without it.
    /// - Parameters:
    ///   - path: The file.
    ///   - expected: The expected file.
    ///   - day: The day, as `2026-07-21`.
    /// - Returns: The outcome.
    /// - Throws: ``FileFault``.
    func trash(_ path: FilePath, expecting expected: FileIdentity, on day: String) throws(FileFault) -> FolderChange {
        let present = try identity(of: path)
        guard present == expected else { return .stale(present) }
        let folder = try open(path.folder)
        let (bin, _) = try moveToTrash(folder, path, on: day)
        let moved = try bin.status(of: path.lastPart).map { FileIdentity($0) }
        guard let moved, moved.isSameFile(as: expected) else {
            _ = try renameToNew(bin, path.lastPart, folder, path.lastPart)
            return .stale(try identity(of: path))
        }
        removeEmptyFolders(from: path.folder)
        return .done(moved)
    }

    /// Gives a file the mark of execution, or takes it from the file, if it is as expected.
    /// - Parameters:
    ///   - path: The file.
    ///   - isExecutable: Whether it gets the mark.
    ///   - expected: The expected file.
    /// - Returns: The outcome.
    /// - Throws: ``FileFault``.
    func mark(_ path: FilePath, isExecutable: Bool, expecting expected: FileIdentity) throws(FileFault) -> FolderChange
    {
        guard let file = try open(path, expecting: expected) else { return .stale(try identity(of: path)) }
        let mode = try file.status(path.text).st_mode & 0o777
        guard fchmod(file.number, Self.mode(mode, isExecutable: isExecutable)) == 0 else {
            throw FileFault(name: path.text, number: errno)
        }
        try file.synchronize(path.text)
        return .done(FileIdentity(try file.status(path.text)))
    }

    /// A mode with the mark for all that may read the file, or without it.
    static func mode(_ mode: mode_t, isExecutable: Bool) -> mode_t {
        isExecutable ? mode | S_IXUSR | (mode & 0o044) >> 2 : mode & ~0o111
    }

    /// Removes a folder, and those that it is in, as long as they are empty.
    func removeEmptyFolders(from folder: FilePath?) {
        var next = folder
        while let present = next {
            guard let above = try? open(present.folder),
                unlinkat(above.number, present.lastPart, Int32(AT_REMOVEDIR)) == 0
            else { return }
            next = present.folder
        }
    }

    /// Renames an entry to a name that nothing has.
    /// - Returns: False where something has the name.
    /// - Throws: ``FileFault``.
    func renameToNew(_ from: OpenFile, _ name: String, _ to: OpenFile, _ new: String) throws(FileFault) -> Bool {
        if kairan_rename_to_new(from.number, name, to.number, new) == 0 { return true }
        switch errno {
        case EEXIST: return false
        case EINVAL, ENOSYS:
            // File systems that cannot do both in one step.
            guard try to.status(of: new) == nil else { return false }
            guard renameat(from.number, name, to.number, new) == 0 else { throw FileFault(name: name, number: errno) }
            return true
        default: throw FileFault(name: name, number: errno)
        }
    }
}
