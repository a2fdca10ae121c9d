import Glibc
import Sync

/// The facts in the first 100 bytes of a database file about the program that wrote it.
///
/// They are read before SQLite opens the file, so that a store of a later program, or a file that is not a database,
/// is left exactly as it is. Source: <https://www.sqlite.org/fileformat2.html>, section 1.3.
struct DatabaseHeader: Equatable {
    /// Big-endian at offset 68.
    var applicationID: Int32
    /// Big-endian at offset 60, `user_version`.
    var version: Int32

    /// Names the two facts.
    init(applicationID: Int32, version: Int32) {
        self.applicationID = applicationID
        self.version = version
    }

    /// Reads a file that SQLite has not open in this process.
    ///
    /// After a crash the truth about the first page may be in the journal or the write-ahead log beside the file, and
    /// after a power failure the page itself may be half written. Such a file is not judged here: the header is given
    /// as all zeros, and what SQLite recovers is checked when the schema is prepared.
    /// - Parameter path: The database file.
    /// - Returns: `nil` for a file that is missing or empty: SQLite will make a new database of it.
    /// - Throws: `.corrupt` when the file is no database, `.inputOutput` when it cannot be read.
    static func read(_ path: String) throws(StorageError) -> DatabaseHeader? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            let code = errno
            guard code != ENOENT else { return nil }
            throw FileSystem.failure("cannot open \(path)", code)
        }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 100)
        let count = pread(descriptor, &bytes, bytes.count, 0)
        guard count >= 0 else { throw FileSystem.failure("cannot read \(path)", errno) }
        guard count > 0 else { return nil }
        if ["-journal", "-wal"].contains(where: { FileSystem.byteCount(path + $0) > 0 }) {
            return DatabaseHeader(applicationID: 0, version: 0)
        }
        guard count == bytes.count, bytes.starts(with: Array("SQLite format 3\0".utf8)) else {
            throw StorageError(code: .corrupt, message: "\(path) is not a database")
        }
        func integer(_ offset: Int) -> Int32 {
            Int32(bitPattern: bytes[offset..<offset + 4].reduce(UInt32(0)) { ($0 << 8) | UInt32($1) })
        }
        return DatabaseHeader(applicationID: integer(68), version: integer(60))
    }

    /// Makes sure that this program may open the database.
    /// - Throws: `.otherFormat` or `.corrupt`.
    func check() throws(StorageError) {
        // Both are zero from the moment SQLite makes the file until its tables are committed.
        if applicationID == 0, version == 0 { return }
        guard applicationID == Schema.applicationID else {
            throw StorageError(code: .corrupt, message: "the database belongs to another program")
        }
        guard version == Schema.version else {
            throw StorageError(code: .otherFormat, message: Self.refusal(of: version, reads: Schema.version))
        }
    }

    /// Explains which program reads a database that this one does not.
    /// - Parameters:
    ///   - found: The format of the database.
    ///   - known: The format that this program reads.
    /// - Returns: A part of a sentence.
    static func refusal(of found: Int32, reads known: Int32) -> String {
        found > known
            ? "the store has format \(found), of a later version of Kairan; this one reads format \(known)"
            : "the store has format \(found), of a version before the first release; this one reads format \(known)."
                + " The version that wrote it can export its zones (`kairan export`)"
    }
}
