import Hummingbird
import Node

extension Request {
    /// Checks that the query has no unknown parameter, most likely a misspelt one, and none twice.
    /// - Parameter names: The parameters that the query may have.
    /// - Throws: `invalidArgument`.
    func checkQuery(allowing names: [String]) throws(NodeError) {
        var seen: Set<String> = []
        for (name, _) in pairs {
            guard let name else { throw .invalid("query", "the encoding of a parameter's name is wrong") }
            guard names.contains(name) else {
                let allowed = names.isEmpty ? "there are none here" : "allowed are: \(names.joined(separator: ", "))"
                throw .invalid(name, "unknown as a parameter of the query; \(allowed)")
            }
            guard seen.insert(name).inserted else { throw .invalid(name, "the parameter is given twice") }
        }
    }

    /// A parameter of the query as plain text; `nil` when it is not there.
    func parameter(_ name: String) throws(NodeError) -> String? {
        guard let pair = pairs.first(where: { $0.name?.utf8.elementsEqual(name.utf8) == true }) else { return nil }
        guard let text = pair.text.flatMap(\.percentDecoded) else {
            throw .invalid(name, "the parameter's encoding is wrong")
        }
        return text
    }

    /// The parameters of the query: their names, decoded where possible, and the text behind the equals sign.
    private var pairs: [(name: String?, text: String?)] {
        (uri.query ?? "").split(separator: "&").map { pair in
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return (String(parts[0]).percentDecoded, parts.count == 2 ? String(parts[1]) : nil)
        }
    }

    /// The database that is asked for; `nil` when all are.
    func database() throws(NodeError) -> ZoneDatabase? {
        guard let text = try parameter("database") else { return nil }
        guard let database = ZoneDatabase(rawValue: text) else {
            let names = ZoneDatabase.allCases.map(\.rawValue).joined(separator: ", ")
            throw .invalid("database", "one of \(names) is expected")
        }
        return database
    }

    /// A parameter that is `true` or `false`; `false` when it is not there.
    /// - Throws: `invalidArgument`.
    func flag(_ name: String) throws(NodeError) -> Bool {
        switch try parameter(name) {
        case nil, "false": return false
        case "true": return true
        default: throw .invalid(name, "true or false is expected")
        }
    }

    /// A parameter that is a whole number.
    /// - Parameters:
    ///   - name: Its name.
    ///   - range: The range of allowed values.
    ///   - absent: The value to use when the parameter is missing.
    /// - Returns: The number.
    /// - Throws: `invalidArgument`.
    func number(_ name: String, in range: ClosedRange<Int>, default absent: Int) throws(NodeError) -> Int {
        guard let text = try parameter(name) else { return absent }
        guard let number = Int(text), range.contains(number) else {
            throw .invalid(name, "\(range.lowerBound) to \(range.upperBound) is expected")
        }
        return number
    }
}
