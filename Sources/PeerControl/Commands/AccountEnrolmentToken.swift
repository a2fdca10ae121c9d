import ArgumentParser
import KairanClient

/// Makes a token for machines without a person in front of them.
struct AccountEnrolmentToken: ControlCommand {
    static let configuration = CommandConfiguration(
        commandName: "enrolment-token",
        abstract: "Make a token by which machines join this account on their own.",
        discussion: """
            Put it on each machine into a file of the daemon's user with mode 0600, by default enrolment-token in the \
            daemon's state directory (/var/lib/kairan). A daemon that is alone in its account joins this one at its next \
            start, and removes the file. No words are compared: any machine that has the token can join the account. This \
            device must be on and in reach; the token survives its restarts, and is not shown again.

            EXAMPLES:
              kairan account enrolment-token --uses 20 --expires 2h
              kairan account enrolment-token --role read-only --output token
              kairan account enrolment-token --withdraw
            """
    )

    @OptionGroup var global: GlobalOptions
    @Option(help: "The number of machines that may join by it, 1 to 256.")
    var uses = 1
    @Option(help: ArgumentHelp("The time for which it is valid: 1m to 30d.", valueName: "time"))
    var expires = Lifetime(seconds: 86_400)
    @Option(help: "The role of these machines.")
    var role = RoleOption.full
    @Option(help: ArgumentHelp("Write it to this new file, with mode 0600.", valueName: "file"), completion: .file())
    var output: String?
    @Flag(help: "Make no token, and withdraw all that were made on this device.")
    var withdraw = false

    func validate() throws {
        guard (1...256).contains(uses) else { throw ValidationError("A token is for 1 to 256 machines.") }
        guard (60...2_592_000).contains(expires.seconds) else {
            throw ValidationError("A token is valid for 1m to 30d.")
        }
    }

    func run(in session: Session) async throws {
        if withdraw {
            try await session.client.withdrawEnrolmentTokens()
            try session.show(["withdrawn": true], "All enrolment tokens of this device are withdrawn.")
            return
        }
        let document = try await session.client.document(
            .makeEnrolmentToken(uses: uses, seconds: expires.seconds, role: role.interfaceText)
        )
        let token: EnrolmentToken = try DaemonClient.decode(document)
        if let output {
            try SecretFile.create(token.token + "\n", at: output)
            let json = try RecordFile.json(document, name: "The answer")
            let shown = (json.members ?? []).map { $0.name == "token" ? JSONMember("file", .string(output)) : $0 }
            try session.show(.object(shown), "Written to \(Table.visible(output)). " + Self.text(token))
        } else if session.isJSON {
            try session.terminal.print(line: document)
        } else {
            // Alone on the standard output, so that it can be redirected.
            try session.terminal.print(token.token)
            session.terminal.printError(Self.text(token))
        }
    }

    /// Describes the number and role of the machines that the token admits, and the end of its validity.
    static func text(_ token: EnrolmentToken) -> String {
        let machines = Words.count(token.uses, "machine", "machines")
        let role = token.role.text
        return "Valid for \(machines) (\(role)), until \(Words.time(token.expiresAt))."
    }
}
