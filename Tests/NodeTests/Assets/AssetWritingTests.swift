import Testing
import Wire

@testable import Node

@Suite(.timeLimit(.minutes(5))) struct `An asset in a write` {
    private static let bytes = (0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }

    private func refusal(
        _ desk: RunningNode,
        _ drafts: [RecordDraft],
        atomic: Bool = true
    ) async throws -> NodeError? {
        do throws(NodeError) {
            _ = try await desk.node.records.write(drafts, zone: "photos", atomic: atomic)
            return nil
        } catch {
            return error
        }
    }

    @Test func `is stored with the size of its content, and is shown as it was written`() async throws {
        try await withNodes { nodes in
            let desk = try await nodes.start("desk")
            try await desk.makeZone("photos")
            let asset = try await desk.upload(Self.bytes, to: "photos")
            let view = try await desk.put(
                "lake",
                in: "photos",
                [("picture", .named(asset, fileName: "lake.png", thumbnail: [1, 2]))]
            )
            let stored = try #require(view.fields.first?.value.descriptor)
            #expect(stored.isResolved && stored.size == 200_000 && stored.payload == asset)
            #expect(stored.fileName == "lake.png" && stored.thumbnail == [1, 2] && stored.mediaType == "image/png")
            // As an answer of the interface is sent back: by its id, without the secret.
            let again = try await desk.put(
                "lake",
                in: "photos",
                [("picture", .named(asset, fileName: "lake.png", thumbnail: [1, 2]))]
            )
            #expect(again.fields.first?.value == .asset(stored))
        }
    }

    @Test func `is refused where the zone does not allow to name it`() async throws {
        try await withNodes { nodes in
            let desk = try await nodes.start("desk")
            try await desk.makeZone("photos")
            try await desk.makeZone("others")
            let foreign = try await desk.putAsset([7], as: "n", in: "others")
            for asset in [foreign, PayloadID(Digest32(word0: 1, word1: 2, word2: 3, word3: 4))] {
                let draft = RecordDraft(name: "lake", fields: [("title", .string("a")), ("picture", .named(asset))])
                let error = try #require(try await refusal(desk, [draft]))
                #expect(error.code == .assetUnknown && error.index == 0)
                #expect(error.facts.contains(.field("fields.picture")) && error.facts.contains(.record("lake")))
            }
            #expect(try await desk.names(in: "photos").isEmpty)
            // Elements of lists and sets are looked at as well.
            let list = RecordDraft(name: "a", fields: [("all", .list([.int64(1), .list([.named(foreign)])]))])
            #expect(try await refusal(desk, [list])?.code == .assetUnknown)
            let set = RecordDraft(name: "a", insertions: [("all", [.named(foreign)])])
            #expect(try await refusal(desk, [set])?.code == .assetUnknown)
        }
    }

    @Test func `refuses its own write alone where the others need not go with it`() async throws {
        try await withNodes { nodes in
            let desk = try await nodes.start("desk")
            try await desk.makeZone("photos")
            let unknown = FieldValue.named(PayloadID(Digest32(word0: 1, word1: 2, word2: 3, word3: 4)))
            let drafts = [
                RecordDraft(name: "a", fields: [("title", .string("a"))]),
                RecordDraft(name: "b", fields: [("picture", unknown)]),
                RecordDraft(name: "c", fields: [("title", .string("c"))]),
            ]
            #expect(try await refusal(desk, drafts)?.index == 1)
            #expect(try await desk.names(in: "photos").isEmpty)
            let results = try await desk.node.records.write(drafts, zone: "photos", atomic: false)
            let codes = results.map { result -> NodeError.Code? in
                if case .failure(let error) = result { error.code } else { nil }
            }
            #expect(codes == [nil, .assetUnknown, nil])
            #expect(try await desk.names(in: "photos") == ["a", "c"])
            let only = try await desk.node.records.write([drafts[1]], zone: "photos", atomic: false)
            #expect(only.count == 1 && only.firstRefusal?.code == .assetUnknown)
        }
    }

    @Test func `may be named by other records of its zone`() async throws {
        try await withNodes { nodes in
            let (desk, lap) = (try await nodes.start("desk"), try await nodes.start("lap"))
            try await pair(desk, lap)
            let zone = try await desk.makeZone("photos")
            let asset = try await desk.putAsset(Self.bytes, as: "lake", in: "photos")
            try await lap.until("the record is there") {
                try await $0.records.field("picture", of: "lake", in: "photos") != nil
            }
            // It was not uploaded there.
            try await lap.put("copy", in: "photos", [("picture", .named(asset))])
            try await converged(zone, desk, lap)
            #expect(try await desk.readAsset("copy", in: "photos") == Self.bytes)
        }
    }

    @Test func `enters and leaves sets as it is described`() async throws {
        try await withNodes { nodes in
            let desk = try await nodes.start("desk")
            try await desk.makeZone("photos")
            let (one, two) = (try await desk.upload([1], to: "photos"), try await desk.upload([2, 2], to: "photos"))
            func write(_ draft: RecordDraft) async throws -> [UInt64] {
                let results = try await desk.node.records.write([draft], zone: "photos", atomic: true)
                let view = try #require(results.first).get()
                guard case .set(let state)? = view.fields.first?.value else { return [] }
                return state.entries.compactMap(\.element.descriptor?.size).sorted()
            }
            let both = RecordDraft(name: "all", insertions: [("all", [.named(one), .named(two)])])
            #expect(try await write(both) == [1, 2])
            // Another name is another element, and an asset that no record may name is in no set.
            let unknown = FieldValue.named(PayloadID(Digest32(word0: 1, word1: 2, word2: 3, word3: 4)))
            let other = RecordDraft(name: "all", withdrawals: [("all", [.named(one, fileName: "x"), unknown])])
            #expect(try await write(other) == [1, 2])
            #expect(try await write(RecordDraft(name: "all", withdrawals: [("all", [.named(one)])])) == [2])
            let dot = Dot(actor: .zero, counter: 1)
            let wanted = SetState(
                entries: [FieldValue.named(one), .named(two)].map { SetState.Entry(element: $0, dots: [dot]) }
            )
            #expect(try await write(RecordDraft(name: "all", fields: [("all", .set(wanted))])) == [1, 2])
        }
    }
}
