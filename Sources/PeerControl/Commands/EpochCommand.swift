import ArgumentParser
import KairanClient

/// Keys of zones.
struct EpochCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "epoch",
        abstract: "Change the key under which the records of a zone are sealed.",
        discussion: """
            Records are sealed under a key that only the devices of the zone's readers have. It changes automatically when a \
            reader is removed, and every 30 days; `kairan zone show` names the present epoch.
            """,
        subcommands: [Rotate.self]
    )

    /// Begins another one.
    struct Rotate: ControlCommand {
        static let configuration = CommandConfiguration(
            abstract: "Begin another key of a zone.",
            discussion: """
                Later operations are sealed under it. Earlier ones stay under their keys: devices that have those keep them, and a \
                record is not sealed anew until it is written again.

                EXAMPLE:
                  kairan epoch rotate notes
                """
        )

        @OptionGroup var global: GlobalOptions
        @Argument(help: .zone, completion: .zones)
        var zone: String

        func run(in session: Session) async throws {
            try await session.show(.rotateEpoch(zone), as: ZoneEpoch.self) {
                "Later operations are sealed under the key of epoch \(session.style.id($0.epoch))."
            }
        }
    }
}
