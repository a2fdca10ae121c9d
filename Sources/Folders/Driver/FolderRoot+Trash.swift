package import FileRecords
import Glibc
import KairanInterface

/// A file in the trash of a folder.
package struct TrashedFile: Sendable, Hashable {
    /// The day on which it was moved there, as `2026-07-21`.
    package var day: String
    /// The folder of the trash that it is in: the day, with a number behind it where a path was moved there again.
    package var bin: String
    /// The path that it had.
    package var path: FilePath
    /// The number of bytes.
    package var size: UInt64

    /// Describes it.
    /// - Parameters: as the properties of the same names.
    package init(day: String, bin: String, path: FilePath, size: UInt64) {
        (self.day, self.bin, self.path, self.size) = (day, bin, path, size)
    }
}

extension FolderRoot {
    /// The name of the folder with the trash.
    package static let trashName = IgnoreRules.ownPrefix + "trash"
    /// The number of days for which files stay in the trash.
    package static let trashDayCount: Int64 = 30

    /// Moves an entry to the trash.
    /// - Parameters:
    ///   - folder: The folder that it is in.
    ///   - path: The path that it has in the trash.
    ///   - name: Its name in the folder; `nil` for that of the path.
    ///   - day: The day, as `2026-07-21`.
    /// - Returns: The folder that it is in there, and the name of the bin.
    /// - Throws: ``FileFault``.
    func moveToTrash(
        _ folder: OpenFile,
        _ path: FilePath,
        named name: String? = nil,
        on day: String
    ) throws(FileFault) -> (OpenFile, String) {
        var number = 1
        while true {
            // A path that is there already stays under its own name, in a folder of its own.
            let bin = number == 1 ? day : "\(day).\(number)"
            let target = try open(parts: [Self.trashName, bin] + path.parts.dropLast())
            if try renameToNew(folder, name ?? path.lastPart, target, path.lastPart) {
                try target.synchronize(path.text)
                try folder.synchronize(path.text)
                return (target, bin)
            }
            number += 1
        }
    }

    /// The files in the trash, the newest day first.
    /// - Throws: ``FolderError``.
    package func trashed() throws(FolderError) -> [TrashedFile] {
        do throws(FileFault) {
            guard let trash = FilePath(Self.trashName), let bins = try folders(in: trash) else { return [] }
            var found: [TrashedFile] = []
            for bin in bins.sorted(by: >) {
                guard let day = Self.day(ofBin: bin), let top = FilePath(bin, in: trash) else { continue }
                var open: [(folder: FilePath, path: FilePath?)] = [(top, nil)]
                while let next = open.popLast() {
                    let opened = try root.open(next.folder.text, O_RDONLY | O_DIRECTORY)
                    for bytes in try Self.names(in: opened, next.folder.text) {
                        guard let name = String(validating: bytes, as: UTF8.self),
                            let path = FilePath(name, in: next.path), let inside = FilePath(name, in: next.folder),
                            let status = try opened.status(of: name)
                        else { continue }
                        if status.isFolder {
                            open.append((inside, path))
                        } else {
                            let size = UInt64(clamping: status.st_size)
                            found.append(TrashedFile(day: day, bin: bin, path: path, size: size))
                        }
                    }
                }
            }
            return found.sorted { ($1.bin, $0.path) < ($0.bin, $1.path) }
        } catch {
            throw .unusable(path, error)
        }
    }

    /// Moves the newest file of a path from the trash back into the folder.
    /// - Parameter path: The path that it had.
    /// - Returns: The file; `nil` where the trash has none.
    /// - Throws: ``FolderError``: `folder.taken` where the folder has a file of the path.
    package func restore(_ path: FilePath) throws(FolderError) -> TrashedFile? {
        guard let file = try trashed().first(where: { $0.path == path }) else { return nil }
        do throws(FileFault) {
            let bin = try open(parts: [Self.trashName, file.bin] + path.parts.dropLast())
            let folder = try open(path.folder, creating: true)
            guard try renameToNew(bin, path.lastPart, folder, path.lastPart) else {
                throw FileFault(name: path.text, number: EEXIST)
            }
            try folder.synchronize(path.text)
            try bin.synchronize(path.text)
            return file
        } catch {
            guard error.number == EEXIST else { throw .unusable(self.path, error) }
            throw FolderError(
                "folder.taken",
                "The folder has a file \(path.text).",
                fix: "Move it away first; the one in the trash stays there."
            )
        }
    }

    /// Removes what has been in the trash for longer than files stay there.
    /// - Parameter today: The present day, as `2026-07-21`.
    /// - Throws: ``FileFault``.
    func emptyTrash(today: String) throws(FileFault) {
        guard let trash = FilePath(Self.trashName), let now = Self.number(ofDay: today),
            let bins = try folders(in: trash)
        else { return }
        for bin in bins {
            guard let day = Self.day(ofBin: bin).flatMap({ Self.number(ofDay: $0) }),
                now - day > Self.trashDayCount, let path = FilePath(bin, in: trash)
            else { continue }
            try removeAll(in: path)
            let opened = try open(trash)
            guard unlinkat(opened.number, bin, Int32(AT_REMOVEDIR)) == 0 else {
                throw FileFault(name: bin, number: errno)
            }
        }
    }

    /// Moves the parts of files that an earlier run left behind to the trash: one of them may be a file that was about to be replaced.
    /// - Parameters:
    ///   - folder: The folder in which they may be; `nil` for this one.
    ///   - day: The present day.
    /// - Throws: ``FileFault``.
    func clearParts(in folder: FilePath?, on day: String) throws(FileFault) {
        let opened = try open(folder)
        for bytes in try Self.names(in: opened, folder?.text ?? path) where bytes.starts(with: Self.partPrefix.utf8) {
            guard let name = String(validating: bytes, as: UTF8.self), let file = FilePath(name, in: folder) else {
                continue
            }
            _ = try moveToTrash(opened, file, on: day)
        }
    }

    private func folders(in folder: FilePath) throws(FileFault) -> [String]? {
        do throws(FileFault) {
            let opened = try open(folder)
            return try Self.names(in: opened, folder.text).compactMap { String(validating: $0, as: UTF8.self) }
        } catch {
            if error.number == ENOENT { return nil }
            throw error
        }
    }

    private func removeAll(in folder: FilePath) throws(FileFault) {
        let opened = try open(folder)
        for bytes in try Self.names(in: opened, folder.text) {
            guard let name = String(validating: bytes, as: UTF8.self), let path = FilePath(name, in: folder),
                let status = try opened.status(of: name)
            else { continue }
            if status.isFolder { try removeAll(in: path) }
            guard unlinkat(opened.number, name, status.isFolder ? Int32(AT_REMOVEDIR) : 0) == 0 else {
                throw FileFault(name: path.text, number: errno)
            }
        }
    }

    /// The day of a bin's name, `2026-07-21` or `2026-07-21.2`; `nil` for another name.
    static func day(ofBin bin: String) -> String? {
        let day = String(bin.prefix(10))
        guard number(ofDay: day) != nil, bin.count == 10 || bin.dropFirst(10).first == "." else { return nil }
        return day
    }

    /// The number of a day since 1970; `nil` for a text that is none.
    static func number(ofDay day: String) -> Int64? {
        RFC3339.milliseconds(day + "T00:00:00Z").map { $0 / 86_400_000 }
    }
}
