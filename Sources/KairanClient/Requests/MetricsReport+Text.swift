extension MetricsReport {
    /// Reads Prometheus' text format 0.0.4, as the daemon writes it: each family begins with its description.
    /// - Parameter text: The text.
    /// - Throws: ``KairanError`` when it is something else.
    public init(text: String) throws {
        families = []
        for line in text.unicodeScalars.split(separator: "\n") where !line.allSatisfy({ $0 == " " }) {
            guard add(line) else {
                throw KairanError.unexpectedAnswer("a line of metrics cannot be read: \(String(line).prefix(100))")
            }
        }
    }

    private typealias Rest = Substring.UnicodeScalarView

    private mutating func add(_ line: Rest) -> Bool {
        if line.first == "#" { return addComment(line) }
        var rest = line
        let name = Self.take(&rest) { $0 != "{" && $0 != " " }
        guard let labels = Self.labels(&rest), let value = Self.value(String(rest)), var family = families.popLast()
        else { return false }
        family.samples.append(Sample(name: name, labels: labels, value: value))
        families.append(family)
        return name.hasPrefix(family.name)
    }

    /// Parses a comment that describes a family, in two lines; other comments carry no meaning.
    private mutating func addComment(_ line: Rest) -> Bool {
        var rest = line
        let mark = Self.take(&rest) { $0 != " " }
        rest = rest.dropFirst()
        let kind = Self.take(&rest) { $0 != " " }
        rest = rest.dropFirst()
        guard mark == "#", kind == "HELP" || kind == "TYPE" else { return true }
        let name = Self.take(&rest) { $0 != " " }
        rest = rest.dropFirst()
        if families.last?.name != name { families.append(Family(name: name, type: "untyped", help: "", samples: [])) }
        guard let index = families.indices.last else { return false }
        if kind == "TYPE" {
            families[index].type = String(rest)
        } else {
            families[index].help = Self.unescaped(&rest, upTo: nil) ?? ""
        }
        return true
    }

    private static func labels(_ rest: inout Rest) -> [String: String]? {
        var labels: [String: String] = [:]
        guard rest.first == "{" else { return labels }
        rest = rest.dropFirst()
        while let scalar = rest.first, scalar != "}" {
            let name = take(&rest) { $0 != "=" }
            guard rest.starts(with: "=\"".unicodeScalars) else { return nil }
            rest = rest.dropFirst(2)
            guard let value = unescaped(&rest, upTo: "\"") else { return nil }
            labels[name] = value
            if rest.first == "," { rest = rest.dropFirst() }
        }
        guard rest.first == "}" else { return nil }
        rest = rest.dropFirst()
        return labels
    }

    /// A text up to its end mark, which is taken as well; `nil` where there is none.
    private static func unescaped(_ rest: inout Rest, upTo end: Unicode.Scalar?) -> String? {
        var text = String.UnicodeScalarView()
        while let scalar = rest.popFirst() {
            if scalar == end { return String(text) }
            guard scalar == "\\" else {
                text.append(scalar)
                continue
            }
            switch rest.popFirst() {
            case "n": text.append("\n")
            case let escaped?: text.append(escaped)
            case nil: return nil
            }
        }
        return end == nil ? String(text) : nil
    }

    /// The number behind the labels; a time behind it is passed over.
    private static func value(_ text: String) -> Double? {
        guard let word = text.split(separator: " ").first else { return nil }
        return switch word {
        case "+Inf": Double.infinity
        case "-Inf": -Double.infinity
        case "NaN": Double.nan
        default: Double(word)
        }
    }

    private static func take(_ rest: inout Rest, while isPart: (Unicode.Scalar) -> Bool) -> String {
        let part = rest.prefix(while: isPart)
        rest = rest[part.endIndex...]
        return String(part)
    }
}

extension MetricsReport {
    /// The report as one JSON document; values that JSON cannot represent as numbers are strings.
    package var json: JSONValue {
        let families = families.map { family -> JSONValue in
            [
                "name": .string(family.name), "type": .string(family.type), "help": .string(family.help),
                "samples": .array(family.samples.map(\.json)),
            ]
        }
        return ["families": .array(families)]
    }
}

extension MetricsReport.Sample {
    fileprivate var json: JSONValue {
        let members = labels.sorted { $0.key < $1.key }.map { JSONMember($0.key, .string($0.value)) }
        return ["name": .string(name), "labels": .object(members), "value": number]
    }

    private var number: JSONValue {
        guard value.isFinite else { return .string(value.isNaN ? "NaN" : value < 0 ? "-Inf" : "+Inf") }
        return Int64(exactly: value).map { .integer($0) } ?? .number(value)
    }
}
