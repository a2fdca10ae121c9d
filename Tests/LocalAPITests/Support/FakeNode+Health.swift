import Node

extension FakeNode {
    func examine() async throws(NodeError) -> [CheckOutcome] {
        try enter("examine")
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
