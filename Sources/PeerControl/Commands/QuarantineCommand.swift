import ArgumentParser
import KairanClient

/// The commands for writes in quarantine.
struct QuarantineCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "quarantine",
        abstract: "List, adopt and purge quarantined writes.",
        discussion: """
            Writes of a removed device after its removal, and writes outside their author's right, are kept, but shown in no \
            record. Adopting one writes it again as a write of this device; purging drops it here.
            """,
        subcommands: [QuarantineList.self, QuarantineAdopt.self, QuarantinePurge.self]
    )

    /// Lists them.
    struct QuarantineList: ControlCommand {
        static let configuration = CommandConfiguration(
            commandName: "ls",
            abstract: "List quarantined writes.",
            discussion: "EXAMPLE:\n  kairan quarantine ls notes"
        )

        @OptionGroup var global: GlobalOptions
        @Argument(help: .zoneOrAll, completion: .zones)
        var zone: String?

        func run(in session: Session) async throws {
            let document = try await session.client.document(.quarantine(zone: zone))
            let style = await session.styleWithNames()
            try session.show(document: document) { QuarantineCommand.text($0, style: style) }
        }
    }

    /// Adopts one.
    struct QuarantineAdopt: ControlCommand {
        static let configuration = CommandConfiguration(
            commandName: "adopt",
            abstract: "Write the content of a quarantined write again, as a write of this device.",
            discussion: """
                It is merged with the present state of the record. Adopting it twice, here or elsewhere, has the effect of once.

                EXAMPLE:
                  kairan quarantine adopt 17.k3v7q2ma
                """
        )

        @OptionGroup var global: GlobalOptions
        @Argument(help: "The write's id, or enough of its beginning.")
        var id: String
        @Option(help: .zoneOfWrite, completion: .zones)
        var zone: String?

        func run(in session: Session) async throws {
            let write = try await QuarantineCommand.write(id, zone: zone, session)
            let isWritten = try await session.client.adopt(write.id, in: write.zone)
            let name = Table.visible(write.record)
            try session.show(
                ["id": .string(write.id), "zone": .string(write.zone), "adopted": .bool(isWritten)],
                isWritten ? "Adopted into \(name)." : "It was adopted into \(name) before."
            )
        }
    }

    /// Purges one.
    struct QuarantinePurge: ControlCommand {
        static let configuration = CommandConfiguration(
            commandName: "purge",
            abstract: "Drop the content of a quarantined write, on this device and for good.",
            discussion: """
                The command asks for the record's name; --yes takes its place.

                EXAMPLE:
                  kairan quarantine purge 17.k3v7q2ma
                """
        )

        @OptionGroup var global: GlobalOptions
        @Argument(help: "The write's id, or enough of its beginning.")
        var id: String
        @Option(help: .zoneOfWrite, completion: .zones)
        var zone: String?
        @OptionGroup var consent: ConsentOption

        func run(in session: Session) async throws {
            let write = try await QuarantineCommand.write(id, zone: zone, session)
            try await session.confirm(consent) { .purge(of: write) }
            try await session.client.purge(write.id, in: write.zone)
            try session.show(
                ["id": .string(write.id), "zone": .string(write.zone), "purged": true],
                "Purged \(session.style.showsWholeIDs ? write.id : QuarantineCommand.short(write.id))."
            )
        }
    }

    /// The write that is meant: a beginning stands for the only id that begins so.
    private static func write(_ text: String, zone: String?, _ session: Session) async throws -> QuarantinedWrite {
        let choice = ChosenID(noun: "quarantined write", list: "kairan quarantine ls")
        return try choice.choose(text, among: try await session.client.quarantine(zone: zone), id: \.id)
    }

    /// The writes for people.
    static func text(_ writes: [QuarantinedWrite], style: Style) -> String {
        var table = Table([
            .text("RECORD"), .text("TYPE"), .text("WRITTEN"), .text("REASON"), .text("BY"), .text("ZONE"), .text("ID"),
        ])
        for write in writes {
            table.add([
                Table.Cell(write.isDeletion ? write.record + " (deletion)" : write.record),
                Table.Cell(write.type),
                Table.Cell(style.time(write.writtenAt)),
                Table.Cell(write.reason.text),
                Table.Cell(style.device(write.author)),
                Table.Cell(style.zone(write.zone)),
                Table.Cell(style.showsWholeIDs ? write.id : short(write.id)),
            ])
        }
        return table.text(style: style, empty: "nothing is quarantined")
    }

    /// The counter and the beginning of the log's name.
    private static func short(_ id: String) -> String {
        guard let dot = id.firstIndex(of: ".") else { return id }
        return id[...dot] + Words.short(String(id[id.index(after: dot)...]))
    }
}
