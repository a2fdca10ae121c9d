import Records
import Sync
import Testing
import Wire

extension Neighbours {
    /// Gives a device files that other programs keep.
    mutating func keepFiles(on index: Int) -> MemoryLinkedFiles {
        let files = MemoryLinkedFiles()
        homes[index].store.linkedFiles = files
        return files
    }

    /// A place of a file.
    static func place(_ name: String) throws -> LinkedPlace {
        try LinkedPlace(root: MemoryLinkedFiles.root, path: Array(name.utf8))
    }

    /// The outline of a file by a secret.
    private func outline(
        of name: String,
        by secret: StoredSecret,
        on index: Int
    ) throws -> (outline: PayloadOutline, facts: FileFacts) {
        let (files, place) = (homes[index].store.linkedFiles, try Self.place(name))
        let facts = try files.facts(of: place)
        var writer = try PayloadWriter(secret, announced: facts.byteCount)
        let bytes = try files.read(place, expecting: facts, from: 0, count: Int(facts.byteCount))
        let isTaken = writer.append(bytes)
        #expect(isTaken)
        writer.finish()
        while writer.nextChunk() != nil {}
        let outline = writer.outline()
        return (try #require(outline), facts)
    }

    /// Makes an asset of a file, and names it in a record.
    mutating func linkNew(_ name: String, on index: Int, zone: ZoneID, record: String = "photo") throws -> PayloadID {
        let announced = try homes[index].store.linkedFiles.facts(of: Self.place(name)).byteCount
        let draft = try change(index) { try Payloads($0).begin(zone: zone, announced: announced, in: &$2) }
        let (outline, facts) = try outline(of: name, by: draft.secret, on: index)
        let place = try Self.place(name)
        let isMade = try change(index) { try Links($0).finish(draft.number, outline, at: place, facts, in: &$2) }
        #expect(isMade)
        let isNamed = try attach([outline.id], to: record, on: index, zone: zone)
        #expect(isNamed)
        return outline.id
    }

    /// Links a copy of a content.
    mutating func linkCopy(_ payload: PayloadID, _ name: String, on index: Int, zone: ZoneID) throws -> Bool {
        let found = try Links(committer(index)).target(payload, zone: zone, in: homes[index].store)
        let target = try #require(found)
        let (outline, facts) = try outline(of: name, by: target.statement.secret, on: index)
        guard outline.id == payload else { return false }
        let place = try Self.place(name)
        return try change(index) {
            try Links($0).link(outline, by: target.statement, zone: zone, at: place, facts, in: &$2)
        }.reply
    }

    /// The states of the links of a payload, by name.
    func links(_ payload: PayloadID, on index: Int) throws -> [String: AssetLinkRow.State] {
        let links = try homes[index].store.assetLinks(of: payload)
        let named = links.map { (String(decoding: $0.place.path, as: UTF8.self), $0.state) }
        return Dictionary(uniqueKeysWithValues: named)
    }

    private static func entries(
        of folder: LinkKeeper.Folder,
        in store: MemoryStore
    ) -> Result<[LinkedEntry], LinkFault> {
        do throws(LinkFault) {
            return .success(try store.linkedFiles.entries(root: folder.root, folder: folder.path))
        } catch {
            return .failure(error)
        }
    }

    /// Lets a device look at all of its folders.
    mutating func lookAtFiles(on index: Int) throws {
        var keeper = LinkKeeper(roots: homes[index].store.linkedFiles.roots)
        keeper.lookAtEverything()
        while let effect = keeper.next() {
            let store = homes[index].store
            switch effect {
            case .list(let folder):
                let links = try store.assetLinks(root: folder.root, beginning: folder.beginning, limit: .max)
                keeper.listed(folder, Self.entries(of: folder, in: store), links: links)
            case .compare(let comparison):
                let hasContent = try Links(committer(index)).has(
                    comparison.place,
                    comparison.facts,
                    of: comparison.link.payload,
                    at: 0..<(comparison.isWhole ? .max : 1),
                    in: store
                )
                keeper.compared(comparison, hasContent: hasContent)
            case .note(let notes):
                for note in notes {
                    try change(index) { _ = try Links($0).note(note.finding, about: note.link, in: &$2) }
                }
            }
        }
    }
}
