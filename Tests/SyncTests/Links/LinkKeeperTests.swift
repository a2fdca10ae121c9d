import Records
import Sodium
import Sync
import Testing
import Wire

@Suite struct `The knowledge of linked files` {
    private static let root = "/srv/photos"

    private static func facts(
        _ inode: UInt64,
        size: UInt64 = 9,
        modified: Int64 = 1,
        changed: Int64 = 1
    ) -> FileFacts {
        FileFacts(byteCount: size, modified: modified, changed: changed, inode: inode, device: 1)
    }

    private static func link(
        _ number: UInt8,
        _ path: String,
        _ state: AssetLinkRow.State = .sound
    ) throws -> AssetLinkRow {
        AssetLinkRow(
            payload: PayloadID(digesting: .treeNode, [number]),
            place: try LinkedPlace(root: root, path: Array(path.utf8)),
            facts: facts(UInt64(number)),
            state: state
        )
    }

    private static func folder(_ path: String = "") -> LinkKeeper.Folder {
        LinkKeeper.Folder(root: root, path: Array(path.utf8))
    }

    private static func file(_ name: String, _ facts: FileFacts) -> LinkedEntry {
        LinkedEntry(name: Array(name.utf8), kind: .file(facts))
    }

    private static func folderEntry(_ name: String) -> LinkedEntry {
        LinkedEntry(name: Array(name.utf8), kind: .folder)
    }

    /// Does the listings of a batch, and returns the first other effect.
    private func list(
        _ keeper: inout LinkKeeper,
        _ folders: [String: [LinkedEntry]],
        _ links: [AssetLinkRow]
    ) -> LinkKeeper.Effect? {
        while let effect = keeper.next() {
            guard case .list(let folder) = effect else { return effect }
            let entries = folders[String(decoding: folder.path, as: UTF8.self)]
            let beneath = links.filter { $0.place.path.starts(with: folder.beginning) }
            keeper.listed(folder, entries.map { .success($0) } ?? .failure(.missing), links: beneath)
        }
        return nil
    }

    private func keeper() -> LinkKeeper {
        var keeper = LinkKeeper(roots: [Self.root])
        keeper.lookAtEverything()
        return keeper
    }

    @Test func `stays as it is while the facts do`() throws {
        var keeper = keeper()
        let link = try Self.link(1, "a.jpg")
        #expect(list(&keeper, ["": [Self.file("a.jpg", Self.facts(1))]], [link]) == nil)
    }

    @Test func `compares the first chunk of a file whose description alone has changed, and else all`() throws {
        for (facts, isWhole) in [(Self.facts(1, changed: 2), false), (Self.facts(1, modified: 2, changed: 2), true)] {
            var keeper = keeper()
            let link = try Self.link(1, "a.jpg")
            let effect = list(&keeper, ["": [Self.file("a.jpg", facts)]], [link])
            let comparison = LinkKeeper.Comparison(link: link, place: link.place, facts: facts, isWhole: isWhole)
            #expect(effect == .compare(comparison))
            keeper.compared(comparison, hasContent: isWhole)
            let finding: Links.Finding = isWhole ? .sound(facts) : .changed(facts)
            #expect(keeper.next() == .note([LinkKeeper.Note(finding: finding, link: link)]))
            #expect(keeper.next() == nil)
        }
    }

    @Test func `says of a file of another size that it has changed, without a reading`() throws {
        var keeper = keeper()
        let (link, facts) = (try Self.link(1, "a.jpg"), Self.facts(1, size: 10, modified: 2))
        let effect = list(&keeper, ["": [Self.file("a.jpg", facts)]], [link])
        #expect(effect == .note([LinkKeeper.Note(finding: .changed(facts), link: link)]))
    }

    @Test func `looks for a missing file among those of its number first, then among those of its size`() throws {
        var keeper = keeper()
        let link = try Self.link(1, "a.jpg")
        let moved = Self.facts(1, changed: 2)
        let listing = [
            Self.file("b.jpg", Self.facts(7)), Self.file("c.jpg", moved), Self.file("d.jpg", Self.facts(8, size: 4)),
        ]
        let place = try LinkedPlace(root: Self.root, path: Array("c.jpg".utf8))
        let first = LinkKeeper.Comparison(link: link, place: place, facts: moved, isWhole: false)
        #expect(list(&keeper, ["": listing], [link]) == .compare(first))
        keeper.compared(first, hasContent: false)
        let other = try LinkedPlace(root: Self.root, path: Array("b.jpg".utf8))
        let second = LinkKeeper.Comparison(link: link, place: other, facts: Self.facts(7), isWhole: true)
        #expect(keeper.next() == .compare(second))
        keeper.compared(second, hasContent: false)
        #expect(keeper.next() == .note([LinkKeeper.Note(finding: .missing, link: link)]))
        #expect(keeper.next() == nil)
    }

    @Test func `finds each of two equal files that were moved where it is`() throws {
        var keeper = keeper()
        let links = [try Self.link(1, "a.jpg"), try Self.link(2, "b.jpg")]
        let facts = [Self.facts(1, changed: 2), Self.facts(2, changed: 2)]
        let files = [Self.file("a.jpg", facts[0]), Self.file("b.jpg", facts[1])]
        let listing = ["": [Self.folderEntry("new")], "new": files]
        var effect = list(&keeper, listing, links)
        var moved: Set<LinkedPlace> = []
        while case .compare(let comparison)? = effect {
            #expect(!comparison.isWhole && comparison.facts.inode == comparison.link.facts.inode)
            keeper.compared(comparison, hasContent: true)
            moved.insert(comparison.place)
            effect = keeper.next()
        }
        #expect(moved.count == 2)
        guard case .note(let notes)? = effect else {
            Issue.record("\(String(describing: effect))")
            return
        }
        #expect(notes.allSatisfy { if case .moved = $0.finding { true } else { false } } && notes.count == 2)
    }

    @Test func `takes an empty root with linked files for one that is not there`() throws {
        var keeper = keeper()
        let link = try Self.link(1, "a.jpg")
        #expect(list(&keeper, ["": []], [link]) == .note([LinkKeeper.Note(finding: .missing, link: link)]))
        #expect(keeper.unavailable == [Self.root])
        #expect(keeper.next() == nil)
        let lost = try Self.link(1, "a.jpg", .missing)
        keeper.lookForRoots()
        let effect = list(&keeper, ["": [Self.file("a.jpg", Self.facts(1))]], [lost])
        #expect(effect == .note([LinkKeeper.Note(finding: .sound(Self.facts(1)), link: lost)]))
        #expect(keeper.unavailable.isEmpty)
    }

    @Test func `lists folders that came since, with all beneath them, and others on a notice alone`() throws {
        var keeper = keeper()
        let known = [Self.folderEntry("old")]
        #expect(list(&keeper, ["": known, "old": []], []) == nil)
        keeper.lookAt(Self.folder())
        #expect(keeper.next() == .list(Self.folder()))
        keeper.listed(Self.folder(), .success(known + [Self.folderEntry("new")]), links: [])
        #expect(keeper.next() == .list(Self.folder("new")))
    }

    @Test func `looks everywhere before it gives a file up where it is not told of all changes`() throws {
        var keeper = keeper()
        let link = try Self.link(1, "old/a.jpg")
        let folders = [Self.folderEntry("old"), Self.folderEntry("new")]
        #expect(list(&keeper, ["": folders, "old": [Self.file("a.jpg", Self.facts(1))], "new": []], [link]) == nil)
        keeper.isBlind = true
        keeper.lookAt(Self.folder("old"))
        let moved = Self.facts(1, changed: 2)
        let effect = list(&keeper, ["": folders, "old": [], "new": [Self.file("b.jpg", moved)]], [link])
        let place = try LinkedPlace(root: Self.root, path: Array("new/b.jpg".utf8))
        #expect(effect == .compare(LinkKeeper.Comparison(link: link, place: place, facts: moved, isWhole: false)))
    }

    @Test(arguments: ["", "/a", "a//b", "a/../b", "..", ".", "a/"])
    func `is of no path that leaves its root`(path: String) {
        #expect(throws: LinkFault.outside) { try LinkedPlace(root: Self.root, path: Array(path.utf8)) }
        let other = Array("/srv/photosbook/a".utf8)
        #expect(throws: LinkFault.outside) { try LinkedPlace(absolute: other, roots: [Self.root]) }
    }

    @Test func `is of no path that the system would not take`() {
        #expect(throws: LinkFault.badName) { try LinkedPlace(root: Self.root, path: [0x61, 0]) }
        let long = [UInt8](repeating: 0x61, count: 256)
        #expect(throws: LinkFault.tooLong) { try LinkedPlace(root: Self.root, path: long) }
        let names = Array(repeating: [UInt8](repeating: 0x61, count: 200) + [0x2F], count: 21).flatMap(\.self) + [0x61]
        #expect(throws: LinkFault.tooLong) { try LinkedPlace(root: Self.root, path: names) }
    }
}
