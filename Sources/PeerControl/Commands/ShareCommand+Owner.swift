import ArgumentParser
import KairanClient

extension ShareCommand {
    /// Sets the public access to a zone.
    struct SharePublic: ControlCommand {
        static let configuration = CommandConfiguration(
            commandName: "public",
            abstract: "Say what those may do in a zone who hold no right.",
            discussion: """
                Each option takes some of read, create and write, joined by commas, or none; what is not named stays. \
                Without options it shows what holds. While everybody may read the zone, a link opens it on machines of \
                others: `kairan join`. They see what is there and who takes part, and show nobody who they are.

                EXAMPLES:
                  kairan share public notes --world read
                  kairan share public notes --authenticated read,create --creator write
                  kairan share public notes --off
                """
        )

        @OptionGroup var global: GlobalOptions
        @Argument(help: .zone, completion: .zones)
        var zone: String
        @Option(help: ArgumentHelp("What everybody on the network may do.", valueName: "rights"))
        var world: PublicRightsOption?
        @Option(help: ArgumentHelp("What everybody may do whose account is known.", valueName: "rights"))
        var authenticated: PublicRightsOption?
        @Option(help: ArgumentHelp("What may be done with a record by who created it.", valueName: "rights"))
        var creator: PublicRightsOption?
        @Flag(help: "Nobody may do anything without a right.")
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
        abstract: "Give up this account's part in a zone of another account.",
        discussion: """
            It concerns all devices of this account. What this account wrote stays with the others. A public zone that this \
            account only reads is not read any longer on this device. Only others can let this account into a zone again, so \
            it asks for the zone's name; --yes takes its place. It does not ask for pair zones and public ones.

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
        if found.pairWith == nil, found.rights != "none" {
            try await session.confirm(consent) { .departure(from: found) }
        }
        try await session.show(.leave(found.zone), as: Membership.self) { _ in "Left \(Table.visible(zone))." }
    }
}
