import Records
import ReplicaBehaviour
import Store
import Sync
import Testing
import Wire

@Suite("A store of an earlier format")
struct MigrationTests {
    /// The statements that bring a database back to the first format.
    private static let firstFormat = """
        DROP TABLE anchor;
        ALTER TABLE zone DROP COLUMN record_bytes;
        ALTER TABLE log DROP COLUMN "right"; ALTER TABLE log DROP COLUMN role; ALTER TABLE log DROP COLUMN hole;
        ALTER TABLE zone DROP COLUMN "right"; ALTER TABLE zone DROP COLUMN role;
        DROP TABLE field_index; DROP TABLE index_sweep; DROP TABLE field_entry; DROP TABLE text_entry;
        DROP TABLE text_words;
        ALTER TABLE zone DROP COLUMN production;
        ALTER TABLE record DROP COLUMN retyped;
        ALTER TABLE peer DROP COLUMN channel;
        DROP TABLE posted_parcel; DROP TABLE posted_log; DROP TABLE custody; DROP TABLE message; DROP TABLE payload; DROP TABLE chunk; DROP INDEX record_message; DROP TABLE prekey;
        DROP INDEX record_locked;
        ALTER TABLE record DROP COLUMN locked; ALTER TABLE record DROP COLUMN checksum;
        ALTER TABLE record DROP COLUMN state_checksum;
        ALTER TABLE zone DROP COLUMN sealing; ALTER TABLE zone DROP COLUMN needs_keys;
        ALTER TABLE zone DROP COLUMN keys_due; ALTER TABLE zone DROP COLUMN keys_stamp;
        ALTER TABLE zone DROP COLUMN reserved_count; ALTER TABLE zone DROP COLUMN reserved_bytes;
        ALTER TABLE zone DROP COLUMN message_bytes;
        DROP INDEX zone_by_name; ALTER TABLE zone DROP COLUMN name;
        PRAGMA user_version = 1;
        """

    @Test func `learns the sums of its zones' records, and that the owner wrote all`() async throws {
        var fixture = try await StoreFixture()
        let alice = TestAuthor(1)
        let counted = try await fixture.write { transaction in
            try transaction.createTestZone()
            try transaction.commit([.note("a", ["x": "1"]), .note("ä", ["x": "22"]), .note("c", [:])], by: alice)
            try transaction.commit([.note("a", ["y": "more"]), .deletion("c")], by: alice)
            // A conflict's record has a body of its own.
            var other = MemoryReplica()
            try other.createTestZone()
            try other.commit([.note("a", ["x": "bob"])], by: TestAuthor(2))
            try transaction.pull(from: other)
            let daemons = [("m", "kairan.message"), ("p", "kairan.prekey"), ("q", "kairan.prekey")]
            try transaction.commit(daemons.map { RecordWrite(name: $0.0, type: $0.1) }, by: alice)
            try transaction.commit([.deletion("q")], by: alice)
            return try transaction.recordByteCount(zone: TestZone.id)
        }
        let reserved = try await fixture.store.read { try $0.reservedTotals(zone: TestZone.id) }
        #expect(counted > reserved.byteCount && reserved.count == 2 && reserved.messageByteCount > 0)
        let logs = try await fixture.store.read { try $0.logs(zone: TestZone.id) }
        let zone = try await fixture.store.read { try $0.zone(TestZone.id) }
        try await fixture.change(Self.firstFormat)
        let store = fixture.store
        #expect(try await store.report().schemaVersion == 19)
        let again = try await store.read { try $0.recordByteCount(zone: TestZone.id) }
        #expect(again == counted)
        #expect(try await store.read { try $0.reservedTotals(zone: TestZone.id) } == reserved)
        #expect(try await store.read { try $0.logs(zone: TestZone.id) } == logs)
        #expect(try await store.read { try $0.zone(TestZone.id) } == zone)
        let name = try #require(zone?.genesis.name)
        #expect(try await store.read { try $0.zones(named: name) } == [zone])
        try await store.close()
    }
}
