import ArgumentParser
import KairanClient

/// Shows what happens.
struct Watch: ControlCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show what happens, as it happens.",
        discussion: """
            With --json the first line is a snapshot; then events follow, one a line, numbered without gaps. Ctrl-C \
            ends it with 130. When the daemon ends it, the exit code is 75: continue with --since and the last token.

            EXAMPLE:
              kairan watch notes --json
              kairan watch tasks --type Task --where 'done = false'
            """
    )

    @OptionGroup var global: GlobalOptions
    @Argument(help: "The zone's id or unique name; all zones by default.", completion: .zones)
    var zone: String?
    @Option(help: "Only records of this type.")
    var type: String?
    @Option(name: .customLong("where"), help: "Only records for which this holds; \"out\" says that a record does not.")
    var condition: String?
    @Option(help: "Resume behind this token; from now by default.")
    var since: String?
    @Flag(
        name: .customLong("internal"),
        help: "Also changes of what daemons write by themselves; the token then is for --internal too."
    )
    var showsInternal = false

    func validate() throws {
        guard condition == nil || type != nil else { throw ValidationError("With --where, name the --type.") }
    }

    func run(in session: Session) async throws {
        Terminal.endQuietlyOnInterrupt()
        let documents = try await session.client.eventDocuments(
            zone: zone,
            type: type,
            where: condition,
            since: since,
            showsInternal: showsInternal
        )
        var zones: [String: String] = [:]
        for try await document in documents {
            try session.show(document: document) { (event: DaemonEvent) in
                Self.note(event, in: &zones)
                return Self.text(event, zones: zones, style: session.style)
            }
        }
        // Only the daemon ends the stream: it stops, or this reader was too slow. Neither means that all was seen.
        throw ExitCode(75)
    }

    /// Remembers what zones are called.
    private static func note(_ event: DaemonEvent, in names: inout [String: String]) {
        switch event.kind {
        case .snapshot(let zones): for zone in zones { names[zone.zone] = zone.name }
        case .zone(let change): names[change.zone.zone] = change.isDeleted ? nil : change.zone.name
        default: break
        }
    }

    /// An event for people.
    /// - Parameters:
    ///   - event: The event.
    ///   - zones: What zones are called, by id.
    ///   - style: How it is shown.
    /// - Returns: One line.
    static func text(_ event: DaemonEvent, zones: [String: String] = [:], style: Style) -> String {
        switch event.kind {
        case .snapshot(let zones):
            style.dim("watching \(Words.count(zones.count, "zone", "zones")) from \(event.token ?? "now")")
        case .change(let change):
            "\(change.kind.rawValue) \(Table.visible(change.record.name)), version \(change.record.version)"
                + style.dim(change.bySync ? " by sync" : " from here")
        case .zone(let change):
            "zone \(Table.visible(change.zone.name)) "
                + (change.isDeleted ? style.warning(change.reason ?? "deleted") : "is here")
        case .peer(let peer): "peer \(Table.visible(peer.name)) is \(peer.state.rawValue)"
        case .sync(let report):
            "\(report.kind) \(report.kind == "export" ? "to" : "from") \(style.id(report.peer))"
                + (report.endedAt == nil ? " began" : ": " + Words.count(report.count, "operation", "operations"))
                + (report.error.map { style.bad(", failed: \($0)") } ?? "")
        case .quarantine(let zone): "the quarantine of zone \(style.id(zone)) changed"
        case .anomaly(let anomaly): style.warning(AnomalyText.sentence(anomaly, zones: zones))
        case .end(let reason): style.warning("the daemon ended the stream: \(reason)")
        case .other(let name): style.dim(name)
        }
    }
}
