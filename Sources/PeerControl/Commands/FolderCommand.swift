import ArgumentParser
import FileRecords
import Folders
import FoundationEssentials
import Glibc
import KairanClient

/// Folders that are kept in step with zones.
struct FolderCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "folder",
        abstract: "Keep a folder of files in step with a zone, in both directions.",
        discussion: """
            Each file is a record of the zone, so every machine that keeps a folder in step with the zone has the same files. \
            Nothing is lost: a file that was changed on two machines at once is there in both versions, and a file that was \
            deleted elsewhere stays in the folder's trash for 30 days.

            EXAMPLES:
              kairan folder ~/Documents documents
              kairan folder ~/Documents documents --once
              kairan folder trash ~/Documents
            """,
        subcommands: [FolderKeep.self, FolderTrash.self],
        defaultSubcommand: FolderKeep.self
    )

    /// Keeps one in step.
    struct FolderKeep: ControlCommand {
        static let configuration = CommandConfiguration(
            commandName: "sync",
            abstract: "Keep a folder in step with a zone, until Ctrl-C; the same as without `sync`.",
            discussion: """
                Files that are new or changed in the folder are uploaded, those of the zone are written into the folder, and deletions \
                are made on the other side; a deleted file goes to the folder's trash. In the first run both sides are merged: equal files \
                are left where they are, and of different ones both are kept. A file .kairan-folder marks the folder; patterns in \
                .kairanignore name files that stay out. Symbolic links, special files and empty folders are not kept in step.

                If the folder is empty, or more than half of its files and more than 50 are gone, nothing is deleted in the zone before \
                --confirm-deletions says so. With --json each event is one line; --once ends with 75 when something is left to do.

                EXAMPLES:
                  kairan folder ~/Documents documents
                  kairan folder ~/Documents documents --dry-run
                """
        )

        @OptionGroup var global: GlobalOptions
        @Argument(help: "The folder.", completion: .directory)
        var folder: String
        @Argument(help: .zone, completion: .zones)
        var zone: String
        @Flag(help: "End when both sides are in step.")
        var once = false
        @Flag(help: "Show what would be done, and do nothing.")
        var dryRun = false
        @Flag(help: "Delete files in the zone although many are gone from the folder.")
        var confirmDeletions = false
        @Flag(help: "Forget what was in step, and merge both sides as in the first run.")
        var beginAnew = false

        func validate() throws {
            guard !folder.isEmpty else { throw ValidationError("The path of the folder is empty.") }
            guard !beginAnew || !confirmDeletions else {
                throw ValidationError("With --begin-anew nothing is deleted: leave --confirm-deletions out.")
            }
        }

        func run(in session: Session) async throws {
            if !once, !dryRun { Terminal.endQuietlyOnInterrupt() }
            let environment = ProcessInfo.processInfo.environment
            let described = try await session.client.zone(zone)
            var options = FolderOptions(
                path: folder,
                statePath: FolderOptions.statePath(environment),
                settings: await FolderCommand.settings(session.client, confirmsDeletions: confirmDeletions)
            )
            (options.isOnce, options.isDryRun, options.beginsAnew) = (once, dryRun, beginAnew)
            let sync = FolderSync(client: session.client, zone: described.zone, options: options)
            do {
                let summary = try await sync.run { report in
                    if session.isJSON {
                        try session.terminal.print(line: FolderText.json(report).encoded)
                    } else if let line = FolderText.line(report, style: session.style) {
                        try session.terminal.print(line)
                    }
                }
                if !summary.failed.isEmpty, !dryRun { throw ExitCode(75) }
            } catch let error as FolderError {
                throw FolderCommand.refusal(error)
            }
        }
    }

    /// Lists the trash of one.
    struct FolderTrash: ControlCommand {
        static let configuration = CommandConfiguration(
            commandName: "trash",
            abstract: "List the trash of a folder that is kept in step, or restore a file from it.",
            discussion: """
                Files that other machines have deleted stay for 30 days in .kairan-trash in the folder, by the day of their deletion. A \
                file that is restored is in the folder again, and with the next synchronisation in the zone.

                EXAMPLES:
                  kairan folder trash ~/Documents
                  kairan folder trash ~/Documents --restore letters/draft.txt
                """
        )

        @OptionGroup var global: GlobalOptions
        @Argument(help: "The folder.", completion: .directory)
        var folder: String
        @Option(help: ArgumentHelp("Restore the newest file of this path.", valueName: "path"))
        var restore: String?

        func validate() throws {
            guard restore.map({ FilePath($0) != nil }) ?? true else {
                throw ValidationError("The path is one in the folder, without a slash at its beginning and end.")
            }
        }

        func run(in session: Session) async throws {
            do {
                let root = try FolderRoot(folder)
                if let path = restore.flatMap({ FilePath($0) }) {
                    try show(restored: try root.restore(path), path, session)
                } else {
                    let files = try root.trashed()
                    if session.isJSON {
                        try session.terminal.print(line: JSONValue.array(files.map { FolderText.json($0) }).encoded)
                    } else {
                        try session.terminal.print(FolderText.list(files, style: session.style))
                    }
                }
            } catch let error as FolderError {
                throw FolderCommand.refusal(error)
            }
        }

        private func show(restored file: TrashedFile?, _ path: FilePath, _ session: Session) throws {
            guard let file else {
                throw InputError(
                    detail: "The trash of \(folder) has no file \(path.text).",
                    fix: "`kairan folder trash \(folder)` lists its files.",
                    code: "id.unknown",
                    title: "The file is not in the trash"
                )
            }
            try session.show(
                FolderText.json(file),
                "Restored \(Table.visible(file.path.text)), deleted on \(file.day)."
            )
        }
    }

    /// The names of the devices, and the confirmation.
    private static func settings(_ client: DaemonClient, confirmsDeletions: Bool) async -> FolderCore.Settings {
        // An application may not ask for them: conflict files have the name of the machine then.
        let account = try? await client.account()
        let names = Dictionary((account?.devices ?? []).map { ($0.device, $0.name) }) { first, _ in first }
        let own = account?.devices.first { $0.isThis }?.name
        return FolderCore.Settings(
            deviceName: own ?? hostName,
            deviceNames: names,
            confirmsDeletions: confirmsDeletions
        )
    }

    private static var hostName: String {
        var bytes = [CChar](repeating: 0, count: 256)
        guard gethostname(&bytes, bytes.count - 1) == 0 else { return "" }
        return String(decoding: bytes.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// The error of a command whose folder cannot be kept in step.
    private static func refusal(_ error: FolderError) -> InputError {
        InputError(
            detail: error.detail,
            fix: error.fix,
            code: error.code,
            title: "The folder is not kept in step",
            exitCode: error.isTemporary ? 75 : 1
        )
    }
}
