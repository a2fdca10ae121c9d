import ArgumentParser
import KairanClient

/// Files that records name.
struct AssetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "asset",
        abstract: "Add files to records, list them, and fetch or drop their content.",
        discussion: """
            An asset is content that travels apart from the record that names it, such as a photo's. A device that has the record \
            knows the asset's name, type and size at once; `kairan asset policy` says which content it fetches by itself.

            remote: the content is not here, and the device does not fetch it by itself. queued: the device fetches it as soon as \
            it can. partial: a part of it is here. present: all of it is here. evicted: it was here, and was dropped. unresolved: \
            no device that may have it is connected. missing: no connected device has it.

            EXAMPLES:
              kairan asset add holiday lake picture lake.jpg --media-type image/jpeg
              kairan asset import ~/Pictures photos
              kairan asset ls holiday
              kairan asset get holiday lake picture --output lake.jpg
              kairan asset policy holiday 10M
            """,
        subcommands: [
            AssetAdd.self, AssetImport.self, AssetGet.self, AssetList.self, AssetFetch.self, AssetCancel.self,
            AssetEvict.self, AssetPolicy.self, AssetWhy.self, AssetCollect.self, AssetLinking.self,
            AssetUnlinking.self, AssetLinks.self,
        ]
    )

    /// Adds one.
    struct AssetAdd: ControlCommand {
        static let configuration = CommandConfiguration(
            commandName: "add",
            abstract: "Upload a file, and name it by a field of a record.",
            discussion: """
                The content is on the daemon's disk when the command ends, and other devices fetch it by their own policies. A \
                record that does not exist is created; other fields of the record stay as they are. The file - is the standard \
                input, which has neither a name nor a time. The media type is not guessed. `kairan put` adds files together with \
                other fields. With --json it is the asset as `kairan asset ls` lists it, with the version of its record.

                EXAMPLES:
                  kairan asset add holiday lake picture lake.jpg --media-type image/jpeg
                  kairan asset add holiday lake picture lake.jpg --thumbnail small.jpg
                  tar cz notes | kairan asset add backup monday archive - --name notes.tar.gz
                """
        )

        @OptionGroup var global: GlobalOptions
        @Argument(help: .zone, completion: .zones)
        var zone: String
        @Argument(help: "The record's name.")
        var record: String
        @Argument(help: "The field.")
        var field: String
        @Argument(help: "The file; - for the standard input.", completion: .file())
        var file: String
        @Option(help: "The name to state in place of the file's own; empty for none.")
        var name: String?
        @Option(help: ArgumentHelp("The media type of the content; none by default.", valueName: "type"))
        var mediaType: String?
        @Option(
            help: ArgumentHelp(
                "A file with a small picture of the content, at most 16 KiB, for the record.",
                valueName: "file"
            ),
            completion: .file()
        )
        var thumbnail: String?

        func validate() throws {
            // Before a large content is uploaded for nothing.
            guard AssetUpload.isName(name ?? "") else {
                throw ValidationError("A file's name has at most 255 bytes and no slash, and is neither “.” nor “..”.")
            }
        }

        func run(in session: Session) async throws {
            let upload = AssetUpload(path: file, name: name, mediaType: mediaType, thumbnail: thumbnail)
            let asset = try await upload.perform(in: zone, session)
            let fields = JSONValue.object([JSONMember(field, RecordValue.asset(asset).json)])
            let request = DaemonRequest.put(record, zone: zone, body: .object([JSONMember("fields", fields)]))
            let saved: Record = try DaemonClient.decode(await session.client.document(request))
            try session.show(
                AssetText.added(asset, in: field, of: saved),
                "Added \(AssetText.value(asset, style: session.style)) to \(Table.visible(saved.name)), "
                    + "version \(session.style.id(saved.version))."
            )
        }
    }

    /// Writes the content of one.
    struct AssetGet: ControlCommand {
        static let configuration = CommandConfiguration(
            commandName: "get",
            abstract: "Write the content of an asset to the standard output, or to a file.",
            discussion: """
                Content that is not here is fetched first, and written while it arrives; the exit code is 75 when no device in \
                reach has the next bytes, or none sends them for a minute or two. The content is written byte for byte; to a \
                terminal only text, in which control characters are made visible. A file is called FILE.part until it is complete, \
                and replaces an existing one.

                EXAMPLES:
                  kairan asset get holiday lake picture --output lake.jpg
                  kairan asset get backup monday archive | tar xz
                """
        )

        @OptionGroup var global: GlobalOptions
        @Argument(help: .zone, completion: .zones)
        var zone: String
        @Argument(help: "The record's name.")
        var record: String
        @Argument(help: "The field.")
        var field: String
        @Option(help: ArgumentHelp("The item of a field that is a list or a set, from 0.", valueName: "index"))
        var item: Int?
        @Option(
            name: .shortAndLong,
            help: ArgumentHelp(
                "Write it to this file; - for the standard output, also where that is a terminal.",
                valueName: "file"
            ),
            completion: .file()
        )
        var output: String?

        private var isForFile: Bool { output != nil && output != "-" }

        func validate() throws {
            try AssetCommand.check(item)
            guard output != "" else { throw ValidationError("The name of the file is empty.") }
            guard isForFile || !global.json else { throw ValidationError("With --json name a file: --output.") }
        }

        func run(in session: Session) async throws {
            // Before a large content is fetched for nothing.
            let file = try isForFile ? output.map { try PartFile(path: $0) } : nil
            var display = ProgressDisplay(session, besidesOutput: !isForFile)
            defer { display.end() }
            display.show(evenAtOnce: true) { _ in "Waiting for the content" }
            let place = Asset.Place(zone: zone, record: record, field: field, item: item)
            let content = try await session.client.assets.content(of: place)
            if let file, let output {
                try await write(content, to: file, at: output, &display, session)
                return
            }
            display.end()
            if output == nil, session.terminal.isOutputTerminal {
                try await session.terminal.show(
                    content,
                    type: content.asset.mediaType ?? "of an unknown type",
                    size: Int(clamping: content.asset.size)
                )
            } else {
                for try await piece in content { try session.terminal.print(raw: Array(piece)) }
            }
        }

        private func write(
            _ content: AssetContent,
            to file: PartFile,
            at path: String,
            _ display: inout ProgressDisplay,
            _ session: Session
        ) async throws {
            let size = Int(clamping: content.count)
            var byteCount = 0
            for try await piece in content {
                try file.write(Array(piece))
                byteCount += piece.count
                display.show { ProgressBar("Written", byteCount, of: size, seconds: $0).text }
            }
            try file.finish()
            display.end()
            try session.show(
                [
                    "asset": .string(content.asset.asset), "file": .string(path), "size": .integer(Int64(byteCount)),
                    "media_type": content.asset.mediaType.map { .string($0) } ?? .null,
                ],
                "Written to \(Table.visible(path)): \(Words.count(byteCount, "byte", "bytes"))."
            )
        }
    }

    /// Lists them.
    struct AssetList: ControlCommand {
        static let configuration = CommandConfiguration(
            commandName: "ls",
            abstract: "List the assets of a zone's records, with their states on this device.",
            discussion: """
                COPIES is the number of machines of the account that have the content as far as this device knows, this one \
                included; relays, which keep it sealed, are counted separately. The device asks the others from time to time, so the \
                number may be out of date: `kairan asset why` asks now. With --json it is one array.

                EXAMPLES:
                  kairan asset ls holiday
                  kairan asset ls holiday --copies-below 2
                """
        )

        @OptionGroup var global: GlobalOptions
        @Argument(help: .zone, completion: .zones)
        var zone: String
        @Option(
            help: ArgumentHelp(
                "List only assets of which fewer machines than this are known to have a copy.",
                valueName: "number"
            )
        )
        var copiesBelow: Int?
        @Flag(help: "Name the other machines that have a copy, with the times at which they said so.")
        var allDetails = false

        private static let pageCount = 500

        func validate() throws {
            guard copiesBelow ?? 1 > 0 else { throw ValidationError("--copies-below is at least 1.") }
        }

        private func isListed(_ copies: AssetCopies?) -> Bool {
            guard let copiesBelow else { return true }
            return copies.map { $0.machines < copiesBelow } ?? false
        }

        func run(in session: Session) async throws {
            var documents: [JSONValue] = []
            var assets: [Asset] = []
            var cursor: String?
            repeat {
                let request = AssetRequests.page(in: zone, after: cursor, limit: Self.pageCount)
                let document = try await session.client.document(request)
                let page: AssetPage = try DaemonClient.decode(document)
                if session.isJSON {
                    let elements = try RecordFile.json(document, name: "The answer")["assets"]?.elements ?? []
                    documents += zip(elements, page.assets).filter { isListed($0.1.copies) }.map { $0.0 }
                } else {
                    assets += page.assets
                }
                cursor = page.cursor
            } while cursor != nil
            guard !session.isJSON else {
                return try session.terminal.print(line: JSONValue.array(documents).encoded)
            }
            let listed = assets.filter { isListed($0.copies) }
            let style = await allDetails ? session.styleWithNames() : session.style
            var parts = [AssetText.list(listed, of: assets.count, style: style)]
            if allDetails, let details = CopiesText.holders(listed, style: style) { parts += ["", details] }
            if let summary = CopiesText.summary(assets) { parts += ["", summary] }
            try session.terminal.print(parts.joined(separator: "\n"))
        }
    }

    /// Fetches one.
    struct AssetFetch: ControlCommand {
        static let configuration = CommandConfiguration(
            commandName: "fetch",
            abstract: "Have the device fetch the content of an asset.",
            discussion: """
                The command does not wait for the content: `kairan asset ls` shows its state, and `kairan asset get` waits.

                EXAMPLE:
                  kairan asset fetch holiday lake picture
                """
        )

        @OptionGroup var global: GlobalOptions
        @Argument(help: .zone, completion: .zones)
        var zone: String
        @Argument(help: "The record's name.")
        var record: String
        @Argument(help: "The field.")
        var field: String
        @Option(help: ArgumentHelp("The item of a field that is a list or a set, from 0.", valueName: "index"))
        var item: Int?

        func validate() throws { try AssetCommand.check(item) }

        func run(in session: Session) async throws {
            let place = Asset.Place(zone: zone, record: record, field: field, item: item)
            try await session.show(AssetRequests.fetch(place), as: Asset.self) {
                AssetText.sentence($0, style: session.style)
            }
        }
    }

    /// Fetches one no more.
    struct AssetCancel: ControlCommand {
        static let configuration = CommandConfiguration(
            commandName: "cancel",
            abstract: "Have the device no longer fetch the content of an asset.",
            discussion: """
                The part that is here is dropped. Content that is here as a whole stays.

                EXAMPLE:
                  kairan asset cancel holiday lake picture
                """
        )

        @OptionGroup var global: GlobalOptions
        @Argument(help: .zone, completion: .zones)
        var zone: String
        @Argument(help: "The record's name.")
        var record: String
        @Argument(help: "The field.")
        var field: String
        @Option(help: ArgumentHelp("The item of a field that is a list or a set, from 0.", valueName: "index"))
        var item: Int?

        func validate() throws { try AssetCommand.check(item) }

        func run(in session: Session) async throws {
            let place = Asset.Place(zone: zone, record: record, field: field, item: item)
            try await session.show(AssetRequests.cancel(place), as: Asset.self) {
                AssetText.sentence($0, style: session.style)
            }
        }
    }

    /// Checks the index of an item.
    fileprivate static func check(_ item: Int?) throws {
        guard item ?? 0 >= 0 else { throw ValidationError("Items are counted from 0.") }
    }
}
