import FoundationEssentials
import KairanClient
import Node
import Synchronization
import Testing
import Wire

@testable import LocalAPI

/// Relays, on both sides.
extension `The program kairan` {
    @Test(.timeLimit(.minutes(5))) func `each command about relays prints one JSON document with its keys`()
        async throws
    {
        let node = FakeNode()
        try await Self.withProgram(node: node) { kairan in
            let keys = [
                "relay", "address", "addresses", "state", "stored_bytes", "quota_bytes", "backend", "waiting", "since",
            ]
            let used = try await kairan.json("relay", "use", "kairan://relay#x")
            #expect(keys.allSatisfy { used[$0] != nil } && used["state"] == "connected")
            let relays = try #require(try await kairan.json("relay", "ls").elements)
            #expect(relays.count == 2 && relays[0] == used)
            let relay = try #require(used["relay"]?.text)
            #expect(try await kairan.json("relay", "forget", relay) == ["relay": .string(relay), "used": false])
            let admitted = try await kairan.json("relay", "admit", "Ada", "--quota", "1048576", "--address", "h:1")
            let usage = try #require(try await kairan.json("relay", "usage").elements?.first)
            let names = ["admission", "name", "stored_bytes", "quota_bytes", "parcels", "backend", "since"]
            #expect(names.allSatisfy { usage[$0] != nil && usage[$0] == admitted[$0] })
            #expect(admitted["link"] == "kairan://relay#x" && usage["link"] == nil)
            let dismissed = try await kairan.json("relay", "dismiss", "Ada", "--yes")
            #expect(dismissed == ["admission": usage["admission"] ?? .null, "admitted": false])
            #expect(
                node.calls == [
                    "use relay kairan://relay#x", "relays", "relays", "forget relay \(relay)",
                    "admit Ada 1048576 [\"h:1\"]",
                    "admissions", "admissions", "dismiss \(usage["admission"]?.text ?? "")",
                ]
            )
        }
    }

    @Test(.timeLimit(.minutes(5))) func `a relay's link is alone on the output`() async throws {
        let node = FakeNode()
        try await Self.withProgram(node: node) { kairan in
            let admitted = try await kairan("relay", "admit", "Ada's machines")
            #expect(admitted.status == 0 && admitted.output == "kairan://relay#x\n")
            #expect(admitted.error.hasPrefix("Keeps up to 1.0 GiB for Ada. "), "\(admitted.error)")
            #expect(node.calls == ["admit Ada's machines 1073741824 []"])
            let used = try await kairan("relay", "use", "kairan://relay#x")
            #expect(used.output == "All devices of this account use the relay at relay.example:7620 (connected).\n")
            #expect(used.error.isEmpty)
            node.fail(with: NodeError(.relayOff, "This machine is not a relay for parcels.", fix: "Be one."))
            let off = try await kairan("relay", "usage")
            #expect(off.status == 1 && off.error == "kairan: This machine is not a relay for parcels. Be one.\n")
        }
    }
}
