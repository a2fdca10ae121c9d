import Glibc
import Sync

/// The files of payloads, as the transactions of the writing connection change them.
///
/// Bytes are written while a transaction runs, and durable before it is committed: so a row that says that a chunk is here is never
/// older than its bytes. A transaction that is undone may have written bytes of chunks that are not here, and no others. A file is
/// removed after the commit that removes its payload's chunks.
final class PayloadFiles {
    private struct Open {
        let descriptor: Int32
        /// Whether bytes were written that may not be on the disk.
        var isDirty = false
    }

    /// Files that are open at the same time: mostly as many as are fetched and uploaded at once.
    ///
    /// The one that was not written to for the longest time is closed for another. None stays open from one transaction to the next: a
    /// file that somebody removes meanwhile would take the bytes of later chunks with it.
    private static let openCountMax = 16

    /// The directory of the files.
    let directory: PayloadDirectory
    private var files: [UInt64: Open] = [:]
    /// The open files, the one that was not written to for the longest time first.
    private var recent: [UInt64] = []
    /// The files that the transaction has made.
    private var made: [UInt64] = []
    /// Whether the names of all files are durable that transactions before this one have made, those before the start included.
    private var hasDurableNames = false
    /// The files that are removed once the transaction is committed.
    private var removed: Set<UInt64> = []

    /// Begins without an open file.
    init(_ directory: PayloadDirectory) {
        self.directory = directory
    }

    deinit {
        closeAll()
    }

    // MARK: In a transaction

    /// The state that a savepoint has to restore.
    struct Mark {
        fileprivate let madeCount: Int
        fileprivate let removed: Set<UInt64>
    }

    /// Notes the state at a savepoint.
    var mark: Mark { Mark(madeCount: made.count, removed: removed) }

    /// Goes back to a savepoint: the files that were made since are removed, and none that was to be removed since.
    func restore(_ mark: Mark) {
        for number in made.dropFirst(mark.madeCount) {
            closeFile(number)
            directory.remove(number)
        }
        made = Array(made.prefix(mark.madeCount))
        removed = mark.removed
    }

    /// Writes bytes of a payload's chunk, which are no others than those that are there if the chunk is here.
    /// - Parameters:
    ///   - bytes: The bytes.
    ///   - offset: The offset of the first.
    ///   - number: The payload.
    /// - Throws: `.payloadsMissing` with nothing written; `.diskFull`, `.inaccessible` or `.inputOutput`, where a part of the bytes may have
    ///   been.
    func write(_ bytes: [UInt8], at offset: UInt64, of number: UInt64) throws(StorageError) {
        let descriptor = try openFile(number)
        files[number]?.isDirty = true
        removed.remove(number)
        var done = 0
        while done < bytes.count {
            let place = off_t(Int(clamping: offset) + done)
            let written = bytes.withUnsafeBytes { buffer in
                pwrite(descriptor, buffer.baseAddress?.advanced(by: done), buffer.count - done, place)
            }
            if written < 0, errno == EINTR { continue }
            guard written > 0 else {
                let code = written < 0 ? errno : EIO
                throw FileSystem.failure("cannot write \(PayloadDirectory.title(number))", code)
            }
            done += written
        }
    }

    /// Notes that a payload has no chunks any more: its file is removed once the transaction is committed.
    func remove(_ number: UInt64) { removed.insert(number) }

    // MARK: At its end

    /// Makes all bytes durable that the transaction has written; the last step before its commit.
    ///
    /// From then on the commit may be found at the next start even if it is refused, so no file is removed when it is.
    /// - Throws: `.diskFull` or `.inputOutput`. Then the contents of the files are unknown, and each is closed: the system forgets
    ///   the bytes that it could not write, and reports a failure once.
    func synchronize() throws(StorageError) {
        do throws(StorageError) {
            for number in recent { try synchronizeFile(number) }
            // Also for a file that a process made which was killed before its commit.
            if !made.isEmpty || !hasDurableNames && !recent.isEmpty {
                guard fsync(directory.descriptor) == 0 else {
                    throw FileSystem.failure("cannot sync payloads", errno)
                }
                hasDurableNames = true
            }
        } catch {
            closeAll()
            throw error
        }
        made = []
    }

    /// Removes the files of the payloads that the transaction has removed, after its commit, and closes the others.
    ///
    /// Files that cannot be reached now stay until the next start; another database's of the same names are left alone.
    func committed() {
        closeAll()
        if !removed.isEmpty, directory.isOwn() {
            for number in removed { directory.remove(number) }
        }
        removed = []
    }

    /// Closes all files; nothing refers to bytes that a transaction has written which was undone.
    func closeAll() {
        for file in files.values { close(file.descriptor) }
        files = [:]
        recent = []
    }

    // MARK: Open files

    private func openFile(_ number: UInt64) throws(StorageError) -> Int32 {
        if let known = files[number] {
            recent.removeAll { $0 == number }
            recent.append(number)
            return known.descriptor
        }
        // Once in a transaction.
        if files.isEmpty { try directory.requireOwn() }
        if recent.count >= Self.openCountMax, let oldest = recent.first {
            try synchronizeFile(oldest)
            closeFile(oldest)
        }
        let (name, mode) = (PayloadDirectory.name(number), O_WRONLY | O_CLOEXEC | O_NOFOLLOW)
        var descriptor = openat(directory.descriptor, name, mode)
        if descriptor < 0, errno == ENOENT {
            descriptor = openat(directory.descriptor, name, mode | O_CREAT | O_EXCL, 0o600)
            if descriptor >= 0 { made.append(number) }
        }
        guard descriptor >= 0 else {
            throw FileSystem.failure("cannot open \(PayloadDirectory.title(number))", errno)
        }
        files[number] = Open(descriptor: descriptor)
        recent.append(number)
        return descriptor
    }

    private func synchronizeFile(_ number: UInt64) throws(StorageError) {
        guard let file = files[number], file.isDirty else { return }
        guard fdatasync(file.descriptor) == 0 else {
            let failure = FileSystem.failure("cannot sync \(PayloadDirectory.title(number))", errno)
            closeFile(number)
            throw failure
        }
        files[number]?.isDirty = false
    }

    private func closeFile(_ number: UInt64) {
        guard let file = files.removeValue(forKey: number) else { return }
        recent.removeAll { $0 == number }
        close(file.descriptor)
    }
}
