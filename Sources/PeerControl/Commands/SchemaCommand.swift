import ArgumentParser
import KairanClient

/// The commands for the schema of a container's records.
struct SchemaCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "schema",
        abstract: "Show, declare, check and promote the schema of a container.",
        discussion: """
            The development schema is inferred from writes, or declared; it refuses nothing. Promoting it puts it into force in \
            the container's zones: from then on writes that break it are refused, and it can only be extended.
            """,
        subcommands: [SchemaShow.self, SchemaSet.self, SchemaCheckCommand.self, SchemaPromote.self]
    )

    /// Shows both.
    struct SchemaShow: ControlCommand {
        static let configuration = CommandConfiguration(
            commandName: "show",
            abstract: "Show the schemas of a container.",
            discussion: "EXAMPLE:\n  kairan schema show org.example.notes"
        )

        @OptionGroup var global: GlobalOptions
        @Argument(help: "The container.", completion: .containers)
        var container: String

        func run(in session: Session) async throws {
            try await session.show(.schema(container: container), as: ContainerSchema.self) {
                SchemaCommand.text($0, style: session.style)
            }
        }
    }

    /// Declares development.
    struct SchemaSet: ControlCommand {
        static let configuration = CommandConfiguration(
            commandName: "set",
            abstract: "Declare the whole development schema.",
            discussion: """
                The file has the form of `development` in `kairan schema show --json`.

                EXAMPLE:
                  kairan schema set org.example.notes --file schema.json
                """
        )

        @OptionGroup var global: GlobalOptions
        @Argument(help: "The container.", completion: .containers)
        var container: String
        @Option(help: "A JSON file; - for standard input.", completion: .file())
        var file: String

        func run(in session: Session) async throws {
            let body = try await SchemaCommand.read(file)
            try await session.show(.declareSchema(container: container, body: body), as: ContainerSchema.self) {
                SchemaCommand.text($0, style: session.style)
            }
        }
    }

    /// Checks whether a schema could be promoted.
    struct SchemaCheckCommand: ControlCommand {
        static let configuration = CommandConfiguration(
            commandName: "check",
            abstract: "List the changes of a schema to production, and those that are refused.",
            discussion: "EXAMPLE:\n  kairan schema check org.example.notes --file schema.json"
        )

        @OptionGroup var global: GlobalOptions
        @Argument(help: "The container.", completion: .containers)
        var container: String
        @Option(help: "A JSON file; - for standard input. The development schema by default.", completion: .file())
        var file: String?

        func run(in session: Session) async throws {
            let body: JSONValue? = if let file { try await SchemaCommand.read(file) } else { nil }
            try await session.show(.checkSchema(container: container, body: body), as: SchemaCheck.self) {
                SchemaCommand.text($0, style: session.style)
            }
        }
    }

    /// Puts development into force.
    struct SchemaPromote: ControlCommand {
        static let configuration = CommandConfiguration(
            commandName: "promote",
            abstract: "Put the development schema into force; this cannot be undone.",
            discussion: """
                The command summarises the changes, and asks for the container's name; --yes takes its place. `kairan schema check` \
                lists the changes.

                EXAMPLE:
                  kairan schema promote org.example.notes
                """
        )

        @OptionGroup var global: GlobalOptions
        @Argument(help: "The container.", completion: .containers)
        var container: String
        @OptionGroup var consent: ConsentOption

        func run(in session: Session) async throws {
            try await session.confirm(consent) {
                let document = try await session.client.document(.checkSchema(container: container, body: nil))
                let summary = try await session.client.container(container)
                let zones = try await session.client.zones()
                return .promotion(in: summary, try DaemonClient.decode(document), zones)
            }
            try await session.show(.promoteSchema(container: container), as: SchemaPromotion.self) { promotion in
                "In force in \(Table.visible(promotion.container)), now in \(Words.count(promotion.zones.count, "zone", "zones"))."
            }
        }
    }

    /// A schema in a file.
    private static func read(_ file: String) async throws -> JSONValue {
        let input = try InputChunks(path: file)
        return try await RecordFile.json(input.collect(limit: 2 << 20), name: input.title)
    }

    /// Schemas for people.
    static func text(_ schema: ContainerSchema, style: Style) -> String {
        var table = Table([
            .text("TYPE"), .text("FIELD"), .text("KIND"), .text("DEVELOPMENT"), .text("PRODUCTION"), .text("INDEXES"),
        ])
        let types = schema.development.types.merging(schema.production?.types ?? [:]) { first, _ in first }
        for type in types.keys {
            let development = schema.development.types[type]?.fields ?? [:]
            let production = schema.production?.types[type]?.fields ?? [:]
            for (name, field) in production.merging(development, uniquingKeysWith: { first, _ in first }) {
                table.add([
                    Table.Cell(type), Table.Cell(name), Table.Cell(kind(field)), Table.Cell(word(development[name])),
                    Table.Cell(word(production[name])),
                    Table.Cell((field.indexes ?? []).map(\.rawValue).joined(separator: ", ")),
                ])
            }
        }
        return table.text(style: style, empty: "no record type is known in this container")
    }

    /// Differences for people.
    static func text(_ check: SchemaCheck, style: Style) -> String {
        var table = Table([.text("TYPE"), .text("FIELD"), .text("CHANGE"), .text("REFUSED")])
        for difference in check.differences {
            table.add([
                Table.Cell(difference.type), Table.Cell(difference.field ?? ""),
                Table.Cell("\(difference.aspect) \(difference.change)".replacing("_", with: " ")),
                Table.Cell(difference.reason ?? ""),
            ])
        }
        return table.text(style: style, empty: "no difference from production")
    }

    private static func kind(_ field: RecordSchema.Field) -> String {
        field.elements.map { "\(field.kind) of \($0)" } ?? field.kind
    }

    private static func word(_ field: RecordSchema.Field?) -> String {
        guard let field else { return "-" }
        return field.required == true ? "required" : "yes"
    }
}
