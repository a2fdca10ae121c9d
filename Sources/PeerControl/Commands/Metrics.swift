import ArgumentParser
import KairanClient

/// The command that shows the daemon's counters and measurements.
struct Metrics: ControlCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show the metrics of the daemon.",
        discussion: """
            In the text format that Prometheus reads; with --json, one document with all families.

            EXAMPLE:
              kairan metrics | grep kairan_relay_
            """
    )

    @OptionGroup var global: GlobalOptions

    func run(in session: Session) async throws {
        let text = try await session.client.metricsText()
        if session.isJSON {
            try session.terminal.print(line: MetricsReport(text: text).json.encoded)
        } else {
            try session.terminal.print(raw: Array(text.utf8))
        }
    }
}
