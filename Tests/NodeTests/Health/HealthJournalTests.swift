import Sync
import Testing
import Wire

@testable import Node

@Suite(.timeLimit(.minutes(5))) struct `The log of a node` {
    /// The lines at a level that `journalctl -p warning` shows.
    private func warnings(_ log: LogCatcher) -> [Substring] {
        log.text.split(separator: "\n").filter { line in
            ["warning ", "error ", "critical "].contains { line.hasPrefix($0) }
        }
    }

    @Test func `has no warning of a healthy start, nor of a session`() async throws {
        try await withNodes { nodes in
            let log = LogCatcher()
            let (desk, lap) = (try await nodes.start("desk", log: log), try await nodes.start("lap"))
            try await pair(desk, lap)
            let zone = try await desk.makeZone("notes")
            try await desk.put("n1", in: "notes", text: "hers")
            try await lap.untilField("text", of: "n1", in: zone.text, is: .string("hers"))
            await desk.node.maintenance.work()
            #expect(warnings(log).isEmpty, "\(warnings(log))")
        }
    }

    @Test func `has a full disk once, with code and fix, and its end once`() async throws {
        try await withNodes { nodes in
            let log = LogCatcher()
            let desk = try await nodes.start("desk", log: log)
            _ = try await desk.makeZone("notes")
            desk.storage.fail(with: .diskFull)
            for number in 0..<3 {
                _ = try await refusal { try await desk.put("n\(number)", in: "notes", text: "x") }
            }
            await desk.node.maintenance.work()
            let raised = warnings(log).filter { $0.contains("storage.disk_full") }
            #expect(raised.count == 1 && raised.first?.hasPrefix("error health warning ") == true, "\(warnings(log))")
            #expect(raised.first?.contains("Make space") == true)
            // Services that write by themselves, such as the inbox, may have met the full disk too, and say so.
            let health = warnings(log).filter { $0.contains("health warning") }
            #expect(health.count == 1, "\(health)")
            desk.storage.fail(with: nil)
            try await desk.put("n9", in: "notes", text: "x")
            let ended = log.text.split(separator: "\n").filter { $0.hasPrefix("info health warning ended") }
            #expect(ended.count == 1 && ended.first?.contains("storage.disk_full") == true)
        }
    }
}
