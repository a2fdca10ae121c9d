import ArgumentParser
import Identity
import Node

/// `kairand seal`: seals the keys of a daemon that does not run.
struct SealCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "seal",
        abstract: "Seals the keys of a state directory whose daemon does not run.",
        discussion: """
            --state names the directory, and --passphrase-file or --ask-passphrase the secret. A start with the same secret seals \
            the keys too. Keys that are sealed already stay as they are; the command then reports whether the secret is the right \
            one.
            """
    )

    @ParentCommand var daemon: PeerDaemon
    @Option(
        help: ArgumentHelp("The file with the content of the service's credential kairan-key.", valueName: "key-file")
    )
    var credentialFile: String?

    func run() throws {
        let offline = try OfflineState(daemon, credentialFile: credentialFile)
        try offline.run { seal in
            guard try seal.unlock({ try offline.sources.secret(for: $0) }) != nil else {
                throw DaemonConfiguration.Refusal(
                    description: "no secret to seal the keys with was given; name a file with --passphrase-file or"
                        + " --credential-file, or --ask-passphrase"
                )
            }
            return "The keys in \(seal.directory) are sealed: \(try OfflineState.words(for: seal)) opens them."
        }
    }
}
