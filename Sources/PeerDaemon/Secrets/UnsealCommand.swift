import ArgumentParser
import Node

/// `kairand unseal`: puts the keys of a daemon that does not run back in the clear.
struct UnsealCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "unseal",
        abstract: "Unseals the keys of a state directory whose daemon does not run; they are then in clear.",
        discussion: "--state names the directory; --passphrase-file or --ask-passphrase open the seal."
    )

    @ParentCommand var daemon: PeerDaemon
    @Option(
        help: ArgumentHelp("The file with the content of the service's credential kairan-key.", valueName: "key-file")
    )
    var credentialFile: String?

    func run() throws {
        let offline = try OfflineState(daemon, credentialFile: credentialFile)
        try offline.run { seal in
            guard try seal.remove({ try offline.sources.secret(for: $0) }) else {
                return "The keys in \(seal.directory) are not sealed."
            }
            return
                "The keys in \(seal.directory) are in clear now. Remove the secret from the daemon's configuration:"
                + " with it the next start would seal them again."
        }
    }
}
