import KairanInterface
import Peering
import Records
import Testing
import Wire

@testable import Node
@testable import Sync

@Suite(.timeLimit(.minutes(5))) struct `Writing` {
    @Test func `an atomic batch is done as a whole or not at all`() async throws {
        try await withNodes { nodes in
            let desk = try await nodes.start()
            try await desk.makeZone("notes")
            let held = try await desk.put("held", in: "notes", text: "old")
            try await desk.put("held", in: "notes", text: "new")
            let batch = [
                RecordDraft(name: "one", fields: [(name: "text", value: .string("x"))]),
                RecordDraft(name: "held", fields: [(name: "text", value: .string("y"))], ifVersion: held.version),
                RecordDraft(name: "two", fields: [(name: "text", value: .string("x"))]),
            ]
            await #expect {
                try await desk.node.records.write(batch, zone: "notes", atomic: true)
            } throws: { error in
                let error = error as? NodeError
                return error?.code == .versionMismatch && error?.index == 1
            }
            #expect(try await desk.names(in: "notes") == ["held"])
            let results = try await desk.node.records.write(batch, zone: "notes", atomic: false)
            #expect(results.map { (try? $0.get()) != nil } == [true, false, true])
            #expect(try await desk.names(in: "notes") == ["held", "one", "two"])
        }
    }

    @Test func `a stale if_version is refused with the current one`() async throws {
        try await withNodes { nodes in
            let desk = try await nodes.start()
            try await desk.makeZone("notes")
            let first = try await desk.put("milk", in: "notes", text: "one")
            let second = try await desk.put("milk", in: "notes", text: "two")
            let stale = RecordDraft(
                name: "milk",
                fields: [(name: "text", value: .string("three"))],
                ifVersion: first.version
            )
            await #expect {
                try await desk.node.records.write([stale], zone: "notes", atomic: true)
            } throws: { error in
                (error as? NodeError)?.facts.contains(.currentVersion(second.version)) == true
            }
            var fresh = stale
            fresh.ifVersion = second.version
            _ = try await desk.node.records.write([fresh], zone: "notes", atomic: true)
            #expect(try await desk.node.records.field("text", of: "milk", in: "notes") == .string("three"))
            var absent = stale
            absent.ifVersion = ""
            #expect(
                try await refusal { try await desk.node.records.write([absent], zone: "notes", atomic: true) }
                    == .versionMismatch
            )
        }
    }

    @Test func `one request may make a record with a type and change it without repeating the type`()
        async throws
    {
        try await withNodes { nodes in
            let desk = try await nodes.start()
            try await desk.makeZone("notes")
            let batch = [
                RecordDraft(name: "milk", type: "Note", fields: [(name: "text", value: .string("one"))]),
                RecordDraft(name: "milk", fields: [(name: "text", value: .string("two"))]),
                RecordDraft(name: "milk", isDeletion: true),
                RecordDraft(name: "milk", fields: [(name: "text", value: .string("three"))]),
            ]
            let results = try await desk.node.records.write(batch, zone: "notes", atomic: true).map { try $0.get() }
            #expect(results.last?.type == "Record" && results.first?.type == "Note")
            #expect(try await desk.node.records.field("text", of: "milk", in: "notes") == .string("three"))
        }
    }

    @Test func `by many at once leaves the core with the sizes that the store has`() async throws {
        try await withNodes { nodes in
            let (desk, lap) = (try await nodes.start(), try await nodes.start())
            try await pair(desk, lap)
            let zone = try await desk.makeZone("notes")
            let before = try await desk.node.health.status().incarnation
            try await withThrowingTaskGroup(of: Void.self) { group in
                for writer in 0..<16 {
                    group.addTask {
                        for index in 0..<25 { try await desk.put("r\(writer)-\(index)", in: "notes", text: "x") }
                    }
                }
                try await group.waitForAll()
            }
            try await converged(zone, desk, lap)
            #expect(try await lap.names(in: "notes").count == 400)
            #expect(try await desk.node.health.status().incarnation == before)
            let size = try await desk.node.store.storage.read {
                try $0.logs(zone: zone).first { $0.key.lane == .data }?.size
            }
            #expect(
                await desk.node.sync.core.sync.replication.rights.zones[zone]?.logs.first { $0.key.lane == .data }?
                    .value.size == size
            )
        }
    }

    @Test func `into no zone, a zone of two, or a deleted one is refused with its own code`() async throws {
        try await withNodes { nodes in
            let desk = try await nodes.start()
            try await expectRefusal(.zoneUnknown) { try await desk.put("milk", in: "notes", text: "x") }
            _ = try await desk.node.zones.createZone(name: "notes", container: "one", history: .full)
            #expect(
                try await refusal {
                    try await desk.node.zones.createZone(name: "notes", container: "one", history: .full)
                } == .zoneExists
            )
            let second = try await desk.node.zones.createZone(name: "notes", container: "two", history: .full)
            try await expectRefusal(.zoneAmbiguous) { try await desk.put("milk", in: "notes", text: "x") }
            try await desk.put("milk", in: second.zone.text, text: "x")
            try await desk.node.zones.deleteZone(second.zone.text)
            try await expectRefusal(.zoneDeleted) { try await desk.put("milk", in: second.zone.text, text: "x") }
            try await desk.put("milk", in: "notes", text: "x")
        }
    }

    @Test func `survives the end of the daemon as soon as it is answered`() async throws {
        try await withNodes { nodes in
            var desk = try await nodes.start()
            try await desk.makeZone("notes")
            for index in 0..<20 {
                try await desk.put("n\(index)", in: "notes", text: "x")
                guard index % 10 == 9 else { continue }
                try await nodes.kill(desk)
                desk = try await nodes.start(in: desk.directory)
                #expect(try await desk.names(in: "notes").count == index + 1)
            }
        }
    }
}
