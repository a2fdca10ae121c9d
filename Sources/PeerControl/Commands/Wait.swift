import ArgumentParser
import FoundationEssentials
import KairanClient

/// Waits for a state, for scripts.
struct Wait: ControlCommand {
    static let configuration = CommandConfiguration(
        abstract: "Wait until the daemon is ready, or in step with a device.",
        discussion: """
            Without a device the command waits until the daemon runs, answers and is ready. With one, it waits until that device is \
            connected and neither side lacks an operation that the other one has; at a terminal it shows the missing amount, as \
            far as it is known. Ends with 75 at the timeout, and reports what is still missing.

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
    @Option(help: ArgumentHelp("The time to wait, in seconds.", valueName: "seconds"))
    var timeout = 60

    /// The time between two looks.
    private static let interval: Duration = .milliseconds(250)

    func validate() throws {
        guard (0...31_536_000).contains(timeout) else { throw ValidationError("--timeout is 0 to 31536000 seconds.") }
    }

    func run(in session: Session) async throws {
        let clock = ContinuousClock()
        let begin = clock.now
        var (display, catchUp) = (ProgressDisplay(session), CatchUp())
        defer { display.end() }
        while true {
            let missing = try await missing(session.client)
            guard let missing else { break }
            guard clock.now - begin < .seconds(timeout) else { throw TimeOver(missing: missing.text) }
            let bar = catchUp.note(missing, at: display.seconds)
            display.show { _ in bar?.text ?? "Waiting: \(missing.text) …" }
            try await Task.sleep(for: Self.interval)
        }
        display.end()
        let waited = (clock.now - begin).components
        let milliseconds = waited.seconds * 1_000 + waited.attoseconds / 1_000_000_000_000_000
        try session.show(
            ["peer": peer.map(JSONValue.string) ?? .null, "waited_ms": .integer(milliseconds)],
            peer.map { "In step with \($0)." } ?? "Ready."
        )
    }

    /// The next thing that is missing; nil when the wait is over.
    private func missing(_ client: DaemonClient) async throws -> Missing? {
        do {
            // An application gets no more than the state.
            let document = try await client.document(.status)
            let status: BareStatus = try DaemonClient.decode(document)
            let whole: DaemonStatus? = try? DaemonClient.decode(document)
            if let missing = Self.missing(status.state, because: whole?.health ?? []) { return Missing(text: missing) }
            guard let peer else { return nil }
            let peers: [Peer] = try DaemonClient.decode(try await client.document(.peers(pinging: false)))
            let found = try Ping.device.choose(peer, among: peers, id: \.device, name: \.name)
            guard found.state == .connected else { return Self.missing(found).map { Missing(text: $0) } }
            let work: PendingWork = try DaemonClient.decode(try await client.document(.pending(zone: nil)))
            let rest = work.pending.filter { $0.device == found.device }.reduce(0) { $0 &+ $1.behind &+ $1.missing }
            return Self.missing(work, with: found).map { Missing(text: $0, operations: rest) }
        } catch let error as KairanError
            where [.unreachable, .interrupted].contains(error.kind) && SocketRefusal(path: client.socketPath) == nil
        {
            return Missing(text: "the daemon does not answer")
        }
    }

    /// The cause for which the daemon is not ready; nil when it is.
    static func missing(_ state: DaemonStatus.State, because health: [HealthNotice]) -> String? {
        guard state != .ready else { return nil }
        let causes = health.filter { $0.severity == .critical }.map(\.message)
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

    /// The difference to a device; nil when both are synchronised.
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

/// The next thing that the command waits for.
struct Missing: Hashable {
    /// The description, in words.
    var text: String
    /// The operations that are still missing on either side; `nil` if unknown.
    var operations: UInt64?
}

/// The progress of two devices towards being synchronised, from one look to the next.
struct CatchUp {
    private var most: UInt64 = 0
    private var begin: Double?

    /// Records a look.
    /// - Parameters:
    ///   - missing: The operations that are missing now.
    ///   - seconds: The time.
    /// - Returns: The progress, relative to the largest number that was ever missing; `nil` while that is unknown.
    mutating func note(_ missing: Missing, at seconds: Double) -> ProgressBar? {
        guard let rest = missing.operations else { return nil }
        if rest > most {
            // More operations have come to light: the earlier progress says nothing about the time that these take.
            (most, begin) = (rest, seconds)
        }
        let done = most - rest
        return ProgressBar(
            amount: missing.text,
            count: Int(clamping: done),
            share: Double(done) / Double(max(most, 1)),
            seconds: seconds - (begin ?? seconds)
        )
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
            title: "The wait has timed out",
            status: 0,
            code: "wait.timeout",
            detail: "The wait has timed out, and \(missing).",
            fix: "Wait longer with --timeout; `kairan pending` shows the operations that are missing.",
            isRetryable: true
        )
    }
}

extension TimeOver: CustomStringConvertible {
    /// The reason.
    var description: String { "the wait has timed out, and this is still missing: \(missing)" }
}
