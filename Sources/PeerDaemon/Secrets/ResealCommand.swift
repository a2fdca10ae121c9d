import ArgumentParser
import Identity
import Node

/// `kairand reseal`: another passphrase or credential for the keys of a daemon that does not run.
struct ResealCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reseal",
        abstract: "Gives the sealed keys of a state directory another passphrase or credential.",
        discussion: """
            --state says which; --passphrase-file or --ask-passphrase open the present seal. Only the file "seal" is written
            anew. The old secret still opens copies that were made of the state directory
            before, and the keys in them are the same: who knows both has the keys, and the device should be removed.
            """
    )

    @ParentCommand var daemon: PeerDaemon
    @Option(
        help: ArgumentHelp("This file holds what the service gets as the credential kairan-key.", valueName: "key-file")
    )
    var credentialFile: String?
    @Option(help: ArgumentHelp("The new passphrase is in this file.", valueName: "new-file"))
    var newPassphraseFile: String?
    @Option(
        help: ArgumentHelp(
            "This file holds what the service gets as the credential kairan-key from now on.",
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
