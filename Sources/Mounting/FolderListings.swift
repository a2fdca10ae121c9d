/// The folders that programs have open, with the entries of those that are being read.
///
/// A program sees a folder as it was when its reading began, so the entries are copied then. A copy goes with the last page of it: a program that
/// only keeps a folder open, as many do, costs no more than a number. All copies together have a bound, since any user that may look into the
/// folder can begin readings and end none.
struct FolderListings: Sendable {
    private struct Folder: Sendable {
        var id: NodeID
        /// The copy; `nil` before the reading begins, and at its end.
        var entries: [FolderEntry]?
        /// The number of entries of the copy that was read to its end; `nil` while none was.
        var end: UInt64?
    }

    /// The maximum number of entries of all copies together; a single one may have more.
    static let entryCountMax = 1 << 22

    private var folders: [UInt64: Folder] = [:]
    private let entryCountMax: Int
    /// The number of entries of all copies.
    private(set) var entryCount = 0

    /// Has no folder open.
    init(entryCountMax: Int = Self.entryCountMax) { self.entryCountMax = entryCountMax }

    /// The number of folders that are open.
    var count: Int { folders.count }

    /// The folder of an opening; `nil` for none.
    func folder(of handle: UInt64) -> NodeID? { folders[handle]?.id }

    /// Opens a folder.
    mutating func open(_ id: NodeID, as handle: UInt64) { folders[handle] = Folder(id: id) }

    /// Closes a folder.
    mutating func close(_ handle: UInt64) {
        drop(handle)
        folders[handle] = nil
    }

    /// The entries from which a reading goes on.
    /// - Parameters:
    ///   - handle: The opening.
    ///   - offset: The place at which it goes on, 0 for the beginning.
    /// - Returns: The copy, or none behind its end; `nil` where the folder is to be copied, for a beginning and for a return in front of the end.
    func entries(of handle: UInt64, from offset: UInt64) -> [FolderEntry]? {
        guard let folder = folders[handle], offset > 0 else { return nil }
        if let entries = folder.entries { return entries }
        return folder.end.map { offset >= $0 } == true ? [] : nil
    }

    /// Keeps a copy for a reading that begins.
    /// - Returns: Whether there is room for it.
    mutating func begin(_ handle: UInt64, with entries: [FolderEntry]) -> Bool {
        drop(handle)
        guard folders[handle] != nil, entryCount == 0 || entryCount + entries.count <= entryCountMax else {
            return false
        }
        folders[handle]?.entries = entries
        folders[handle]?.end = nil
        entryCount += entries.count
        return true
    }

    /// Drops the copy of a reading that has come to its end.
    mutating func finish(_ handle: UInt64) {
        guard let entries = folders[handle]?.entries else { return }
        folders[handle]?.end = UInt64(entries.count)
        drop(handle)
    }

    private mutating func drop(_ handle: UInt64) {
        guard let entries = folders[handle]?.entries else { return }
        folders[handle]?.entries = nil
        entryCount -= entries.count
        assert(entryCount >= 0, "a copy that goes was counted")
    }
}
