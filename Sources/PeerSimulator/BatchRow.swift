import Simulator

/// One line of the table: a scenario with all its seeds.
struct BatchRow {
    let scenario: String
    private(set) var seeds = 0
    var failures = 0
    /// Seeds whose failure is known.
    var open = 0
    private(set) var statistics = SimulationStatistics()
    private(set) var elapsed = Duration.zero
    /// The longest time from the end of all faults until all were equal, in milliseconds.
    private(set) var convergence: UInt64 = 0
    private(set) var operations = 0
    private(set) var acknowledged = 0
    private(set) var checks: UInt64 = 0

    init(scenario: String) {
        self.scenario = scenario
    }

    mutating func add(_ report: HistoryReport, elapsed: Duration) {
        seeds += 1
        self.elapsed += elapsed
        statistics.add(report.statistics)
        convergence = max(convergence, report.convergenceMilliseconds.max() ?? 0)
        operations += report.operationCount
        acknowledged += report.acknowledgedCount
        checks += report.checkCount
    }

    private var seconds: Double { elapsed / .seconds(1) }
    private var nodeHours: Double { Double(statistics.nodeMilliseconds) / 3_600_000 }
    private var eventsPerSecond: Double { seconds > 0 ? Double(statistics.events) / seconds : 0 }

    /// Names and values in the order in which they are shown.
    var columns: [(name: String, value: String)] {
        [
            ("seeds", "\(seeds)"),
            ("failures", "\(failures)"),
            ("open", "\(open)"),
            ("node-hours", Self.rounded(nodeHours)),
            ("events", "\(statistics.events)"),
            ("events/s", "\(UInt64(eventsPerSecond))"),
            ("messages", "\(statistics.messages)"),
            ("handshakes", "\(statistics.handshakes)"),
            ("commits", "\(statistics.commits)"),
            ("crashes", "\(statistics.crashes)"),
            ("faults", "\(statistics.faults.values.reduce(0, +))"),
            ("writes", "\(acknowledged)"),
            ("operations", "\(operations)"),
            ("checks", "\(checks)"),
            ("slowest-ms", "\(convergence)"),
            ("seconds", Self.rounded(seconds)),
        ]
    }

    private static func rounded(_ value: Double) -> String {
        let tenths = UInt64((value * 10).rounded())
        return "\(tenths / 10).\(tenths % 10)"
    }
}

extension Batch {
    /// The outcome for people.
    var table: String {
        guard let first = rows.first else { return "nothing ran" }
        let head = ["scenario"] + first.columns.map(\.name)
        let lines = [head] + rows.map { row in [row.scenario] + row.columns.map(\.value) }
        let widths = head.indices.map { column in lines.map { $0[column].utf8.count }.max() ?? 0 }
        return lines.map { cells in
            zip(cells, widths).enumerated().map { index, cell in
                let padding = String(repeating: " ", count: cell.1 - cell.0.utf8.count)
                return index == 0 ? cell.0 + padding : padding + cell.0
            }
            .joined(separator: "  ")
        }
        .joined(separator: "\n")
    }

    /// The outcome for programs.
    var json: String {
        let scenarios = rows.map { row in
            let numbers = row.columns.map { "\"\($0.name)\":\($0.value)" }.joined(separator: ",")
            return "{\"scenario\":\"\(row.scenario)\",\(numbers)}"
        }
        let failed = failures.map { failure in
            let texts = [
                ("scenario", failure.scenario), ("options", failure.options), ("text", failure.text),
                ("replay", failure.replayLine),
            ]
            let fields = texts.map { "\"\($0)\":\(Self.quoted($1))" }.joined(separator: ",")
            return "{\"seed\":\(failure.seed),\(fields)}"
        }
        return "{\"scenarios\":[\(scenarios.joined(separator: ","))],\"failures\":[\(failed.joined(separator: ","))]}"
    }

    private static func quoted(_ text: String) -> String {
        var quoted = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": quoted += "\\\""
            case "\\": quoted += "\\\\"
            case "\n": quoted += "\\n"
            case "\t": quoted += "\\t"
            case _ where scalar.value < 0x20: quoted += " "
            default: quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted + "\""
    }
}
