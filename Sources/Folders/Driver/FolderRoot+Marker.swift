import FileRecords
import Glibc

extension FolderRoot {
    private static let markerByteCountMax = 4_096

    /// The marker of the folder with the number of its file; `nil` where there is none.
    /// - Throws: ``FileFault``; `EINVAL` where it is no marker.
    func marker() throws(FileFault) -> (marker: FolderMarker, inode: UInt64)? {
        guard let file = try contents(of: FolderMarker.fileName, limit: Self.markerByteCountMax) else { return nil }
        guard let marker = FolderMarker(file.bytes) else {
            throw FileFault(name: FolderMarker.fileName, number: EINVAL)
        }
        return (marker, file.inode)
    }

    /// Writes the marker, in the place of an earlier one.
    /// - Parameter marker: The marker.
    /// - Returns: The number of its file.
    /// - Throws: ``FileFault``.
    func write(_ marker: FolderMarker) throws(FileFault) -> UInt64 {
        let part = try PartFile(in: root)
        defer { part.abandon() }
        try part.file.write(marker.encoded, FolderMarker.fileName)
        try part.file.synchronize(FolderMarker.fileName)
        guard renameat(root.number, part.name, root.number, FolderMarker.fileName) == 0 else {
            throw FileFault(name: FolderMarker.fileName, number: errno)
        }
        try root.synchronize(FolderMarker.fileName)
        return UInt64(try part.file.status(FolderMarker.fileName).st_ino)
    }

    /// Takes the folder for this process.
    /// - Returns: The lock, which ends with the value; `nil` where another process has the folder.
    /// - Throws: ``FileFault``.
    func lock() throws(FileFault) -> OpenFile? {
        let file = try root.open(FolderMarker.fileName, O_RDONLY)
        if flock(file.number, LOCK_EX | LOCK_NB) == 0 { return file }
        // A file system without locks refuses for another reason.
        return errno == EWOULDBLOCK ? nil : file
    }
}
