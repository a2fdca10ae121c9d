import ArgumentParser
import KairanClient

/// Ends a conflict.
struct Resolve: ControlCommand {
    static let configuration = CommandConfiguration(
        abstract: "End a conflict with one side, or with fields of your own.",
        discussion: """
            --take names a side by its version, or by at least the first eight characters of it. With --file it also replaces \
            the parts of a record that cannot be read here because their key is lost.

            EXAMPLES:
              kairan resolve notes n1 --take 9ab0…
              kairan resolve notes n1 --file merged.json
            """
    )

    @OptionGroup var global: GlobalOptions
    @Argument(help: .zone, completion: .zones)
    var zone: String
    @Argument(help: "The record's name.")
    var name: String
    @Option(help: "The version of the side to take, or the beginning that kairan conflicts shows.")
    var take: String?
    @Option(help: "A JSON file with all fields; - for standard input.", completion: .file())
    var file: String?

    func validate() throws {
        guard (take == nil) != (file == nil) else { throw ValidationError("Give either --take or --file.") }
    }

    func run(in session: Session) async throws {
        let body: JSONValue
        if let take {
            body = ["take": .string(try await version(take, session))]
        } else {
            let input = try InputChunks(path: file)
            body = ["fields": try RecordFile(await input.collect(limit: 2 << 20), name: input.title).fields]
        }
        try await session.show(.resolve(name, zone: zone, body: body), as: Record.self) { record in
            "Resolved \(Table.visible(record.name)), version \(session.style.id(record.version))."
        }
    }

    private static let versionCharacterCount = 32

    /// Returns the version of the side that a text stands for; the text itself where the record has no conflict, which
    /// the daemon refuses with the reason.
    private func version(_ text: String, _ session: Session) async throws -> String {
        guard text.utf8.count < Self.versionCharacterCount else { return text }
        guard let conflict = try await session.client.conflict(of: name, in: zone) else { return text }
        return try Self.version(text, of: conflict)
    }

    /// Returns the version of the only side that begins with a text.
    /// - Throws: ``InputError``, `ValidationError`.
    static func version(_ text: String, of conflict: Conflict) throws -> String {
        let choice = ChosenID(noun: "side", list: "kairan conflicts", characterCountMin: 8)
        return try choice.choose(text, among: conflict.siblings.map(\.version)) { $0 }
    }
}
