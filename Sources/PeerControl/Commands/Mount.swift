import ArgumentParser
import KairanClient

/// Shows a zone as a folder: starts the program that can, and lists such folders.
struct Mount: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show the files of a zone in a folder.",
        discussion: """
            Any program opens the files; with --writable it creates, changes and removes them too. Content that is not on this machine is fetched while it is read; a reading \
            fails when no machine in reach has it. Records of the type File are shown at their paths, and the assets of every other \
            record in a folder of the record's name.

            The folder exists and is empty. The command ends when the zone is shown; `fusermount3 -u FOLDER` unmounts it. The extended \
            attributes user.kairan.state and user.kairan.percent of a file say how much of it is here (`getfattr -d`).

            The program kairan-mount does the work; the package of this name has it. /usr/share/doc/kairan/docs/operations/mount.md \
            describes it.

            EXAMPLES:
              kairan mount holiday ~/Holiday
              kairan mount holiday ~/Holiday --writable
              kairan mount --list
              fusermount3 -u ~/Holiday
            """
    )

    @OptionGroup var global: GlobalOptions
    @Flag(help: "List the folders in which zones are shown.")
    var list = false
    @Flag(help: "Stay in the foreground, until the folder is unmounted.")
    var foreground = false
    @Flag(help: "Let other users read the files too; /etc/fuse.conf has to allow it.")
    var allowOther = false
    @Flag(help: "Let programs in the zone be executed.")
    var exec = false
    @Flag(help: "Let programs create, change and remove files, where the account may write in the zone.")
    var writable = false
    @Option(help: ArgumentHelp("The time to wait for content that another machine has.", valueName: "seconds"))
    var wait = 30
    @Argument(help: .zone, completion: .zones)
    var zone: String?
    @Argument(help: "An empty folder.", completion: .directory)
    var folder: String?

    func validate() throws {
        guard (folder == nil) == list, zone == nil || !list else {
            throw ValidationError("Give a zone and a folder, or --list.")
        }
        guard list || !global.json else { throw ValidationError("--json goes with --list.") }
        guard (0...300).contains(wait) else { throw ValidationError("--wait is 0 to 300 seconds.") }
    }

    func run() async throws {
        guard let zone, let folder else { return try await showList() }
        try HelperProgram.mount.become(arguments(zone, folder))
    }

    /// The arguments of `kairan-mount`.
    func arguments(_ zone: String, _ folder: String) -> [String] {
        var arguments = ["--wait", "\(wait)"]
        if foreground { arguments.append("--foreground") }
        if allowOther { arguments.append("--allow-other") }
        if exec { arguments.append("--exec") }
        if writable { arguments.append("--writable") }
        if let socket = global.socket { arguments += ["--socket", socket] }
        return arguments + ["--", zone, folder]
    }

    private func showList() async throws {
        let terminal = Terminal()
        let entries = try await MountTable.current().entries
        guard !global.json else {
            let documents = entries.map { entry -> JSONValue in
                ["folder": .string(entry.folder), "zone": .string(entry.zone)]
            }
            try terminal.print(line: JSONValue.array(documents).encoded)
            return
        }
        var table = Table([.text("ZONE"), .text("FOLDER")])
        for entry in entries { table.add([Table.Cell(entry.zone), Table.Cell(entry.folder)]) }
        try terminal.print(table.text(style: terminal.style, empty: "no zone is mounted"))
    }
}
