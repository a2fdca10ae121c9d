import Glibc
import Sync

/// The directory with the files of payloads: each has the sealed bytes of the chunks of one, and the payload's number as its name.
///
/// One more file names the database. A directory without it is that of another database, or stands in for a disk that is not mounted: a
/// payload whose file is missing there is not lost.
///
/// Each call goes by the descriptor of the directory, so it reaches the directory that was opened, wherever the path leads by then.
final class PayloadDirectory: Sendable {
    /// The name of the file that names the database.
    static let markerName = "database"

    /// The open directory.
    let descriptor: Int32
    private let path: String
    /// The text that names the database.
    private let database: String
    /// The content of the file that names the database.
    private let marker: [UInt8]

    /// Opens a directory.
    /// - Parameters:
    ///   - path: The path; links are followed. One that leads nowhere is a directory that is not that of the database.
    ///   - database: The text that names the database.
    /// - Throws: The error of the system.
    init(_ path: String, of database: String) throws(StorageError) {
        (self.path, self.database) = (path, database)
        marker = Array("\(database)\n".utf8)
        var opened = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        // A link whose disk is not mounted: until it is, a directory takes the place that has no file of a payload.
        if opened < 0, errno == ENOENT { opened = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
        guard opened >= 0 else { throw FileSystem.failure("cannot open \(path)", errno) }
        descriptor = opened
    }

    deinit {
        close(descriptor)
    }

    /// The name of the file of a payload.
    static func name(_ number: UInt64) -> String { "\(number)" }

    /// The number of a payload by the name of its file.
    /// - Returns: `nil` for a file of another kind.
    private static func number(_ name: String) -> UInt64? {
        guard let number = UInt64(name), number <= UInt64(Int64.max), Self.name(number) == name else { return nil }
        return number
    }

    /// The name of the file of a payload for people.
    static func title(_ number: UInt64) -> String { "payloads/\(number)" }

    // MARK: The database

    /// Whether the directory is that of the database.
    ///
    /// Where it is not, and the path leads to the one that is by now, that one takes its place: its disk was mounted since.
    func isOwn() -> Bool {
        if names(descriptor) { return true }
        let other = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard other >= 0 else { return false }
        defer { close(other) }
        guard names(other), dup2(other, descriptor) >= 0 else { return false }
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        return true
    }

    /// Makes sure that the directory is that of the database.
    /// - Throws: `.payloadsMissing`.
    func requireOwn() throws(StorageError) {
        if let refusal { throw refusal }
    }

    /// The reason why no file can be read or written; `nil` where the directory is that of the database.
    var refusal: StorageError? {
        guard !isOwn() else { return nil }
        return StorageError(
            code: .payloadsMissing,
            message: "\(path) has no file \(Self.markerName) with the line \(database), which names the database, so it"
                + " is another directory, or that of a disk that is not mounted"
        )
    }

    /// Whether an open directory has the file that names the database.
    private func names(_ directory: Int32) -> Bool {
        let file = openat(directory, Self.markerName, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard file >= 0 else { return false }
        defer { close(file) }
        // One byte more shows that the file is longer.
        var bytes = [UInt8](repeating: 0, count: marker.count + 1)
        return pread(file, &bytes, bytes.count, 0) == marker.count && bytes.starts(with: marker)
    }

    /// Writes the file that names the database, durably.
    func mark() throws(StorageError) {
        let temporary = Self.markerName + ".new"
        let file = openat(descriptor, temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard file >= 0 else { throw FileSystem.failure("cannot make \(path)/\(temporary)", errno) }
        defer { close(file) }
        let written = pwrite(file, marker, marker.count, 0)
        guard written == marker.count else {
            throw FileSystem.failure("cannot write \(path)/\(temporary)", written < 0 ? errno : ENOSPC)
        }
        guard fsync(file) == 0, renameat(descriptor, temporary, descriptor, Self.markerName) == 0,
            fsync(descriptor) == 0
        else { throw FileSystem.failure("cannot write \(path)/\(Self.markerName)", errno) }
    }

    // MARK: Files

    /// Reads a range of a file.
    /// - Parameters:
    ///   - number: The payload.
    ///   - offset: The offset of the first byte.
    ///   - count: The number of bytes.
    /// - Returns: The bytes; `nil` where the file is missing or shorter, or the disk cannot read it.
    /// - Throws: The error of the system where this process cannot open a file that may be sound; `.payloadsMissing`.
    func read(_ number: UInt64, from offset: UInt64, count: Int) throws(StorageError) -> [UInt8]? {
        guard count > 0 else { return [] }
        guard let begin = Int(exactly: offset), begin <= Int.max - count else { return nil }
        try requireOwn()
        let file = openat(descriptor, Self.name(number), O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard file >= 0 else {
            let code = errno
            // Else a process without a free descriptor would take its payloads for lost.
            guard [ENOENT, ELOOP, EIO].contains(code) else {
                throw FileSystem.failure("cannot open \(Self.title(number))", code)
            }
            return nil
        }
        defer { close(file) }
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, done in
            while done < count {
                let place = off_t(begin + done)
                let taken = pread(file, buffer.baseAddress?.advanced(by: done), count - done, place)
                if taken < 0, errno == EINTR { continue }
                guard taken > 0 else { return }
                done += taken
            }
        }
        return bytes.count == count ? bytes : nil
    }

    /// The size of the file of a payload, in bytes; 0 where there is none.
    /// - Throws: The error of the system where this process cannot look at it.
    func byteCount(_ number: UInt64) throws(StorageError) -> UInt64 {
        var status = stat()
        guard fstatat(descriptor, Self.name(number), &status, AT_SYMLINK_NOFOLLOW) == 0 else {
            let code = errno
            guard code == ENOENT else { throw FileSystem.failure("cannot look at \(Self.title(number))", code) }
            return 0
        }
        return status.st_mode & S_IFMT == S_IFREG ? UInt64(clamping: status.st_size) : 0
    }

    /// Removes the file of a payload; without effect where there is none.
    ///
    /// A file that stays is removed at the next start.
    func remove(_ number: UInt64) {
        unlinkat(descriptor, Self.name(number), 0)
    }

    /// Whether there is a file of any payload.
    /// - Throws: The error of the system where the directory cannot be listed.
    func hasFiles() throws -> Bool {
        var isFound = false
        try forEachFile { _ in
            isFound = true
            return false
        }
        return isFound
    }

    /// Removes the files of payloads that are not needed; those of other names stay.
    /// - Parameter isNeeded: Whether the file of a payload is needed.
    /// - Returns: The number of removed files.
    /// - Throws: The error of the system where the directory cannot be listed; errors of `isNeeded`.
    /// - Complexity: O(files), with the memory of one name.
    func removeFiles(unless isNeeded: (UInt64) throws -> Bool) throws -> Int {
        var count = 0
        try forEachFile { number in
            guard try !isNeeded(number) else { return true }
            remove(number)
            count += 1
            return true
        }
        return count
    }

    /// Passes the numbers of the payloads that have a file, until the body returns false.
    private func forEachFile(_ body: (UInt64) throws -> Bool) throws {
        let copy = openat(descriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard copy >= 0 else { throw FileSystem.failure("cannot open payloads", errno) }
        guard let stream = fdopendir(copy) else {
            let code = errno
            close(copy)
            throw FileSystem.failure("cannot list payloads", code)
        }
        defer { closedir(stream) }
        while let entry = readdir(stream) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { name in
                name.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if let number = Self.number(name), try !body(number) { return }
        }
    }
}
