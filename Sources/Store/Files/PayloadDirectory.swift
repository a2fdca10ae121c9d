import Glibc
import Logging
import Sync

/// The directory with the files of payloads: each has the sealed bytes of the chunks of one, and the payload's number as its name.
///
/// Each call goes by the descriptor of the directory, so it reaches the directory that was opened, wherever the path leads by then.
final class PayloadDirectory: Sendable {
    /// The open directory.
    let descriptor: Int32

    /// Opens a directory that is there.
    /// - Parameter path: The path; links are followed.
    /// - Throws: The error of the system.
    init(_ path: String) throws(StorageError) {
        let opened = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
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

    /// Reads a range of a file.
    /// - Parameters:
    ///   - number: The payload.
    ///   - offset: The offset of the first byte.
    ///   - count: The number of bytes.
    /// - Returns: The bytes; `nil` where the file is missing or shorter, or the disk cannot read it.
    /// - Throws: The error of the system where this process cannot open a file that may be sound.
    func read(_ number: UInt64, from offset: UInt64, count: Int) throws(StorageError) -> [UInt8]? {
        guard count > 0 else { return [] }
        guard let begin = Int(exactly: offset), begin <= Int.max - count else { return nil }
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

    /// Removes the file of a payload; without effect where there is none.
    ///
    /// A file that stays is removed at the next start.
    func remove(_ number: UInt64) {
        unlinkat(descriptor, Self.name(number), 0)
    }

    /// Removes the files of payloads that are not needed; those of other names stay.
    /// - Parameter isNeeded: Whether the file of a payload is needed.
    /// - Returns: The number of removed files.
    /// - Throws: The error of the system where the directory cannot be listed; errors of `isNeeded`.
    /// - Complexity: O(files), with the memory of one name.
    func removeFiles(unless isNeeded: (UInt64) throws -> Bool) throws -> Int {
        let copy = openat(descriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard copy >= 0 else { throw FileSystem.failure("cannot open payloads", errno) }
        guard let stream = fdopendir(copy) else {
            let code = errno
            close(copy)
            throw FileSystem.failure("cannot list payloads", code)
        }
        defer { closedir(stream) }
        var count = 0
        while let entry = readdir(stream) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { name in
                name.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            guard let number = Self.number(name), try !isNeeded(number) else { continue }
            remove(number)
            count += 1
        }
        return count
    }
}

extension PayloadDirectory {
    /// Removes the files of payloads that the database has had, and of which it has neither a row nor a chunk: a crash between a commit and
    /// the removal of a file leaves it.
    ///
    /// A number that the database has not given is that of a later state of it. A person may have restored an older one by mistake, and
    /// mean to put the later one back.
    ///
    /// The database must be intact and durable. A failure is noted in the log, and the next start looks at the files again.
    /// - Parameters:
    ///   - statements: Those of the writing connection.
    ///   - logger: For the number of removed files, and for a failure.
    func removeLeftOvers(_ statements: StatementCache, _ logger: Logger) {
        do {
            let newest = try statements.statement("SELECT payload_number FROM store").first { try $0.unsigned(0) } ?? 0
            let count = try removeFiles { number in
                guard number <= newest else { return true }
                return try statements.statement(
                    """
                    SELECT 1 WHERE EXISTS (SELECT 1 FROM chunk WHERE payload = ?1)
                        OR EXISTS (SELECT 1 FROM payload WHERE number = ?1)
                    """
                ).first(number) { _ in true } ?? false
            }
            guard count > 0 else { return }
            logger.info("left-over files of payloads removed", metadata: ["store.files": "\(count)"])
        } catch {
            logger.info("left-over files of payloads not removed", metadata: ["error": "\(error)"])
        }
    }
}
