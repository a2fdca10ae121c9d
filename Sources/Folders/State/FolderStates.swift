import Glibc

/// The folders with the states of all folders of this user.
struct FolderStates: Sendable {
    /// The path of the folder, `$XDG_STATE_HOME/kairan/folders`.
    let path: String

    /// The path of the state of a folder.
    func path(of id: String) -> String { path + "/" + id }

    /// Makes the folder of a state.
    /// - Throws: ``FolderError``.
    func make(_ id: String) throws(FolderError) {
        var part = ""
        for name in path(of: id).utf8.split(separator: UInt8(ascii: "/")) {
            part += "/" + String(Substring(name))
            guard mkdir(part, 0o700) == 0 || errno == EEXIST else {
                throw .unwritableState(part, FileFault(name: part, number: errno))
            }
        }
    }

    /// The ids of the states of folders that were last used at a path.
    func ids(ofPath used: String) -> [String] {
        guard let folder = opendir(path) else { return [] }
        defer { closedir(folder) }
        var ids: [String] = []
        while let entry = readdir(folder) {
            let bytes = withUnsafeBytes(of: &entry.pointee.d_name) { Array($0.prefix { $0 != 0 }) }
            guard let id = String(validating: bytes, as: UTF8.self), !id.hasPrefix("."),
                let journal = FolderJournal.read(in: path(of: id), device: 0), journal.header.path == used
            else { continue }
            ids.append(id)
        }
        return ids.sorted()
    }

    /// Removes a state.
    ///
    /// A state that stays costs a question at most, so failures are not reported.
    func remove(_ id: String) {
        for name in [FolderJournal.fileName, FolderJournal.fileName + ".new"] { unlink(path(of: id) + "/" + name) }
        rmdir(path(of: id))
    }
}
