import Records
import Sync
import Wire

/// The actions about linked files: applications link some, and other programs change, move, damage, replace and remove them.
final class LinkWorkload {
    /// The number of names of files on each node.
    private static let fileCount = 8
    /// The time after a change in which the system reports it, in milliseconds.
    private static let noticeMilliseconds: UInt64 = 2_000

    private unowned let assets: AssetWorkload
    /// A source of randomness of its own: histories without links stay as they were.
    private var random: SeededGenerator

    init(_ assets: AssetWorkload, seed: UInt64) {
        self.assets = assets
        random = SeededGenerator(seed: seed)
    }

    /// Does one of them.
    func act(on node: SimulatedNode, zone: ZoneID) throws {
        let name = makeName()
        let files = node.linkedFiles
        switch random.index(below: 100) {
        case 0..<32: linkNew(assets.makeContent(), name, on: node, zone: zone)
        case 32..<50: try linkCopy(name, on: node)
        case 50..<62:
            // Of the same size half of the time.
            guard let bytes = files.bytes(of: name) else { return }
            files.write(random.bytes(bytes.count + (random.chance(0.5) ? 0 : 1)), to: name)
            notice(name, on: node)
        case 62..<66:
            guard let bytes = files.bytes(of: name), let first = bytes.first else { return }
            files.damage([first ^ 1] + bytes.dropFirst(), of: name)
        case 66..<80:
            let other = makeName()
            files.move(name, to: other)
            notice(name, on: node)
            notice(other, on: node)
        case 80..<86:
            guard let bytes = files.bytes(of: name) else { return }
            files.remove(name)
            // Another file with equal bytes takes its place.
            files.write(bytes, to: name)
            notice(name, on: node)
        case 86..<94:
            files.remove(name)
            notice(name, on: node)
        case 94..<97:
            files.setMounted(false)
            let end = node.simulation.now + random.number(1_000...90_000)
            node.simulation.schedule(at: end) { [files] in files.setMounted(true) }
        default: try unlink(on: node)
        }
    }

    private func makeName() -> String {
        let number = random.index(below: Self.fileCount)
        return number.isMultiple(of: 2) ? "folder/file\(number)" : "file\(number)"
    }

    private func notice(_ name: String, on node: SimulatedNode) {
        let folder = LinkKeeper.Folder(
            root: MemoryLinkedFiles.root,
            path: name.contains("/") ? Array("folder".utf8) : []
        )
        node.simulation.schedule(after: Self.noticeMilliseconds, for: node) { node in
            try node.process?.fileLinks.notice(folder)
        }
    }

    // MARK: Applications

    /// Makes an asset of a new file, and names it in a record.
    private func linkNew(_ bytes: [UInt8], _ name: String, on node: SimulatedNode, zone: ZoneID) {
        node.linkedFiles.write(bytes, to: name)
        var draft: Payloads.Draft?
        node.process?.commits.enqueue { process, transaction in
            let payloads = Payloads(process.committer())
            draft = try payloads.begin(zone: zone, announced: UInt64(bytes.count), in: &transaction)
            return CommitNotice()
        } completion: { [assets, unowned node] result in
            guard case .success = result, let draft,
                let found = try Self.outline(of: name, on: node, by: draft.secret)
            else { return }
            var isMade = false
            node.process?.commits.enqueue { process, transaction in
                isMade = try Links(process.committer()).finish(
                    draft.number,
                    found.outline,
                    at: found.place,
                    found.facts,
                    in: &transaction
                )
                return CommitNotice()
            } completion: { [assets, unowned node] result in
                guard case .success = result, isMade else { return }
                let payload = found.outline.id
                let upload = AssetLaw.Upload(bytes: found.bytes, secret: draft.secret.bytes)
                assets.judge.assets.uploaded(payload, upload)
                assets.latest = payload
                let record = assets.makeName()
                assets.write([AssetWorkload.named(payload)], false, to: record, on: node, zone: zone)
            }
        }
    }

    /// Links a file with the content of a known asset, which another program has copied there.
    private func linkCopy(_ name: String, on node: SimulatedNode) throws {
        let named = try assets.named(on: node)
        guard let payload = random.element(of: named.keys.sorted()), let upload = assets.judge.assets.uploads[payload],
            let place = named[payload]?.first
        else { return }
        node.linkedFiles.write(upload.bytes, to: name)
        node.decide("link") { [unowned node] committer, _, transaction in
            guard let target = try Links(committer).target(payload, zone: place.zone, in: transaction),
                let found = try Self.outline(of: name, on: node, by: target.statement.secret),
                found.outline.id == payload
            else { return CommitNotice() }
            let links = Links(committer)
            return try links.link(
                found.outline,
                by: target.statement,
                zone: place.zone,
                at: found.place,
                found.facts,
                in: &transaction
            ).notice
        }
    }

    private func unlink(on node: SimulatedNode) throws {
        guard let store = node.store,
            let link = random.element(of: try store.assetLinks(after: nil, limit: 100))
        else { return }
        node.decide("unlink") { committer, _, transaction in
            try Links(committer).unlink(link.payload, at: link.place, in: &transaction).notice
        }
    }

    /// A file that was read.
    private struct Found {
        let outline: PayloadOutline
        let place: LinkedPlace
        let facts: FileFacts
        let bytes: [UInt8]
    }

    /// Computes the outline of a file; `nil` where it cannot be read.
    private static func outline(
        of name: String,
        on node: SimulatedNode,
        by secret: StoredSecret
    ) throws -> Found? {
        let place = try LinkedPlace(root: MemoryLinkedFiles.root, path: Array(name.utf8))
        guard let facts = try? node.linkedFiles.facts(of: place),
            let bytes = try? node.linkedFiles.read(
                place,
                expecting: facts,
                from: 0,
                count: Int(clamping: facts.byteCount)
            )
        else { return nil }
        var writer = try PayloadWriter(secret, announced: facts.byteCount)
        guard writer.append(bytes) else { return nil }
        writer.finish()
        while writer.nextChunk() != nil {}
        return writer.outline().map { Found(outline: $0, place: place, facts: facts, bytes: bytes) }
    }
}
