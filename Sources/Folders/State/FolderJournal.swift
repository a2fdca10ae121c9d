import FileRecords
import Glibc

/// The bases of a folder on the disk.
///
/// Lines are appended without waiting for the disk: a power cut leaves an earlier state of the bases, which costs work and loses nothing. The
/// bases never are ahead of the folder, since a file is on the disk before its base is written.
final class FolderJournal {
    /// The name of the file.
    static let fileName = "journal"
    /// The number of lines beyond two for each base from which on the file is written anew.
    private static let spareLineCount = 1_000

    private let header: JournalHeader
    private let folder: OpenFile
    private let path: String
    private var file: OpenFile
    private var lineCount: Int

    /// Writes the file anew, and keeps it open.
    /// - Parameters:
    ///   - folder: The path of its folder, which exists.
    ///   - header: The folder that it is about.
    ///   - bases: The bases.
    /// - Throws: ``FolderError``.
    init(in folder: String, header: JournalHeader, bases: [FilePath: FolderBase]) throws(FolderError) {
        let opened: OpenFile
        let written: OpenFile
        do throws(FileFault) {
            opened = try Self.open(folder)
            written = try Self.write(header, bases, in: opened)
        } catch {
            throw .unwritableState(folder, error)
        }
        (self.folder, path, self.header) = (opened, folder, header)
        file = written
        lineCount = bases.count + 1
    }

    /// Reads the file of a folder.
    /// - Parameters:
    ///   - folder: The path of its folder.
    ///   - device: The file system that the folder which is kept in step is on.
    /// - Returns: The journal; `nil` where there is none, or a damaged one.
    static func read(in folder: String, device: UInt64) -> JournalText.Content? {
        // Without it the next run is a first one, which loses nothing.
        guard let opened = try? Self.open(folder), let file = try? opened.open(fileName, O_RDONLY),
            let bytes = try? file.readAll(limit: .max, fileName)
        else { return nil }
        return JournalText.read(bytes, device: device)
    }

    /// Adds changes.
    /// - Parameters:
    ///   - changes: The changes.
    ///   - isUrgent: Whether they are on the disk when the function returns.
    ///   - bases: All bases, for the case that the file is written anew.
    /// - Throws: ``FolderError``.
    func append(_ changes: [BaseChange], isUrgent: Bool, of bases: [FilePath: FolderBase]) throws(FolderError) {
        do throws(FileFault) {
            guard lineCount + changes.count <= bases.count * 2 + Self.spareLineCount else {
                file = try Self.write(header, bases, in: folder)
                lineCount = bases.count + 1
                return
            }
            try file.write(changes.flatMap { JournalText.line($0) }, Self.fileName)
            lineCount += changes.count
            if isUrgent { try file.synchronize(Self.fileName) }
        } catch {
            throw .unwritableState(path, error)
        }
    }

    private static func open(_ path: String) throws(FileFault) -> OpenFile {
        let descriptor = Glibc.open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw FileFault(name: path, number: errno) }
        return OpenFile(descriptor)
    }

    private static func write(
        _ header: JournalHeader,
        _ bases: [FilePath: FolderBase],
        in folder: OpenFile
    ) throws(FileFault) -> OpenFile {
        let new = fileName + ".new"
        let file = try folder.open(new, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, mode: 0o600)
        var lines = JournalText.line(header)
        for (path, base) in bases { lines += JournalText.line(.set(path, base)) }
        try file.write(lines, new)
        try file.synchronize(new)
        guard renameat(folder.number, new, folder.number, fileName) == 0 else {
            throw FileFault(name: fileName, number: errno)
        }
        try folder.synchronize(fileName)
        return file
    }
}
