import Synchronization

/// Files in memory beneath one root, for tests and the simulator: as other programs write, move and remove them.
///
/// A reference: the images of a store share the files, which are no part of it, so that going back to an image changes no file.
package final class MemoryLinkedFiles: LinkedFiles {
    private struct File: Sendable {
        var bytes: [UInt8]
        var facts: FileFacts
    }

    private struct State: Sendable {
        var files: [[UInt8]: File] = [:]
        var isMounted = true
        /// The number and the time of the next change.
        var next: UInt64 = 1

        mutating func number() -> UInt64 {
            next += 1
            return next
        }
    }

    /// The only root.
    package static let root = "/files"

    private let state = Mutex(State())

    /// Begins without a file.
    package init() {}

    package var roots: [String] { [Self.root] }

    // MARK: Other programs

    /// Writes a file anew, or over.
    /// - Parameters:
    ///   - bytes: Its content.
    ///   - name: Its path beneath the root.
    package func write(_ bytes: [UInt8], to name: String) {
        state.withLock { state in
            let inode = state.files[Array(name.utf8)]?.facts.inode ?? state.number()
            let time = Int64(clamping: state.number())
            let facts = FileFacts(
                byteCount: UInt64(bytes.count),
                modified: time,
                changed: time,
                inode: inode,
                device: 1
            )
            state.files[Array(name.utf8)] = File(bytes: bytes, facts: facts)
        }
    }

    /// Changes bytes of a file behind the back of its facts, as a failing disk does.
    /// - Parameters:
    ///   - bytes: Its content, as many bytes as before.
    ///   - name: Its path beneath the root.
    package func damage(_ bytes: [UInt8], of name: String) {
        state.withLock { state in
            assert(state.files[Array(name.utf8)]?.bytes.count == bytes.count, "a damage leaves the size as it is")
            state.files[Array(name.utf8)]?.bytes = bytes
        }
    }

    /// Gives a file another name; one that has it is replaced.
    package func move(_ name: String, to other: String) {
        state.withLock { state in
            guard var file = state.files.removeValue(forKey: Array(name.utf8)) else { return }
            let facts = file.facts
            file.facts = FileFacts(
                byteCount: facts.byteCount,
                modified: facts.modified,
                changed: Int64(clamping: state.number()),
                inode: facts.inode,
                device: facts.device
            )
            state.files[Array(other.utf8)] = file
        }
    }

    /// Removes a file; without effect where there is none.
    package func remove(_ name: String) { state.withLock { $0.files[Array(name.utf8)] = nil } }

    /// Mounts the disk of the root, or unmounts it.
    package func setMounted(_ isMounted: Bool) { state.withLock { $0.isMounted = isMounted } }

    /// The content of a file; `nil` where there is none.
    package func bytes(of name: String) -> [UInt8]? { state.withLock { $0.files[Array(name.utf8)]?.bytes } }

    /// The paths of the files, ascending.
    package var names: [String] {
        state.withLock { $0.files.keys.map { String(decoding: $0, as: UTF8.self) } }.sorted()
    }

    // MARK: The device

    private func file(_ place: LinkedPlace) throws(LinkFault) -> File {
        let (isMounted, file) = state.withLock { ($0.isMounted, $0.files[place.path]) }
        guard place.root == Self.root, isMounted else { throw .rootUnavailable }
        guard let file else { throw .missing }
        return file
    }

    package func facts(of place: LinkedPlace) throws(LinkFault) -> FileFacts { try file(place).facts }

    package func read(
        _ place: LinkedPlace,
        expecting facts: FileFacts,
        from offset: UInt64,
        count: Int
    ) throws(LinkFault) -> [UInt8] {
        let file = try file(place)
        let begin = Int(clamping: offset)
        guard file.facts.agree(with: facts), begin <= file.bytes.count, count <= file.bytes.count - begin else {
            throw .changed
        }
        return Array(file.bytes[begin..<begin + count])
    }

    package func entries(root: String, folder: [UInt8]) throws(LinkFault) -> [LinkedEntry] {
        let (isMounted, files) = state.withLock { ($0.isMounted, $0.files) }
        guard root == Self.root, isMounted else { throw .rootUnavailable }
        let beginning = LinkKeeper.Folder(root: root, path: folder).beginning
        var entries: Set<LinkedEntry> = []
        for (path, file) in files where path.starts(with: beginning) {
            let rest = path.dropFirst(beginning.count)
            if let end = rest.firstIndex(of: UInt8(ascii: "/")) {
                entries.insert(LinkedEntry(name: Array(path[beginning.count..<end]), kind: .folder))
            } else {
                entries.insert(LinkedEntry(name: Array(rest), kind: .file(file.facts)))
            }
        }
        guard folder.isEmpty || !entries.isEmpty else { throw .missing }
        return Array(entries)
    }
}
