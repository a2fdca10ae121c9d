import ArgumentParser
import FileRecords
import Importing
import KairanClient

extension AssetCommand {
    /// Imports the files of a folder.
    struct AssetImport: ControlCommand {
        static let configuration = CommandConfiguration(
            commandName: "import",
            abstract: "Import the files of a folder as records of a zone.",
            discussion: """
                Each file becomes a record of the type File, with its content, its path, its time and its digest; pictures and videos \
                also with size, camera, time, place and a thumbnail, which exiftool and vipsthumbnail make in a sandbox \
                (bubblewrap) where they are installed. A file whose record has its size and time is passed over, so a second import \
                takes new and changed files only, and continues an import that was ended. Equal contents are uploaded once. Nothing is \
                deleted, and a record with a newer file is not replaced.

                With --link the contents are not copied: the daemon serves them from the files, which have to be beneath a folder of \
                its setting linked-roots. A file that was moved since the last import keeps its record.

                Symbolic links are not followed. The exit code is 1 when files could not be imported, and 75 when all of these may be \
                imported by another attempt. With --json there is a line for each file and one for the sum.
                /usr/share/doc/kairan/docs/operations/import.md describes it all.

                EXAMPLES:
                  kairan asset import ~/Pictures photos
                  kairan asset import /media/camera photos --into 2026/summer
                  kairan asset import ~/Pictures photos --dry-run
                  kairan asset import --link /srv/photos photos
                """
        )

        @OptionGroup var global: GlobalOptions
        @Argument(help: "The folder.", completion: .directory)
        var folder: String
        @Argument(help: .zone, completion: .zones)
        var zone: String
        @Option(help: ArgumentHelp("A folder of the zone for the files; none by default.", valueName: "path"))
        var into: String?
        @Flag(help: "Show what would be imported, and read no file.")
        var dryRun = false
        @Option(
            help: ArgumentHelp(
                "Metadata and thumbnails: as far as the programs are installed, all or nothing, or none.",
                valueName: "choice"
            )
        )
        var metadata = MetadataOption.auto
        @Option(help: ArgumentHelp("The number of uploads at the same time, 1 to 16.", valueName: "number"))
        var jobs = 4
        @Flag(help: "Also files and folders whose names begin with a full stop.")
        var hidden = false
        @Flag(help: "Also folders on other file systems.")
        var cross = false
        @Flag(help: "Link the files, which stay where they are, in place of copying them.")
        var link = false

        func validate() throws {
            guard (1...16).contains(jobs) else { throw ValidationError("--jobs is 1 to 16.") }
            guard into.map({ FilePath($0) != nil }) ?? true else {
                throw ValidationError("--into is a path without slashes at its ends, and without . and .. in it.")
            }
        }

        func run(in session: Session) async throws {
            let display = SharedProgress(ProgressDisplay(session))
            defer { display.end() }
            display.show { _ in "Looking for files" }
            var failures: [FileOutcome] = []
            let summary: ImportSummary
            do {
                summary = try await Importer(folder, into: zone, client: session.client, options: options).run(
                    tell: { notice in
                        if session.isJSON { return try session.terminal.print(line: ImportText.json(notice).encoded) }
                        switch notice {
                        case .shortage(let shortage):
                            display.end()
                            session.terminal.printError("kairan: \(shortage)")
                        case .outcome(let outcome): if outcome.obstacle != nil { failures.append(outcome) }
                        }
                    },
                    progress: { progress in display.show { ImportText.bar(progress, in: $0).text } }
                )
            } catch {
                throw Self.translated(error)
            }
            display.end()
            if session.isJSON {
                try session.terminal.print(line: ImportText.json(summary).encoded)
            } else {
                if !failures.isEmpty { try session.terminal.print(ImportText.table(failures, style: session.style)) }
                try session.terminal.print(ImportText.text(summary, isDryRun: dryRun))
            }
            if summary.exitCode != 0 { throw ExitCode(summary.exitCode) }
        }

        private var options: Importer.Options {
            var options = Importer.Options()
            options.into = into.flatMap { FilePath($0) }
            options.isDryRun = dryRun
            options.metadata = metadata.mode
            options.jobCount = jobs
            (options.includesHidden, options.crossesFileSystems) = (hidden, cross)
            options.links = link
            return options
        }

        /// The errors of an import in the form of those of other commands.
        private static func translated(_ error: any Error) -> any Error {
            switch error {
            case let error as FolderUnreadable:
                InputError(detail: error.description, fix: "Check the path, and that you may read the folder.")
            case let error as Importer.ToolsMissing:
                InputError(
                    detail: error.description,
                    fix: "Or import them without: --metadata auto.",
                    code: "tools.missing",
                    title: "Programs are missing"
                )
            default: error
            }
        }
    }
}
