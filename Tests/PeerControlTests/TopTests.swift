import KairanClient
import Testing

@testable import PeerControl

@Suite struct `A snapshot of top` {
    private func totals(_ received: Int, _ written: Int) throws -> Top.Rates {
        Top.Rates(
            try MetricsReport(
                text: """
                    # HELP kairan_received_bytes_total Bytes.
                    # TYPE kairan_received_bytes_total counter
                    kairan_received_bytes_total{network="peers"} \(received)
                    kairan_received_bytes_total{network="relays"} 100
                    # HELP kairan_operations_written_total Operations.
                    # TYPE kairan_operations_written_total counter
                    kairan_operations_written_total \(written)

                    """
            )
        )
    }

    @Test func `sums the traffic of all networks, and shows it for each second`() throws {
        let first = try totals(900, 3)
        #expect(first.received == 1_000 && first.written == 3 && first.sent == 0)
        let rates = try totals(4_900, 13).rates(since: first, seconds: 2)
        #expect(rates.received == 2_000 && rates.written == 5 && rates.sent == 0)
    }

    @Test func `shows no negative rate where the daemon has started anew`() throws {
        let rates = try totals(0, 0).rates(since: totals(900, 3), seconds: 2)
        #expect(rates.received == 0 && rates.written == 0)
    }
}
