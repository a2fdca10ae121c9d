import ArgumentParser
import KairanClient

/// The terms of a right in a zone, as written on the command line.
struct ShareTermsOptions: ParsableArguments {
    @Option(help: "The level of the right.")
    var rights: ShareCommand.Rights
    @Flag(help: "The grantee may delegate the right.")
    var delegate = false
    @Option(help: "The number of times in a row that the right may be delegated, 1 to 7; with --delegate 1 by default.")
    var depth: Int?
    @Option(
        parsing: .upToNextOption,
        help: ArgumentHelp("Restrict writes to these record types.", valueName: "type")
    )
    var types: [String] = []
    @Option(help: ArgumentHelp("Restrict writes to records whose names have this prefix.", valueName: "text"))
    var prefix = ""

    func validate() throws {
        guard (1...7).contains(depth ?? 1) else {
            throw ValidationError("A right can be delegated 1 to 7 times in a row.")
        }
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
