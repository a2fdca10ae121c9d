import KairanInterface
import Records
import Sodium
import Sync
import Testing
import Wire

@testable import Node

@Suite(.timeLimit(.minutes(5))) struct `A file that is linked` {
    private static let place = AssetPlace(zone: "photos", record: "lake", field: "picture")

    @Test func `is none of a node without roots, and of no caller that sees a part of it`() async throws {
        try await withNodes { nodes in
            let desk = try await nodes.start("desk")
            try await desk.makeZone("photos")
            let links = desk.node.links
            try await expectRefusal(.linkPath) { try await links.link("/etc/passwd", root: nil, zone: "photos") }
            try await expectRefusal(.linkPath) { try await links.link("passwd", root: "/etc", zone: "photos") }
            try await expectRefusal(.zoneUnknown) { try await links.link("/etc/passwd", root: nil, zone: "none") }
            #expect(try await links.links(zone: nil, after: nil, limit: 10).links.isEmpty)
            let scoped = desk.node.narrowed(to: ZoneScope(containers: ["org.example.notes"], byteCountMax: nil)).links
            try await expectRefusal(.forbidden) { try await scoped.links(zone: nil, after: nil, limit: 10) }
            try await expectRefusal(.forbidden) { try await scoped.link("/etc/passwd", root: nil, zone: "photos") }
            try await expectRefusal(.forbidden) { try await scoped.link("/etc/passwd", root: nil, to: Self.place) }
            try await expectRefusal(.forbidden) { try await scoped.unlink(Self.place, file: nil, root: nil) }
        }
    }

    @Test func `has a cursor in lists that leads back to it`() throws {
        let link = AssetLinkRow(
            payload: PayloadID(digesting: .treeNode, [1]),
            place: try LinkedPlace(root: "/srv", path: [0x61, 0xFF]),
            facts: FileFacts(byteCount: 0, modified: 0, changed: 0, inode: 0, device: 0)
        )
        #expect(try LinkCursor.link(LinkCursor.text(of: link)) == link)
        for text in ["", "x", "00"] {
            #expect(throws: NodeError.self) { try LinkCursor.link(text) }
        }
    }
}
