import CFiles
import FileRecords
import Glibc

/// An open file or folder, closed when it is used no more.
final class Descriptor: Sendable {
    let number: Int32

    init(_ number: Int32) { self.number = number }

    deinit { close(number) }
}

/// The folder cannot be imported at all.
package struct FolderUnreadable: Error, Sendable, Hashable {
    /// Its path, as it was given.
    package var path: String
    /// The reason.
    package var reason: String
}

extension FolderUnreadable: CustomStringConvertible {
    /// The folder and the reason.
    package var description: String { "\(path) cannot be read: \(reason)." }
}

/// The folder that is imported: everything is opened beneath it, and no symbolic link is followed.
struct ImportedFolder: Sendable {
    private let root: Descriptor
    /// The file system.
    let device: UInt64

    /// Opens the folder.
    /// - Throws: ``FolderUnreadable``.
    init(_ path: String) throws(FolderUnreadable) {
        let number = Glibc.open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard number >= 0 else { throw FolderUnreadable(path: path, reason: Self.text(errno)) }
        root = Descriptor(number)
        var status = stat()
        guard fstat(number, &status) == 0 else { throw FolderUnreadable(path: path, reason: Self.text(errno)) }
        device = UInt64(status.st_dev)
    }

    /// The path at which the system finds it now, without links; `nil` where it is not UTF-8.
    var path: String? {
        var text = [CChar](repeating: 0, count: 4_096)
        let count = readlink("/proc/self/fd/\(root.number)", &text, text.count)
        guard (1..<text.count).contains(count) else { return nil }
        return String(validating: text[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// Opens a folder in it.
    /// - Parameter path: The path; `nil` for this folder itself.
    /// - Returns: The descriptor, with a position of its own.
    /// - Throws: ``Obstacle``.
    func open(folder path: FilePath?) throws(Obstacle) -> Descriptor {
        try open(path?.text ?? ".", O_RDONLY | O_DIRECTORY)
    }

    /// Opens a file in it.
    /// - Throws: ``Obstacle``.
    func open(file path: FilePath) throws(Obstacle) -> Descriptor {
        // A pipe that has taken the file's place would block the caller.
        try open(path.text, O_RDONLY | O_NONBLOCK | O_NOCTTY)
    }

    private func open(_ path: String, _ flags: Int32) throws(Obstacle) -> Descriptor {
        let number = kairan_open_beneath(root.number, path, flags, 0)
        guard number >= 0 else {
            switch errno {
            // Another program has replaced it, or removed it, since the folder was looked at; or it renames things all the time.
            case ENOENT, ENOTDIR, ELOOP, EXDEV, EAGAIN: throw .changed
            default: throw .unreadable(reason: Self.text(errno))
            }
        }
        return Descriptor(number)
    }

    /// The system's text for an error.
    static func text(_ number: Int32) -> String { String(cString: strerror(number)) }
}
