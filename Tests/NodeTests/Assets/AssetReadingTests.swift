import KairanInterface
import Sync
import Testing
import Wire

@testable import Node

@Suite(.timeLimit(.minutes(5))) struct `An asset of a record` {
    private static let bytes = (0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
    private static let place = AssetPlace(zone: "photos", record: "lake", field: "picture")

    @Test func `is read from any offset, and described with its state`() async throws {
        try await withNodes { nodes in
            let desk = try await nodes.start("desk")
            let zone = try await desk.makeZone("photos")
            let asset = try await desk.putAsset(Self.bytes, as: "lake", in: "photos")
            let view = try await desk.asset("lake", in: "photos")
            #expect(view.asset == asset && view.zone == zone && view.byteCount == 200_000 && view.item == nil)
            #expect(view.state == .present && view.percent == 100 && view.fileName == "lake")
            #expect(try await desk.readAsset("lake", in: "photos") == Self.bytes)
            let end = try await desk.node.assets.content(Self.place, from: 199_999, waitMilliseconds: 0)
            #expect(end.bytes == Self.bytes.suffix(1) && end.byteCount == 200_000 && end.contentType == "image/png")
            #expect(end.fileName == "lake" && end.validator == asset.text)
            for offset in [UInt64(200_000), .max] {
                let beyond = try await desk.node.assets.content(Self.place, from: offset, waitMilliseconds: 0)
                #expect(beyond.bytes.isEmpty && beyond.byteCount == 200_000)
            }
            try await expectRefusal(.invalidArgument) {
                try await desk.node.assets.content(Self.place, from: 0, waitMilliseconds: 300_001)
            }
            let empty = try await desk.putAsset([], as: "nothing", in: "photos")
            #expect(try await desk.readAsset("nothing", in: "photos").isEmpty && empty != asset)
        }
    }

    @Test func `is named by its item in lists and sets, also in lists of lists`() async throws {
        try await withNodes { nodes in
            let desk = try await nodes.start("desk")
            try await desk.makeZone("photos")
            var assets: [PayloadID] = []
            for number in 0..<3 { assets.append(try await desk.upload([UInt8(number)], to: "photos")) }
            let values = assets.map { FieldValue.named($0) }
            let list = FieldValue.list([values[0], .string("x"), .list([]), .list([.int64(1), values[1]]), values[2]])
            try await desk.put("lake", in: "photos", [("all", list), ("title", .string("x")), ("picture", values[0])])
            for (item, number) in [(0, 0), (3, 1), (4, 2)] {
                let bytes = try await desk.readAsset("lake", in: "photos", field: "all", item: item)
                #expect(bytes == [UInt8(number)], "\(item)")
            }
            let wrong: [(String, Int?)] = [
                ("all", nil), ("all", 1), ("all", 5), ("picture", 0), ("title", nil), ("x", nil),
            ]
            for (field, item) in wrong {
                let place = AssetPlace(zone: "photos", record: "lake", field: field, item: item)
                try await expectRefusal(.assetUnknown) { try await desk.node.assets.asset(place) }
            }
            let page = try await desk.node.assets.assets(zone: "photos", after: nil, limit: 10)
            let found = page.assets.map { "\($0.field) \($0.item.map { "\($0)" } ?? "-")" }.sorted()
            #expect(found == ["all 0", "all 3", "all 4", "picture -"] && page.cursor == nil)
            let missing = AssetPlace(zone: "photos", record: "n", field: "picture")
            try await expectRefusal(.recordUnknown) { try await desk.node.assets.asset(missing) }
        }
    }

    @Test(arguments: [1, 2, 3, 1_000]) func `is listed once for each place, in pages`(limit: Int) async throws {
        try await withNodes { nodes in
            let desk = try await nodes.start("desk")
            try await desk.makeZone("photos")
            var named: Set<String> = []
            for number in 0..<5 {
                let (one, two) = (try await desk.upload([1], to: "photos"), try await desk.upload([2], to: "photos"))
                try await desk.put("r\(number)", in: "photos", [("a", .named(one)), ("b", .named(two))])
                named.formUnion(["r\(number) a", "r\(number) b"])
            }
            try await desk.put("plain", in: "photos", text: "no asset")
            try await desk.putAsset([3], as: "deleted", in: "photos")
            try await desk.remove("deleted", in: "photos")
            var (found, cursor): ([String], String?) = ([], nil)
            repeat {
                let page = try await desk.node.assets.assets(zone: "photos", after: cursor, limit: limit)
                #expect(page.assets.count <= limit)
                found += page.assets.map { "\($0.record) \($0.field)" }
                cursor = page.cursor
            } while cursor != nil
            #expect(found.count == 10 && Set(found) == named)
            for wrong in ["", "x", "00", String(repeating: "0", count: 130)] {
                try await expectRefusal(.queryBadCursor) {
                    try await desk.node.assets.assets(zone: "photos", after: wrong, limit: 1)
                }
            }
        }
    }

    @Test func `is visible in the caller's own zones alone`() async throws {
        try await withNodes { nodes in
            let desk = try await nodes.start("desk")
            try await desk.makeZone("photos")
            let foreign = try await desk.node.zones.createZone(name: "mail", container: "org.mail", history: .full)
            let asset = try await desk.putAsset([1, 2], as: "lake", in: "photos")
            let other = try await desk.putAsset([3], as: "letter", in: foreign.zone.text)
            let app = desk.node.narrowed(to: ZoneScope(containers: ["tests"], byteCountMax: nil))
            #expect(try await app.assets.assets(zone: "photos", after: nil, limit: 10).assets.count == 1)
            try await expectRefusal(.zoneUnknown) {
                try await app.assets.assets(zone: foreign.zone.text, after: nil, limit: 10)
            }
            let place = AssetPlace(zone: foreign.zone.text, record: "letter", field: "picture")
            try await expectRefusal(.zoneUnknown) {
                try await app.assets.content(place, from: 0, waitMilliseconds: 0)
            }
            try await expectRefusal(.zoneUnknown) { try await app.assets.setPolicy(.never, zone: foreign.zone.text) }
            try await expectRefusal(.assetUnknown) { try await app.assets.explain(other.text, asksHolders: false) }
            try await expectRefusal(.assetUnknown) { try await desk.node.assets.explain("x", asksHolders: false) }
            let own = try await app.assets.explain(asset.text, asksHolders: false)
            #expect(own.places.map(\.record) == ["lake"] && own.state == .present && own.byteCount == 2)
            #expect(
                try await desk.node.assets.explain(other.text, asksHolders: false).places.map(\.zone) == [
                    foreign.zone.text
                ]
            )
        }
    }

    @Test func `that no record names any more is kept for seven days, and then dropped`() async throws {
        try await withNodes { nodes in
            let turned = TurnedClock()
            let desk = try await nodes.start("desk", clock: turned.clock)
            try await desk.makeZone("photos")
            let asset = try await desk.putAsset(Self.bytes, as: "lake", in: "photos")
            let upload = try await desk.upload([1], to: "photos")
            #expect(try await desk.node.assets.explain(upload.text, asksHolders: false).keptUntil != nil)
            try await desk.remove("lake", in: "photos")
            let early = try await desk.node.assets.collect(dryRun: true)
            #expect(early.assets.map(\.asset) == [asset] && early.heldByteCount == 200_000)
            // The time is noted by a round, for which that was the reason.
            while try await desk.node.assets.explain(asset.text, asksHolders: false).unnamedSince == nil {
                await Task.yield()
            }
            let listed = try await desk.node.assets.collect(dryRun: false)
            let unnamed = try #require(listed.assets.first)
            #expect(listed.assets.map(\.asset) == [asset])
            #expect(listed.droppedCount == 0 && listed.heldByteCount == 200_000)
            #expect(unnamed.until - unnamed.since == Assets.unnamedMilliseconds)
            let explained = try await desk.node.assets.explain(asset.text, asksHolders: false)
            #expect(explained.places.isEmpty && explained.unnamedSince == unnamed.since)
            #expect(explained.keptUntil == unnamed.until)
            turned.advance(by: Assets.unnamedMilliseconds + 60_000)
            #expect(try await desk.node.assets.collect(dryRun: true).droppedCount == 0)
            let dropped = try await desk.node.assets.collect(dryRun: false)
            // The daemon may have done it in the meantime.
            #expect(dropped.droppedCount == dropped.assets.count)
            try await expectRefusal(.assetUnknown) {
                try await desk.node.assets.explain(asset.text, asksHolders: false)
            }
        }
    }
}
