import ArgumentParser
import KairanClient

/// The daemon's checks of itself.
struct Doctor: ControlCommand {
    static let configuration = CommandConfiguration(
        abstract: "Examine this machine, its network and its work, and name faults and their fixes.",
        discussion: """
            Ends with 0 if no finding needs action, and with 1 otherwise. All codes are in \
            /usr/share/doc/kairan/docs/operations/doctor.md.

            --report writes a file for support: the checks, the connections, the pending work, and the metrics. Names, ids, \
            addresses and the texts of warnings are left out of it unless --with-names is given; the contents of records and \
            messages, and keys, are never in it.

            EXAMPLES:
              kairan doctor
              kairan doctor --json | jq '.[] | select(.ok | not)'
              kairan doctor --report report.json
            """
    )

    @OptionGroup var global: GlobalOptions
    @Option(
        help: ArgumentHelp("Write a report to this new file, with mode 0600.", valueName: "file"),
        completion: .file()
    )
    var report: String?
    @Flag(help: "Include names, ids, addresses and the texts of warnings in the report.")
    var withNames = false

    func validate() throws {
        guard !withNames || report != nil else { throw ValidationError("--with-names needs --report.") }
    }

    func run(in session: Session) async throws {
        var display = ProgressDisplay(session)
        let checks: [HealthCheck]
        let document: [UInt8]?
        if display.isShown {
            defer { display.end() }
            checks = try await session.client.checks { progress in
                display.show(evenAtOnce: true) { Self.bar(progress, in: $0).text }
            }
            document = nil
        } else {
            let answer = try await session.client.document(.doctor)
            checks = try DaemonClient.decode(answer)
            document = answer
        }
        if let report {
            let bundle = try await Report.collect(from: session.client, checks: checks, withNames: withNames)
            try SecretFile.create(bundle.json.encodedText + "\n", at: report)
        }
        if session.isJSON, let document {
            try session.terminal.print(line: document)
        } else {
            let text = Self.text(checks, style: session.style)
            try session.terminal.print(report.map { "\(text)\n\nThe report is in \(Table.visible($0))." } ?? text)
        }
        if checks.contains(where: Self.needsSomebody) { throw ExitCode(1) }
    }

    /// The progress of the checks: how many were made, and which are being made now.
    static func bar(_ progress: CheckProgress, in seconds: Double) -> ProgressBar {
        let running = progress.running.map(Table.visible).joined(separator: ", ")
        return ProgressBar(
            amount: "\(progress.done) of \(Words.count(progress.count, "check", "checks")), now \(running)",
            count: progress.done,
            share: progress.count > 0 ? Double(progress.done) / Double(progress.count) : nil,
            seconds: seconds,
            isSteady: false
        )
    }

    /// Whether a finding is more than worth knowing.
    static func needsSomebody(_ check: HealthCheck) -> Bool { !check.isGood && check.severity != .info }

    /// The checks for people: a line each, below a finding the way out.
    static func text(_ checks: [HealthCheck], style: Style) -> String {
        let width = checks.map(\.code.count).max() ?? 0
        let lines = checks.flatMap { check in
            let mark =
                switch (check.isGood, check.severity) {
                case (true, _): style.good("ok  ")
                case (_, .info): style.warning("note")
                case (_, .critical): style.bad("bad ")
                default: style.warning("look")
                }
            let code = check.code + String(repeating: " ", count: width - check.code.count)
            let line = "\(mark)  \(style.dim(code))  \(Table.visible(check.message))"
            let indent = String(repeating: " ", count: width + 8)
            return check.fix.isEmpty ? [line] : [line, indent + Table.visible(check.fix)]
        }
        let found = checks.count(where: needsSomebody)
        let sum = found == 0 ? "Nothing needs you." : "\(Words.count(found, "finding needs", "findings need")) you."
        return (lines + ["", sum]).joined(separator: "\n")
    }
}
