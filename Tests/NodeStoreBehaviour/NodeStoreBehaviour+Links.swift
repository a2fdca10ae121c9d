import Records
import Sodium
import Sync
import Wire

extension NodeStoreBehaviour {
    func checkLinks(_ store: inout some NodeTransaction) throws {
        func hash(_ number: UInt8) -> Hash { Hash(digesting: .treeNode, [number]) }
        let payloads = [PayloadID(hash(1).digest), PayloadID(hash(2).digest)].sorted()
        func link(_ payload: Int, _ root: String, _ path: [UInt8], inode: UInt64 = .max) throws -> AssetLinkRow {
            AssetLinkRow(
                payload: payloads[payload],
                place: try LinkedPlace(root: root, path: path),
                facts: FileFacts(byteCount: 7, modified: -1, changed: .max, inode: inode, device: 1 << 63)
            )
        }
        // A path is bytes, which need be no text.
        let rows = try [
            link(0, "/a", [0xFF]), link(0, "/b", Array("x".utf8)), link(1, "/a", Array("x/1".utf8)),
            link(1, "/a", Array("x/2".utf8)),
        ]
        try require(store.assetLinks(of: payloads[0]).isEmpty && store.assetLinks(after: nil, limit: 9).isEmpty)
        for row in rows.reversed() { try store.save(row) }
        try require(store.assetLinks(of: payloads[0]) == Array(rows[..<2]))
        try require(store.assetLinks(after: nil, limit: 9) == rows)
        try require(store.assetLinks(after: rows[1], limit: 1) == [rows[2]])
        try require(store.assetLinks(after: rows[3], limit: 9).isEmpty)
        try require(store.assetLinks(root: "/a", beginning: Array("x/".utf8), limit: 9) == Array(rows[2...]))
        try require(store.assetLinks(root: "/a", beginning: Array("x/".utf8), limit: 1) == [rows[2]])
        try require(store.assetLinks(root: "/a", beginning: [0xFF], limit: 9) == [rows[0]])
        try require(store.assetLinks(root: "/a", beginning: [], limit: 9).count == 3)
        try require(store.assetLinks(root: "/c", beginning: [], limit: 9).isEmpty)

        var changed = try link(0, "/a", [0xFF], inode: 3)
        changed.state = .ambiguous
        try store.save(changed)
        try require(store.assetLinks(of: payloads[0]) == [changed, rows[1]])
        for state in AssetLinkRow.State.allCases {
            changed.state = state
            try store.save(changed)
            try require(store.assetLinks(of: payloads[0]).first?.state == state)
        }
        for _ in 0..<2 { try store.removeAssetLink(of: payloads[0], at: rows[0].place) }
        try require(store.assetLinks(of: payloads[0]) == [rows[1]])
        for _ in 0..<2 { try store.removeAssetLinks(of: payloads[1]) }
        try require(store.assetLinks(after: nil, limit: 9) == [rows[1]])
    }
}
