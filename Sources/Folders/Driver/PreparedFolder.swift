import FileRecords
import Glibc

/// A folder that is ready to be kept in step: its marker, its lock and its bases.
struct PreparedFolder {
    let root: FolderRoot
    /// The marker; in a dry run of a folder that has none, one that is not written.
    let marker: FolderMarker
    /// Keeps other processes away; `nil` where the folder is only looked at.
    private(set) var lock: OpenFile?
    private(set) var bases: [FilePath: FolderBase] = [:]
    /// Keeps the bases; `nil` where the folder is only looked at.
    private(set) var journal: FolderJournal?

    /// Prepares a folder.
    /// - Parameters:
    ///   - options: The folder, and the way in which it is kept in step.
    ///   - zone: The id of the zone.
    /// - Throws: ``FolderError``.
    init(_ options: FolderOptions, zone: String) throws(FolderError) {
        let root = try FolderRoot(options.path)
        self.root = root
        let states = FolderStates(path: options.statePath)
        let used = Self.realPath(options.path)
        var marked = try root.usable { root throws(FileFault) in try root.marker() }
        if let marked, marked.marker.zone != zone { throw .otherZone(options.path, marked.marker.zone) }
        if marked != nil, !options.isDryRun {
            lock = try root.usable { root throws(FileFault) in try root.lock() }
            if lock == nil { throw .inUse(options.path) }
        }
        if options.beginsAnew {
            if !options.isDryRun {
                for id in Set(states.ids(ofPath: used) + [marked?.marker.id].compactMap(\.self)) { states.remove(id) }
            }
            marked = nil
        } else if marked == nil, !states.ids(ofPath: used).isEmpty {
            throw .unmarked(options.path)
        }
        if let marked, let content = FolderJournal.read(in: states.path(of: marked.marker.id), device: root.device) {
            let header = content.header
            guard header.folderInode == root.inode, header.markerInode == marked.inode, header.zone == zone else {
                throw .moved(options.path)
            }
            bases = content.bases
        }
        var generator = SystemRandomNumberGenerator()
        let marker = marked?.marker ?? FolderMarker(zone: zone, using: &generator)
        self.marker = marker
        guard !options.isDryRun else { return }
        var inode = marked?.inode
        if inode == nil {
            inode = try root.usable { root throws(FileFault) in try root.write(marker) }
            lock = try root.usable { root throws(FileFault) in try root.lock() }
            if lock == nil { throw .inUse(options.path) }
        }
        try states.make(marker.id)
        let header = JournalHeader(zone: zone, path: used, folderInode: root.inode, markerInode: inode ?? 0)
        journal = try FolderJournal(in: states.path(of: marker.id), header: header, bases: bases)
    }

    /// The path without links; the path itself where that is not known.
    static func realPath(_ path: String) -> String {
        guard let resolved = realpath(path, nil) else { return path }
        defer { free(resolved) }
        return String(cString: resolved)
    }
}

extension FolderRoot {
    /// Does something with the folder, and reports a failure as one of the folder as a whole.
    func usable<Value>(_ work: (FolderRoot) throws(FileFault) -> Value) throws(FolderError) -> Value {
        do throws(FileFault) {
            return try work(self)
        } catch {
            throw .unusable(path, error)
        }
    }
}
