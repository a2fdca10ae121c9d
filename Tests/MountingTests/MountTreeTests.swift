import KairanClient
import Testing

@testable import Mounting

@Suite struct `The tree of a mount` {
    private static let seeds = UInt64(1)...100

    /// A tree whose numbers collide often for some seeds.
    private func tree(_ seed: UInt64) -> MountTree {
        switch seed % 3 {
        case 0: MountTree(at: 0)
        case 1: MountTree(at: 0) { $0.digest % 5 }
        default: MountTree(at: 0) { $0.digest % 64 }
        }
    }

    @Test(arguments: seeds) func `shows the same as the rule of names says, whatever came before`(seed: UInt64) {
        var changes = RecordChanges(seed: seed)
        var tree = tree(seed)
        var records: [Name: RecordFiles] = [:]
        for step in 0..<60 {
            let files = RecordFiles(changes.record())
            records[files.record] = files
            _ = tree.apply(files, at: Int64(step))
            let claims = records.values.flatMap(\.claims)
            #expect(SomeRecords.walk(tree) == SomeRecords.expected(claims), "seed \(seed), step \(step)")
            let shown = SomeRecords.walk(tree).values.compactMap { found -> MountedFile? in
                if case .file(let file) = found { file } else { nil }
            }
            #expect(tree.fileCount == shown.count && tree.byteCount == shown.reduce(0) { $0 + $1.content.byteCount })
        }
        var again = self.tree(seed)
        _ = again.replace(with: records.values.shuffled(), at: 0)
        #expect(SomeRecords.walk(again) == SomeRecords.walk(tree), "seed \(seed)")
    }

    @Test(arguments: seeds) func `gives one number to one thing, and keeps those that the kernel knows`(seed: UInt64) {
        var changes = RecordChanges(seed: seed)
        var tree = tree(seed)
        var held: [NodeID: UInt64] = [:]
        var contents: [NodeID: FileContent] = [:]
        for step in 0..<120 {
            let place = "seed \(seed), step \(step)"
            switch changes.number(below: 4) {
            case 0, 1:
                let before = bindings(of: tree)
                let news = tree.apply(RecordFiles(changes.record()), at: Int64(step))
                let after = bindings(of: tree)
                // Names that the kernel may have looked up are announced when they stand for something else.
                for (name, id) in before where tree.isKnown(name.folder) && after[name] != id {
                    #expect(news.names.contains(name), "\(place)")
                }
                #expect(news.names.allSatisfy { tree.isKnown($0.folder) } && news.nodes.allSatisfy { tree.isKnown($0) })
            case 2:
                let folder = changes.one(of: tree.folders.keys.sorted())
                guard let entries = tree.entries(of: folder), !entries.isEmpty else { continue }
                let entry = changes.one(of: entries)
                #expect(tree.child(Name(entry.name), of: folder) == entry.id, "\(place)")
                tree.noteLookup(of: entry.id)
                held[entry.id, default: 0] += 1
                // A number keeps its content for as long as the kernel knows it.
                if held[entry.id] == 1 { contents[entry.id] = tree.file(entry.id)?.content }
            default:
                guard !held.isEmpty else { continue }
                let id = changes.one(of: held.keys.sorted())
                let count = UInt64(1 + changes.number(below: Int(held[id] ?? 1)))
                tree.forget(id, count: count)
                held[id] = held[id].flatMap { $0 > count ? $0 - count : nil }
            }
            #expect(tree.lookups == held, "\(place)")
            for id in held.keys {
                #expect(tree.attributes(of: id) != nil && tree.file(id)?.content == contents[id], "\(place)")
            }
            #expect(Set(tree.files.keys).isDisjoint(with: tree.folders.keys), "\(place)")
            for (id, file) in tree.files where !file.isShown { #expect(held[id] != nil, "\(place)") }
            for (id, folder) in tree.folders where folder.claimCount == 0 && id != .root {
                #expect(held[id] != nil, "\(place)")
            }
        }
    }

    private func bindings(of tree: MountTree) -> [NamePlace: NodeID] {
        var found: [NamePlace: NodeID] = [:]
        for folder in tree.folders.keys {
            for entry in tree.entries(of: folder) ?? [] {
                found[NamePlace(folder: folder, name: Name(entry.name))] = entry.id
            }
        }
        return found
    }

    @Test func `is empty when all records are gone and the kernel has forgotten everything`() {
        for seed in Self.seeds {
            var changes = RecordChanges(seed: seed)
            var tree = tree(seed)
            for _ in 0..<30 { _ = tree.apply(RecordFiles(changes.record()), at: 0) }
            for id in tree.files.keys { tree.noteLookup(of: id) }
            for id in tree.folders.keys { tree.noteLookup(of: id) }
            _ = tree.replace(with: [], at: 0)
            #expect(tree.entries(of: .root)?.isEmpty == true && tree.fileCount == 0 && tree.byteCount == 0)
            for id in tree.lookups.keys { tree.forget(id, count: .max) }
            #expect(tree.files.isEmpty && Array(tree.folders.keys) == [.root] && tree.holders.isEmpty, "seed \(seed)")
        }
    }

    @Test func `makes another file of a name that gets other content`() throws {
        var tree = MountTree(at: 0)
        _ = tree.apply(RecordFiles(SomeRecords.file("lake.jpg", asset: "a1")), at: 1)
        let old = try #require(tree.child(Name("lake.jpg"), of: .root))
        tree.noteLookup(of: old)
        let news = tree.apply(RecordFiles(SomeRecords.file("lake.jpg", asset: "a2", size: 20)), at: 2)
        #expect(news.names == [NamePlace(folder: .root, name: Name("lake.jpg"))] && news.nodes == [.root])
        let new = try #require(tree.child(Name("lake.jpg"), of: .root))
        #expect(new != old)
        #expect(tree.attributes(of: old)?.byteCount == 10 && tree.attributes(of: new)?.byteCount == 20)
        #expect(tree.path(of: old) == "lake.jpg")
        // The same content again is the same file again, as long as it is known, and after that as well.
        _ = tree.apply(RecordFiles(SomeRecords.file("lake.jpg", asset: "a1")), at: 3)
        #expect(tree.child(Name("lake.jpg"), of: .root) == old)
        _ = tree.apply(RecordFiles(without: "lake.jpg"), at: 4)
        tree.forget(old)
        #expect(tree.attributes(of: old) == nil)
        _ = tree.apply(RecordFiles(SomeRecords.file("lake.jpg", asset: "a1")), at: 5)
        #expect(tree.child(Name("lake.jpg"), of: .root) == old)
    }

    @Test func `announces other attributes of the same content`() throws {
        var tree = MountTree(at: 0)
        _ = tree.apply(RecordFiles(SomeRecords.file("run")), at: 1)
        let id = try #require(tree.child(Name("run"), of: .root))
        tree.noteLookup(of: id)
        let news = tree.apply(RecordFiles(SomeRecords.file("run", isExecutable: true, modified: 300)), at: 2)
        #expect(news == TreeNews(names: [], nodes: [id]))
        let attributes = tree.attributes(of: id)
        #expect(attributes?.isExecutable == true && attributes?.modified == 300_000)
        #expect(tree.apply(RecordFiles(SomeRecords.file("run", isExecutable: true, modified: 300)), at: 3).isEmpty)
    }

    @Test func `gives a name to the folder and shows the file beside it`() throws {
        var tree = MountTree(at: 0)
        _ = tree.apply(RecordFiles(SomeRecords.file("a.txt")), at: 1)
        _ = tree.apply(RecordFiles(SomeRecords.file("a.txt/b")), at: 2)
        let names = tree.entries(of: .root)?.map(\.name)
        let other = try #require(RecordFiles(SomeRecords.file("a.txt")).claims.first?.otherName)
        #expect(names == ["a [\(other.dropFirst(3).prefix(12))].txt", "a.txt"])
        _ = tree.apply(RecordFiles(without: "a.txt/b"), at: 3)
        #expect(tree.entries(of: .root)?.map(\.name) == ["a.txt"])
    }

    @Test func `finds a content that was moved to another record`() throws {
        var tree = MountTree(at: 0)
        _ = tree.apply(RecordFiles(SomeRecords.file("old", asset: "a1")), at: 1)
        let id = try #require(tree.child(Name("old"), of: .root))
        let content = try #require(tree.file(id)?.content)
        tree.noteLookup(of: id)
        #expect(tree.places(of: content, readAs: id).map(\.record.wrappedValue) == ["old"])
        _ = tree.apply(RecordFiles(SomeRecords.file("new", asset: "a1")), at: 2)
        #expect(tree.places(of: content, readAs: id).map(\.record.wrappedValue) == ["old", "new"])
        _ = tree.apply(RecordFiles(without: "old"), at: 3)
        #expect(tree.places(of: content, readAs: id).map(\.record.wrappedValue) == ["new"])
        _ = tree.apply(RecordFiles(without: "new"), at: 4)
        #expect(tree.places(of: content, readAs: id).isEmpty && tree.file(id)?.content == content)
    }
}
