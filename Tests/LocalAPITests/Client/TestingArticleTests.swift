import KairanClient
import KairanTesting
import Testing

/// The examples of the article about tests.
@Suite struct `An application that is tested without a daemon` {
    private struct Note: RecordContent, Equatable {
        var title: String
        var isDone = false
    }

    @Test func `a note that is finished is not open any more`() async throws {
        let daemon = MemoryDaemon()
        let database = daemon.kairan.container("org.example.notes").privateDatabase
        let zone = try await database.zone(named: "notes", creating: true)
        var note = try await zone.save(TypedRecord("milk", Note(title: "Milk")))
        note.value.isDone = true
        try await zone.save(note)
        #expect(try await zone.query(Note.self, where: "isDone = false").page().records.isEmpty)
    }

    @Test func `changes of another writer are kept`() async throws {
        let zone = try await MemoryDaemon().kairan.container("org.example.notes").defaultZone()
        let note = try await zone.save(TypedRecord("milk", Note(title: "Milk")))
        var (mine, theirs) = (note, note)
        theirs.value.isDone = true
        try await zone.save(theirs)
        mine.value.title = "Oat milk"
        let error = await #expect(throws: KairanError.self) { try await zone.save(mine, .ifUnchanged) }
        let merged = try #require(try error?.conflict(saving: mine)).merged
        #expect(try await zone.save(merged).value == Note(title: "Oat milk", isDone: true))
    }
}
