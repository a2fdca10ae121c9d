import ArgumentParser
import KairanClient

/// Zones.
struct ZoneCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "zone",
        abstract: "Create, list, show and delete zones.",
        discussion: "A zone is a set of records that is synchronised as a whole.",
        subcommands: [Create.self, ZoneList.self, Show.self, Delete.self]
    )

    /// The part of the history that devices may read that join later.
    enum History: String, ExpressibleByArgument, CaseIterable {
        case full, fromJoin
    }

    /// Makes one.
    struct Create: ControlCommand {
        static let configuration = CommandConfiguration(
            abstract: "Create a zone.",
            discussion: """
                Each container has a default zone of its own, which all devices of the account find without agreeing on it. \
                It is named by its container, as in org.example.notes/default, is created by the first write to it, and can be \
                neither shared nor deleted.

                A pair zone belongs to this account and one other account together. Both sides create it independently, and have the \
                same zone; each can leave it and come back. The accounts must have met, through any zone that one shares with the \
                other.

                EXAMPLES:
                  kairan zone create notes --container org.example.notes
                  kairan zone create chat --container org.example.chat --pair kq3v7c2a
                  kairan zone create --default --container org.example.notes
                """
        )

        @OptionGroup var global: GlobalOptions
        @Argument(help: "The zone's name, unique in the container.")
        var name: String?
        @Flag(name: .customLong("default"), help: "Create the container's default zone; it may exist already.")
        var isDefault = false
        @Option(
            help: .account("The other owner of a pair zone"),
            completion: .accounts
        )
        var pair: String?
        @Option(
            help: "The container it belongs to, usually an application's reverse domain name.",
            completion: .containers
        )
        var container = "me.kairan.default"
        @Option(help: "The records that devices which join later may read.")
        var history = History.full

        func validate() throws {
            guard (name == nil) == isDefault else {
                throw ValidationError("Give the zone's name, or --default.")
            }
            guard pair == nil || !isDefault, pair == nil || history == .full else {
                throw ValidationError("--pair goes neither with --default nor with --history.")
            }
        }

        func run(in session: Session) async throws {
            guard let name else {
                try await session.show(.defaultZone(of: container), as: Zone.self) {
                    "The default zone of \(Table.visible($0.container)) is \(session.style.id($0.zone))."
                }
                return
            }
            if let pair {
                let request = DaemonRequest.pairZone(name: name, container: container, with: pair)
                let style = await session.styleWithAccounts()
                try await session.show(request, as: Zone.self) {
                    "\(Table.visible($0.name)) (\(style.id($0.zone))) is yours and \(style.account($0.pairWith ?? pair))'s."
                }
                return
            }
            let request = DaemonRequest.createZone(name: name, container: container, history: history.rawValue)
            try await session.show(request, as: Zone.self) {
                "Created \(Table.visible($0.name)) (\(session.style.id($0.zone)))."
            }
        }
    }

    /// Lists them.
    struct ZoneList: ControlCommand {
        static let configuration = CommandConfiguration(
            commandName: "ls",
            abstract: "List all zones.",
            discussion: """
                Private zones are this account's own, shared ones those of others, and public ones those that give access to all \
                accounts.

                EXAMPLES:
                  kairan zone ls
                  kairan zone ls --database shared
                """
        )

        /// The database.
        enum Database: String, ExpressibleByArgument, CaseIterable {
            case `private`, shared, `public`
        }

        @OptionGroup var global: GlobalOptions
        @Option(help: "Only the zones of this database.")
        var database: Database?
        @Flag(help: "The zones that are no longer here, and the reasons.")
        var gone = false

        func validate() throws {
            guard database == nil || !gone else { throw ValidationError("--gone and --database exclude each other.") }
        }

        func run(in session: Session) async throws {
            if gone {
                try await session.show(.goneZones) { ZoneCommand.gone($0, style: session.style) }
                return
            }
            let style = await session.styleWithAccounts()
            try await session.show(.zones(in: database?.rawValue)) { ZoneCommand.list($0, style: style) }
        }
    }

    /// Shows one.
    struct Show: ControlCommand {
        static let configuration = CommandConfiguration(
            abstract: "Show a zone and the progress of other devices with it.",
            discussion: "EXAMPLE:\n  kairan zone show notes"
        )

        @OptionGroup var global: GlobalOptions
        @Argument(help: .zone, completion: .zones)
        var zone: String

        func run(in session: Session) async throws {
            let document = try await session.client.document(.zone(zone))
            // Applications do not learn of peers: they see ids.
            let peers = session.isJSON ? [] : (try? await session.client.peers()) ?? []
            var style = await session.styleWithAccounts()
            style.devices = Labels(peers.map { Labels.Thing(id: $0.device, name: $0.name) })
            try session.show(document: document) { ZoneCommand.detail($0, style: style) }
        }
    }

    /// Deletes one.
    struct Delete: ControlCommand {
        static let configuration = CommandConfiguration(
            abstract: "Delete a zone on all devices, for good.",
            discussion: """
                The command shows the numbers of records and machines, and asks for the zone's name; --yes takes its place.

                EXAMPLE:
                  kairan zone delete notes --reason "merged into papers"
                """
        )

        @OptionGroup var global: GlobalOptions
        @Argument(help: .zone, completion: .zones)
        var zone: String

        @Option(help: "The reason; all accounts that have the zone can read it.")
        var reason: String?
        @OptionGroup var consent: ConsentOption

        func run(in session: Session) async throws {
            // The answer names the deleted zone by its id, because another zone may take the name at once.
            let zone = try await session.client.zone(zone)
            try await session.confirm(consent) { .deletion(of: zone) }
            try await session.client.deleteZone(zone.zone, reason: reason)
            try session.show(
                ["zone": .string(zone.zone), "name": .string(zone.name), "deleted": true],
                "Deleted \(Table.visible(zone.name))."
            )
        }
    }

    /// The zones for people.
    static func list(_ zones: [Zone], style: Style) -> String {
        var table = Table([
            .text("NAME"), .text("CONTAINER"), .text("DATABASE"), .text("OWNER"), .text("RIGHTS"), .number("RECORDS"),
            .text("SYNC"), .text("ZONE"),
        ])
        let ids = zones.map(\.zone)
        for zone in zones {
            table.add([
                Table.Cell(zone.name), Table.Cell(zone.container), Table.Cell(zone.database.rawValue),
                Table.Cell(owner(zone, style)), Table.Cell(rights(zone).word),
                "\(zone.records)",
                sync(zone.peers), Table.Cell(style.showsWholeIDs ? zone.zone : Words.short(zone.zone, of: ids)),
            ])
        }
        return table.text(style: style, empty: "no zones; `kairan zone create` makes one")
    }

    /// The zones that are gone for people.
    static func gone(_ zones: [GoneZone], style: Style) -> String {
        var table = Table([.text("NAME"), .text("CONTAINER"), .text("KIND"), .text("REASON"), .text("ZONE")])
        for zone in zones {
            table.add([
                Table.Cell(zone.name), Table.Cell(zone.container), Table.Cell(zone.kind.rawValue),
                Table.Cell(zone.reason ?? ""), Table.Cell(style.id(zone.zone)),
            ])
        }
        return table.text(style: style, empty: "no zone is gone")
    }

    private static func owner(_ zone: Zone, _ style: Style) -> String {
        if let other = zone.pairWith { return "you, " + style.account(other) }
        return zone.isOwn ? "you" : style.account(zone.owner)
    }

    /// Returns the rights of this account: as the owner, by a capability of its own, and by the public access to the zone.
    private static func rights(_ zone: Zone) -> (word: String, sentence: String) {
        if zone.isOwn { return ("owner", "owner") }
        let access = zone.publicAccess
        let open = PublicAccess.Right.known.filter { (access.world + access.authenticated).contains($0) }.map(
            \.rawValue
        )
        guard zone.rights != .admin, !open.isEmpty || !access.creator.isEmpty else {
            return (zone.rights.rawValue, zone.rights.rawValue)
        }
        var parts = [zone.rights.rawValue]
        if !open.isEmpty { parts.append("without a right: " + open.joined(separator: ", ")) }
        let creator = access.creator.map(\.rawValue).joined(separator: ", ")
        if !creator.isEmpty { parts.append("its creator, a record: \(creator)") }
        return (zone.rights == .none ? "public" : zone.rights.rawValue, parts.joined(separator: "; "))
    }

    private static func sync(_ peers: [ZonePeer]) -> Table.Cell {
        let behind = peers.count { !$0.inSync }
        guard !peers.isEmpty else { return Table.Cell("no other device") { $0.dim($1) } }
        guard behind > 0 else { return Table.Cell("in step") { $0.good($1) } }
        return Table.Cell("\(peers.count - behind) of \(peers.count) in step") { $0.warning($1) }
    }

    /// Formats one zone for people.
    /// - Parameters:
    ///   - zone: The zone.
    ///   - style: The style of the output, with the names of devices.
    /// - Returns: Facts, and a table of the devices that have it.
    static func detail(_ zone: Zone, style: Style) -> String {
        let lines = [
            ("zone", style.id(zone.zone)), ("name", zone.name), ("container", zone.container),
            ("kind", zone.pairWith.map { "pair, with " + style.account($0) } ?? zone.kind.rawValue),
            ("database", zone.database.rawValue),
            ("owner", style.account(zone.owner) + (zone.isOwn ? " (you)" : "")), ("rights", rights(zone).sentence),
            ("records", "\(zone.records)"),
            ("epoch", zone.epoch.map(style.id) ?? "none"), ("digest", style.id(zone.digest)),
        ].map { name, value in style.dim(name + String(repeating: " ", count: 11 - name.count)) + Table.visible(value) }
        var table = Table([.text("DEVICE"), .text("ACCOUNT"), .text("STATE")])
        for peer in zone.peers {
            let behind = Words.count(peer.behind, "operation behind", "operations behind")
            table.add([
                Table.Cell(style.device(peer.device)), Table.Cell(style.account(peer.account)),
                peer.inSync ? Table.Cell("in step") { $0.good($1) } : Table.Cell(behind) { $0.warning($1) },
            ])
        }
        return (lines + ["", table.text(style: style, empty: "no other device has this zone")]).joined(separator: "\n")
    }
}
