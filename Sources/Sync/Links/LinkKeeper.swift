import Wire

/// Decides about links as files beneath the roots come, go, change and move.
///
/// Its work comes in batches: folders are listed, by a notice of the system or all of them; then files without a link are looked for among
/// which those that are missing may be, and only when none has the content the link's file is missing. So a file that is moved is found
/// again before its content is fetched.
package struct LinkKeeper: Sendable {
    /// A folder beneath a root; the path of the root itself is empty.
    package struct Folder: Hashable, Sendable {
        /// The root.
        package let root: String
        /// The path beneath it.
        package let path: [UInt8]

        /// Names a folder.
        /// - Parameters: as the properties of the same names.
        package init(root: String, path: [UInt8]) { (self.root, self.path) = (root, path) }

        /// The beginning of the paths of everything in it.
        package var beginning: [UInt8] { path.isEmpty ? [] : path + [UInt8(ascii: "/")] }
    }

    /// A link, with the finding about it.
    package struct Note: Hashable, Sendable {
        /// The finding.
        package let finding: Links.Finding
        /// The link as it was when the file was looked at.
        package let link: AssetLinkRow

        /// States a finding.
        /// - Parameters: as the properties of the same names.
        package init(finding: Links.Finding, link: AssetLinkRow) { (self.finding, self.link) = (finding, link) }
    }

    /// A comparison of a file with the content of a link.
    package struct Comparison: Hashable, Sendable {
        /// The link.
        package let link: AssetLinkRow
        /// The file.
        package let place: LinkedPlace
        /// The facts about the file.
        package let facts: FileFacts
        /// Whether all chunks are compared; else the first one is.
        package let isWhole: Bool

        /// Describes a comparison.
        /// - Parameters: as the properties of the same names.
        package init(link: AssetLinkRow, place: LinkedPlace, facts: FileFacts, isWhole: Bool) {
            (self.link, self.place, self.facts, self.isWhole) = (link, place, facts, isWhole)
        }
    }

    /// The work that is next.
    package enum Effect: Hashable, Sendable {
        /// List a folder, and report it with ``LinkKeeper/listed(_:_:links:)``.
        case list(Folder)
        /// Compare a file, and report that with ``LinkKeeper/compared(_:hasContent:)``.
        case compare(Comparison)
        /// Note findings.
        case note([Note])
    }

    /// A file that has no link.
    private struct Stranger: Sendable {
        let place: LinkedPlace
        let facts: FileFacts
    }

    private struct FileNumber: Hashable, Sendable {
        let device: UInt64
        let inode: UInt64

        init(_ facts: FileFacts) { (device, inode) = (facts.device, facts.inode) }
    }

    /// Findings of one transaction.
    package static let noteCountMax = 256
    /// Files of the same size that are compared with one link.
    private static let candidateCountMax = 8

    /// The roots of this device.
    private let roots: [String]
    /// Whether some folders are not watched, so that a file may have gone where nothing was noticed.
    package var isBlind = false
    /// Roots that are not there, or that are empty although files in them are linked: mostly their disk is not mounted.
    package private(set) var unavailable: Set<String> = []
    private var due: [(folder: Folder, isDeep: Bool)] = []
    private var known: Set<Folder> = []
    private var isWhole = false
    private var notes: [Note] = []
    private var comparisons: [Comparison] = []
    private var strangers: [Stranger] = []
    private var lost: [AssetLinkRow] = []
    /// The files that are compared with a link whose own is missing, the next one at the end.
    private var searches: [AssetLinkRow: [Stranger]] = [:]
    private var taken: Set<LinkedPlace> = []

    /// Begins without a look.
    /// - Parameter roots: The roots.
    package init(roots: [String]) { self.roots = roots }

    // MARK: Requests

    /// Has all folders of all roots listed.
    package mutating func lookAtEverything() {
        (isWhole, lost, strangers) = (true, [], [])
        due = roots.map { (Folder(root: $0, path: []), true) }
    }

    /// Has the roots listed that were not there.
    package mutating func lookForRoots() {
        for root in roots where unavailable.contains(root) { due.append((Folder(root: root, path: []), true)) }
    }

    /// Has a folder listed in which something has changed.
    /// - Parameter folder: The folder.
    package mutating func lookAt(_ folder: Folder) {
        guard roots.contains(folder.root), !due.contains(where: { $0.folder == folder }) else { return }
        due.append((folder, false))
    }

    // MARK: Work

    /// Takes the work that is next.
    /// - Returns: `nil` at the end of the batch.
    package mutating func next() -> Effect? {
        if notes.count >= Self.noteCountMax { return takeNotes() }
        if let (folder, _) = due.last { return .list(folder) }
        if isBlind, !isWhole, !lost.isEmpty {
            lookAtEverything()
            return next()
        }
        if !lost.isEmpty || !strangers.isEmpty { search() }
        if let comparison = comparisons.last { return .compare(comparison) }
        if !notes.isEmpty { return takeNotes() }
        (isWhole, taken) = (false, [])
        assert(searches.isEmpty, "a batch ends when each missing file was looked for")
        return nil
    }

    private mutating func takeNotes() -> Effect {
        let taken = Array(notes.prefix(Self.noteCountMax))
        notes.removeFirst(taken.count)
        return .note(taken)
    }

    /// Takes in a folder.
    /// - Parameters:
    ///   - folder: The folder, which was the next to list.
    ///   - entries: Its entries, or the reason why there are none.
    ///   - links: All links of files in it and in the folders beneath it.
    package mutating func listed(
        _ folder: Folder,
        _ entries: Result<[LinkedEntry], LinkFault>,
        links: [AssetLinkRow]
    ) {
        let isDeep = due.last { $0.folder == folder }?.isDeep ?? false
        due.removeAll { $0.folder == folder }
        let isRoot = folder.path.isEmpty
        guard case .success(let found) = entries, !(isRoot && found.isEmpty && !links.isEmpty) else {
            if isRoot { unavailable.insert(folder.root) }
            forget(folder)
            for link in links { lose(link) }
            return
        }
        if isRoot { unavailable.remove(folder.root) }
        known.insert(folder)
        var files: [[UInt8]: FileFacts] = [:]
        var folders: Set<[UInt8]> = []
        for entry in found {
            switch entry.kind {
            case .file(let facts): files[folder.beginning + entry.name] = facts
            case .folder: folders.insert(folder.beginning + entry.name)
            }
        }
        look(at: links, in: folder, files, folders)
        for path in folders.sorted(by: { $1.lexicographicallyPrecedes($0) }) {
            let next = Folder(root: folder.root, path: path)
            guard isDeep || !known.contains(next), !due.contains(where: { $0.folder == next }) else { continue }
            due.append((next, true))
        }
    }

    /// Compares the links of files in a folder, and beneath it, with the entries of the folder.
    private mutating func look(
        at links: [AssetLinkRow],
        in folder: Folder,
        _ files: [[UInt8]: FileFacts],
        _ folders: Set<[UInt8]>
    ) {
        var linked: Set<[UInt8]> = []
        var gone: Set<Folder> = []
        for link in links {
            let rest = link.place.path.dropFirst(folder.beginning.count)
            if let end = rest.firstIndex(of: UInt8(ascii: "/")) {
                let child = Array(link.place.path[..<end])
                guard !folders.contains(child) else { continue }
                gone.insert(Folder(root: folder.root, path: child))
                lose(link)
            } else if let facts = files[link.place.path] {
                linked.insert(link.place.path)
                judge(link, facts)
            } else {
                lose(link)
            }
        }
        for child in gone { forget(child) }
        // In one order each time, so that the same files are compared.
        let others = files.filter { !linked.contains($0.key) }
        for (path, facts) in others.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) }) {
            guard let place = try? LinkedPlace(root: folder.root, path: path) else { continue }
            strangers.append(Stranger(place: place, facts: facts))
        }
    }

    private mutating func forget(_ folder: Folder) {
        known = known.filter { $0.root != folder.root || ($0 != folder && !$0.path.starts(with: folder.beginning)) }
    }

    /// Decides about a link whose file is in its place.
    private mutating func judge(_ link: AssetLinkRow, _ facts: FileFacts) {
        if facts.agree(with: link.facts) {
            switch link.state {
            // The facts are those of the file that has other content.
            case .sound, .changed: return
            case .ambiguous, .missing: return notes.append(Note(finding: .sound(facts), link: link))
            }
        }
        // Of a file that has changed, the facts are no longer those of the content.
        if link.state != .changed, facts.byteCount != link.facts.byteCount {
            return notes.append(Note(finding: .changed(facts), link: link))
        }
        let isWhole = link.state == .changed || !facts.suggestsMove(from: link.facts)
        comparisons.append(Comparison(link: link, place: link.place, facts: facts, isWhole: isWhole))
    }

    private mutating func lose(_ link: AssetLinkRow) {
        // The noted facts are not those of the content, by which it could be found again.
        if link.state != .changed { lost.append(link) }
    }

    // MARK: The search

    /// Looks for the files that are missing among those without a link.
    private mutating func search() {
        let byNumber = Dictionary(strangers.map { (FileNumber($0.facts), $0) }) { first, _ in first }
        let bySize = Dictionary(grouping: strangers, by: \.facts.byteCount)
        for link in lost {
            var candidates = Array((bySize[link.facts.byteCount] ?? []).prefix(Self.candidateCountMax).reversed())
            if let same = byNumber[FileNumber(link.facts)], same.facts.byteCount == link.facts.byteCount {
                candidates.removeAll { $0.place == same.place }
                candidates.append(same)
            }
            searches[link] = candidates
            compareNext(for: link)
        }
        (strangers, lost) = ([], [])
    }

    /// Has the next candidate compared with a link; the last one has failed where there is none.
    private mutating func compareNext(for link: AssetLinkRow) {
        while let candidate = searches[link]?.popLast() {
            let isSame = candidate.facts.suggestsMove(from: link.facts)
            // One file is that of several links only where it was.
            guard isSame || !taken.contains(candidate.place) else { continue }
            comparisons.append(
                Comparison(link: link, place: candidate.place, facts: candidate.facts, isWhole: !isSame)
            )
            return
        }
        searches[link] = nil
        if link.state != .missing { notes.append(Note(finding: .missing, link: link)) }
    }

    /// Takes in a comparison.
    /// - Parameters:
    ///   - comparison: The comparison, which was the next.
    ///   - hasContent: Whether the file has the content of the link.
    package mutating func compared(_ comparison: Comparison, hasContent: Bool) {
        comparisons.removeAll { $0 == comparison }
        let (link, place, facts) = (comparison.link, comparison.place, comparison.facts)
        guard searches[link] != nil else {
            return notes.append(Note(finding: hasContent ? .sound(facts) : .changed(facts), link: link))
        }
        guard hasContent else { return compareNext(for: link) }
        searches[link] = nil
        taken.insert(place)
        notes.append(Note(finding: .moved(place, facts), link: link))
    }
}
