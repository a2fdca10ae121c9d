import Foundation
import KairanClient
import Observation

@main struct Notes {
    static func main() async {
        do {
            try await run(Array(CommandLine.arguments.dropFirst()))
        } catch {
            FileHandle.standardError.write(Data("kairan-notes: \(error)\n".utf8))
            exit(1)
        }
    }

    static func run(_ arguments: [String]) async throws {
        try await Kairan.connect { kairan in
            let container = kairan.container("org.example.notebook")
            let zone = try await container.privateDatabase.zone(named: "notebook", creating: true)
            switch (arguments.first, arguments.dropFirst().first) {
            case ("add", let title?): try await add(title, to: zone)
            case ("find", let text?): try await find(text, in: zone)
            case ("done", let name?): try await finish(name, in: zone)
            case ("watch", _): try await watch(zone)
            case ("board", _): await board(zone)
            case ("sync", _): try await sync(container)
            default: try await list(zone)
            }
        }
    }

    static func add(_ title: String, to zone: RecordZone) async throws {
        let note = try await zone.save(TypedRecord(Note(title: title)))
        print("\(note.name): \(note.value.title)")
    }

    static func list(_ zone: RecordZone) async throws {
        for try await note in zone.records(of: Note.self) {
            print("\(note.value.isDone ? "x" : " ") \(note.name): \(note.value.title)")
        }
    }

    static func find(_ text: String, in zone: RecordZone) async throws {
        let open = zone.query(Note.self, where: "title contains \(text) and isDone = false", sort: ["title"])
        for try await note in open {
            print("\(note.name): \(note.value.title)")
        }
    }

    static func finish(_ name: String, in zone: RecordZone) async throws {
        var note = try await zone.record(name, as: Note.self)
        note.value.isDone = true
        try await zone.save(note)
    }

    static func watch(_ zone: RecordZone) async throws {
        for try await event in zone.subscription() {
            guard case .event(.change(let change)) = event.kind, change.kind == .save else { continue }
            let note = try TypedRecord(change.record, as: Note.self)
            print("\(change.bySync ? "from another machine" : "from here"): \(note.value.title)")
        }
    }

    static func board(_ zone: RecordZone) async {
        let open = zone.query(Note.self, where: "isDone = false", sort: ["title"], limit: 20).observed()
        await withDiscardingTaskGroup { group in
            group.addTask { await open.run() }
            for await titles in Observations({ open.records.map(\.value.title) }) {
                print(titles.joined(separator: ", "))
            }
        }
    }

    static func sync(_ container: Container) async throws {
        let store = try NotesStore(file: URL(filePath: "notes.json"))
        let engine = SyncEngine(container, databases: [.private], state: await store.state, delegate: store)
        try await engine.run()
    }
}
