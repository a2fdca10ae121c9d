import ArgumentParser
import KairanClient

/// How the daemon is.
struct Status: ControlCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show how the daemon is.",
        discussion: "EXAMPLE:\n  kairan status --json | jq .health"
    )

    @OptionGroup var global: GlobalOptions

    func run(in session: Session) async throws {
        let document = try await session.client.document(.status)
        // An application is told less; what fits neither form is reported by the second attempt.
        if let status: DaemonStatus = try? DaemonClient.decode(document) {
            try session.show(document: document) { (_: DaemonStatus) in Self.text(status, style: session.style) }
        } else {
            try session.show(document: document) { (status: BareStatus) in
                "state    \(status.state.rawValue)\nversion  \(status.version)"
            }
        }
    }

    /// The status for people.
    static func text(_ status: DaemonStatus, style: Style) -> String {
        let state =
            switch status.state {
            case .ready: style.good("ready")
            case .starting, .recovering: style.warning(status.state.rawValue)
            case .degraded: style.bad("degraded")
            }
        var lines = [
            ("state", state),
            ("version", status.version),
            ("device", status.device),
            ("account", status.account),
            ("peers", "\(status.peers) connected"),
            ("zones", "\(status.zones)"),
            ("pending", Words.count(status.pending, "operation", "operations")),
            ("port", status.listeningPort.map { "\($0)" } ?? "none"),
        ].map { name, value in style.dim(name + String(repeating: " ", count: 9 - name.count)) + value }
        for notice in status.health {
            let severity = notice.severity == "critical" ? style.bad(notice.severity) : style.warning(notice.severity)
            lines += ["", "\(severity): \(notice.message) [\(notice.code)]", "  \(notice.fix)"]
        }
        return lines.joined(separator: "\n")
    }
}
