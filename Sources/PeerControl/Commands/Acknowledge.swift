import ArgumentParser
import KairanClient

/// Marks warnings as known.
struct Acknowledge: ControlCommand {
    static let configuration = CommandConfiguration(
        abstract: "Mark a warning as known, so that status and doctor pass over it.",
        discussion: """
            The acknowledgement survives restarts, and ends when the warning becomes worse. A critical one cannot be acknowledged.

            EXAMPLES:
              kairan acknowledge keys.unsealed
              kairan acknowledge keys.unsealed --undo
            """
    )

    @OptionGroup var global: GlobalOptions
    @Argument(help: "The code of a warning, as status shows it in brackets.", completion: .warnings)
    var code: String
    @Flag(help: "Show warnings with this code again.")
    var undo = false

    func run(in session: Session) async throws {
        if undo {
            try await session.client.withdrawAcknowledgement(of: code)
        } else {
            try await session.client.acknowledge(warning: code)
        }
        let words =
            undo ? "\(code) is shown again." : "\(code) is no longer shown; `kairan status --all` still lists it."
        try session.show(["code": .string(code), "acknowledged": .bool(!undo)], words)
    }
}
