internal import FoundationEssentials
internal import Glibc

/// The folder of a mount, before it is one.
enum MountPoint {
    /// Checks a folder.
    /// - Parameter path: Its path.
    /// - Returns: The path from the root, without links.
    /// - Throws: ``MountPointRefusal``.
    static func checked(_ path: String) throws(MountPointRefusal) -> String {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { throw errno == ENOTCONN ? .ended(path) : .missing(path) }
        guard status.st_mode & S_IFMT == S_IFDIR else { throw .missing(path) }
        // A folder that may not be listed may not be mounted either.
        guard let entries = try? FileManager.default.contentsOfDirectory(atPath: path) else { throw .missing(path) }
        guard entries.isEmpty else { throw .occupied(path) }
        // SAFETY: realpath returns a text of its own, or nil.
        guard let whole = unsafe realpath(path, nil) else { throw .missing(path) }
        defer { unsafe free(whole) }
        guard let text = unsafe String(validatingCString: whole) else { throw .missing(path) }
        return text
    }
}

/// A folder that cannot be mounted.
enum MountPointRefusal: Error, Hashable {
    /// There is no such folder, or it may not be read.
    case missing(String)
    /// It has files, which the mount would hide.
    case occupied(String)
    /// It is a mount whose program has ended.
    case ended(String)
}

extension MountPointRefusal: CustomStringConvertible {
    /// The reason and the fix.
    var description: String {
        switch self {
        case .missing(let path): "\(path) is no folder that you may read. Name a folder that exists and is empty."
        case .occupied(let path): "\(path) is not empty. Name an empty folder: the mount would hide its files."
        case .ended(let path):
            "\(path) is a mount whose program has ended. Run `fusermount3 -u \(path)`, then mount it again."
        }
    }
}
