import Glibc
package import Sync

/// The directory with the files of one node.
///
/// ```
/// DIR/              0700
///   lock            held for as long as a process uses the directory; says its pid
///   store/          0700
///     kairan.db     0600, with kairan.db-wal and kairan.db-shm beside it while open
///     payloads/     0700, the bytes of payloads, a file of 0600 for each, and one that names the database
///     clean         there only between an orderly close and the next open
///     relay.db      0600, the data that a relay keeps for others, with its two files beside it while open
/// ```
package struct StateDirectory: Sendable, Hashable {
    /// The directory itself, without a slash at the end unless it is the root.
    package let path: String

    /// Names a directory; nothing is touched.
    /// - Parameter path: Absolute, or relative to the current directory.
    package init(path: String) {
        self.path = path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
    }

    /// The file whose lock shows that the directory is in use.
    package var lockPath: String { path + "/lock" }
    /// The directory of the database files.
    package var storePath: String { path + "/store" }
    /// The database.
    package var databasePath: String { storePath + "/kairan.db" }
    /// The database of the parcels that a relay keeps for others.
    package var relayDatabasePath: String { storePath + "/relay.db" }
    /// The directory of the files of payloads.
    package var payloadsPath: String { storePath + "/payloads" }
    /// The marker of an orderly close.
    package var cleanMarkerPath: String { storePath + "/clean" }

    /// Whether a database file is there, in any state.
    package var holdsDatabase: Bool { FileSystem.exists(databasePath) }

    /// The files of a store that cannot be used, below the directory: a database beside which the key of its secrets is
    /// missing, or a write-ahead log or files of payloads without their database.
    /// - Parameter hasKey: Whether the key of the store's secrets is there.
    /// - Returns: Their names; none when the store can be used. A file that is named need not be there.
    /// - Throws: As ``DatabaseHeader``.
    package func unusableStoreFiles(hasKey: Bool) throws(StorageError) -> [String] {
        let hasDatabase = try DatabaseHeader.read(databasePath) != nil
        guard !hasKey || !hasDatabase else { return [] }
        return ["kairan.db", "kairan.db-wal", "kairan.db-shm", "clean", "payloads"].map { "store/" + $0 }
    }

    /// Makes the directories above that are missing, readable by their owner only: those of the XDG Base Directory Specification,
    /// which a new home has not.
    /// - Throws: `.diskFull`, `.inaccessible` or `.inputOutput` when a directory cannot be made.
    package func createParents() throws(StorageError) {
        for slash in path.indices.dropFirst() where path[slash] == "/" {
            let parent = String(path[..<slash])
            guard !FileSystem.exists(parent), try FileSystem.makeDirectory(parent) else { continue }
            let above = parent.lastIndex(of: "/").map { String(parent[..<$0]) } ?? ""
            try FileSystem.synchronize(above.isEmpty ? "/" : above)
        }
    }

    /// Makes the directories that are missing, readable by their owner only.
    ///
    /// A directory that exists keeps its mode: systemd, or the person who made it, has decided.
    /// - Throws: `.diskFull`, `.inaccessible` or `.inputOutput` when a directory cannot be made.
    package func create() throws(StorageError) {
        try FileSystem.makeDirectory(path)
        guard try FileSystem.makeDirectory(storePath) else { return }
        // Files that are durable in it must not go with it.
        try FileSystem.synchronize(path)
    }

    /// Moves the directory of the files of payloads aside, to the first free name beside it.
    /// - Throws: `.inaccessible` or `.inputOutput` when it cannot be moved, as one on which a disk is mounted.
    func setPayloadsAside() throws(StorageError) {
        var number = 1
        while FileSystem.hasName("\(payloadsPath).\(number)") { number += 1 }
        guard rename(payloadsPath, "\(payloadsPath).\(number)") == 0 else {
            throw FileSystem.failure("cannot move \(payloadsPath) aside", errno)
        }
        try FileSystem.synchronize(storePath)
    }
}
