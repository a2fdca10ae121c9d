import KairanInterface
import Testing
import TestSupport
import Wire

@testable import Node

/// A program that keeps a copy of a selection by its feed.
private struct FeedCopy {
    let selection: FeedSelection
    var token: String?
    var zones: Set<ZoneID> = []
    var records: [String: ZoneID] = [:]

    init(_ selection: FeedSelection) {
        self.selection = selection
    }

    mutating func read(_ node: any NodeAPI, limit: Int = 3) async throws {
        var more = true
        while more {
            let page = try await node.feed.changes(selection, since: token, limit: limit)
            #expect(page.changes.count + page.zones.count <= limit)
            for change in page.zones {
                guard change.departure != nil else {
                    zones.insert(change.status.zone)
                    continue
                }
                zones.remove(change.status.zone)
                records = records.filter { $0.value != change.status.zone }
            }
            for change in page.changes {
                #expect(zones.contains(change.record.zone))
                records[change.record.name] = change.record.isDeleted ? nil : change.record.zone
            }
            (token, more) = (page.token, page.more)
        }
    }
}

@Suite(.timeLimit(.minutes(5))) struct `The feed of a part of the zones` {
    @Test func `follows one container, also when a zone of it ends`() async throws {
        try await withNodes { nodes in
            let desk = try await nodes.start()
            let notes = try await desk.node.zones.createZone(name: "a", container: "org.example.notes", history: .full)
                .zone
            let doomed = try await desk.node.zones.createZone(name: "b", container: "org.example.notes", history: .full)
                .zone
            let mail = try await desk.node.zones.createZone(name: "a", container: "org.example.mail", history: .full)
                .zone
            var copy = FeedCopy(FeedSelection(container: "org.example.notes"))
            for (index, zone) in [notes, doomed, mail].enumerated() {
                try await desk.put("n\(index)", in: zone.text, text: "x")
            }
            try await copy.read(desk.node)
            #expect(copy.zones == [notes, doomed] && copy.records == ["n0": notes, "n1": doomed])
            try await desk.node.zones.deleteZone(doomed.text)
            try await desk.put("n3", in: mail.text, text: "x")
            try await copy.read(desk.node)
            #expect(copy.zones == [notes] && copy.records == ["n0": notes])
            // An application of the other container has no access here.
            let scope = ZoneScope(containers: ["org.example.mail"], byteCountMax: nil)
            try await expectRefusal(.forbidden) {
                try await desk.node.narrowed(to: scope).feed.changes(
                    FeedSelection(container: "org.example.notes"),
                    since: nil,
                    limit: 1
                )
            }
        }
    }

    @Test func `reports a zone that moves to another database anew, with all its records`() async throws {
        try await withNodes { nodes in
            let desk = try await nodes.start()
            let zone = try await desk.makeZone("notes")
            try await desk.put("before", in: "notes", text: "x")
            var mine = FeedCopy(FeedSelection(database: .private))
            var open = FeedCopy(FeedSelection(database: .public))
            try await mine.read(desk.node)
            try await open.read(desk.node)
            #expect(mine.records == ["before": zone] && open.zones.isEmpty)
            _ = try await desk.node.sharing.setPublicAccess(zone: "notes", PublicAccessChange(world: [.read]))
            try await desk.put("after", in: "notes", text: "x")
            try await mine.read(desk.node, limit: 1)
            try await open.read(desk.node, limit: 1)
            #expect(mine.zones.isEmpty && mine.records.isEmpty)
            #expect(open.records == ["before": zone, "after": zone])
        }
    }

    @Test func `is exact from its first page on while others write`() async throws {
        try await withNodes { nodes in
            let desk = try await nodes.start()
            let zone = try await desk.makeZone("notes")
            for index in 0..<60 { try await desk.put("n\(index)", in: "notes", text: "x") }
            let copy = try await withThrowingTaskGroup(of: FeedCopy?.self) { group in
                group.addTask {
                    for index in 0..<60 { try await desk.put("n\(index % 90)", in: "notes", text: "\(index)") }
                    return nil
                }
                group.addTask {
                    var copy = FeedCopy(FeedSelection(zone: "notes"))
                    for _ in 0..<10 { try await copy.read(desk.node, limit: 7) }
                    return copy
                }
                var found: FeedCopy?
                for try await copy in group { found = copy ?? found }
                return found
            }
            var last = try #require(copy)
            try await last.read(desk.node)
            #expect(last.records == Dictionary(uniqueKeysWithValues: (0..<60).map { ("n\($0)", zone) }))
        }
    }
}

@Suite(.timeLimit(.minutes(5))) struct `Events of synchronisation` {
    @Test func `tell that an import begins, then its changes, then that it is over`() async throws {
        try await withNodes { nodes in
            let (desk, lap) = (try await nodes.start(), try await nodes.start())
            try await pair(desk, lap)
            let zone = try await desk.makeZone("notes")
            try await lap.until("the zone is here") { try await $0.zones.list().contains { $0.zone == zone } }
            try await nodes.stop(lap)
            for index in 0..<300 { try await desk.put("n\(index)", in: "notes", text: "x") }
            let again = try await nodes.start(in: lap.directory)
            let token = try await again.node.feed.changes(zone: "notes", since: nil, limit: 10).token
            var names: Set<String> = []
            var begun: [UInt64: SyncEvent] = [:]
            let events = try await again.node.feed.events(zone: "notes", since: token)
            await again.node.sync.add(peers: [desk.address])
            for await event in events {
                if case .change(let change, _) = event {
                    #expect(change.bySync)
                    names.insert(change.record.name)
                    // It was there before the stream was open: then its end was as well.
                    if names.count == 300, begun.isEmpty { break }
                }
                guard case .sync(let sync) = event, sync.kind == .import else { continue }
                #expect(sync.zone == zone && sync.peer == desk.node.identity.device)
                guard let duration = sync.durationMilliseconds else {
                    #expect(!sync.succeeded && sync.error == nil)
                    begun[sync.number] = sync
                    continue
                }
                #expect(begun[sync.number]?.startedMilliseconds == sync.startedMilliseconds && duration < 300_000)
                guard sync.succeeded else {
                    // Both devices have dialled, and one of the two sessions ended: the work that it had begun goes
                    // on with the other.
                    #expect(sync.error == "connection_lost")
                    continue
                }
                // The changes of that synchronisation were reported on this stream before, and are in the feed.
                let page = try await again.node.feed.changes(zone: "notes", since: nil, limit: 1_000)
                #expect(page.changes.count >= names.count && UInt64(names.count) >= min(sync.count, 300))
                if names.count == 300 { break }
            }
            #expect(names.count == 300)
        }
    }

    @Test func `tell of exports, and that a lost connection ended one`() async throws {
        try await withNodes { nodes in
            let (desk, lap) = (try await nodes.start(), try await nodes.start())
            try await pair(desk, lap)
            let zone = try await desk.makeZone("notes")
            var count: UInt64 = 0
            let events = try await desk.node.feed.events(zone: nil, since: nil)
            try await desk.put("n1", in: "notes", text: "x")
            for await event in events {
                guard case .sync(let sync) = event, sync.kind == .export, sync.durationMilliseconds != nil else {
                    continue
                }
                #expect(sync.zone == zone && sync.succeeded && sync.peer == lap.node.identity.device)
                count += sync.count
                if count > 0 { break }
            }
            #expect(count > 0)
        }
    }
}
