import FoundationEssentials
import KairanClient
import Testing

@Suite struct `Containers, databases and zones in Swift` {
    private struct Note: RecordContent, Equatable {
        var title: String
        var count: Counter = 0
        var due: Date?
    }

    private struct Post: RecordContent, Equatable {
        var text = ""
        var likes: Counter = 0
        var tags: Set<String> = []
    }

    private struct Other: RecordContent { var x: Int }

    /// A note of which only some fields are fetched.
    private struct Part: RecordContent, Equatable {
        static let recordType = "Note"
        var title: String
        var count: Counter?
        var due: Date?
    }

    @Test(.timeLimit(.minutes(5)), arguments: Backend.allCases)
    func `a database shows the zones of its container and no others`(backend: Backend) async throws {
        try await backend.run { kairan in
            let mine = kairan.container("org.example.a").privateDatabase
            let zone = try await mine.zone(named: "notes", creating: true)
            #expect(try await mine.zone(named: "notes", creating: true) == zone)
            let other = try await kairan.container("org.example.b").privateDatabase.createZone(named: "notes")
            #expect(other != zone)
            #expect(try await mine.zones() == [zone])
            #expect(try await kairan.container("org.example.a").zones() == [zone])
            #expect(try await kairan.container("org.example.a").sharedDatabase.zones().isEmpty)
            #expect(try await zone.describe().container == "org.example.a")
            let error = await #expect(throws: KairanError.self) { try await mine.zone(named: "nothing") }
            #expect(error?.code == "zone.unknown")
            try await zone.delete()
            #expect(try await mine.zones().isEmpty)
            let found = try await kairan.container("org.example.a").defaultZone()
            #expect(try await kairan.container("org.example.a").defaultZone() == found)
            #expect(try await found.describe().kind == .default)
            let stranger = String(repeating: "0", count: 64)
            await #expect(throws: KairanError.self) {
                try await kairan.container("org.example.a").pairZone(with: stranger)
            }
        }
    }

    @Test(.timeLimit(.minutes(5)), arguments: Backend.allCases)
    func `a typed record is saved, read, changed and deleted`(backend: Backend) async throws {
        try await backend.run { kairan in
            let zone = try await kairan.container("org.example.a").privateDatabase.createZone(named: "notes")
            let due = Date(timeIntervalSince1970: 1_700_000_000.125)
            var note = try await zone.save(TypedRecord("milk", Note(title: "Milk", count: 2, due: due)))
            #expect(note.value == Note(title: "Milk", count: 2, due: due) && note.version != nil)
            #expect(try await zone.record("milk", as: Note.self) == note)

            // A newer application adds a field; an older one saves the record and does not drop it.
            try await zone.save(RecordWrite("milk", fields: ["colour": "white"]))
            note.value.due = nil
            note.value.count.total += 3
            note = try await zone.save(note)
            #expect(note.known?.fields == ["title": "Milk", "count": .counter(5), "colour": "white"])

            var stale = note
            note.value.title = "Oat milk"
            try await zone.save(note, .ifUnchanged)
            stale.value.title = "Bread"
            let error = await #expect(throws: KairanError.self) { try await zone.save(stale, .ifUnchanged) }
            #expect(error?.code == "record.version_mismatch")
            #expect(try await zone.save(stale, .allKeys).value.title == "Bread")
            await #expect(throws: KairanError.self) { try await zone.record("milk", as: Other.self) }
            await #expect(throws: KairanError.self) {
                try await zone.save(TypedRecord("milk", Note(title: "new")), .ifUnchanged)
            }
            try await zone.delete("milk")
            await #expect(throws: KairanError.self) { try await zone.record("milk", as: Note.self) }
        }
    }

    @Test(.timeLimit(.minutes(5)), arguments: Backend.allCases)
    func `copies that were changed at the same time add up, and a refusal can be merged`(
        backend: Backend
    )
        async throws
    {
        try await backend.run { kairan in
            let zone = try await kairan.container("org.example.a").privateDatabase.createZone(named: "posts")
            let first = try await zone.save(TypedRecord("p", Post(text: "a", likes: 2, tags: ["x", "y"])))
            var (one, other) = (first, first)
            one.value.likes.total += 3
            one.value.tags = ["x", "z"]
            other.value.likes.total += 4
            other.value.tags = ["y", "w"]
            try await zone.save(one)
            #expect(try await zone.save(other).value == Post(text: "a", likes: 9, tags: ["z", "w"]))

            var mine = first
            mine.value.text = "mine"
            mine.value.likes.total += 1
            let error = await #expect(throws: KairanError.self) { try await zone.save(mine, .ifUnchanged) }
            let conflict = try #require(try error?.conflict(saving: mine))
            #expect(conflict.server?.value.likes == 9 && conflict.ancestor?.value == first.value)
            #expect(conflict.client.value == mine.value && error?.problem.ancestor == first.known)
            let saved = try await zone.save(conflict.merged, .ifUnchanged)
            #expect(saved.value == Post(text: "mine", likes: 10, tags: ["z", "w"]))

            try await zone.delete("p")
            let gone = await #expect(throws: KairanError.self) { try await zone.save(mine, .ifUnchanged) }
            let lost = try #require(try gone?.conflict(saving: mine))
            #expect(lost.server == nil)
            #expect(try await zone.save(lost.merged, .ifUnchanged).value == mine.value)
            let unknown = await #expect(throws: KairanError.self) { try await zone.record("nobody") }
            #expect(try unknown?.conflict(saving: mine) == nil)
        }
    }

    @Test(.timeLimit(.minutes(5)), arguments: Backend.allCases)
    func `all records of a type are read through pages, others are passed over`(
        backend: Backend
    )
        async throws
    {
        try await backend.run { kairan in
            let zone = try await kairan.container("org.example.a").privateDatabase.createZone(named: "notes")
            var writes: [RecordWrite] = []
            for number in 0..<2100 {
                let name = "n-\(10_000 + number)"
                let write =
                    try number % 3 == 0
                    ? TypedRecord(name, Other(x: number)).write() : TypedRecord(name, Note(title: name)).write()
                writes.append(try #require(write))
            }
            writes[7].ifVersion = String(repeating: "0", count: 32)
            let outcomes = try await zone.saveEach(writes)
            #expect(outcomes.count == 2100)
            guard case .refused(let problem) = outcomes[7], case .saved = outcomes[8] else {
                Issue.record("the eighth write should be the only one that was refused")
                return
            }
            #expect(problem.code == "record.version_mismatch")
            var names: [String] = []
            for try await note in zone.records(of: Note.self) { names.append(note.value.title) }
            let expected = (0..<2100).filter { $0 % 3 != 0 && $0 != 7 }.map { "n-\(10_000 + $0)" }
            #expect(names == expected)
            #expect(try await zone.changes(limit: 11).changes.count == 10)
            let some = try await zone.records(named: ["n-10001", "n-10007", "nobody", "n-12099"], as: Note.self)
            #expect(some.map { $0?.name } == ["n-10001", nil, nil, "n-12099"])
        }
    }

    @Test(.timeLimit(.minutes(5)), arguments: Backend.allCases)
    func `a query gives typed records in its order, through pages, up to its limit`(
        backend: Backend
    )
        async throws
    {
        try await backend.run { kairan in
            let zone = try await kairan.container("org.example.a").privateDatabase.createZone(named: "notes")
            let names = (0..<450).map { "n-\(1000 + $0)" }
            var writes = try names.compactMap { try TypedRecord($0, Note(title: $0)).write() }
            let evil = #"" or @name exists or title = ""#
            writes.append(try #require(try TypedRecord("evil", Note(title: evil)).write()))
            writes.append(try #require(try TypedRecord("other", Other(x: 1)).write()))
            try await zone.saveEach(writes)

            var found: [String] = []
            for try await note in zone.query(Note.self, where: "title begins with \("n-")", sort: ["-title"]) {
                found.append(note.value.title)
            }
            #expect(found == names.reversed())
            found = []
            for try await note in zone.query(Note.self, where: "title >= \("n-1100")", limit: 230) {
                found.append(note.name)
            }
            #expect(found == Array(names[100..<330]))
            found = []
            for try await note in zone.query(Note.self, where: "title = \(evil)") { found.append(note.name) }
            #expect(found == ["evil"])
            for try await _ in zone.query(Note.self, limit: 0) { Issue.record("nothing was asked for") }

            let query = zone.query(Note.self, where: "title in \(["n-1007", "n-1002"])")
            let first = try await query.page(limit: 1)
            #expect(first.records.map(\.name) == ["n-1002"])
            #expect(try await query.page(limit: 1, after: first.cursor).records.map(\.name) == ["n-1007"])
            let wrong = zone.query(Note.self, where: "title")
            let error = await #expect(throws: KairanError.self) { try await wrong.page() }
            #expect(error?.code == "query.bad_predicate" && error?.kind == .refused)
        }
    }

    @Test(.timeLimit(.minutes(5)), arguments: [SavePolicy.changedKeys, .allKeys, .ifUnchanged], Backend.allCases)
    func `a query fetches the fields that it names, and a save leaves the others as they are`(
        policy: SavePolicy,
        backend: Backend
    ) async throws {
        try await backend.run { kairan in
            let zone = try await kairan.container("org.example.a").privateDatabase.createZone(named: "notes")
            let due = Date(timeIntervalSince1970: 1_800_000_000)
            let whole = try await zone.save(TypedRecord("n", Note(title: "tea", count: 3, due: due)))
            let page = try await zone.query(Part.self, where: "count = 3", fields: ["title"]).page()
            var part = try #require(page.records.first)
            #expect(part.value == Part(title: "tea") && part.version == whole.version)
            part.value.title = "coffee"
            let saved = try await zone.save(part, policy)
            #expect(saved.value.title == "coffee" && saved.value.due == due)
            #expect(saved.value.count == 3)
        }
    }
}
