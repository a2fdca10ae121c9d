import ArgumentParser
import KairanClient

/// Fields on the command line: `title=Milk` is text, `amount:=2` is JSON.
enum FieldArguments {
    /// Reads fields.
    /// - Throws: `ValidationError` that names the argument.
    static func parse(_ arguments: [String]) throws -> JSONValue {
        var members: [JSONMember] = []
        for argument in arguments {
            let member = try member(argument)
            guard !members.contains(where: { $0.name == member.name }) else {
                throw ValidationError("The field \(member.name) is given twice.")
            }
            members.append(member)
        }
        return .object(members)
    }

    private static func member(_ argument: String) throws -> JSONMember {
        guard let equals = argument.firstIndex(of: "=") else {
            throw ValidationError("“\(argument)” is no field: write name=text, or name:=json for other values.")
        }
        let isJSON = argument[..<equals].last == ":"
        let name = String(isJSON ? argument[..<equals].dropLast() : argument[..<equals])
        guard !name.isEmpty else { throw ValidationError("“\(argument)” has no field name before the =.") }
        let text = String(argument[argument.index(after: equals)...])
        guard isJSON else { return JSONMember(name, .string(text)) }
        do {
            return JSONMember(name, try JSONParser.parse(Array(text.utf8)))
        } catch {
            throw ValidationError("The value of \(name) is not JSON: \(error.description). Text needs no colon.")
        }
    }
}
