package import FileRecords
import Glibc

/// The folder that is kept in step: all of its files are reached from its descriptor, and no link leads out of it.
package final class FolderRoot: Sendable {
    /// The path, for people.
    package let path: String
    let root: OpenFile
    /// The file system.
    let device: UInt64
    /// The number of the folder in its file system.
    let inode: UInt64

    /// The beginning of the names of files that are being written.
    static let partPrefix = IgnoreRules.ownPrefix + "part-"

    /// Opens a folder.
    /// - Parameter path: Its path, in which links are followed.
    /// - Throws: ``FolderError``.
    package init(_ path: String) throws(FolderError) {
        self.path = path
        let descriptor = Glibc.open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .unusable(path, FileFault(name: path, number: errno)) }
        let opened = OpenFile(descriptor)
        let status: stat
        do throws(FileFault) {
            status = try opened.status(path)
            // The kernel may be too old, or a sandbox may refuse the call.
            _ = try opened.open(".", O_RDONLY | O_DIRECTORY)
        } catch {
            throw .unusable(path, error)
        }
        root = opened
        device = UInt64(status.st_dev)
        inode = UInt64(status.st_ino)
    }

    /// Whether the path still leads to this folder.
    var isInPlace: Bool {
        var status = stat()
        return stat(path, &status) == 0 && UInt64(status.st_dev) == device && UInt64(status.st_ino) == inode
    }

    // MARK: Reading

    /// Opens a folder in it.
    /// - Parameters:
    ///   - folder: The folder; `nil` for this one.
    ///   - creating: Whether folders that are missing are made.
    /// - Returns: The folder.
    /// - Throws: ``FileFault``.
    func open(_ folder: FilePath?, creating: Bool = false) throws(FileFault) -> OpenFile {
        guard let folder else { return root }
        guard creating else { return try root.open(folder.text, O_RDONLY | O_DIRECTORY) }
        return try open(parts: folder.parts)
    }

    /// Opens a folder by the names on the way to it, and makes those that are missing.
    func open(parts: [String]) throws(FileFault) -> OpenFile {
        var folder = root
        for part in parts {
            if mkdirat(folder.number, part, 0o777) == 0 {
                try folder.synchronize(part)
            } else if errno != EEXIST {
                throw FileFault(name: part, number: errno)
            }
            folder = try folder.open(part, O_RDONLY | O_DIRECTORY)
        }
        return folder
    }

    /// The file of a path.
    /// - Returns: `nil` where there is none, or something else than a file.
    /// - Throws: ``FileFault``; `ELOOP` where a link is on the way.
    func identity(of path: FilePath) throws(FileFault) -> FileIdentity? {
        try entry(of: path).flatMap { $0.isFile ? FileIdentity($0) : nil }
    }

    /// The state of whatever is at a path; `nil` for nothing.
    /// - Throws: ``FileFault``; `ELOOP` where a link is on the way.
    func entry(of path: FilePath) throws(FileFault) -> stat? {
        do throws(FileFault) {
            return try open(path.folder).status(of: path.lastPart)
        } catch {
            if [ENOENT, ENOTDIR].contains(error.number) { return nil }
            throw error
        }
    }

    /// Opens a file for reading, if it is the expected one.
    /// - Parameters:
    ///   - path: The file.
    ///   - identity: The expected file.
    /// - Returns: The file; `nil` where it is another one.
    /// - Throws: ``FileFault``.
    func open(_ path: FilePath, expecting identity: FileIdentity) throws(FileFault) -> OpenFile? {
        do throws(FileFault) {
            // A pipe that has taken the place of the file would block.
            let file = try root.open(path.text, O_RDONLY | O_NONBLOCK)
            let status = try file.status(path.text)
            return status.isFile && FileIdentity(status) == identity ? file : nil
        } catch {
            if [ENOENT, ENOTDIR, ELOOP].contains(error.number) { return nil }
            throw error
        }
    }

    /// Reads a folder.
    /// - Parameters:
    ///   - folder: The folder; `nil` for this one.
    ///   - rules: The files that are left out.
    /// - Returns: The folder; `nil` where it is gone.
    /// - Throws: ``FolderError`` where this folder itself cannot be read.
    package func list(_ folder: FilePath?, _ rules: IgnoreRules) throws(FolderError) -> FolderListing? {
        var listing = FolderListing(of: folder)
        do throws(FileFault) {
            let opened = try open(folder)
            for name in try Self.names(in: opened, folder?.text ?? path) {
                try note(name, in: opened, rules, &listing)
            }
        } catch {
            guard let folder else { throw .unusable(path, error) }
            if [ENOENT, ENOTDIR, ELOOP].contains(error.number) { return nil }
            listing = FolderListing(of: folder)
            listing.isHidden = true
            listing.problems[folder.text] = "it cannot be read (\(String(cString: strerror(error.number))))"
        }
        return listing
    }

    private func note(
        _ bytes: [UInt8],
        in opened: OpenFile,
        _ rules: IgnoreRules,
        _ listing: inout FolderListing
    ) throws(FileFault) {
        let folder = listing.folder
        if bytes.starts(with: Self.partPrefix.utf8) { listing.hasParts = true }
        guard let name = String(validating: bytes, as: UTF8.self), let path = FilePath(name, in: folder) else {
            let shown = (folder.map { $0.text + "/" } ?? "") + String(decoding: bytes, as: UTF8.self)
            listing.problems[shown] = "its name is not UTF-8, or its path is too long"
            return
        }
        guard !rules.isIgnored(path), let status = try opened.status(of: name) else { return }
        switch status.st_mode & S_IFMT {
        // The device of a file is not looked at: file systems that are made of others show several for one.
        case S_IFREG: listing.files[path] = FileIdentity(status)
        case S_IFDIR where rules.isIgnoredFolder(path): break
        case S_IFDIR where UInt64(status.st_dev) == device: listing.folders.insert(path)
        case S_IFDIR: refuse(path, "another file system is mounted there", &listing)
        case S_IFLNK: refuse(path, "it is a symbolic link", &listing)
        default: refuse(path, "it is neither a file nor a folder", &listing)
        }
    }

    private func refuse(_ path: FilePath, _ reason: String, _ listing: inout FolderListing) {
        listing.obstacles.insert(path)
        listing.problems[path.text] = reason
    }

    /// The names of the entries of a folder.
    static func names(in folder: OpenFile, _ name: String) throws(FileFault) -> [[UInt8]] {
        // A descriptor of its own: reading moves its position.
        let own = openat(folder.number, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard own >= 0 else { throw FileFault(name: name, number: errno) }
        guard let stream = fdopendir(own) else {
            let number = errno
            close(own)
            throw FileFault(name: name, number: number)
        }
        defer { closedir(stream) }
        var names: [[UInt8]] = []
        while true {
            errno = 0
            guard let entry = readdir(stream) else {
                guard errno == 0 else { throw FileFault(name: name, number: errno) }
                return names
            }
            let bytes = withUnsafeBytes(of: &entry.pointee.d_name) { Array($0.prefix { $0 != 0 }) }
            if bytes != [UInt8(ascii: ".")], bytes != Array("..".utf8) { names.append(bytes) }
        }
    }

    // MARK: Files of its own

    /// Reads a small file in it; `nil` where there is none.
    /// - Throws: ``FileFault``.
    func contents(of name: String, limit: Int) throws(FileFault) -> (bytes: [UInt8], inode: UInt64)? {
        do throws(FileFault) {
            let file = try root.open(name, O_RDONLY | O_NONBLOCK)
            let status = try file.status(name)
            guard status.isFile else { throw FileFault(name: name, number: EINVAL) }
            return (try file.readAll(limit: limit, name), UInt64(status.st_ino))
        } catch {
            if error.number == ENOENT { return nil }
            throw error
        }
    }

    /// The patterns of the files that are not kept in step.
    /// - Throws: ``FolderError`` where they cannot be read: without them files would be uploaded that must not be.
    package func rules() throws(FolderError) -> IgnoreRules {
        do throws(FileFault) {
            let name = FolderCore.ignoreFileName
            return try contents(of: name, limit: IgnoreRules.byteCountMax).map { IgnoreRules($0.bytes) } ?? .none
        } catch {
            throw .unusable(path, error)
        }
    }
}
