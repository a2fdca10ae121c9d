import Records
import ReplicaBehaviour
import Sodium
import Store
import Sync
import Testing
import Wire

/// A row that decodes and is not one that this program wrote: something has changed the file.
@Suite struct `A row that breaks its rules` {
    private static let author = TestAuthor(1)
    private static let message = MessageRow(
        id: MessageID(zone: TestZone.id, tag: RecordTag(digesting: .treeNode, [1])),
        number: 5,
        zone: TestZone.id,
        tag: RecordTag(digesting: .treeNode, [1]),
        place: Dot(actor: .zero, counter: 1),
        state: .waiting
    )
    private static let stretch = PostedParcelRow.Stretch(key: author.log(), from: 2, size: 5)

    /// A store with one row in each of the tables.
    private func written() async throws -> StoreFixture {
        let fixture = try await StoreFixture()
        try await fixture.write { try Self.fill(&$0) }
        return fixture
    }

    private static func fill(_ transaction: inout some NodeTransaction) throws {
        let secret = try #require(StoredSecret(Array(repeating: 7, count: StoredSecret.byteCount)))
        try transaction.createTestZone()
        try transaction.commit([.note("a", ["x": "1"]), .note("b", ["x": "1"])], by: author)
        try transaction.commit(.unknown(tag: 99, bytes: [1]), by: author)
        try transaction.replace(author.log(), first: [0], with: [SubtreeGap(level: 0, index: 0, hash: .zero)])
        try transaction.save(message)
        try transaction.save(
            PayloadRow(
                number: 3,
                id: PayloadID(digesting: .treeNode, [3]),
                zone: TestZone.id,
                state: .present,
                byteCount: 1,
                secret: secret,
                begun: 1
            )
        )
        try transaction.save(
            PostedParcelRow(
                relay: RelayID(digesting: .treeNode, [1]),
                device: author.author.device,
                parcel: ParcelID(digesting: .treeNode, [2]),
                day: 1,
                until: 1,
                stretches: [stretch]
            )
        )
    }

    /// Changes a table, and expects that reading it reports the damage.
    private func expect(
        _ change: String,
        _ table: String,
        _ place: String,
        _ rule: String,
        read: @escaping @Sendable (any NodeTransaction) throws -> Void
    ) async throws {
        var fixture = try await written()
        try await fixture.store.read(read)
        try await fixture.change(change)
        let store = fixture.store
        let error = await #expect(throws: StorageError.self) { try await store.read(read) }
        #expect(error?.code == .corrupt)
        #expect(error?.message == "\(place) is damaged in the table \(table): it breaks the rule that \(rule)")
        try await fixture.store.close()
    }

    @Test(arguments: [
        ("applied_size = size + 1", "the applied leaves of a log are held"),
        ("size = size + 1", "the edge of a log's tree is that of its size"),
        ("hole = size", "the hole of a log lies among its leaves"),
        ("role = x'040101'", "only a control log has an author whose role has ended"),
    ])
    func `is damage in the table of logs`(change: String, rule: String) async throws {
        let key = Self.author.log()
        try await expect("UPDATE log SET \(change) WHERE lane = 1", "log", "\(key)", rule) { _ = try $0.log(key) }
        try await expect("UPDATE log SET \(change) WHERE lane = 1", "log", "\(key)", rule) { transaction in
            _ = try transaction.logs(zone: key.zone).filter { $0.key == key }
        }
    }

    @Test func `is damage in the table of heads`() async throws {
        let key = Self.author.log()
        let rule = "the edge beside a head is that of the head's size"
        try await expect("UPDATE head SET frontier = x'00'", "head", "the head at 2 of \(key)", rule) {
            _ = try $0.head(key, atOrBelow: .max)
        }
        var fixture = try await written()
        try await fixture.change("UPDATE head SET size = 7")
        let store = fixture.store
        let error = await #expect(throws: StorageError.self) {
            try await store.read { _ = try $0.heads(key, above: 0, limit: 9) }
        }
        #expect(error?.code == .corrupt && error?.message == "column size holds an impossible value")
        try await fixture.store.close()
    }

    @Test func `is damage in the table of items`() async throws {
        let (data, control) = (Self.author.log(), Self.author.log(TestZone.id, .control))
        try await expect(
            "UPDATE item SET state = 2 WHERE tag IS NULL AND state = 1",
            "item",
            "leaf 0 of \(control)",
            "a control operation waits, is effective, or is above the end of its log"
        ) { _ = try $0.items(control, from: 0, to: 1) }
        try await expect(
            "UPDATE item SET detail = CAST(x'0009' || substr(detail, 3) AS BLOB) WHERE state = 5",
            "item",
            "leaf 0 of \(data)",
            "a gap begins at the first of its leaves"
        ) { _ = try $0.items(data, from: 0, to: 1) }
        try await expect(
            "UPDATE item SET first = 8 WHERE first = 1",
            "item",
            "leaf 8 of \(data)",
            "an operation has seen its own log up to itself"
        ) { transaction in
            let tag = try RecordTag(of: "b", zone: TestZone.id, in: transaction)
            _ = try transaction.operations(zone: TestZone.id, tags: [tag], states: [.live])
        }
    }

    @Test func `is damage in the table of zones`() async throws {
        try await expect(
            "UPDATE zone SET role = x'040101'",
            "zone",
            "the zone \(TestZone.id.shortText)",
            "the role of an account in a zone is a present one"
        ) { _ = try $0.zone(TestZone.id) }
    }

    @Test func `is damage in the tables of the node's own rows`() async throws {
        try await expect(
            "UPDATE message SET state = 7",
            "message",
            "message 5",
            "a message waits for its payload only where it has one"
        ) { _ = try $0.message(Self.message.id) }
        try await expect(
            "UPDATE payload SET id = NULL",
            "payload",
            "payload 3",
            "a payload that is wanted or present has an id"
        ) { _ = try $0.payload(number: 3) }
        try await expect(
            "UPDATE payload SET chunk_size = 5",
            "payload",
            "payload 3",
            "the chunks of a payload have one of the two sizes"
        ) { _ = try $0.payload(number: 3) }
        var writer = WireWriter(capacity: 128)
        writer.writeList([PostedParcelRow.Stretch(key: Self.author.log(), from: 5, size: 5)])
        try await expect(
            "UPDATE posted_parcel SET stretches = x'\(Hexadecimal.encode(writer.bytes))'",
            "posted_parcel",
            "the parcel \(ParcelID(digesting: .treeNode, [2]).shortText)",
            "each stretch in a parcel has leaves"
        ) { _ = try $0.postedParcels(on: nil, limit: 9) }
    }

    @Test func `ends the program that saves it, where assertions are checked`() async {
        await #expect(processExitsWith: .failure) {
            let fixture = try await StoreFixture()
            try await fixture.write { transaction in
                try transaction.save(
                    PayloadRow(
                        number: 1,
                        id: nil,
                        zone: TestZone.id,
                        state: .wanted,
                        byteCount: 1,
                        secret: nil,
                        begun: 1
                    )
                )
            }
        }
    }
}
