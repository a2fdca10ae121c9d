import Foundation
import KairanClient
import Synchronization
import Testing
import Wire

@testable import LocalAPI

/// The doctor, its report, and warnings that are known.
extension `The program kairan` {
    @Test(.timeLimit(.minutes(5))) func `shows each check with the way out, and ends with 1 if an action is needed`()
        async throws
    {
        try await Self.withProgram { kairan in
            let result = try await kairan("doctor")
            #expect(result.status == 1, "\(result)")
            let expected = """
                ok    storage.room     99 GiB of 100 GiB are free for the state directory.
                look  peers.reachable  desk is seen at 10.0.0.1:7621: no answer in time.
                                       Open it.

                1 finding needs you.

                """
            #expect(result.output == expected)
            #expect(result.error.isEmpty, "nobody looks at a pipe, so there is no progress on it")
            let json = try await Subprocess.run([kairan.path, "doctor", "--json"], environment: kairan.environment)
            let checks = try #require(try JSONParser.parse(Array(json.output.utf8)).elements)
            #expect(json.status == 1 && checks.map { $0["ok"] } == [true, false])
            #expect(
                checks.allSatisfy {
                    $0.members?.map(\.name) == ["code", "ok", "severity", "message", "fix", "statements"]
                }
            )
            let misuse = try await Subprocess.run(
                [kairan.path, "doctor", "--with-names"],
                environment: kairan.environment
            )
            #expect(misuse.status == 64)
        }
    }

    @Test(.timeLimit(.minutes(5))) func `gets the progress of the checks before their outcome`() async throws {
        try await Self.withProgram { kairan in
            let steps = Mutex([CheckProgress]())
            let (told, asked) = try await DaemonClient.withClient(socketPath: kairan.socket) { client in
                let told = try await client.checks { step in steps.withLock { $0.append(step) } }
                return (told, try await client.checks())
            }
            #expect(told == asked && told.map(\.code) == ["storage.room", "peers.reachable"])
            let noted = steps.withLock { $0 }
            #expect(noted.map { $0.running } == [["storage.room"], ["peers.reachable", "peers.versions"]])
            #expect(noted.map { $0.done } == [0, 1] && noted.allSatisfy { $0.count == 3 })
        }
    }

    @Test(.timeLimit(.minutes(5))) func `leaves out of a report who and where everything is, unless it is asked for`()
        async throws
    {
        try await Self.withProgram { kairan in
            try await LiveServer.withDirectory { directory in
                let (bare, named) = (directory + "/bare.json", directory + "/named.json")
                let result = try await kairan("doctor", "--report", bare)
                #expect(result.output.contains("The report is in \(bare)."), "\(result)")
                _ = try await kairan("doctor", "--report", named, "--with-names")
                let canaries = [
                    FakeNode.device.text, FakeNode.other.text, FakeNode.account.text, FakeNode.zoneID.text, "desk",
                    "notes",
                    "org.example", "192.0.2.7", "10.0.0.1", "Little space", "relay.example",
                ]
                let bareText = try String(contentsOfFile: bare, encoding: .utf8)
                let namedText = try String(contentsOfFile: named, encoding: .utf8)
                for canary in canaries { #expect(!bareText.contains(canary), "\(canary) is in the report") }
                let known = canaries.filter { namedText.contains($0) }
                #expect(known.count >= 9, "the canaries are there where they are wanted: \(known)")
                let report = try JSONParser.parse(Array(bareText.utf8))
                #expect(report["format"] == "kairan-report-1" && report["status"]?["device"] == "device-1")
                #expect(report["peers"]?.elements?.first?["device"] == "device-2")
                #expect(report["zones"]?.elements?.first?["peers"]?.elements?.first?["device"] == "device-2")
                #expect(report["checks"]?.elements?.count == 2 && report["metrics"] != nil)
                let attributes = try FileManager.default.attributesOfItem(atPath: bare)
                #expect(attributes[.posixPermissions] as? Int == 0o600)
                let again = try await kairan("doctor", "--report", bare)
                #expect(again.status != 0 && again.error.contains(bare), "it replaces no file")
            }
        }
    }

    @Test(.timeLimit(.minutes(5))) func `marks a warning as known, and shows it again`() async throws {
        let node = FakeNode()
        try await Self.withProgram(node: node) { kairan in
            #expect(try await kairan.json("acknowledge", "disk.low") == ["code": "disk.low", "acknowledged": true])
            #expect(node.calls.last == "acknowledge disk.low")
            #expect(try await kairan.json("acknowledge", "disk.low", "--undo")["acknowledged"] == false)
            #expect(node.calls.last == "acknowledge no disk.low")
            node.state.withLock { $0.isAcknowledged = true }
            let (status, all) = (try await kairan("status").output, try await kairan("status", "--all").output)
            #expect(!status.contains("Little space."), "\(status)")
            #expect(all.contains("warning: Little space. [disk.low, acknowledged]"), "\(all)")
        }
    }

    @Test(.timeLimit(.minutes(5))) func `looks again and again, with rates from the second time on`() async throws {
        try await Self.withProgram { kairan in
            let result = try await kairan("top", "--interval", "1", "--count", "2", "--json")
            let looks = try result.output.split(separator: "\n").map { try JSONParser.parse(Array($0.utf8)) }
            #expect(result.status == 0 && looks.count == 2, "\(result)")
            #expect(looks.first?["sent_bytes_per_s"] == .null && looks.last?["sent_bytes_per_s"] != .null)
            #expect(looks.first?["peers"] == 1 && looks.first?["behind"]?.elements?.count == 1)
            let text = try await kairan("top", "--count", "1").output
            #expect(text.contains("ready") && text.contains("disk.low") && text.contains("desk"), "\(text)")
            #expect(!text.contains("\u{1B}"), "nothing is drawn over where no terminal is")
        }
    }
}
