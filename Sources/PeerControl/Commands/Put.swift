import ArgumentParser
import KairanClient

/// Saves a record.
struct Put: ControlCommand {
    static let configuration = CommandConfiguration(
        abstract: "Create or change a record.",
        discussion: """
            name=text sets text, name:=json any other value: numbers, true, lists, or \
            {"$date": "2026-07-21T09:30:00Z"}. name+=1 adds to a counter; name+:=["a"] adds elements to a set, \
            name-:=["a"] removes them. name=@file uploads a file, which the field names then as an asset; text that begins with \
            an @ is written with two. Fields that are not named stay as they are.

            EXAMPLES:
              kairan put notes n1 --type Note title=Milk amount:=2
              kairan put holiday lake picture=@lake.jpg --media-type image/jpeg
              kairan put notes n1 done:=true --if-version 4f1c…
              kairan put notes n1 read+=1 tags+:='["urgent"]'
              kairan put notes n1 --file note.json
            """
    )

    @OptionGroup var global: GlobalOptions
    @Argument(help: .zone, completion: .zones)
    var zone: String
    @Argument(help: "The record's name.")
    var name: String
    @Argument(help: "Fields: name=text, name=@file, name:=json, name+=1, name+:=[json], name-:=[json].")
    var fields: [String] = []
    @Option(help: "The record's type.")
    var type: String?
    @Option(
        help:
            "Only if this is its version, or at least the first eight characters of it; empty: only if it does not exist."
    )
    var ifVersion: String?
    @Option(help: "Take the fields from a JSON file; - for standard input.", completion: .file())
    var file: String?
    @Option(name: .customLong("unset"), help: "Remove a field; may be repeated.")
    var removed: [String] = []
    @Flag(help: "Drop the fields that are not named.")
    var replace = false
    @Option(help: "The record that it belongs to; empty for none.")
    var parent: String?
    @Option(help: ArgumentHelp("The media type of the file of name=@file; none by default.", valueName: "type"))
    var mediaType: String?

    func validate() throws {
        guard fields.isEmpty || file == nil else { throw ValidationError("Give fields or --file, not both.") }
        let files = try FieldArguments(fields).files
        guard mediaType == nil || files.count == 1 else {
            throw ValidationError("--media-type goes with one field that is a file: name=@file.")
        }
        guard files.count(where: { $0.path == "-" }) <= 1 else {
            throw ValidationError("The standard input can be one field.")
        }
    }

    func run(in session: Session) async throws {
        var type = type.map(JSONValue.string)
        // Before a large file is uploaded for nothing.
        let version = try await version(session)
        var arguments = try FieldArguments(fields)
        for file in arguments.files {
            arguments.set(file.name, to: RecordValue.asset(try await upload(file, session)).json)
        }
        var members = arguments.members
        if let file {
            let input = try InputChunks(path: file)
            let record = try RecordFile(await input.collect(limit: 2 << 20), name: input.title)
            type = type ?? record.type
            members = [JSONMember("fields", record.fields)]
        }
        if let type { members.append(JSONMember("type", type)) }
        if let version { members.append(JSONMember("if_version", .string(version))) }
        if !removed.isEmpty { members.append(JSONMember("remove", .array(removed.map { .string($0) }))) }
        if let parent { members.append(JSONMember("parent", parent.isEmpty ? .null : .string(parent))) }
        if replace { members.append(JSONMember("replace", true)) }
        do {
            try await session.show(.put(name, zone: zone, body: .object(members)), as: Record.self) { record in
                "Saved \(Table.visible(record.name)), version \(session.style.id(record.version))."
            }
        } catch var error as KairanError where error.code == "schema.violation" {
            let spelling = arguments.spelling(forRefusal: error.problem.detail)
            error.problem.fix = [spelling, error.problem.fix].compactMap(\.self).joined(separator: " ")
            throw error
        }
    }

    private func upload(_ file: FieldArguments.File, _ session: Session) async throws -> AssetDescription {
        do {
            return try await AssetUpload(path: file.path, mediaType: mediaType).perform(in: zone, session)
        } catch var error as InputError {
            error.fix += " Text that begins with an @ is written with two: \(file.name)=@@\(file.path)."
            throw error
        }
    }

    private func version(_ session: Session) async throws -> String? {
        guard let ifVersion else { return nil }
        return try await ChosenVersion.whole(ifVersion, of: name, in: zone, session)
    }
}
