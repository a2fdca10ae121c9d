import ArgumentParser
import KairanClient

/// Deletes a record.
struct Remove: ControlCommand {
    static let configuration = CommandConfiguration(
        commandName: "rm",
        abstract: "Delete a record.",
        discussion: "EXAMPLE:\n  kairan rm notes n1"
    )

    @OptionGroup var global: GlobalOptions
    @Argument(help: .zone, completion: .zones)
    var zone: String
    @Argument(help: "The record's name.")
    var name: String
    @Option(help: "Only if this is its version, or at least the first eight characters of it.")
    var ifVersion: String?

    func run(in session: Session) async throws {
        var ifVersion = ifVersion
        if let text = ifVersion { ifVersion = try await ChosenVersion.whole(text, of: name, in: zone, session) }
        let request = DaemonRequest.delete(.deletion(name, ifVersion: ifVersion), zone: zone)
        try await session.show(request, as: Record.self) { "Deleted \(Table.visible($0.name))." }
    }
}
