import ArgumentParser
import KairanClient

/// Shows the state of the daemon.
struct Status: ControlCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show the state of the daemon.",
        discussion: """
            The warnings follow the facts, each with its code in brackets and its fix; `kairan acknowledge` hides a known one, \
            and `kairan doctor` examines further.

            EXAMPLE:
              kairan status --json | jq .health
            """
    )

    @OptionGroup var global: GlobalOptions
    @Flag(help: "Show acknowledged warnings too.")
    var all = false

    func run(in session: Session) async throws {
        let document = try await session.client.document(.status)
        // An application gets less; the second attempt reports an answer that fits neither form.
        if let status: DaemonStatus = try? DaemonClient.decode(document) {
            let style = await session.styleWithNames()
            try session.show(document: document) { (_: DaemonStatus) in
                Self.text(status, all: all, style: style)
            }
        } else {
            try session.show(document: document) { (status: BareStatus) in
                "state    \(status.state.rawValue)\nversion  \(status.version)"
            }
        }
    }

    /// The status for people.
    static func text(_ status: DaemonStatus, all: Bool = false, style: Style) -> String {
        let state =
            switch status.state {
            case .ready: style.good("ready")
            case .starting, .recovering: style.warning(status.state.rawValue)
            case .degraded: style.bad("degraded")
            }
        var lines = [
            ("state", state),
            ("version", status.version),
            ("device", style.device(status.device)),
            ("account", style.account(status.account)),
            ("peers", "\(status.peers) connected"),
            ("zones", "\(status.zones)"),
            ("pending", Words.count(status.pending, "operation", "operations")),
            ("port", status.listeningPort.map { "\($0)" } ?? "none"),
        ].map { name, value in style.dim(name + String(repeating: " ", count: 9 - name.count)) + value }
        for notice in status.health where all || notice.isAcknowledged != true {
            let known = notice.isAcknowledged == true ? ", acknowledged" : ""
            let severity =
                notice.severity == .critical
                ? style.bad(notice.severity.rawValue) : style.warning(notice.severity.rawValue)
            lines += ["", "\(severity): \(notice.message) [\(notice.code)\(known)]", "  \(notice.fix)"]
        }
        return lines.joined(separator: "\n")
    }
}
