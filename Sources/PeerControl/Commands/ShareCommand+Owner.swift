import ArgumentParser
import KairanClient

extension ShareCommand {
    /// Sets the public access to a zone.
    struct SharePublic: ControlCommand {
        static let configuration = CommandConfiguration(
            commandName: "public",
            abstract: "Set the access of accounts that have no right in a zone.",
            discussion: """
                Each option takes some of read, create and write, joined by commas, or none; options that are left out keep their \
                values. Without options the command shows the present access. While all accounts may read the zone, a link opens it \
                on the machines of others: `kairan join`. They see its records and its participants, and do not reveal their identity.

                EXAMPLES:
                  kairan share public notes --world read
                  kairan share public notes --authenticated read,create --creator write
                  kairan share public notes --off
                """
        )

        @OptionGroup var global: GlobalOptions
        @Argument(help: .zone, completion: .zones)
        var zone: String
        @Option(help: ArgumentHelp("The access of every device on the network.", valueName: "rights"))
        var world: PublicRightsOption?
        @Option(help: ArgumentHelp("The access of all accounts that are known.", valueName: "rights"))
        var authenticated: PublicRightsOption?
        @Option(help: ArgumentHelp("The access of a record's creator to it.", valueName: "rights"))
        var creator: PublicRightsOption?
        @Flag(help: "Accounts without a right have no access.")
        var off = false

        private var isShowing: Bool { world == nil && authenticated == nil && creator == nil && !off }

        func validate() throws {
            guard !off || world == nil && authenticated == nil && creator == nil else {
                throw ValidationError("--off stands alone.")
            }
        }

        func run(in session: Session) async throws {
            if isShowing {
                let document = try await session.client.document(.share(of: zone))
                let said = try RecordFile.json(document, name: "The answer")["public"] ?? .null
                try session.show(document: said.encoded, as: PublicAccess.self) { ShareCommand.text($0) }
                return
            }
            let request = DaemonRequest.setPublicAccess(
                zone,
                world: off ? [] : world?.names,
                authenticated: off ? [] : authenticated?.names,
                creator: off ? [] : creator?.names
            )
            try await session.show(request, as: PublicAccess.self) { ShareCommand.text($0) }
        }
    }
}

/// Gives one's part in a zone up.
struct Leave: ControlCommand {
    static let configuration = CommandConfiguration(
        abstract: "Leave a zone of another account.",
        discussion: """
            All devices of this account leave the zone. The other participants keep the writes of this account. A public zone \
            that this account only reads is no longer read on this device. Only other accounts can admit this one to a zone again, \
            so the command asks for the zone's name; --yes takes its place. It does not ask for pair zones and public ones.

            EXAMPLE:
              kairan leave notes
            """
    )

    @OptionGroup var global: GlobalOptions
    @Argument(help: .zone, completion: .zones)
    var zone: String
    @OptionGroup var consent: ConsentOption

    func run(in session: Session) async throws {
        let found = try await session.client.zone(zone)
        if found.pairWith == nil, found.rights != .none {
            try await session.confirm(consent) { .departure(from: found) }
        }
        try await session.show(.leave(found.zone), as: Membership.self) { _ in "Left \(Table.visible(zone))." }
    }
}
