import ArgumentParser
import KairanClient

/// Indexes on fields.
struct IndexCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "index",
        abstract: "List, request or drop this device's indexes on fields.",
        discussion: """
            An index on values makes queries by a field fast. `matches` searches a text and needs an index on text. Indexes that a \
            schema or many queries need are built automatically.

            EXAMPLES:
              kairan index ls org.example.notes
              kairan index add org.example.notes Note title --text
            """,
        subcommands: [IndexList.self, IndexAdd.self, IndexRemove.self]
    )

    /// Lists them.
    struct IndexList: ControlCommand {
        static let configuration = CommandConfiguration(
            commandName: "ls",
            abstract: "List the indexes of a container on this device.",
            discussion: "EXAMPLE:\n  kairan index ls org.example.notes"
        )

        @OptionGroup var global: GlobalOptions
        @Argument(help: "The container.", completion: .containers)
        var container: String

        func run(in session: Session) async throws {
            try await session.show(.indexes(of: container)) { IndexCommand.text($0, style: session.style) }
        }
    }

    /// Asks for one.
    struct IndexAdd: ControlCommand {
        static let configuration = CommandConfiguration(
            commandName: "add",
            abstract: "Request an index on a field; it is built in the background.",
            discussion: """
                It is for this device alone: other devices of the account have indexes of their own.

                EXAMPLES:
                  kairan index add org.example.notes Note due
                  kairan index add org.example.notes Note title --text
                """
        )

        @OptionGroup var global: GlobalOptions
        @OptionGroup var place: Place

        func run(in session: Session) async throws {
            let present = try await session.client.indexes(of: place.container)
            // All indexes are named at once; those that schemas declare need not be.
            let others = present.filter { !$0.isDeclared && !place.fits($0) }
            try await session.show(.setIndexes(of: place.container, others + [place.index])) {
                IndexCommand.text($0, style: session.style)
            }
        }
    }

    /// Drops one.
    struct IndexRemove: ControlCommand {
        static let configuration = CommandConfiguration(
            commandName: "rm",
            abstract: "Drop an index that was requested on this device.",
            discussion: """
                Indexes that a schema declares stay.

                EXAMPLE:
                  kairan index rm org.example.notes Note title --text
                """
        )

        @OptionGroup var global: GlobalOptions
        @OptionGroup var place: Place

        func run(in session: Session) async throws {
            let present = try await session.client.indexes(of: place.container)
            guard let index = present.first(where: place.fits), !index.isDeclared else {
                throw place.refusal(isDeclared: present.contains(where: place.fits))
            }
            let rest = present.filter { !$0.isDeclared && !place.fits($0) }
            try await session.show(.setIndexes(of: place.container, rest)) {
                IndexCommand.text($0, style: session.style)
            }
        }
    }

    /// The index that is meant.
    struct Place: ParsableArguments {
        @Argument(help: "The container.", completion: .containers)
        var container: String
        @Argument(help: "The type of the records.")
        var type: String
        @Argument(help: "The field, or @ and a system field.")
        var field: String
        @Flag(help: "An index on the words of a text, which matches needs, and not on values.")
        var text = false

        /// The index as the daemon reads it.
        var index: FieldIndexSummary { FieldIndexSummary(type: type, field: field, kind: text ? .text : .value) }

        /// Whether an index is the one that is meant.
        func fits(_ index: FieldIndexSummary) -> Bool {
            index.type == type && index.field == field && index.kind == (text ? .text : .value)
        }

        /// Returns the refusal to drop an index.
        /// - Parameter isDeclared: Whether the index exists because a schema declares it.
        /// - Returns: The error, with the alternative.
        func refusal(isDeclared: Bool) -> InputError {
            let kind = text ? "text" : "values"
            let place = Table.visible("\(field) of \(type)")
            return InputError(
                detail: isDeclared
                    ? "A schema declares the index on \(kind) of the field \(place)."
                    : "There is no index on \(kind) of the field \(place).",
                fix: isDeclared
                    ? "Leave it out of the schema with `kairan schema set`."
                    : "`kairan index ls \(Table.visible(container))` lists them.",
                code: "index.unknown"
            )
        }
    }

    /// The indexes for people.
    static func text(_ indexes: [FieldIndexSummary], style: Style) -> String {
        var table = Table([.text("TYPE"), .text("FIELD"), .text("ON"), .text("STATE"), .text("ASKED FOR BY")])
        for index in indexes {
            table.add([
                Table.Cell(index.type), Table.Cell(index.field), Table.Cell(index.kind == .text ? "text" : "values"),
                index.state == .ready
                    ? Table.Cell("ready") { $0.good($1) } : Table.Cell(index.state.rawValue) { $0.warning($1) },
                Table.Cell(index.isDeclared ? "a schema" : "this device"),
            ])
        }
        return table.text(style: style, empty: "no indexes; `kairan index add` requests one")
    }
}
