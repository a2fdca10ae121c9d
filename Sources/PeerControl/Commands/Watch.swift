import ArgumentParser
import KairanClient

/// Shows events as they happen.
struct Watch: ControlCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show events as they happen.",
        discussion: """
            With --json the first line is a snapshot; then events follow, one a line, numbered without gaps. Ctrl-C \
            ends the command with 130. With --fields each change is followed by the fields that have another value now. For that the \
            records of each zone are read first, if it has 10,000 or fewer; in larger zones, and with --since, the first change of a \
            record shows all fields. When the daemon ends the stream, the exit code is 75: continue with --since and the last token.

            EXAMPLE:
              kairan watch notes --json
              kairan watch tasks --type Task --where 'done = false'
              kairan watch tasks --fields
            """
    )

    @OptionGroup var global: GlobalOptions
    @Argument(help: .zoneOrAll, completion: .zones)
    var zone: String?
    @Option(help: "Only records of this type.")
    var type: String?
    @Option(
        name: .customLong("where"),
        help: "Only records that meet this condition; \"out\" marks one that no longer does."
    )
    var condition: String?
    @Option(help: "Resume after this token; from now by default.")
    var since: String?
    @Flag(
        name: .customLong("internal"),
        help: "Also changes of internal records; the token is then for --internal too."
    )
    var showsInternal = false

    @Flag(help: "Show which fields have changed, with their values.")
    var fields = false

    func validate() throws {
        guard !(fields && global.json) else { throw ValidationError("With --json each change has all fields already.") }
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
        var names = WatchedNames(style: await session.styleWithNames())
        var diary = FieldDiary()
        for try await document in documents {
            let event: DaemonEvent? = session.isJSON ? nil : try DaemonClient.decode(document)
            if let event, names.note(event) { names.renew(await session.styleWithNames()) }
            if fields, case .snapshot(let zones)? = event?.kind, since == nil {
                // Changes that come meanwhile wait in the stream.
                try await read(zones, into: &diary, session.client)
            }
            try session.show(document: document) { (event: DaemonEvent) in
                let text = Self.text(event, style: names.style)
                guard fields, case .change(let change) = event.kind else { return text }
                return text + diary.text(change, style: session.style)
            }
        }
        // Only the daemon ends the stream: it stops, or this reader was too slow. Neither means that all was seen.
        throw ExitCode(75)
    }

    /// Reads the records of zones that are small enough.
    private func read(_ zones: [Zone], into diary: inout FieldDiary, _ client: DaemonClient) async throws {
        for zone in zones where zone.records <= FieldDiary.readCountMax {
            for try await record in try await client.export(zone: zone.zone, showsInternal: showsInternal)
            where type.map({ record.type.isSameName(as: $0) }) ?? true {
                diary.note(record.fields, of: record.name, in: zone.zone)
            }
            diary.noteAllAreKnown(in: zone.zone)
        }
    }

    /// Formats an event for people.
    /// - Parameters:
    ///   - event: The event.
    ///   - style: The style of the output, with names.
    /// - Returns: One line.
    static func text(_ event: DaemonEvent, style: Style) -> String {
        switch event.kind {
        case .snapshot(let zones):
            style.dim("watching \(Words.count(zones.count, "zone", "zones")) from \(event.token ?? "now")")
        case .change(let change):
            "\(change.kind.rawValue) \(Table.visible(change.record.name)), version \(style.id(change.record.version))"
                + style.dim(change.bySync ? " by sync" : " from here")
        case .zone(let change):
            "zone \(style.zone(change.zone.zone, called: change.zone.name)) "
                + (change.isDeleted ? style.warning(change.reason ?? "deleted") : "is here")
        case .peer(let peer): "peer \(style.device(peer.device, called: peer.name)) is \(peer.state.rawValue)"
        case .sync(let report):
            "\(report.kind) \(report.kind == .export ? "to" : "from") \(style.device(report.peer))"
                + (report.zone.map { " in \(style.zone($0))" } ?? "")
                + (report.endedAt == nil ? " began" : ": " + Words.count(report.count, "operation", "operations"))
                + (report.error.map { style.bad(", failed: \($0)") } ?? "")
        case .quarantine(let zone): "the quarantine of zone \(style.zone(zone)) changed"
        case .transfer(let zone): "the offer of zone \(style.zone(zone)) changed: kairan share ls \(style.id(zone))"
        case .asset(let change):
            "asset \(style.id(change.asset)) in \(style.zone(change.zone)) is "
                + AssetText.standing(change.state, change.percent)
        case .anomaly(let anomaly): style.warning(AnomalyText.sentence(anomaly, style: style))
        case .end(let reason): style.warning("the daemon ended the stream: \(reason)")
        case .other(let name): style.dim(name)
        }
    }
}
