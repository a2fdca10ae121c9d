import ArgumentParser
import Identity
import Node

/// `kairand reseal`: another passphrase or credential for the keys of a daemon that does not run.
struct ResealCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reseal",
        abstract: "Gives the sealed keys of a state directory another passphrase or credential.",
        discussion: """
            --state names the directory; --passphrase-file or --ask-passphrase open the present seal. Only the file "seal" is
            written again. The old secret still opens earlier copies of the state directory, which have the same keys: if
            another person may have a copy and the old secret, remove the device.
            """
    )

    @ParentCommand var daemon: PeerDaemon
    @Option(
        help: ArgumentHelp("The file with the content of the service's credential kairan-key.", valueName: "key-file")
    )
    var credentialFile: String?
    @Option(help: ArgumentHelp("The file with the new passphrase.", valueName: "new-file"))
    var newPassphraseFile: String?
    @Option(
        help: ArgumentHelp(
            "The file with the new content of the service's credential kairan-key.",
            valueName: "new-key-file"
        )
    )
    var newCredentialFile: String?
    @Flag(help: "Ask for the new passphrase at the terminal.")
    var askNewPassphrase = false

    /// The sources of the new secret; the service manager's credentials have names of their own.
    private var newSources: SecretSources {
        SecretSources(
            asksPassphrase: askNewPassphrase,
            passphraseFile: newPassphraseFile.map(PeerDaemon.absolute),
            credentialFile: newCredentialFile.map(PeerDaemon.absolute),
            credentialDirectory: ProcessEnvironment.variables["CREDENTIALS_DIRECTORY"],
            keyName: "kairan-new-key",
            passphraseName: "kairan-new-passphrase"
        )
    }

    func run() throws {
        let offline = try OfflineState(daemon, credentialFile: credentialFile)
        try offline.run { seal in
            guard try seal.kind() != nil else {
                throw DaemonConfiguration.Refusal(
                    description: "the keys in \(seal.directory) are not sealed; `kairand seal` does that"
                )
            }
            guard let key = try seal.unlock({ try offline.sources.secret(for: $0) }),
                let secret = try newSources.secret(for: .make)
            else {
                throw DaemonConfiguration.Refusal(
                    description: "no new secret was given; name a file with --new-passphrase-file or"
                        + " --new-credential-file, or --ask-new-passphrase"
                )
            }
            try seal.relock(key, with: secret)
            return "The keys in \(seal.directory) have a new seal: \(try OfflineState.words(for: seal)) opens them."
        }
    }
}
