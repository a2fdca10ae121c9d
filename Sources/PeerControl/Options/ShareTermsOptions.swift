import ArgumentParser
import KairanClient

/// The terms of a right in a zone, as written on the command line.
struct ShareTermsOptions: ParsableArguments {
    @Option(help: "What whoever gets it may do.")
    var rights: ShareCommand.Rights
    @Flag(help: "They may hand the right on.")
    var delegate = false
    @Option(help: "How often in a row the right may be handed on, 1 to 7; with --delegate 1 by default.")
    var depth: Int?
    @Option(
        parsing: .upToNextOption,
        help: ArgumentHelp("The only record types that may be written.", valueName: "type")
    )
    var types: [String] = []
    @Option(help: ArgumentHelp("What the names of records begin with that may be written.", valueName: "text"))
    var prefix = ""

    func validate() throws {
        guard (1...7).contains(depth ?? 1) else { throw ValidationError("A right is handed on 1 to 7 times in a row.") }
        guard types.count <= 16 else { throw ValidationError("At most 16 types can be named.") }
    }

    /// As the library takes it.
    func client(seconds: Int?) -> DaemonClient.ShareTerms {
        DaemonClient.ShareTerms(
            rights.client,
            depth: depth ?? (delegate ? 1 : 0),
            types: types,
            prefix: prefix,
            seconds: seconds
        )
    }
}
