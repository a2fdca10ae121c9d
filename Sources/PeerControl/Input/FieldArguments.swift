import ArgumentParser
import KairanClient

/// Fields on the command line: `title=Milk` is text, `amount:=2` is JSON, `picture=@lake.jpg` is a file that becomes an
/// asset, `count+=1` adds to a counter, `tags+:=["a"]` and `tags-:=["a"]` add elements to a set and remove them.
///
/// Text that begins with an @ is written with two.
struct FieldArguments {
    /// A field whose value is a file.
    struct File: Hashable {
        /// The field.
        var name: String
        /// The file; `-` for the standard input.
        var path: String
    }

    /// The fields to set; those of ``files`` are null until ``set(_:to:)``.
    private(set) var fields: [JSONMember] = []
    /// The fields whose values are files, in their order.
    private(set) var files: [File] = []
    /// The amounts to add to counters.
    private(set) var increments: [JSONMember] = []
    /// The elements to add to sets.
    private(set) var insertions: [JSONMember] = []
    /// The elements to remove from sets.
    private(set) var withdrawals: [JSONMember] = []

    /// Reads arguments.
    /// - Throws: `ValidationError` that names the argument.
    init(_ arguments: [String]) throws {
        for argument in arguments { try add(argument) }
    }

    /// Sets the value of a field that is there already.
    mutating func set(_ name: String, to value: JSONValue) {
        for index in fields.indices where fields[index].name.isSameName(as: name) { fields[index].value = value }
    }

    /// The members of a write for these fields: `fields` always, the others only if they are not empty.
    var members: [JSONMember] {
        let changes = [("increment", increments), ("add_to", insertions), ("remove_from", withdrawals)]
        return [JSONMember("fields", .object(fields))]
            + changes.filter { !$0.1.isEmpty }.map { JSONMember($0.0, .object($0.1)) }
    }

    /// The spelling of fields that were given as text and have to be something else, or the other way round.
    /// - Parameter refusal: The daemon's words, which name fields and kinds.
    /// - Returns: A sentence for people; `nil` where another spelling does not help.
    func spelling(forRefusal refusal: String) -> String? {
        let others = fields.compactMap { member -> String? in
            let place = "field \"\(member.name)\" must be "
            guard refusal.contains(place) else { return nil }
            let wantsText = refusal.contains(place + "a text, ")
            switch member.value {
            case .string(let text):
                let value = try? JSONParser.parse(Array(text.utf8))
                guard !wantsText, let value, value.text == nil else { return nil }
                return "\(member.name):=\(text)"
            case .integer, .number, .bool: return wantsText ? "\(member.name)=\(member.value.encodedText)" : nil
            default: return nil
            }
        }
        guard !others.isEmpty else { return nil }
        return "Use \(others.joined(separator: " ")): name=text sets text, name:=json any other value."
    }

    private mutating func add(_ argument: String) throws {
        // By bytes: a text that begins with a combining mark does not hide the sign before it.
        guard let equals = argument.utf8.firstIndex(of: UInt8(ascii: "=")) else {
            throw ValidationError("“\(argument)” is not a field: write name=text, or name:=json for other values.")
        }
        let text = String(Substring(argument.utf8[argument.utf8.index(after: equals)...]))
        var name = Substring(argument.utf8[..<equals])
        func takes(_ mark: String) -> Bool {
            guard name.utf8.suffix(mark.utf8.count).elementsEqual(mark.utf8) else { return false }
            name = Substring(name.utf8.dropLast(mark.utf8.count))
            return true
        }
        if takes("+:") {
            try Self.append(JSONMember(String(name), try Self.json(text, of: name)), to: &insertions, of: argument)
        } else if takes("-:") {
            try Self.append(JSONMember(String(name), try Self.json(text, of: name)), to: &withdrawals, of: argument)
        } else if takes("+") {
            guard let amount = Int64(text) else {
                throw ValidationError("“\(argument)” does not add a whole number: write name+=5 or name+=-5.")
            }
            try Self.append(JSONMember(String(name), .integer(amount)), to: &increments, of: argument)
        } else if takes(":") {
            try Self.append(JSONMember(String(name), try Self.json(text, of: name)), to: &fields, of: argument)
        } else if text.utf8.first == UInt8(ascii: "@") {
            try add(marked: String(Substring(text.utf8.dropFirst())), as: String(name), of: argument)
        } else {
            try Self.append(JSONMember(String(name), .string(text)), to: &fields, of: argument)
        }
    }

    /// Adds a field whose value begins with an @: a file, or text with another @.
    /// - Parameters:
    ///   - rest: The value behind the first @.
    ///   - name: The field.
    ///   - argument: The whole argument, for messages.
    /// - Throws: `ValidationError`.
    private mutating func add(marked rest: String, as name: String, of argument: String) throws {
        if rest.utf8.first == UInt8(ascii: "@") {
            try Self.append(JSONMember(name, .string(rest)), to: &fields, of: argument)
            return
        }
        guard !rest.isEmpty else {
            throw ValidationError("“\(argument)” names no file behind the @; write \(name)=@@ for the text @.")
        }
        try Self.append(JSONMember(name, .null), to: &fields, of: argument)
        files.append(File(name: name, path: rest))
    }

    private static func append(_ member: JSONMember, to members: inout [JSONMember], of argument: String) throws {
        guard !member.name.isEmpty else {
            throw ValidationError("“\(argument)” has no field name before the =.")
        }
        guard !members.contains(where: { $0.name.isSameName(as: member.name) }) else {
            throw ValidationError("The field \(member.name) is given twice.")
        }
        members.append(member)
    }

    private static func json(_ text: String, of name: Substring) throws -> JSONValue {
        do {
            return try JSONParser.parse(Array(text.utf8))
        } catch {
            throw ValidationError("The value of \(name) is not JSON: \(error.description). Text needs no colon.")
        }
    }
}
