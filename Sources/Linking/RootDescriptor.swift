import CFiles
import Glibc
import Sync

/// An open file or folder, which is closed with the last reference to it.
final class RootDescriptor: Sendable {
    /// `O_PATH`: the file is found, and not opened, so that a device notices nothing.
    private static let findsOnly: Int32 = 0o10_000_000

    /// Its number.
    let number: Int32

    private init(_ number: Int32) { self.number = number }

    deinit { close(number) }

    /// Opens a root; links in its own path are followed, as the configuration names it.
    /// - Throws: ``Sync/LinkFault/rootUnavailable``.
    init(root: String) throws(LinkFault) {
        let opened = open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard opened >= 0 else { throw .rootUnavailable }
        number = opened
    }

    /// Opens what is at a path beneath a folder, by a resolution that neither leaves the folder nor follows a link.
    /// - Throws: ``Sync/LinkFault``.
    private static func opened(_ path: [UInt8], in folder: RootDescriptor, _ flags: Int32) throws(LinkFault) -> Int32 {
        let text = path.map { CChar(bitPattern: $0) } + [0]
        let number = kairan_open_beneath(folder.number, text, flags, 0)
        guard number >= 0 else { throw LinkFault(errno) }
        return number
    }

    /// Opens a regular file for reading.
    /// - Throws: ``Sync/LinkFault``.
    func file(_ path: [UInt8]) throws(LinkFault) -> RootDescriptor {
        // A pipe would block, and the mere opening of a device may do something.
        let found = RootDescriptor(try Self.opened(path, in: self, Self.findsOnly | O_NOFOLLOW))
        try found.requireFile()
        let file = RootDescriptor(try Self.opened(path, in: self, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW))
        // Another one may have taken its place.
        try file.requireFile()
        return file
    }

    /// Opens a folder; an empty path is this one.
    /// - Throws: ``Sync/LinkFault``.
    func folder(_ path: [UInt8]) throws(LinkFault) -> RootDescriptor {
        guard !path.isEmpty else { return self }
        return RootDescriptor(try Self.opened(path, in: self, O_RDONLY | O_DIRECTORY | O_NOFOLLOW))
    }

    private func requireFile() throws(LinkFault) {
        switch try status().st_mode & S_IFMT {
        case S_IFREG: return
        case S_IFLNK: throw .symbolicLink
        default: throw .special
        }
    }

    /// The state of the file.
    /// - Throws: ``Sync/LinkFault``.
    func status() throws(LinkFault) -> stat {
        var status = stat()
        guard fstat(number, &status) == 0 else { throw LinkFault(errno) }
        return status
    }

    /// The facts about the file.
    /// - Throws: ``Sync/LinkFault``.
    func facts() throws(LinkFault) -> FileFacts { FileFacts(try status()) }

    /// Reads bytes.
    /// - Returns: As many as were asked for, or fewer at the end of the file.
    /// - Throws: ``Sync/LinkFault/unreadable``.
    func read(from offset: UInt64, count: Int) throws(LinkFault) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        var done = 0
        while done < count {
            let place = off_t(clamping: offset) + off_t(done)
            let read = bytes.withUnsafeMutableBytes { buffer in
                pread(number, buffer.baseAddress?.advanced(by: done), buffer.count - done, place)
            }
            if read < 0, errno == EINTR { continue }
            guard read >= 0 else { throw .unreadable }
            guard read > 0 else { break }
            done += read
        }
        return Array(bytes.prefix(done))
    }

    /// The names of the entries of a folder, in no order.
    /// - Throws: ``Sync/LinkFault``.
    func names() throws(LinkFault) -> [[UInt8]] {
        // A descriptor of its own: reading moves its position.
        let own = openat(number, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard own >= 0 else { throw LinkFault(errno) }
        guard let stream = fdopendir(own) else {
            let code = errno
            close(own)
            throw LinkFault(code)
        }
        defer { closedir(stream) }
        var names: [[UInt8]] = []
        while true {
            errno = 0
            guard let entry = readdir(stream) else {
                guard errno == 0 else { throw .unreadable }
                return names
            }
            let bytes = withUnsafeBytes(of: &entry.pointee.d_name) { Array($0.prefix { $0 != 0 }) }
            if bytes != [UInt8(ascii: ".")], bytes != Array("..".utf8) { names.append(bytes) }
        }
    }

    /// The state of an entry of a folder; `nil` where it is gone.
    func status(of name: [UInt8]) -> stat? {
        var status = stat()
        let text = name.map { CChar(bitPattern: $0) } + [0]
        return fstatat(number, text, &status, AT_SYMLINK_NOFOLLOW) == 0 ? status : nil
    }
}

extension LinkFault {
    /// The fault of an error of the system.
    init(_ code: Int32) {
        self =
            switch code {
            case ENOENT, ENOTDIR, ENODEV, ESTALE: .missing
            case ELOOP: .symbolicLink
            case EXDEV: .outside
            case ENAMETOOLONG: .tooLong
            case ENXIO, EISDIR: .special
            default: .unreadable
            }
    }
}

extension FileFacts {
    /// The facts of the system about a file.
    init(_ status: stat) {
        self.init(
            byteCount: UInt64(clamping: status.st_size),
            modified: Self.nanoseconds(status.st_mtim),
            changed: Self.nanoseconds(status.st_ctim),
            inode: UInt64(status.st_ino),
            device: UInt64(status.st_dev)
        )
    }

    /// Nanoseconds since 1970, saturating.
    private static func nanoseconds(_ time: timespec) -> Int64 {
        let (seconds, overflows) = Int64(time.tv_sec).multipliedReportingOverflow(by: 1_000_000_000)
        guard !overflows else { return time.tv_sec < 0 ? .min : .max }
        let (sum, exceeds) = seconds.addingReportingOverflow(Int64(time.tv_nsec))
        return exceeds ? .max : sum
    }
}
