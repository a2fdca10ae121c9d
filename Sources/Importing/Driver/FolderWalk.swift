import FileRecords
import Glibc

/// Finds everything in a folder and the folders in it.
struct FolderWalk {
    /// The choices of the person.
    struct Options: Sendable, Hashable {
        /// The folder of the zone that the files go into; `nil` for the zone itself.
        var into: FilePath?
        /// Whether names that begin with a full stop are included.
        var includesHidden = false
        /// Whether folders on other file systems are included.
        var crossesFileSystems = false
    }

    /// The files, in the order of their folders and names.
    private(set) var files: [FoundFile] = []
    /// Everything that cannot be imported.
    private(set) var others: [FileOutcome] = []
    /// The hidden files and folders that were passed over.
    private(set) var hiddenCount = 0

    private let folder: ImportedFolder
    private let options: Options
    /// The folders that are to be looked at, the next one at the end.
    private var open: [FilePath?] = [nil]

    /// Walks through a folder.
    init(_ folder: ImportedFolder, _ options: Options) {
        (self.folder, self.options) = (folder, options)
        while let next = open.popLast() {
            do throws(Obstacle) {
                try visit(next)
            } catch {
                refuse(next?.text ?? ".", next, error)
            }
        }
    }

    private mutating func visit(_ path: FilePath?) throws(Obstacle) {
        let descriptor = try folder.open(folder: path)
        var folders: [FilePath?] = []
        for name in try Self.names(in: descriptor) {
            guard options.includesHidden || name.first != UInt8(ascii: ".") else {
                hiddenCount += 1
                continue
            }
            let shown = (path.map { $0.text + "/" } ?? "") + String(decoding: name, as: UTF8.self)
            var status = stat()
            let text = name.map { CChar(bitPattern: $0) } + [0]
            guard fstatat(descriptor.number, text, &status, AT_SYMLINK_NOFOLLOW) == 0 else {
                // It was removed since its name was read.
                if errno != ENOENT { refuse(shown, nil, .unreadable(reason: ImportedFolder.text(errno))) }
                continue
            }
            let kind = status.st_mode & S_IFMT
            guard kind == S_IFREG || kind == S_IFDIR else {
                refuse(shown, nil, kind == S_IFLNK ? .symbolicLink : .special)
                continue
            }
            guard let text = String(validating: name, as: UTF8.self), let source = FilePath(text, in: path) else {
                refuse(shown, nil, .badName)
                continue
            }
            guard kind == S_IFDIR else {
                add(source, FileStamp(status))
                continue
            }
            guard options.crossesFileSystems || UInt64(status.st_dev) == folder.device else {
                refuse(shown, nil, .otherFileSystem)
                continue
            }
            folders.append(source)
        }
        open += folders.reversed()
    }

    private mutating func add(_ source: FilePath, _ stamp: FileStamp) {
        guard let path = options.into.map({ FilePath($0.text + "/" + source.text) }) ?? source else {
            return refuse(source.text, nil, .badName)
        }
        files.append(
            FoundFile(
                source: source,
                path: path,
                size: stamp.size,
                modifiedMilliseconds: stamp.modifiedMilliseconds,
                isExecutable: stamp.isExecutable
            )
        )
    }

    private mutating func refuse(_ source: String, _ path: FilePath?, _ obstacle: Obstacle) {
        others.append(FileOutcome(source: source, path: path, refusedFor: obstacle))
    }

    /// The names in a folder, in the order of their bytes, without itself and the folder above.
    private static func names(in folder: Descriptor) throws(Obstacle) -> [[UInt8]] {
        // The stream closes the descriptor that it reads.
        let copy = fcntl(folder.number, F_DUPFD_CLOEXEC, 0)
        guard copy >= 0, let stream = fdopendir(copy) else {
            let number = errno
            if copy >= 0 { close(copy) }
            throw .unreadable(reason: ImportedFolder.text(number))
        }
        defer { closedir(stream) }
        var names: [[UInt8]] = []
        while true {
            errno = 0
            guard let entry = readdir(stream) else { break }
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 256) { text in
                    UnsafeBufferPointer(start: text, count: strnlen(text, 256)).map { UInt8(bitPattern: $0) }
                }
            }
            if name != [0x2E] && name != [0x2E, 0x2E] { names.append(name) }
        }
        guard errno == 0 else { throw .unreadable(reason: ImportedFolder.text(errno)) }
        return names.sorted { $0.lexicographicallyPrecedes($1) }
    }
}
