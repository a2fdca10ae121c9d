import ArgumentParser
import KairanClient

/// The state of the daemon, again and again.
struct Top: ControlCommand {
    static let configuration = CommandConfiguration(
        abstract: "Watch peers, pending work and rates, until Ctrl-C.",
        discussion: """
            Each round asks the daemon again, and pings connected devices. On a terminal each round replaces the one before; \
            elsewhere rounds follow each other, and with --json each is a document on a line.

            EXAMPLES:
              kairan top
              kairan top --count 1 --json
            """
    )

    @OptionGroup var global: GlobalOptions
    @Option(help: ArgumentHelp("The time between two rounds.", valueName: "seconds"))
    var interval = 2
    @Option(
        name: .shortAndLong,
        help: ArgumentHelp("The number of rounds; without it, until Ctrl-C.", valueName: "number")
    )
    var count: Int?

    func validate() throws {
        guard (1...3_600).contains(interval) else { throw ValidationError("--interval is 1 to 3600 seconds.") }
        guard count.map({ $0 > 0 }) ?? true else { throw ValidationError("--count is 1 or more.") }
    }

    func run(in session: Session) async throws {
        Terminal.endQuietlyOnInterrupt()
        let clock = ContinuousClock()
        var former: (rates: Rates, time: ContinuousClock.Instant)?
        var round = 0
        while count.map({ round < $0 }) ?? true {
            if round > 0 { try await Task.sleep(for: .seconds(interval)) }
            let look = try await Look.take(session.client)
            let now = clock.now
            let seconds = former.map { Double((now - $0.time) / .milliseconds(1)) / 1_000 }
            let rates = former.flatMap { former in seconds.map { look.totals.rates(since: former.rates, seconds: $0) } }
            former = (look.totals, now)
            if session.isJSON {
                try session.terminal.print(line: look.json(rates).encoded)
            } else {
                // Home, and everything below it erased.
                let clear = session.terminal.isOutputTerminal ? "\u{1B}[H\u{1B}[2J" : ""
                try session.terminal.print(clear + look.text(rates, style: session.style) + "\n")
            }
            round += 1
        }
    }

    /// The flow of bytes and operations, as totals since the daemon started or as rates for each second.
    struct Rates: Equatable {
        var received: Double
        var sent: Double
        var written: Double
        var arrived: Double

        /// The totals of a report.
        init(_ report: MetricsReport) {
            received = report.sum("kairan_received_bytes_total") ?? 0
            sent = report.sum("kairan_sent_bytes_total") ?? 0
            written = report.sum("kairan_operations_written_total") ?? 0
            arrived = report.sum("kairan_operations_received_total") ?? 0
        }

        /// The change for each second; nothing where the daemon has started again meanwhile.
        func rates(since former: Rates, seconds: Double) -> Rates {
            var rates = self
            func rate(_ total: KeyPath<Rates, Double>) -> Double {
                max(0, self[keyPath: total] - former[keyPath: total]) / max(seconds, 0.001)
            }
            (rates.received, rates.sent) = (rate(\.received), rate(\.sent))
            (rates.written, rates.arrived) = (rate(\.written), rate(\.arrived))
            return rates
        }
    }

    /// One look at the daemon.
    struct Look {
        let status: DaemonStatus
        let peers: [Peer]
        let pending: PendingWork
        let totals: Rates

        static func take(_ client: DaemonClient) async throws -> Look {
            try await Look(
                status: client.status(),
                peers: DaemonClient.decode(client.document(.peers(pinging: true))),
                pending: DaemonClient.decode(client.document(.pending(zone: nil))),
                totals: Rates(client.metrics())
            )
        }

        /// The look for people.
        func text(_ rates: Rates?, style: Style) -> String {
            let state =
                switch status.state {
                case .ready: style.good("ready")
                case .starting, .recovering: style.warning(status.state.rawValue)
                case .degraded: style.bad("degraded")
                }
            let sums = [
                "kairan \(status.version)", state, Words.count(status.peers, "peer", "peers"),
                Words.count(status.zones, "zone", "zones"),
                Words.count(status.pending, "operation", "operations") + " pending",
            ]
            let flow = rates.map { rates in
                "in \(Words.size(Int(rates.received)))/s, \(Words.tenths(rates.arrived)) operations/s   "
                    + "out \(Words.size(Int(rates.sent)))/s   written \(Words.tenths(rates.written)) operations/s"
            }
            let notices = status.health.filter { $0.isAcknowledged != true && $0.severity != .info }.map { notice in
                (notice.severity == .critical ? style.bad(notice.code) : style.warning(notice.code))
                    + "  " + Table.visible(notice.message)
            }
            let lines = [sums.joined(separator: "   ")] + (flow.map { [$0] } ?? []) + notices
            return [
                lines.joined(separator: "\n"), Peers.text(peers, style: style), Pending.text(pending, style: style),
            ].joined(separator: "\n\n")
        }

        /// The look for programs.
        func json(_ rates: Rates?) -> JSONValue {
            let connected = peers.count { $0.state == .connected }
            return [
                "state": .string(status.state.rawValue), "peers": .integer(Int64(connected)),
                "zones": .integer(Int64(status.zones)), "pending": .integer(Int64(clamping: status.pending)),
                "warnings": .array(status.health.map { .string($0.code) }),
                "received_bytes_per_s": rates.map { .number($0.received) } ?? .null,
                "sent_bytes_per_s": rates.map { .number($0.sent) } ?? .null,
                "written_per_s": rates.map { .number($0.written) } ?? .null,
                "arrived_per_s": rates.map { .number($0.arrived) } ?? .null,
                "behind": .array(
                    pending.pending.map { entry in
                        [
                            "zone": .string(entry.zone), "device": .string(entry.device),
                            "behind": .integer(Int64(clamping: entry.behind)),
                            "missing": .integer(Int64(clamping: entry.missing)),
                            "reason": .string(entry.reason.rawValue),
                        ]
                    }
                ),
            ]
        }
    }
}
