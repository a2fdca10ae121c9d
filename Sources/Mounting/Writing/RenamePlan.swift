internal import FileRecords
internal import Glibc
internal import KairanInterface

/// A renaming that the names allow.
enum RenamePlan: Sendable, Hashable {
    /// Both names stand for one file already.
    case nothing
    /// A file gets a name that nothing has, or that of another file, which goes.
    case file(NodeID, to: FilePath, at: NamePlace, over: NodeID?)
    /// A folder gets a name that nothing has, or that of a folder without files.
    case folder(NodeID, to: FilePath, at: NamePlace)

    /// The flag of `renameat2(2)` that refuses a name that something has.
    static let keepsTarget: UInt32 = 1

    /// Decides about a renaming.
    /// - Parameters:
    ///   - from: The place of the file or folder; `nil` for a name that is not UTF-8.
    ///   - name: The new name; `nil` for one that is not UTF-8.
    ///   - folder: The folder for it.
    ///   - flags: The flags of `renameat2(2)`.
    ///   - state: The files of the mount.
    /// - Throws: ``WriteFault``.
    init(
        _ from: NamePlace?,
        to name: Name?,
        of folder: NodeID,
        flags: UInt32,
        _ state: ZoneMount.State
    ) throws(WriteFault) {
        // Two records cannot take each other's names without a third one.
        guard flags & ~Self.keepsTarget == 0 else { throw WriteFault(EINVAL) }
        guard let from, let source = state.child(from.name, of: from.folder) else { throw WriteFault(ENOENT) }
        guard state.tree.isFolder(folder), state.tree.isInPlace(folder) else { throw WriteFault(ENOENT) }
        let path = try WrittenPath.path(of: name, in: state.tree.path(of: folder))
        guard let name else { throw WriteFault(EINVAL) }
        let place = NamePlace(folder: folder, name: name)
        let target = state.child(name, of: folder)
        if target != nil, flags & Self.keepsTarget != 0 { throw WriteFault(EEXIST) }
        guard source != target else {
            self = .nothing
            return
        }
        let isFolder = state.tree.isFolder(source)
        guard isFolder || state.isChangeable(source) else { throw WriteFault(EPERM) }
        if let target {
            guard state.tree.isFolder(target) == isFolder else { throw WriteFault(isFolder ? ENOTDIR : EISDIR) }
            guard !isFolder || state.entries(of: target)?.isEmpty == true else { throw WriteFault(ENOTEMPTY) }
            guard isFolder || state.isChangeable(target) else { throw WriteFault(EPERM) }
        }
        self =
            isFolder
            ? .folder(source, to: path, at: place) : .file(source, to: path, at: place, over: target)
    }
}
