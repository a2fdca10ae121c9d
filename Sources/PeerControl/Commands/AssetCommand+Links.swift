import ArgumentParser
import FoundationEssentials
import KairanClient

extension AssetCommand {
    /// Links one to a file.
    struct AssetLinking: ControlCommand {
        static let configuration = CommandConfiguration(
            commandName: "link",
            abstract: "Name a file that another program keeps by a field of a record, without a copy of it.",
            discussion: """
                The daemon serves the content from the file, and stores no bytes of it. The file has to be beneath a folder of the \
                setting linked-roots, and the daemon has to be able to read it; it never writes it. When the file is changed or \
                removed, the record stays, and the content is fetched from another device, by the zone's policy.

                Where the field has an asset already, the file is linked as a copy of its content: it is compared byte for byte. Else the file \
                becomes a new asset. No other device counts on a linked file: where that matters, let another device fetch the content.

                EXAMPLE:
                  kairan asset link holiday lake picture /srv/photos/lake.jpg
                """
        )

        @OptionGroup var global: GlobalOptions
        @Argument(help: .zone, completion: .zones)
        var zone: String
        @Argument(help: "The record's name.")
        var record: String
        @Argument(help: "The field.")
        var field: String
        @Argument(help: "The file, on the daemon's machine.", completion: .file())
        var file: String
        @Option(help: ArgumentHelp("The item of a field that is a list or a set, from 0.", valueName: "index"))
        var item: Int?
        @Option(help: ArgumentHelp("The media type of a new asset; none by default.", valueName: "type"))
        var mediaType: String?

        func validate() throws {
            guard item ?? 0 >= 0 else { throw ValidationError("Items are counted from 0.") }
        }

        func run(in session: Session) async throws {
            let linked = LinkableFile(AssetCommand.absolute(file))
            let place = Asset.Place(zone: zone, record: record, field: field, item: item)
            do {
                try await session.show(AssetRequests.link(linked, to: place), as: Asset.self) {
                    AssetText.sentence($0, style: session.style)
                }
            } catch let error as KairanError
                where item == nil && ["asset.unknown", "record.unknown"].contains(error.code)
            {
                try await add(linked, session)
            }
        }

        /// Makes a new asset of the file, and names it by the field.
        private func add(_ linked: LinkableFile, _ session: Session) async throws {
            let made = try await session.client.assets.link(linked, in: zone)
            let asset = AssetDescription(
                asset: made.asset,
                size: made.size,
                mediaType: mediaType,
                name: linked.path.split(separator: "/").last.map(String.init)
            )
            let fields = JSONValue.object([JSONMember(field, RecordValue.asset(asset).json)])
            let request = DaemonRequest.put(record, zone: zone, body: .object([JSONMember("fields", fields)]))
            let saved: Record = try DaemonClient.decode(await session.client.document(request))
            try session.show(
                AssetText.added(asset, in: field, of: saved),
                "Linked \(AssetText.value(asset, style: session.style)) to \(Table.visible(saved.name)), "
                    + "version \(session.style.id(saved.version))."
            )
        }
    }

    /// Ends links of one.
    struct AssetUnlinking: ControlCommand {
        static let configuration = CommandConfiguration(
            commandName: "unlink",
            abstract: "End the links of an asset to files.",
            discussion: """
                The files stay as they are. Content that was in linked files alone is not here any more: it is fetched from another \
                device, by the zone's policy.

                EXAMPLE:
                  kairan asset unlink holiday lake picture
                """
        )

        @OptionGroup var global: GlobalOptions
        @Argument(help: .zone, completion: .zones)
        var zone: String
        @Argument(help: "The record's name.")
        var record: String
        @Argument(help: "The field.")
        var field: String
        @Argument(help: "A linked file; all of them where none is named.", completion: .file())
        var file: String?
        @Option(help: ArgumentHelp("The item of a field that is a list or a set, from 0.", valueName: "index"))
        var item: Int?

        func validate() throws {
            guard item ?? 0 >= 0 else { throw ValidationError("Items are counted from 0.") }
        }

        func run(in session: Session) async throws {
            let place = Asset.Place(zone: zone, record: record, field: field, item: item)
            let linked = file.map { LinkableFile(AssetCommand.absolute($0)) }
            try await session.show(AssetRequests.unlink(place, file: linked), as: Asset.self) {
                AssetText.sentence($0, style: session.style)
            }
        }
    }

    /// Lists links.
    struct AssetLinks: ControlCommand {
        static let configuration = CommandConfiguration(
            commandName: "links",
            abstract: "List the files that are linked to assets, with their states.",
            discussion: """
                sound: the file has the content, as far as its times and its size show. changed: it has other content. ambiguous: its \
                times have changed, and its content has not been compared since. missing: it is not there, or cannot be read. \
                Without a zone, the links of all zones are listed. With --json it is one array.

                EXAMPLE:
                  kairan asset links photos
                """
        )

        @OptionGroup var global: GlobalOptions
        @Argument(help: .zone, completion: .zones)
        var zone: String?

        private static let pageCount = 500

        func run(in session: Session) async throws {
            var documents: [JSONValue] = []
            var links: [AssetLink] = []
            var cursor: String?
            repeat {
                let request = AssetRequests.links(of: zone, after: cursor, limit: Self.pageCount)
                let document = try await session.client.document(request)
                let page: AssetLinkPage = try DaemonClient.decode(document)
                if session.isJSON {
                    documents += try RecordFile.json(document, name: "The answer")["links"]?.elements ?? []
                } else {
                    links += page.links
                }
                cursor = page.cursor
            } while cursor != nil
            guard !session.isJSON else {
                return try session.terminal.print(line: JSONValue.array(documents).encoded)
            }
            try session.terminal.print(AssetText.links(links, style: session.style))
        }
    }

    /// The absolute path of a file, by the present folder.
    static func absolute(_ path: String) -> String {
        path.hasPrefix("/") ? path : FileManager.default.currentDirectoryPath + "/" + path
    }
}

extension AssetText {
    /// Links, one a line.
    /// - Parameters:
    ///   - links: The links to list.
    ///   - style: The appearance.
    /// - Returns: A table, or a sentence in place of an empty one.
    static func links(_ links: [AssetLink], style: Style) -> String {
        var table = Table([.text("FILE"), .number("SIZE"), .text("STATE"), .text("RECORD"), .text("FIELD")])
        for link in links {
            let state = Table.Cell(link.state.text) { style, text in
                switch link.state {
                case .sound: text
                case .missing, .changed: style.bad(text)
                default: style.warning(text)
                }
            }
            let field = link.place.map { $0.field + ($0.item.map { "[\($0)]" } ?? "") }
            table.add([
                Table.Cell(link.file), Table.Cell(Words.size(Int(clamping: link.size))), state,
                Table.Cell(link.place?.record ?? ""), Table.Cell(field ?? ""),
            ])
        }
        return table.text(style: style, empty: "no links; `kairan asset link` makes one")
    }
}
