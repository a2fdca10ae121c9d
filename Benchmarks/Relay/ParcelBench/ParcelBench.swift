import ArgumentParser

/// Measures the storages in which a relay keeps parcels, and has sessions with a relay that is measured from outside.
@main
struct ParcelBench: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "parcel-bench",
        abstract: "Measures what a relay keeps parcels in.",
        subcommands: [Keep.self, Look.self],
        defaultSubcommand: Keep.self
    )
}
