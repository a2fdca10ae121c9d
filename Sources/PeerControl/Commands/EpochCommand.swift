import ArgumentParser
import KairanClient

/// Keys of zones.
struct EpochCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "epoch",
        abstract: "Change the key under which a zone is written.",
        discussion: """
            Records are sealed under a key that the devices of those have who may read the zone. It is changed by itself when \
            somebody is put out, and every 30 days; `kairan zone show` names the present epoch.
            """,
        subcommands: [Rotate.self]
    )

    /// Begins another one.
    struct Rotate: ControlCommand {
        static let configuration = CommandConfiguration(
            abstract: "Begin another key of a zone.",
            discussion: """
                What is written from now on is sealed under it. What was written before stays under the keys of then: who has \
                them keeps them, and records are not sealed anew until they are written again.

                EXAMPLE:
                  kairan epoch rotate notes
                """
        )

        @OptionGroup var global: GlobalOptions
        @Argument(help: .zone, completion: .zones)
        var zone: String

        func run(in session: Session) async throws {
            try await session.show(.rotateEpoch(zone), as: ZoneEpoch.self) {
                "What is written from now on is sealed under the key of epoch \(session.style.id($0.epoch))."
            }
        }
    }
}
