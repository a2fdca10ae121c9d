import ArgumentParser
import Glibc
import Identity
import Node
import Sodium
import Store
import Sync

/// A state directory whose daemon does not run, and what opens its seal: what the commands about it have in common.
struct OfflineState: ParsableArguments {
    @Option(help: ArgumentHelp("The state directory.", valueName: "directory"))
    var state: String
    @Option(help: ArgumentHelp("The passphrase is in this file.", valueName: "file"))
    var passphraseFile: String?
    @Option(
        help: ArgumentHelp("This file holds what the service gets as the credential kairan-key.", valueName: "file")
    )
    var credentialFile: String?
    @Flag(help: "Ask for the passphrase at the terminal.")
    var askPassphrase = false

    /// Where the secret comes from.
    var sources: SecretSources {
        SecretSources(
            asksPassphrase: askPassphrase,
            passphraseFile: passphraseFile.map(PeerDaemon.absolute),
            credentialFile: credentialFile.map(PeerDaemon.absolute),
            credentialDirectory: ProcessEnvironment.variables["CREDENTIALS_DIRECTORY"]
        )
    }

    /// What opens a seal, in words.
    func words(for seal: StateSeal) throws -> String {
        switch try seal.kind() {
        case .credential: "the credential kairan-key"
        case .passphrase: "the passphrase"
        case nil: "nothing"
        }
    }

    /// Does something to the state directory while no daemon can use it, and says what came of it.
    /// - Parameter body: Gives the sentence.
    /// - Throws: `ExitCode`, after the reason was told.
    func run(_ body: (StateSeal) throws -> String) throws {
        _ = ProcessMemory.protect()
        do {
            let directory = StateDirectory(path: PeerDaemon.absolute(state))
            try checkOwner(of: directory.path)
            let lock = try DirectoryLock(directory)
            defer { lock.release() }
            print(try body(StateSeal(directory: directory.path)))
        } catch {
            switch error {
            case let error as DaemonConfiguration.Refusal:
                PeerDaemon.complain(error.description)
                throw ExitCode(EX_USAGE)
            case let error as StorageError:
                PeerDaemon.complain("the state directory \(state) cannot be used: \(error.message)")
            default: PeerDaemon.complain("\(error)")
            }
            throw ExitCode(EX_CANTCREAT)
        }
    }

    /// Files that root writes would be out of the daemon's reach.
    private func checkOwner(of path: String) throws(DaemonConfiguration.Refusal) {
        let owner: UInt32
        do {
            owner = try PrivateFile(path: path).facts().owner
        } catch {
            throw DaemonConfiguration.Refusal(description: "state: \(error)")
        }
        guard owner == geteuid() else {
            let name = getpwuid(owner).map { String(cString: $0.pointee.pw_name) } ?? "#\(owner)"
            throw DaemonConfiguration.Refusal(
                description: "\(path) belongs to another user; run this as that one, for example `sudo -u \(name)`"
            )
        }
    }
}
