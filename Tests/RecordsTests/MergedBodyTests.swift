import Records
import ReplicaBehaviour
import Testing
import Wire

/// A merge that is larger than a body may be is shown by its winning values, as far as there is room.
@Suite struct `The shown part of a large merge` {
    private let alice = TestAuthor(1).author
    private let bob = TestAuthor(2).author

    /// Returns a write of field "x" with a value of some bytes.
    private func sibling(_ author: Author, time: UInt64, byteCount: Int) -> Sibling {
        let dot = Dot(actor: author.actor, counter: 1)
        let value = FieldValue.bytes([UInt8](repeating: 1, count: byteCount))
        let entry = FieldEntry(dot: dot, time: HybridTime(raw: time), value: value)
        return Sibling(
            dot: dot,
            vector: VersionVector(covering: [dot]),
            creation: dot,
            time: HybridTime(raw: time),
            body: RecordBody(
                name: "a",
                type: "note",
                isDeleted: false,
                parent: nil,
                creator: author.device,
                modifier: author.device,
                fields: [RecordField(name: "x", entries: [entry])]
            )
        )
    }

    private func shown(winnerByteCount: Int) throws -> RecordBody {
        let winner = sibling(alice, time: 2, byteCount: winnerByteCount)
        return try #require(Merge.merge([winner, sibling(bob, time: 1, byteCount: 100)])).body
    }

    @Test func `has a value that just fits, and none that is a byte larger`() throws {
        // The number of fields may need two more bytes.
        let room = Limits.bodyByteCountMax - 2
        let probe = sibling(alice, time: 2, byteCount: 1_000_000).body.encoded.count
        let byteCount = 1_000_000 + room - probe
        #expect(sibling(alice, time: 2, byteCount: byteCount).body.encoded.count == room)
        let body = try shown(winnerByteCount: byteCount)
        #expect(body.encoded.count == room)
        #expect(body.field(named: "x")?.entries.map(\.dot) == [Dot(actor: alice.actor, counter: 1)])
        #expect(try shown(winnerByteCount: byteCount + 1).fields.isEmpty)
    }
}
