import KairanInterface
import Records
import Sync
import Wire

/// Answers requests about links.
struct LinkRequests: LinkAPI {
    let store: CallerStore
    let assets: any AssetAPI

    private var reading: LinkReading { LinkReading(store: store) }

    /// A link lets its caller read a file of this machine by the daemon's rights.
    private func requireEverything() throws(NodeError) {
        guard store.scope.isEverything else {
            throw NodeError(
                .forbidden,
                "Links are made, and listed, by callers that see everything on this machine.",
                fix: "Ask an administrator of this machine."
            )
        }
    }

    // MARK: New assets

    func link(_ file: String, root: String?, zone reference: String) async throws(NodeError) -> LinkedAssetView {
        try requireEverything()
        try await DefaultZones(store).make(namedBy: reference)
        _ = try await store.readBriefly { try store.zones.row(of: reference, in: $0).id }
        let place = try await reading.place(file, root: root)
        let facts = try await reading.facts(of: place)
        let draft = try await store.write { transaction in
            let zone = try store.zones.row(of: reference, in: transaction).id
            let payloads = Payloads(store.committer)
            return Changed(try payloads.begin(zone: zone, announced: facts.byteCount, in: &transaction))
        }
        do throws(NodeError) {
            return try await finish(draft, place, facts)
        } catch {
            // After a crash, the rest is deleted after a day.
            _ = try? await store.commits.perform { [store] in
                try Payloads(store.committer).abandon(draft.number, in: &$0)
            }
            throw error
        }
    }

    private func finish(
        _ draft: Payloads.Draft,
        _ place: LinkedPlace,
        _ facts: FileFacts
    ) async throws(NodeError) -> LinkedAssetView {
        let outline = try await reading.outline(of: place, facts, by: draft.secret, announced: facts.byteCount)
        let isKept = try await store.keep { [store] transaction in
            try Links(store.committer).finish(draft.number, outline, at: place, facts, in: &transaction)
        }
        guard isKept else { throw .payloadForgotten }
        return LinkedAssetView(asset: outline.id, zone: draft.zone, byteCount: facts.byteCount, file: place.text)
    }

    // MARK: Copies

    func link(_ file: String, root: String?, to asset: AssetPlace) async throws(NodeError) -> AssetView {
        try requireEverything()
        let named = try await assets.asset(asset)
        let place = try await reading.place(file, root: root)
        let facts = try await reading.facts(of: place)
        let found = try await store.read { [store] in
            try Links(store.committer).target(named.asset, zone: named.zone, in: $0)
        }
        guard let target = found else { throw .assetUnknown(at: asset) }
        guard target.statement.byteCount == facts.byteCount else { throw .linkDiffers(place.text) }
        let outline = try await outline(of: named.asset, target, place, facts)
        let isLinked = try await store.keep({ [store] transaction in
            try Links(store.committer).link(
                outline,
                by: target.statement,
                zone: named.zone,
                at: place,
                facts,
                in: &transaction
            )
        }) { [store] in store.commitService.announce($0.notice) }.reply
        guard isLinked else { throw .linkRefused }
        return try await assets.asset(asset)
    }

    /// Computes the outline by which a file shows that it has a content, in either size of the chunks where the outline is not known.
    private func outline(
        of payload: PayloadID,
        _ target: LinkTarget,
        _ place: LinkedPlace,
        _ facts: FileFacts
    ) async throws(NodeError) -> PayloadOutline {
        // An upload that announces no size takes the larger chunks.
        for announced in [facts.byteCount, nil] {
            let size = PayloadWriter.chunkByteCount(announced: announced)
            guard target.chunkByteCount == nil || target.chunkByteCount == size else { continue }
            let outline = try await reading.outline(
                of: place,
                facts,
                by: target.statement.secret,
                announced: announced
            )
            if outline.id == payload { return outline }
            if announced != nil, size == PayloadWriter.chunkByteCount(announced: nil) { break }
        }
        throw .linkDiffers(place.text)
    }

    func unlink(_ asset: AssetPlace, file: String?, root: String?) async throws(NodeError) -> AssetView {
        try requireEverything()
        let named = try await assets.asset(asset)
        var place: LinkedPlace?
        if let file { place = try await reading.place(file, root: root) }
        let gone = place
        let count = try await store.keep({ [store] transaction in
            try Links(store.committer).unlink(named.asset, at: gone, in: &transaction)
        }) { [store] in store.commitService.announce($0.notice) }.reply
        if let gone, count == 0 { throw .linkUnknown(gone.text) }
        return try await assets.asset(asset)
    }

    // MARK: Lists

    func links(zone reference: String?, after cursor: String?, limit: Int) async throws(NodeError) -> LinkViewPage {
        try requireEverything()
        try ArgumentRule.check(limit: limit, of: 1_000)
        var last: AssetLinkRow?
        if let cursor { last = try LinkCursor.link(cursor) }
        let start = last
        return try await store.read { transaction in
            let zone = try reference.map { try store.zones.row(of: $0, in: transaction).id }
            let rows = try transaction.assetLinks(after: start, limit: limit)
            let views = try rows.compactMap { row -> LinkView? in
                if let zone, try !transaction.isNamed(row.payload, zone: zone) { return nil }
                return LinkView(row, at: try place(of: row.payload, zone, in: transaction))
            }
            return LinkViewPage(links: views, cursor: rows.count < limit ? nil : rows.last.map(LinkCursor.text))
        }
    }

    /// A place at which a record names a content.
    private func place(
        of payload: PayloadID,
        _ zone: ZoneID?,
        in transaction: any NodeTransaction
    ) throws -> AssetPlace? {
        let references =
            try zone.map { try transaction.assetReferences(to: payload, zone: $0, limit: 1) }
            ?? transaction.assetReferences(to: payload, limit: 1)
        guard let reference = references.first,
            let record = try transaction.record(zone: reference.zone, tag: reference.tag),
            let position = try record.content().places(of: payload).first
        else { return nil }
        return AssetPlace(
            zone: reference.zone.text,
            record: record.name,
            field: position.field,
            item: position.item
        )
    }
}

/// The place at which a page of links ends, as text: the asset, the root and the path.
enum LinkCursor {
    /// Writes a cursor.
    static func text(of link: AssetLinkRow) -> String {
        var writer = WireWriter()
        writer.writeDigest(link.payload.digest)
        writer.writeBytes(Array(link.place.root.utf8))
        writer.writeBytes(link.place.path)
        return Hexadecimal.encode(writer.bytes)
    }

    /// Reads a cursor.
    /// - Throws: `NodeError` `queryBadCursor`.
    static func link(_ text: String) throws(NodeError) -> AssetLinkRow {
        guard let bytes = Hexadecimal.decode(text), let link = try? Self.link(bytes) else { throw .badCursor }
        return link
    }

    private static func link(_ bytes: [UInt8]) throws -> AssetLinkRow {
        var reader = WireReader(bytes)
        let payload = PayloadID(try reader.readDigest())
        let root = try reader.readBytes(maximum: LinkedPlace.byteCountMax)
        let path = try reader.readBytes(maximum: LinkedPlace.byteCountMax)
        try reader.finish()
        let place = try LinkedPlace(root: String(decoding: root, as: UTF8.self), path: path)
        let none = FileFacts(byteCount: 0, modified: 0, changed: 0, inode: 0, device: 0)
        return AssetLinkRow(payload: payload, place: place, facts: none)
    }
}

extension LinkView {
    /// A link for programs.
    init(_ row: AssetLinkRow, at place: AssetPlace?) {
        let state: AssetLink.State =
            switch row.state {
            case .sound: .sound
            case .changed: .changed
            case .ambiguous: .ambiguous
            case .missing: .missing
            }
        self.init(
            asset: row.payload,
            root: row.place.root,
            file: row.place.text,
            byteCount: row.facts.byteCount,
            state: state,
            place: place
        )
    }
}
