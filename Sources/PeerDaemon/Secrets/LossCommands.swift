import ArgumentParser
import Node
import Store

/// `kairand accept-loss`: goes on with the rest of a state directory.
struct AcceptLossCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "accept-loss",
        abstract:
            "Has the next start continue with the remaining files of a state directory whose daemon does not run.",
        discussion: """
            For a store, an account log or a relay's files that are lost for good: without this command the daemon refuses to \
            start, or reports the loss. --state names the directory. Keys and account stay. A store that cannot be used without \
            the lost files is moved aside, and nothing is deleted. Other devices send the records that they have.
            """
    )

    @ParentCommand var daemon: PeerDaemon

    func run() throws {
        let offline = try OfflineState(daemon, credentialFile: nil)
        try offline.run { seal in
            let repair = StateRepair(directory: seal.directory)
            let unusable = try StateDirectory(path: seal.directory).unusableStoreFiles(hasKey: repair.hasStoreKey())
            let moved = try repair.acceptLoss(movingAside: unusable)
            let aside = moved.map { " The store that cannot be used is in \($0) now." } ?? ""
            return "The next start continues with the remaining files in \(seal.directory).\(aside)"
        }
    }
}

/// `kairand begin-anew`: makes a device a new one, with the records that it has.
struct BeginAnewCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "begin-anew",
        abstract: "Has the next start make a new device of a state directory whose daemon does not run.",
        discussion: """
            For a device that was removed from its account, or whose keys are lost: the next start makes new keys and a new \
            account, with the records that are in the store. --state names the directory. The folder "keys" is moved aside, \
            and nothing is deleted. Pair the device afterwards, or join an account with `kairan account recover`.
            """
    )

    @ParentCommand var daemon: PeerDaemon

    func run() throws {
        let offline = try OfflineState(daemon, credentialFile: nil)
        try offline.run { seal in
            let moved = try StateRepair(directory: seal.directory).beginAnew()
            let aside = moved.map { " The keys that it had are in \($0) now." } ?? ""
            return "The next start makes a new device in \(seal.directory).\(aside)"
        }
    }
}
