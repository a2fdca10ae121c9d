import Node

/// Writes families and their series in Prometheus' text format 0.0.4.
struct ExpositionText {
    /// The text written so far.
    private(set) var text = ""

    /// Begins a family; its series follow.
    mutating func begin(_ family: MetricFamily) {
        let type =
            switch family.kind {
            case .counter: "counter"
            case .gauge: "gauge"
            case .histogram: "histogram"
            }
        text += "# HELP \(family.name) \(Self.escaped(family.help, quotes: false))\n# TYPE \(family.name) \(type)\n"
    }

    /// Writes a series.
    /// - Parameters:
    ///   - series: The series.
    ///   - labels: Its labels, as ``labels(_:)`` wrote them.
    ///   - family: The family of the series.
    mutating func add(_ series: Series, _ labels: String, of family: MetricFamily) {
        switch series {
        case .counter(let counter): line(family.name, labels, "\(counter.value)")
        case .gauge(let gauge): line(family.name, labels, Self.number(gauge.value))
        case .reading(let value): line(family.name, labels, Self.number(value))
        case .histogram(let histogram): add(histogram, labels, of: family)
        }
    }

    private mutating func add(_ histogram: HistogramSeries, _ labels: String, of family: MetricFamily) {
        let totals = histogram.totals
        var count: UInt64 = 0
        for (index, bound) in (histogram.bounds + [.infinity]).enumerated() {
            count += totals.counts[index]
            let end = "le=\"\(Self.number(bound))\""
            let whole = labels.isEmpty ? "{\(end)}" : "\(labels.dropLast()),\(end)}"
            line(family.name + "_bucket", whole, "\(count)")
        }
        line(family.name + "_sum", labels, Self.number(totals.sum))
        line(family.name + "_count", labels, "\(count)")
    }

    private mutating func line(_ name: String, _ labels: String, _ value: String) {
        text += "\(name)\(labels) \(value)\n"
    }

    /// Labels with their values, in braces; nothing for none.
    static func labels(_ labels: [(String, String)]) -> String {
        guard !labels.isEmpty else { return "" }
        return "{" + labels.map { "\($0.0)=\"\(escaped($0.1, quotes: true))\"" }.joined(separator: ",") + "}"
    }

    /// A number as Go reads it; whole ones without a point.
    static func number(_ value: Double) -> String {
        if value.isNaN { return "NaN" }
        if value.isInfinite { return value < 0 ? "-Inf" : "+Inf" }
        return Int64(exactly: value).map { "\($0)" } ?? "\(value)"
    }

    /// A text on one line: backslashes and line ends are escaped, and quotation marks where the text is quoted.
    private static func escaped(_ text: String, quotes: Bool) -> String {
        var result = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\\": result.append(contentsOf: "\\\\".unicodeScalars)
            case "\n": result.append(contentsOf: "\\n".unicodeScalars)
            case "\"" where quotes: result.append(contentsOf: "\\\"".unicodeScalars)
            default: result.append(scalar)
            }
        }
        return String(result)
    }
}
