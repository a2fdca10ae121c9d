import ArgumentParser
import FoundationEssentials
import KairanClient

/// Waits for a state, for scripts.
struct Wait: ControlCommand {
    static let configuration = CommandConfiguration(
        abstract: "Wait until the daemon is ready, or in step with a device.",
        discussion: """
            Without a device it waits until the daemon answers and is ready; a daemon that does not run yet is waited for. With one, until that \
            device is connected and neither side lacks anything that the other one has. Ends with 75 when the time is over, and says what is \
            still missing.

            EXAMPLES:
              kairan wait
              kairan wait desk --timeout 300
            """
    )

    @OptionGroup var global: GlobalOptions
    @Argument(
        help: "The name of a device, or the beginning of its id; without it, the daemon alone.",
        completion: .devices
    )
    var peer: String?
    @Option(help: ArgumentHelp("How long to wait, in seconds.", valueName: "seconds"))
    var timeout = 60

    /// The time between two looks.
    private static let interval: Duration = .milliseconds(250)

    func validate() throws {
        guard (0...31_536_000).contains(timeout) else { throw ValidationError("--timeout is 0 to 31536000 seconds.") }
    }

    func run(in session: Session) async throws {
        let clock = ContinuousClock()
        let begin = clock.now
        defer { session.terminal.endProgress() }
        while true {
            let missing = try await missing(session.client)
            guard let missing else { break }
            guard clock.now - begin < .seconds(timeout) else { throw TimeOver(missing: missing) }
            session.terminal.showProgress("Waiting: \(missing) …")
            try await Task.sleep(for: Self.interval)
        }
        session.terminal.endProgress()
        let waited = (clock.now - begin).components
        let milliseconds = waited.seconds * 1_000 + waited.attoseconds / 1_000_000_000_000_000
        try session.show(
            ["peer": peer.map(JSONValue.string) ?? .null, "waited_ms": .integer(milliseconds)],
            peer.map { "In step with \($0)." } ?? "Ready."
        )
    }

    /// The next thing that is missing; nil when the wait is over.
    private func missing(_ client: DaemonClient) async throws -> String? {
        do {
            // An application is told no more than the state.
            let document = try await client.document(.status)
            let status: BareStatus = try DaemonClient.decode(document)
            let whole: DaemonStatus? = try? DaemonClient.decode(document)
            if let missing = Self.missing(status.state, because: whole?.health ?? []) { return missing }
            guard let peer else { return nil }
            let peers: [Peer] = try DaemonClient.decode(try await client.document(.peers(pinging: false)))
            let found = try Ping.device.choose(peer, among: peers, id: \.device, name: \.name)
            guard found.state == .connected else { return Self.missing(found) }
            let work: PendingWork = try DaemonClient.decode(try await client.document(.pending(zone: nil)))
            return Self.missing(work, with: found)
        } catch let error as KairanError
            where [.unreachable, .interrupted].contains(error.kind) && SocketRefusal(path: client.socketPath) == nil
        {
            return "the daemon does not answer"
        }
    }

    /// The cause for which the daemon is not ready; nil when it is.
    static func missing(_ state: DaemonStatus.State, because health: [HealthNotice]) -> String? {
        guard state != .ready else { return nil }
        let causes = health.filter { $0.severity == "critical" }.map(\.message)
        return (["the daemon is \(state.rawValue)"] + causes).joined(separator: ": ")
    }

    /// The cause for which a device is not connected; nil when it is.
    static func missing(_ peer: Peer) -> String? {
        switch peer.state {
        case .connected: nil
        case .reachable: "\(peer.name) is in sight, and not connected yet"
        case .unreachable: "\(peer.name) is in sight and not reached: \(peer.trouble?.error ?? "no answer")"
        case .away: "\(peer.name) is away"
        }
    }

    /// The difference to a device; nil when both are in step.
    static func missing(_ work: PendingWork, with peer: Peer) -> String? {
        let zones = work.pending.filter { $0.device == peer.device }
        guard !zones.isEmpty else { return nil }
        let (there, here) = zones.reduce(into: (UInt64(0), UInt64(0))) { sum, zone in
            sum.0 += zone.behind
            sum.1 += zone.missing
        }
        let names = zones.prefix(3).map(\.zoneName).joined(separator: ", ") + (zones.count > 3 ? " and more" : "")
        return "\(peer.name) lacks \(Words.count(there, "operation", "operations")) and has \(here) more, in \(names)"
    }
}

/// The time of a wait is over.
struct TimeOver: Error {
    /// The thing that is still missing.
    let missing: String

    /// The error for people and programs.
    var problem: Problem {
        Problem(
            type: "https://kairan.invalid/problems/wait.timeout",
            title: "The time is over",
            status: 0,
            code: "wait.timeout",
            detail: "The time is over, and \(missing).",
            fix: "Wait longer with --timeout; `kairan pending` says what is on its way.",
            isRetryable: true
        )
    }
}
