import Records
import ReplicaBehaviour
import Testing
import Wire

@Suite struct `The assets of a record` {
    private let alice = TestAuthor(1)
    private let bob = TestAuthor(2)

    private func descriptor(_ number: UInt8, named name: String = "") -> AssetDescriptor {
        AssetDescriptor(
            payload: payload(number),
            size: 1,
            secret: AssetSecret([UInt8](repeating: number, count: AssetSecret.byteCount)) ?? .unknown,
            mediaType: "image/png",
            fileName: name,
            modified: nil,
            thumbnail: []
        )
    }

    private func payload(_ number: UInt8) -> PayloadID {
        PayloadID(Digest32(word0: UInt64(number), word1: 0, word2: 0, word3: 0))
    }

    private func write(_ fields: KeyValuePairs<String, FieldValue>) -> RecordWrite {
        RecordWrite(
            name: "album",
            type: "note",
            set: fields.map { FieldAssignment(field: $0.key, value: $0.value) }
        )
    }

    /// The numbers of the payloads that the row of the record names, which are those in its body.
    private func named(_ replica: MemoryReplica) throws -> [UInt64] {
        let row = try #require(try replica.record("album"))
        #expect(try row.content().assets.map(\.payload) == row.assets)
        return row.assets.map(\.digest.word0)
    }

    @Test func `are those of its fields, lists and sets, ascending by payload`() throws {
        var replica = try emptyReplica()
        var album = write([
            "cover": .asset(descriptor(7)), "text": .string("a"),
            "list": .list([.asset(descriptor(5)), .list([.int64(1), .asset(descriptor(3))]), .null]),
        ])
        let elements: [FieldValue] = [.asset(descriptor(9)), .asset(descriptor(1)), .bool(true)]
        album.insertions = [SetElements(field: "set", values: elements)]
        try replica.commit([album], by: alice)
        #expect(try named(replica) == [1, 3, 5, 7, 9])
        try replica.commit([.note("text", ["x": "1"])], by: alice)
        #expect(try #require(try replica.record("text")).assets.isEmpty)
    }

    @Test func `name each payload once, as the first field describes it`() throws {
        let fields = ["b": descriptor(2, named: "second"), "a": descriptor(2, named: "first"), "c": descriptor(1)].map {
            RecordField(
                name: $0.key,
                entries: [FieldEntry(dot: Dot(actor: .zero, counter: 1), time: .zero, value: .asset($0.value))]
            )
        }
        var body = RecordBody(
            name: "album",
            type: "note",
            isDeleted: false,
            parent: nil,
            creator: .zero,
            modifier: .zero,
            fields: fields
        )
        #expect(body.assets == [descriptor(1), descriptor(2, named: "first")])
        body.isDeleted = true
        #expect(body.assets.isEmpty)
    }

    @Test func `go with their values, and all with the record`() throws {
        var replica = try emptyReplica()
        try replica.commit([write(["a": .asset(descriptor(1)), "b": .asset(descriptor(2))])], by: alice)
        try replica.commit([write(["a": .asset(descriptor(3))])], by: alice)
        #expect(try named(replica) == [2, 3])
        try replica.commit([RecordWrite(name: "album", remove: ["b"])], by: alice)
        #expect(try named(replica) == [3])
        try replica.commit([.deletion("album")], by: alice)
        #expect(try named(replica) == [])
    }

    @Test func `include those of values that disagree, on each replica, until somebody decides`() throws {
        var one = try emptyReplica()
        try one.commit([write(["a": .asset(descriptor(1))])], by: alice)
        var two = try emptyReplica()
        try two.pull(from: one)
        try one.commit([write(["a": .asset(descriptor(2))])], by: alice)
        try two.commit([write(["a": .asset(descriptor(3))])], by: bob)
        try one.pull(from: two)
        try two.pull(from: one)
        #expect(try named(one) == [2, 3] && named(two) == [2, 3])
        try one.commit([write(["a": .asset(descriptor(4))])], by: alice)
        try two.pull(from: one)
        #expect(try named(one) == [4] && named(two) == [4])
    }

    @Test func `are not written without a secret`() throws {
        var replica = try emptyReplica()
        var bare = descriptor(1)
        bare.secret = .unknown
        for value in [FieldValue.asset(bare), .list([.asset(bare)])] {
            let commit = try replica.commit([write(["a": value])], by: alice)
            #expect(commit.results == [[.failure(.invalid(.invalidValue("secret")))]])
        }
        #expect(try replica.record("album") == nil)
    }
}
