import ArgumentParser
import Invocation
import KairanClient

/// The command line as a whole, for the program that is it.
package enum PeerControlProgram {
    /// Carries out the command in the process's arguments, and ends the process.
    package static func main() async { await PeerControl.main() }
}

/// `kairan`: everything that the daemon can do, from a shell.
struct PeerControl: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "kairan",
        abstract: "Records kept in sync between your machines.",
        discussion: """
            Talks to kairand on this machine. With --json every command prints JSON, one document or, for streams, one \
            document a line; errors are then problem documents on standard error.

            /usr/share/doc/kairan/GLOSSARY.md explains terms such as zone, epoch and quarantine.

            Exit codes: 0 done, 1 refused or failed, 64 wrong usage, 69 the daemon cannot be reached, 74 the output \
            cannot be written, 75 try again later, 77 you may not use the daemon's socket.

            EXAMPLES:
              kairan status
              kairan zone create notes
              kairan put notes n1 title=Milk amount:=2
              kairan get notes n1 --json
              kairan pair offer
            """,
        version: "0.1.0",
        groupedSubcommands: [
            CommandGroup(
                name: "This machine",
                subcommands: [
                    Status.self, Doctor.self, Acknowledge.self, Peers.self, Ping.self, Wait.self, Top.self,
                    Metrics.self,
                    Completions.self,
                ]
            ),
            CommandGroup(name: "Account", subcommands: [Pair.self, DeviceCommand.self, AccountCommand.self]),
            CommandGroup(
                name: "Zones",
                subcommands: [
                    ZoneCommand.self, ContainerCommand.self, ShareCommand.self, JoinCommand.self, Leave.self,
                    EpochCommand.self,
                ]
            ),
            CommandGroup(name: "Other accounts", subcommands: [BlockCommand.self, Unblock.self]),
            CommandGroup(name: "Devices that are off", subcommands: [RelayCommand.self]),
            CommandGroup(
                name: "Records",
                subcommands: [
                    Put.self, Get.self, List.self, QueryCommand.self, Remove.self, Batch.self, Import.self, Export.self,
                    AssetCommand.self, Mount.self,
                ]
            ),
            CommandGroup(name: "Files", subcommands: [FolderCommand.self]),
            CommandGroup(name: "Messages", subcommands: [Send.self, InboxCommand.self, MessageCommand.self]),
            CommandGroup(name: "Schemas", subcommands: [SchemaCommand.self, IndexCommand.self]),
            CommandGroup(
                name: "Changes",
                subcommands: [
                    Changes.self, Watch.self, Pending.self, Conflicts.self, Resolve.self, QuarantineCommand.self,
                ]
            ),
        ]
    )

    @OptionGroup var global: GlobalOptions

    static func main() async {
        let terminal = Terminal()
        // As they are repaired, until they are known to need none: an error about them may be wanted as JSON too.
        var arguments = GlobalOptions.reordered(Array(CommandLine.arguments.dropFirst()))
        do {
            arguments = GlobalOptions.reordered(try Invocation.current(reading: Invocation.isRead).arguments)
            var command = try await asyncParseAsRoot(arguments)
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
            try Terminal.closeOutput()
        } catch {
            var failure = Failure(error)
            // The parser calls a verb that it does not know an argument too many.
            if failure.exitCode == ExitCode.validationFailure.rawValue,
                let unknown = UnknownVerb.find(in: arguments, of: PeerControl.self)
            {
                failure = Failure(unknown.refusal)
            }
            end(failure, on: terminal, isJSON: arguments.prefix { $0 != "--" }.contains("--json"))
        }
    }

    private static func end(_ failure: Failure, on terminal: Terminal, isJSON: Bool) -> Never {
        do {
            try failure.report(on: terminal, isJSON: isJSON)
        } catch {
            // Only the standard output fails here: all that remains is to report that.
            let second = Failure(error)
            try? second.report(on: terminal, isJSON: isJSON)
            Terminal.exit(second.exitCode)
        }
        Terminal.exit(failure.exitCode)
    }
}
