internal import FileRecords
internal import KairanInterface

/// Which claims get which names.
///
/// A change of claims touches few names. Each touched name is decided anew once all claims of the record are entered.
extension MountTree {
    /// Enters a claim.
    mutating func enter(_ claim: FileClaim, _ touched: inout TouchedNames, at time: Int64) {
        var folder = NodeID.root
        folders[folder]?.claimCount += 1
        for part in claim.path.parts.dropLast() {
            folder = subfolder(Name(part), of: folder, &touched, at: time)
            folders[folder]?.claimCount += 1
        }
        let name = Name(claim.path.lastPart)
        var all = folders[folder]?.claims[name] ?? []
        let index = all.firstIndex { claim.rank < $0.rank } ?? all.endIndex
        all.insert(claim, at: index)
        folders[folder]?.claims[name] = all
        if folders[folder]?.subfolders[name] != nil || index > 0 {
            displace(claim, in: folder, &touched)
        } else if all.count > 1 {
            // It had the name until now.
            displace(all[1], in: folder, &touched)
        }
        touch(name, in: folder, &touched)
    }

    /// Withdraws a claim that was entered.
    mutating func withdraw(_ claim: FileClaim, _ touched: inout TouchedNames) {
        var path: [NodeID] = []
        var folder = NodeID.root
        for part in claim.path.parts.dropLast() {
            path.append(folder)
            guard let next = folders[folder]?.subfolders[Name(part)] else {
                assertionFailure("the folder of a claim exists")
                return
            }
            folder = next
        }
        let name = Name(claim.path.lastPart)
        guard var all = folders[folder]?.claims[name], let index = all.firstIndex(of: claim) else {
            assertionFailure("a claim that is withdrawn was entered")
            return
        }
        all.remove(at: index)
        folders[folder]?.claims[name] = all.isEmpty ? nil : all
        if folders[folder]?.subfolders[name] != nil || index > 0 {
            reinstate(claim, in: folder, &touched)
        } else if let next = all.first {
            // It gets the name now.
            reinstate(next, in: folder, &touched)
        }
        touch(name, in: folder, &touched)
        folders[folder]?.claimCount -= 1
        for parent in path.reversed() {
            folders[parent]?.claimCount -= 1
            if folders[folder]?.claimCount == 0 { unlink(folder, from: parent, &touched) }
            folder = parent
        }
    }

    /// Decides the touched names.
    /// - Returns: The parts that the kernel knows and that have changed.
    mutating func settle(_ touched: TouchedNames, at time: Int64) -> TreeNews {
        var news = TreeNews()
        // In one order, so that colliding numbers are given in it.
        for (place, before) in touched.sorted() { decide(place, before: before, &news, at: time) }
        for folder in emptied { dropIfUnused(folder) }
        emptied = []
        news.names = news.names.filter { isKnown($0.folder) }
        news.nodes = news.nodes.filter { isKnown($0) }
        return news
    }

    private mutating func decide(_ place: NamePlace, before: NodeID?, _ news: inout TreeNews, at time: Int64) {
        let winner = folders[place.folder]?.winner(of: place.name)
        let shown = folders[place.folder]?.files[place.name]
        if let winner, let shown, files[shown]?.file.content == winner.file.content {
            guard files[shown]?.file != winner.file else { return }
            files[shown]?.file = winner.file
            news.nodes.insert(shown)
            return
        }
        if let shown { hide(shown) }
        if let winner { show(winner.file, at: place) }
        // A name that was only asked for stands for the same as before.
        guard child(place.name, of: place.folder) != before || shown != nil else { return }
        folders[place.folder]?.modified = time
        news.names.insert(place)
        news.nodes.insert(place.folder)
    }

    private mutating func show(_ file: MountedFile, at place: NamePlace) {
        let identity = NodeIdentity(folder: place.folder, name: place.name, content: file.content)
        let id = number(for: identity)
        files[id] = FileNode(identity: identity, file: file, isShown: true)
        folders[place.folder]?.files[place.name] = id
        holders[file.content, default: []].insert(id)
        fileCount += 1
        byteCount &+= file.content.byteCount
    }

    private mutating func hide(_ id: NodeID) {
        guard let node = files[id] else { return }
        files[id]?.isShown = false
        folders[node.identity.folder]?.files[node.identity.name] = nil
        holders[node.file.content]?.remove(id)
        if holders[node.file.content]?.isEmpty == true { holders[node.file.content] = nil }
        fileCount -= 1
        byteCount &-= node.file.content.byteCount
        dropIfUnused(id)
    }

    /// A folder in a folder, which is made where it is missing: the name belongs to it from now on.
    private mutating func subfolder(
        _ name: Name,
        of folder: NodeID,
        _ touched: inout TouchedNames,
        at time: Int64
    ) -> NodeID {
        if let present = folders[folder]?.subfolders[name] { return present }
        let identity = NodeIdentity(folder: folder, name: name, content: nil)
        let id = number(for: identity)
        // The kernel may know it from before.
        if folders[id] == nil { folders[id] = FolderNode(identity: identity, modified: time) }
        touch(name, in: folder, &touched)
        folders[folder]?.subfolders[name] = id
        if let first = folders[folder]?.claims[name]?.first { displace(first, in: folder, &touched) }
        return id
    }

    private mutating func unlink(_ id: NodeID, from folder: NodeID, _ touched: inout TouchedNames) {
        guard let name = folders[id]?.identity.name else { return }
        touch(name, in: folder, &touched)
        folders[folder]?.subfolders[name] = nil
        if let first = folders[folder]?.claims[name]?.first { reinstate(first, in: folder, &touched) }
        emptied.insert(id)
    }

    /// Notes that a name may soon stand for something else.
    private func touch(_ name: Name, in folder: NodeID, _ touched: inout TouchedNames) {
        touched.note(NamePlace(folder: folder, name: name), standsFor: child(name, of: folder))
    }

    /// Has a claim that does not get its name ask for its other one.
    private mutating func displace(_ claim: FileClaim, in folder: NodeID, _ touched: inout TouchedNames) {
        let name = Name(claim.otherName)
        let all = folders[folder]?.displaced[name] ?? []
        let index = all.firstIndex { claim.rank < $0.rank } ?? all.endIndex
        folders[folder]?.displaced[name, default: []].insert(claim, at: index)
        touch(name, in: folder, &touched)
    }

    /// Has a claim no longer ask for its other name.
    private mutating func reinstate(_ claim: FileClaim, in folder: NodeID, _ touched: inout TouchedNames) {
        let name = Name(claim.otherName)
        guard var all = folders[folder]?.displaced[name], let index = all.firstIndex(of: claim) else {
            assertionFailure("a claim without its name asks for its other one")
            return
        }
        all.remove(at: index)
        folders[folder]?.displaced[name] = all.isEmpty ? nil : all
        touch(name, in: folder, &touched)
    }

    // MARK: Folders that are kept

    /// Whether a folder is in the tree, and not only known to the kernel from before.
    func isInPlace(_ folder: NodeID) -> Bool {
        guard folder != .root else { return true }
        guard let identity = folders[folder]?.identity else { return false }
        return folders[identity.folder]?.subfolders[identity.name] == folder
    }

    /// Has a folder stay without files.
    mutating func keep(_ folder: NodeID) {
        guard folder != .root, isInPlace(folder), folders[folder]?.isKept == false else { return }
        folders[folder]?.isKept = true
        for id in [folder] + ancestors(of: folder) { folders[id]?.claimCount += 1 }
    }

    /// Makes a folder that stays without files.
    /// - Parameters:
    ///   - name: Its name, which no folder has.
    ///   - folder: The folder for it, which is in the tree.
    ///   - time: The time, in milliseconds since 1970.
    /// - Returns: Its number.
    mutating func makeFolder(_ name: Name, in folder: NodeID, at time: Int64) -> NodeID {
        keep(folder)
        var touched = TouchedNames()
        let id = subfolder(name, of: folder, &touched, at: time)
        keep(id)
        _ = settle(touched, at: time)
        return id
    }

    /// Has a folder no longer stay without files.
    ///
    /// A program has removed it, and the kernel does nothing in a folder of that number any more: a later one gets another number until the
    /// kernel has forgotten it.
    /// - Parameters:
    ///   - folder: The folder.
    ///   - time: The time, in milliseconds since 1970.
    /// - Returns: The parts that the kernel knows and that have changed.
    mutating func release(_ folder: NodeID, at time: Int64) -> TreeNews {
        guard folders[folder]?.isKept == true else { return TreeNews() }
        folders[folder]?.isKept = false
        folders[folder]?.claimCount -= 1
        var touched = TouchedNames()
        var child = folder
        for parent in ancestors(of: folder) {
            folders[parent]?.claimCount -= 1
            if folders[child]?.claimCount == 0 {
                unlink(child, from: parent, &touched)
                unreserve(child)
            }
            child = parent
        }
        return settle(touched, at: time)
    }

    /// The folders that a folder is in, up to the root; none for the root itself.
    private func ancestors(of folder: NodeID) -> [NodeID] {
        var all: [NodeID] = []
        var next = folder
        while next != .root {
            next = parent(of: next)
            all.append(next)
        }
        return all
    }

    // MARK: All beneath a folder

    /// The records that describe files in a folder and beneath it, in the order of their paths.
    /// - Parameter folder: The folder.
    /// - Returns: The names of the records; `nil` where an asset of another record is among them.
    func records(beneath folder: NodeID) -> [Name]? {
        var found: [FileClaim] = []
        for id in allFolders(from: folder) {
            for claim in (folders[id]?.claims ?? [:]).values.flatMap({ $0 }) {
                guard claim.rank.isFile else { return nil }
                found.append(claim)
            }
        }
        return found.sorted { $0.path < $1.path }.map(\.file.place.record)
    }

    /// A folder and all folders beneath it, each behind the one that it is in.
    func allFolders(from folder: NodeID) -> [NodeID] {
        var all = [folder]
        var index = 0
        while index < all.count {
            all += (folders[all[index]]?.subfolders ?? [:]).sorted { $0.key < $1.key }.map(\.value)
            index += 1
        }
        return all
    }
}
