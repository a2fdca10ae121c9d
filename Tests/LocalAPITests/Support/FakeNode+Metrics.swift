import Node

extension FakeNode {
    static let metrics = """
        # HELP kairan_peers_connected Devices with an active session.
        # TYPE kairan_peers_connected gauge
        kairan_peers_connected 1
        # HELP kairan_commit_duration_seconds Duration of transactions until they were durable.
        # TYPE kairan_commit_duration_seconds histogram
        kairan_commit_duration_seconds_bucket{le="0.5"} 2
        kairan_commit_duration_seconds_bucket{le="+Inf"} 3
        kairan_commit_duration_seconds_sum 1.25
        kairan_commit_duration_seconds_count 3

        """

    func text() async throws(NodeError) -> String {
        try enter("metrics")
        return Self.metrics
    }
}
