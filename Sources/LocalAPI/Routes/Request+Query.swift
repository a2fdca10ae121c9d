import Hummingbird
import Node

extension Request {
    /// A parameter of the query as plain text; `nil` when it is not there.
    func parameter(_ name: String) throws(NodeError) -> String? {
        for pair in (uri.query ?? "").split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard String(parts[0]).percentDecoded == name else { continue }
            guard parts.count == 2, let text = String(parts[1]).percentDecoded else {
                throw .invalid(name, "the parameter's encoding is wrong")
            }
            return text
        }
        return nil
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

    /// A parameter that is a whole number.
    /// - Parameters:
    ///   - name: Its name.
    ///   - range: What is allowed.
    ///   - absent: What counts when it is not there.
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
