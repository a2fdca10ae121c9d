import KairanClient

/// A record in a file: either its fields alone, or a document as `get --json` prints it.
struct RecordFile {
    /// The type, where the document has one.
    let type: JSONValue?
    /// The fields.
    let fields: JSONValue

    /// The members that a document may have besides its fields.
    private static let recordMembers: Set<String> = [
        "zone", "name", "type", "fields", "version", "deleted", "created_by", "modified_by", "modified_at", "conflicts",
        "parent",
    ]

    /// Reads a file's content.
    /// - Parameters:
    ///   - bytes: The content.
    ///   - name: The file's name, for messages.
    /// - Throws: ``InputError``.
    init(_ bytes: [UInt8], name: String) throws {
        let json = try Self.json(bytes, name: name)
        guard let members = json.members else {
            throw InputError(detail: "\(name) has \(json.kindName), not an object.", fix: "Write {\"field\": value}.")
        }
        // A record with a single field that is called "fields" cannot be told from a document; documents are likelier.
        if let fields = json["fields"], fields.members != nil,
            members.allSatisfy({ Self.recordMembers.contains($0.name) })
        {
            self.type = json["type"]
            self.fields = fields
        } else {
            self.type = nil
            self.fields = json
        }
    }

    /// Reads JSON; an error contains the place of the mistake.
    static func json(_ bytes: [UInt8], name: String) throws -> JSONValue {
        do {
            return try JSONParser.parse(bytes)
        } catch {
            throw InputError(detail: "\(name) is not JSON: \(error.description).", fix: "Correct it there.")
        }
    }

    /// Reads writes, one a line, as an export prints them.
    static func writes(_ bytes: [UInt8], name: String) throws -> [JSONValue] {
        var writes: [JSONValue] = []
        let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        for (index, line) in lines.enumerated()
        where !line.allSatisfy({ $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\r") }) {
            let json = try json(Array(line), name: "Line \(index + 1) of \(name)")
            guard let members = json.members else {
                throw InputError(
                    detail: "Line \(index + 1) of \(name) has \(json.kindName), not an object.",
                    fix: "Write one object with a name a line."
                )
            }
            // An export's lines have a version; a write says if_version where it means one.
            writes.append(.object(members.filter { $0.name != "version" }))
        }
        return writes
    }
}
