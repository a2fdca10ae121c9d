import KairanInterface
import Node

extension FakeNode {
    func examine(noting progress: @Sendable (CheckProgress) -> Void) async throws(NodeError) -> [CheckOutcome] {
        try enter("examine")
        progress(CheckProgress(running: ["storage.room"], done: 0, count: 3))
        progress(CheckProgress(running: ["peers.reachable", "peers.versions"], done: 1, count: 3))
        return [
            CheckOutcome(good: "storage.room", "99 GiB of 100 GiB are free for the state directory."),
            CheckOutcome(
                "peers.reachable",
                .warning,
                "desk is seen at 10.0.0.1:7621: no answer in time.",
                fix: "Open it."
            ),
        ]
    }

    func acknowledge(warning code: String) async throws(NodeError) { try enter("acknowledge \(code)") }

    func withdrawAcknowledgement(of code: String) async throws(NodeError) { try enter("acknowledge no \(code)") }
}
