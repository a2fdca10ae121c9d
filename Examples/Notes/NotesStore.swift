import Foundation
import KairanClient

actor NotesStore: SyncEngineDelegate {
    private struct Change: Codable {
        var note: Note
        var base: Record?
    }

    private struct Contents: Codable {
        var notes: [RecordID: Record] = [:]
        var changes: [RecordID: Change] = [:]
        var state = SyncEngine.State()
    }

    private let file: URL
    private var contents = Contents()

    init(file: URL) throws {
        self.file = file
        if FileManager.default.fileExists(atPath: file.path()) {
            contents = try JSONDecoder().decode(Contents.self, from: Data(contentsOf: file))
        }
    }

    var state: SyncEngine.State { contents.state }

    func change(_ note: Note, _ id: RecordID, _ engine: SyncEngine) throws {
        let base = contents.changes[id].map(\.base) ?? contents.notes[id]
        contents.changes[id] = Change(note: note, base: base)
        engine.add([.save(id)])
        contents.state = engine.state
        try store()
    }

    func handle(_ event: SyncEngine.Event, from engine: SyncEngine) async {
        switch event {
        case .stateUpdate(let state):
            contents.state = state
        case .fetchedDatabaseChanges(_, let removed):
            let gone = Set(removed.map(\.zone))
            contents.notes = contents.notes.filter { !gone.contains($0.key.zone) }
        case .fetchedRecordZoneChanges(let zone, let changes):
            for change in changes {
                let id = RecordID(zone: zone, name: change.record.name)
                contents.notes[id] = change.kind == .delete ? nil : change.record
            }
        case .sentRecordZoneChanges(let saved, let deleted, let failed):
            for record in saved {
                let id = RecordID(zone: record.zone, name: record.name)
                contents.notes[id] = record
                if !engine.pendingChanges.contains(.save(id)) { contents.changes[id] = nil }
            }
            for id in deleted { contents.notes[id] = nil }
            for failure in failed { print("\(failure.change.id) cannot be saved: \(failure.problem.detail)") }
        case .tokenExpired(let zone):
            contents.notes = contents.notes.filter { $0.key.zone != zone }
        default:
            break
        }
        do { try store() } catch { print("the notes cannot be stored: \(error)") }
    }

    func draft(of id: RecordID, for engine: SyncEngine) async -> SyncEngine.Draft? {
        guard let change = contents.changes[id] else { return nil }
        do {
            guard let base = change.base else { return try SyncEngine.Draft(TypedRecord(id.name, change.note)) }
            var record = try TypedRecord(base, as: Note.self)
            record.value = change.note
            return try SyncEngine.Draft(record)
        } catch {
            print("\(id) cannot be saved: \(error)")
            return nil
        }
    }

    func resolve(_ conflict: SyncEngine.Conflict, for engine: SyncEngine) async -> SyncEngine.Resolution {
        do {
            guard let typed = try conflict.typed(as: Note.self) else { return .keepServer }
            var merged = typed.merged
            let before = typed.ancestor?.value.title
            if let theirs = typed.server?.value.title, theirs != before, merged.value.title != before {
                merged.value.title = Set([merged.value.title, theirs]).sorted().joined(separator: " / ")
            }
            return .save(try SyncEngine.Draft(merged))
        } catch {
            return conflict.merged.map { .save($0) } ?? .keepServer
        }
    }

    private func store() throws {
        try JSONEncoder().encode(contents).write(to: file, options: .atomic)
    }
}
