package import Identity
package import Logging
import Mailbox
import Records
package import Sodium
package import Sync
import Wire

/// Why a node cannot start from its state directory.
package struct NodeStartError: Error, Sendable, CustomStringConvertible {
    /// The fault, its place and its remedy.
    package let description: String
    /// The outlook of another start.
    package let outlook: StorageError.Outlook

    init(description: String, outlook: StorageError.Outlook = .stays) {
        self.description = description
        self.outlook = outlook
    }
}

extension Node {
    /// Assembles a node from its state directory and its store; the first start makes device and account.
    /// - Parameters:
    ///   - stateDirectory: The directory of the keys and the sentinel; must exist and belong to this process alone.
    ///   - storage: The open store.
    ///   - envelopes: Seals keys of zones to devices; `nil` writes all records in clear.
    ///   - deviceName: The name of this machine for people; cut to 63 bytes.
    ///   - machine: The bytes that distinguish this machine from a copy of its disk; the first 44 are used.
    ///   - clock: The clocks.
    ///   - unlocking: The source of the secret that opens the seal of the state directory, or makes one; without a
    ///     secret the keys stay as they are.
    ///   - passphraseCost: The cost of a guess at a passphrase for a seal that is made now.
    ///   - listeningPort: The transport's port, once there is one.
    ///   - relay: The settings of the relay; `nil` = this node keeps no parcels for other accounts.
    ///   - metrics: The store of the metrics.
    ///   - observer: Reports the state of the machine and the process, for the doctor.
    ///   - links: The roots of linked files, which the store reads too.
    ///   - logger: The log for operators.
    /// - Returns: A node that does nothing before its services run.
    /// - Throws: `NodeStartError`, `StorageError`, the errors of `unlocking`.
    package static func start(
        stateDirectory: String,
        storage: any StoragePort,
        envelopes: (any EnvelopeSealing)? = nil,
        deviceName: String,
        machine: [UInt8],
        clock: NodeClock = .system,
        unlocking: @Sendable (StateSeal.Request) throws -> UnlockingSecret? = { _ in nil },
        passphraseCost: Argon2id.Parameters = .moderate,
        listeningPort: @escaping @Sendable () -> UInt16?,
        relay: RelaySettings? = nil,
        metrics: any MetricsPort = NoMetrics(),
        observer: any MachinePort = UnknownMachine(),
        links: LinkSettings = LinkSettings(),
        logger: Logger
    ) async throws -> Node {
        let start = NodeStart(
            directory: stateDirectory,
            storage: storage,
            envelopes: envelopes,
            clock: clock,
            metrics: metrics,
            logger: logger
        )
        let unlocked = try start.unlocked(by: unlocking, passphraseCost)
        let beginning = try await start.beginning(from: unlocked, deviceName: deviceName, machine: machine)
        var files = unlocked
        files.place = FileIdentity(stateDirectory)
        let identity = try await start.identity(of: beginning, files)
        let commitService = try await start.commitService(of: identity, beginning)
        let noAddresses: @Sendable () -> [String] = { [] }
        return Node(
            storage: storage,
            commitService: commitService,
            relay: try relay.map { try start.relay($0, identity.files) },
            relayAddresses: relay?.addresses ?? noAddresses,
            listeningPort: listeningPort,
            machine: observer,
            links: links
        )
    }
}

/// The phases of a node's start, in order; each needs the result of the one before it.
private struct NodeStart {
    let directory: String
    let storage: any StoragePort
    let envelopes: (any EnvelopeSealing)?
    let clock: NodeClock
    let metrics: any MetricsPort
    let logger: Logger

    /// Unlocks the files with keys, and seals them from now on if there is a secret.
    func unlocked(by unlocking: StateSeal.Source, _ passphraseCost: Argon2id.Parameters) throws -> IdentityFiles {
        let seal = StateSeal(directory: directory, parameters: passphraseCost)
        do {
            let isNew = try seal.kind() == nil
            let files = IdentityFiles(directory: directory, sealingKey: try seal.unlock(unlocking))
            if isNew, let kind = try seal.kind() {
                logger.notice("the keys are sealed from now on", metadata: ["by": "\(kind)"])
            }
            return files
        } catch {
            throw NodeStartError(ofKeys: directory, error) ?? error
        }
    }

    /// Finds the keys and the account, or makes them.
    func beginning(from files: IdentityFiles, deviceName: String, machine: [UInt8]) async throws -> Beginning {
        do {
            return try await Beginning(
                files: files,
                storage: storage,
                envelopes: envelopes,
                deviceName: deviceName,
                machine: machine,
                clock: clock
            )
        } catch {
            throw NodeStartError(ofKeys: directory, error)
                ?? NodeStartError(description: "the keys in \(directory)/keys cannot be used: \(error)")
        }
    }

    /// Begins the store's life with the keys, and publishes those that others need.
    func identity(of beginning: Beginning, _ files: IdentityFiles) async throws -> NodeIdentity {
        let (founding, sentinel) = (beginning.founding, beginning.sentinel)
        try await storage.protect(with: beginning.storeKey) {
            let key = SymmetricKey.generate()
            // On the disk before anything is sealed under it.
            try files.storeKey.replace(KeyFile.encode(storeKey: key))
            return StoreKey(key)
        }
        let lifetime = try await StoreLifetime(beginning.life, sentinel: sentinel, storage: storage)
        let identity = NodeIdentity(
            keys: founding.keys,
            certificate: founding.certificate,
            log: founding.log,
            missingEntry: beginning.missingEntry,
            keyring: founding.keyring,
            incarnation: lifetime.incarnation,
            contacts: try ContactLogs(files: files, logger: logger),
            files: files,
            envelopes: envelopes,
            clock: clock
        )
        try sentinel.write(
            commitNumber: lifetime.commitNumber,
            incarnation: lifetime.incarnation,
            newestEntry: identity.newestEntry
        )
        // From here on the keys are in use, and anything missing at the next start is lost.
        try files.founding.remove()
        try files.lossAccepted.remove()
        publishKeys(of: identity, founding.certificate)
        return identity
    }

    private func publishKeys(of identity: NodeIdentity, _ certificate: VerifiedCertificate) {
        do {
            try identity.statePairKey()
        } catch {
            // Without it there are no pair zones with this account; the next start tries again.
            logger.warning("the key of pair zones was not published", metadata: ["error": "\(error)"])
        }
        do {
            if try identity.enter(certificate) { logger.notice("the device publishes its keys again") }
        } catch {
            // Others cannot give it keys of zones; the next start tries again.
            logger.warning(
                "the device's certificate was not entered in the account log",
                metadata: ["error": "\(error)"]
            )
        }
    }

    /// Raises the warnings of the start, and finishes the work that an earlier run left undone.
    func commitService(of identity: NodeIdentity, _ beginning: Beginning) async throws -> CommitService {
        let commitService = CommitService(
            identity: identity,
            hub: EventHub(),
            clock: clock,
            sentinel: beginning.sentinel,
            lack: beginning.lack,
            measures: NodeMetrics(metrics),
            logger: logger
        )
        beginning.warnings.forEach(commitService.health.set)
        if let warning = identity.recoveryWarning() { commitService.health.set(warning) }
        if identity.files.sealingKey == nil { commitService.health.set(.keysUnsealed(in: directory)) }
        commitService.clocks.noteStored(try await storage.read { try $0.clock() })
        try await storage.read { [health = commitService.health] in try health.readAcknowledgements($0) }
        commitService.health.startLogging()
        try await commitService.finishAccountChanges(storage)
        return commitService
    }

    /// Makes the relay's service, under a key that is made at the first time.
    func relay(_ settings: RelaySettings, _ files: IdentityFiles) throws -> RelayService {
        let seed: SymmetricKey
        if let given = settings.seed {
            seed = try SymmetricKey(bytes: given)
        } else if let known = try files.relayKey.read(KeyFile.relaySeed) {
            seed = known
        } else {
            seed = SymmetricKey.generate()
            try files.relayKey.replace(KeyFile.encode(relaySeed: seed))
        }
        return try RelayService(
            seed: seed,
            storage: settings.storage,
            room: ParcelRoom(total: settings.byteCountMax),
            clock: clock,
            measures: RelayMetrics(metrics),
            logger: logger
        )
    }
}
