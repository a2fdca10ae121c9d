import Node
import Wire

// Conflicts of a fake.
extension FakeNode {
    /// Two pages of a conflict each; of one that is asked for by name that one.
    func open(
        zone: String?,
        name: String?,
        after cursor: String?,
        limit: Int
    ) async throws(NodeError) -> ConflictViewPage {
        try enter("conflicts \(zone ?? "-") of:\(name ?? "-") after:\(cursor ?? "-") limit:\(limit)")
        let sides = [
            SiblingView(version: "s1", by: Self.device, fields: [("title", .string("Milk"))]),
            SiblingView(version: "s2", by: Self.other, fields: [("title", .string("Bread"))]),
        ]
        let shown = name ?? (cursor == nil ? "n1" : "n2")
        let conflicts = [ConflictView(zone: Self.zoneID, name: shown, siblings: sides, ancestor: nil)]
        return ConflictViewPage(conflicts: conflicts, cursor: name == nil && cursor == nil ? "c 1&" : nil)
    }
}
