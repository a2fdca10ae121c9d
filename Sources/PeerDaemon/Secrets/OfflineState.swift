import ArgumentParser
import Glibc
import Identity
import Node
import Sodium
import Store
import Sync

/// A state directory whose daemon does not run, and the sources of the secret that opens its seal: the common part of
/// the commands about it.
///
/// The directory and the passphrase are options of the daemon itself, which the argument parser gives to no other
/// command.
struct OfflineState {
    /// The state directory.
    let path: String
    /// The sources of the secret.
    let sources: SecretSources

    /// Takes the daemon's options.
    /// - Parameters:
    ///   - daemon: The options.
    ///   - credentialFile: A file with the content of the service's credential `kairan-key`.
    /// - Throws: `ExitCode` when the command line names no state directory.
    init(_ daemon: PeerDaemon, credentialFile: String?) throws {
        guard let state = daemon.state else {
            // A default could be another daemon's directory than the intended one.
            PeerDaemon.complain("no state directory was named; name it with --state")
            throw ExitCode(EX_USAGE)
        }
        path = PeerDaemon.absolute(state)
        sources = SecretSources(
            asksPassphrase: daemon.askPassphrase,
            passphraseFile: daemon.passphraseFile.map(PeerDaemon.absolute),
            credentialFile: credentialFile.map(PeerDaemon.absolute),
            credentialDirectory: ProcessEnvironment.variables["CREDENTIALS_DIRECTORY"]
        )
    }

    /// Names the secret that opens a seal.
    static func words(for seal: StateSeal) throws -> String {
        switch try seal.kind() {
        case .credential: "the credential kairan-key"
        case .passphrase: "the passphrase"
        case nil: "nothing"
        }
    }

    /// Works on the state directory while no daemon can use it, and prints the result.
    /// - Parameter body: The work; returns the sentence to print.
    /// - Throws: `ExitCode`, after the reason was printed.
    func run(_ body: (StateSeal) throws -> String) throws {
        _ = ProcessMemory.protect()
        do {
            let directory = StateDirectory(path: path)
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
                PeerDaemon.complain("the state directory \(path) cannot be used: \(error.message)")
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
                description: "\(path) belongs to another user; run this as that user, for example `sudo -u \(name)`"
            )
        }
    }
}
