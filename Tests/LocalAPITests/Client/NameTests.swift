import FoundationEssentials
import KairanClient
import Testing

/// Names are bytes in the client library too: "é" in one scalar and in two are two names.
@Suite struct `Names in the client library` {
    static let composed = "caf\u{E9}"
    static let decomposed = "cafe\u{301}"

    @Test func `are distinguished by their bytes, and ordered by them`() {
        #expect(Self.composed == Self.decomposed, "this is what Swift says")
        var names: NameDictionary<Int> = [Self.composed: 1, Self.decomposed: 2, "b": 3]
        #expect(names.count == 3 && names[Self.composed] == 1 && names[Self.decomposed] == 2)
        #expect(names.keys.map { Array($0.utf8) } == ["b", Self.decomposed, Self.composed].map { Array($0.utf8) })
        #expect(names.values == [3, 2, 1])
        names[Self.composed] = nil
        #expect(names == [Self.decomposed: 2, "b": 3] && names != [Self.composed: 2, "b": 3])
        names.merge([Self.composed: 5, "b": 6]) { old, new in old + new }
        #expect(names == [Self.decomposed: 2, Self.composed: 5, "b": 9])
        #expect(names.filter { $0.value > 4 }.count == 2 && names.mapValues { $0 * 2 }["b"] == 18)
        #expect(names.removeValue(forKey: Self.decomposed) == 2 && names.removeValue(forKey: "none") == nil)
    }

    @Test func `survive an encoder and decoder that keep them in dictionaries of strings`() throws {
        let plain: NameDictionary<Int> = ["a": 1, "b": 2]
        #expect(String(decoding: try JSONEncoder().encode(plain), as: UTF8.self).first == "{")
        for names in [plain, [Self.composed: 1, Self.decomposed: 2]] {
            let stored = try JSONEncoder().encode(names)
            #expect(try JSONDecoder().decode(NameDictionary<Int>.self, from: stored) == names)
        }
    }

    @Test func `and texts are equal by their bytes`() {
        func record(_ name: String, _ text: String) -> Record {
            Record(
                zone: "z",
                name: name,
                type: "T",
                fields: ["t": .string(text)],
                version: "v",
                createdBy: "",
                modifiedBy: "",
                modifiedAt: Date(timeIntervalSince1970: 0)
            )
        }
        #expect(record(Self.composed, "x") != record(Self.decomposed, "x"))
        #expect(record("n", Self.composed) != record("n", Self.decomposed))
        #expect(record("n", Self.composed) == record("n", Self.composed))
        #expect(RecordValue.string(Self.composed) != .string(Self.decomposed))
        #expect(Set<RecordValue>([.string(Self.composed), .string(Self.decomposed)]).count == 2)
        #expect(RecordID(zone: "z", name: Self.composed) != RecordID(zone: "z", name: Self.decomposed))
        #expect(RecordWrite(Self.composed) != RecordWrite(Self.decomposed))
        // A value that differs in bytes only is a change to save, and is not taken for a change that others made
        // already.
        let draft = SyncEngine.Draft(
            type: nil,
            fields: ["t": .string(Self.decomposed)],
            base: record("n", Self.composed)
        )
        #expect(draft.fields == ["t": .string(Self.decomposed)])
    }

    @Test(.timeLimit(.minutes(5))) func `reach the daemon and come back, each its own`() async throws {
        try await NotesSocket.run { notes in
            let names = [Self.composed, Self.decomposed]
            for (index, name) in names.enumerated() {
                let fields: NameDictionary<RecordValue> = [
                    Self.composed: .integer(Int64(index)), Self.decomposed: .string(name),
                ]
                let saved = try await notes.client.save(RecordWrite(name, type: name, fields: fields), in: "notes")
                #expect(saved.fields == fields && saved.fields.count == 2)
                let read = try await notes.client.record(name, in: "notes")
                #expect(read == saved && Array(read.name.utf8) == Array(name.utf8))
                #expect(Array(read.type.utf8) == Array(name.utf8))
            }
            let listed = try await notes.client.records(in: "notes").records
            #expect(listed.map { Array($0.name.utf8) } == names.reversed().map { Array($0.utf8) })
            #expect(try await notes.client.changes(zone: "notes").changes.count == 2)
            let fetched = try await notes.client.fetch(names, in: "notes")
            #expect(fetched.count == 2)
            var exported: [ExportedRecord] = []
            for try await record in try await notes.client.export(zone: "notes") { exported.append(record) }
            #expect(exported.map(\.fields.count) == [2, 2])
            // A text that differs in bytes only is written.
            var write = RecordWrite(Self.composed)
            write.fields = [Self.decomposed: .string(Self.decomposed)]
            #expect(try await notes.client.save(write, in: "notes").fields[Self.decomposed] == .string(Self.decomposed))
            // The zone and the container too.
            let other = try await notes.client.createZone(name: Self.composed, container: "org.example.notes")
            let twin = try await notes.client.createZone(name: Self.decomposed, container: "org.example.notes")
            let database = Kairan(client: notes.client).container("org.example.notes").privateDatabase
            #expect(try await database.zone(named: Self.composed).id == other.zone)
            #expect(try await database.zone(named: Self.decomposed).id == twin.zone)
        }
    }

    @Test(.timeLimit(.minutes(5))) func `of types tell the records of two types apart`() async throws {
        struct First: RecordContent {
            static let recordType = "caf\u{E9}"
            var n: Int
        }
        try await NotesSocket.run { notes in
            try await notes.client.save(RecordWrite("a", type: Self.composed, fields: ["n": 1]), in: "notes")
            try await notes.client.save(
                RecordWrite("b", type: Self.decomposed, fields: ["n": "no number"]),
                in: "notes"
            )
            let zone = try await Kairan(client: notes.client).container("org.example.notes").privateDatabase
                .zone(named: "notes")
            var found: [String] = []
            for try await record in zone.records(of: First.self) { found.append(record.name) }
            #expect(found == ["a"])
            await #expect(throws: KairanError.self) { try await zone.record("b", as: First.self) }
        }
    }
}
