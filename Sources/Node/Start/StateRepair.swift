import Glibc
package import Identity

/// Repairs of a state directory that a person asks for while no daemon uses it.
package struct StateRepair: Sendable {
    /// The state directory.
    package let directory: String
    private var files: IdentityFiles { IdentityFiles(directory: directory) }

    /// Names a state directory; nothing is touched.
    package init(directory: String) {
        self.directory = directory
    }

    /// Makes the device a new one of a new account at the next start; the store stays.
    /// - Returns: The present path of the folder `keys`; `nil` when there was nothing in it.
    /// - Throws: `PrivateFile.Failure`; then `keys` is where it was, or all of it where it is moved to.
    package func beginAnew() throws(PrivateFile.Failure) -> String? {
        let keys = directory + "/keys"
        var moved: String?
        if try PrivateFile(path: keys).exists(), try !PrivateFile.names(in: keys).allSatisfy({ $0.hasPrefix(".") }) {
            let place = try freePlace(beside: keys)
            try move(keys, to: place)
            moved = place
        }
        try files.prepare()
        try files.founding.replace(Array("The next start makes a new device.\n".utf8))
        return moved
    }

    /// Accepts the loss: the next start goes on without the lost content.
    /// - Parameter storeFiles: The files of a store, below the state directory, that cannot be used without the lost
    ///   content; they are moved aside.
    /// - Returns: The present path of the files; `nil` when there was none.
    /// - Throws: `PrivateFile.Failure`.
    package func acceptLoss(movingAside storeFiles: [String]) throws(PrivateFile.Failure) -> String? {
        var moved: String?
        for name in storeFiles {
            let path = directory + "/" + name
            guard try PrivateFile(path: path).exists() else { continue }
            let place: String
            if let known = moved {
                place = known
            } else {
                place = try freePlace(beside: directory + "/store")
                guard mkdir(place, 0o700) == 0 else {
                    throw PrivateFile.Failure(path: place, operation: "create", errorNumber: errno)
                }
                moved = place
            }
            try move(path, to: place + "/" + (name.split(separator: "/").last.map(String.init) ?? name))
        }
        try files.lossAccepted.replace(Array("The next start continues with the remaining data.\n".utf8))
        return moved
    }

    /// Whether the key of the store is there.
    package func hasStoreKey() throws(PrivateFile.Failure) -> Bool { try files.storeKey.file.exists() }

    /// The decision for a relay that keeps parcels here.
    /// - Parameter store: Its database, as it was found.
    /// - Returns: Whether it starts.
    /// - Throws: `PrivateFile.Failure`.
    package func relayStart(_ store: RelayStart.StoreState) throws(PrivateFile.Failure) -> RelayStart {
        RelayStart.decide(
            hasKey: try files.relayKey.file.exists(),
            store: store,
            isLossAccepted: try files.lossAccepted.exists()
        )
    }

    private func freePlace(beside path: String) throws(PrivateFile.Failure) -> String {
        var number = 1
        while try PrivateFile(path: "\(path).\(number)").exists() { number += 1 }
        return "\(path).\(number)"
    }

    private func move(_ path: String, to place: String) throws(PrivateFile.Failure) {
        guard rename(path, place) == 0 else {
            throw PrivateFile.Failure(path: path, operation: "move away", errorNumber: errno)
        }
        try PrivateFile(path: place).syncDirectory()
        try PrivateFile(path: path).syncDirectory()
    }
}
