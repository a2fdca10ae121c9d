import Sync
import Wire

/// The table of the links of payloads to files that other programs keep.
struct LinkTable {
    private let transaction: SQLiteTransaction

    init(_ transaction: SQLiteTransaction) {
        self.transaction = transaction
    }

    func links(of payload: PayloadID) throws -> [AssetLinkRow] {
        try transaction.sql(
            """
            SELECT payload, root, path, size, modified, changed, inode, device, state FROM asset_link
            WHERE payload = ? ORDER BY root, path
            """
        ).all(payload) { try AssetLinkRow($0) }
    }

    func links(after last: AssetLinkRow?, limit: Int) throws -> [AssetLinkRow] {
        // Every link is behind the empty payload.
        try transaction.sql(
            """
            SELECT payload, root, path, size, modified, changed, inode, device, state FROM asset_link
            WHERE (payload, root, path) > (?, ?, ?) ORDER BY payload, root, path LIMIT ?
            """
        ).all(last?.payload.bytes ?? [], last?.place.root ?? "", last?.place.path ?? [], limit) {
            try AssetLinkRow($0)
        }
    }

    func links(root: String, beginning path: [UInt8], limit: Int) throws -> [AssetLinkRow] {
        guard let end = Self.end(behind: path) else {
            return try transaction.sql(
                """
                SELECT payload, root, path, size, modified, changed, inode, device, state
                FROM asset_link INDEXED BY asset_link_by_place
                WHERE root = ? AND path >= ? ORDER BY path, payload LIMIT ?
                """
            ).all(root, path, limit) { try AssetLinkRow($0) }
        }
        return try transaction.sql(
            """
            SELECT payload, root, path, size, modified, changed, inode, device, state
            FROM asset_link INDEXED BY asset_link_by_place
            WHERE root = ? AND path >= ? AND path < ? ORDER BY path, payload LIMIT ?
            """
        ).all(root, path, end, limit) { try AssetLinkRow($0) }
    }

    /// The first bytes behind all that begin with some; `nil` where there are none, as behind no bytes.
    private static func end(behind bytes: [UInt8]) -> [UInt8]? {
        guard let last = bytes.lastIndex(where: { $0 < .max }) else { return nil }
        return Array(bytes[..<last]) + [bytes[last] + 1]
    }

    func save(_ link: AssetLinkRow) throws {
        try transaction.sql(
            """
            INSERT INTO asset_link (payload, root, path, size, modified, changed, inode, device, state)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT (payload, root, path) DO UPDATE SET
                size = excluded.size, modified = excluded.modified, changed = excluded.changed, inode = excluded.inode,
                device = excluded.device, state = excluded.state
            """
        ).run(
            link.payload,
            link.place.root,
            link.place.path,
            link.facts.byteCount.storable,
            link.facts.modified,
            link.facts.changed,
            Int64(bitPattern: link.facts.inode),
            Int64(bitPattern: link.facts.device),
            Int64(link.state.rawValue)
        )
    }

    func remove(of payload: PayloadID, at place: LinkedPlace) throws {
        try transaction.sql("DELETE FROM asset_link WHERE payload = ? AND root = ? AND path = ?")
            .run(payload, place.root, place.path)
    }

    func removeAll(of payload: PayloadID) throws {
        try transaction.sql("DELETE FROM asset_link WHERE payload = ?").run(payload)
    }
}

extension AssetLinkRow {
    /// Reads the columns `payload, root, path, size, modified, changed, inode, device, state`.
    fileprivate init(_ row: ResultRow) throws {
        guard let state = State(rawValue: Int(row.integer(8))) else { throw row.damage(8) }
        let place: LinkedPlace
        do throws(LinkFault) {
            place = try LinkedPlace(root: row.text(1), path: row.bytes(2))
        } catch {
            throw row.damage(2)
        }
        self.init(
            payload: PayloadID(try row.digest(0)),
            place: place,
            facts: FileFacts(
                byteCount: try row.unsigned(3),
                modified: row.integer(4),
                changed: row.integer(5),
                inode: UInt64(bitPattern: row.integer(6)),
                device: UInt64(bitPattern: row.integer(7))
            ),
            state: state
        )
    }
}

/// Links of payloads to files that other programs keep.
extension SQLiteTransaction {
    private var linkTable: LinkTable { LinkTable(self) }

    var linkedFiles: any LinkedFiles { context.linkedFiles }

    func assetLinks(of payload: PayloadID) throws -> [AssetLinkRow] { try linkTable.links(of: payload) }

    func assetLinks(after last: AssetLinkRow?, limit: Int) throws -> [AssetLinkRow] {
        try linkTable.links(after: last, limit: limit)
    }

    func assetLinks(root: String, beginning path: [UInt8], limit: Int) throws -> [AssetLinkRow] {
        try linkTable.links(root: root, beginning: path, limit: limit)
    }

    mutating func save(_ link: AssetLinkRow) throws {
        try requireWritable()
        try linkTable.save(link)
    }

    mutating func removeAssetLink(of payload: PayloadID, at place: LinkedPlace) throws {
        try requireWritable()
        try linkTable.remove(of: payload, at: place)
    }

    mutating func removeAssetLinks(of payload: PayloadID) throws {
        try requireWritable()
        try linkTable.removeAll(of: payload)
    }
}
