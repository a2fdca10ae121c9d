import KairanClient
import Synchronization
import Testing

@testable import LocalAPI

/// Metrics.
extension `The program kairan` {
    @Test(.timeLimit(.minutes(5))) func `metrics prints the text as it is, and with --json one document`()
        async throws
    {
        let node = FakeNode()
        try await Self.withProgram(node: node) { kairan in
            let text = try await kairan("metrics")
            #expect(text.status == 0 && text.output == FakeNode.metrics && text.error.isEmpty)
            let families = try #require(try await kairan.json("metrics")["families"]?.elements)
            #expect(families.map { $0["type"]?.text } == ["gauge", "histogram"])
            #expect(families[0]["samples"] == [["name": "kairan_peers_connected", "labels": .object([]), "value": 1]])
            #expect(families[1]["samples"]?.elements?[2]["value"] == 1.25)
            #expect(node.calls == ["metrics", "metrics"])
        }
    }
}
