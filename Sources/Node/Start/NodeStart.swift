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
        unlocking: StateSeal.Source = { _ in nil },
        passphraseCost: Argon2id.Parameters = .moderate,
        listeningPort: @escaping @Sendable () -> UInt16?,
        relay: RelaySettings? = nil,
        metrics: any MetricsPort = NoMetrics(),
        observer: any MachinePort = UnknownMachine(),
        logger: Logger
    ) async throws -> Node {
        let seal = StateSeal(directory: stateDirectory, parameters: passphraseCost)
        var files: IdentityFiles
        do {
            let isNew = try seal.kind() == nil
            files = IdentityFiles(directory: stateDirectory, sealingKey: try seal.unlock(unlocking))
            if isNew, let kind = try seal.kind() {
                logger.notice("the keys are sealed from now on", metadata: ["by": "\(kind)"])
            }
        } catch {
            throw NodeStartError(ofKeys: stateDirectory, error) ?? error
        }
        let beginning: Beginning
        do {
            beginning = try await Beginning(
                files: files,
                storage: storage,
                envelopes: envelopes,
                deviceName: deviceName,
                machine: machine,
                clock: clock
            )
        } catch {
            throw NodeStartError(ofKeys: stateDirectory, error)
                ?? NodeStartError(description: "the keys in \(stateDirectory)/keys cannot be used: \(error)")
        }
        files.place = FileIdentity(stateDirectory)
        let (founding, sentinel) = (beginning.founding, beginning.sentinel)
        let storeKey = beginning.storeKey
        try await storage.protect(with: storeKey) { [files] in
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
            contacts: try ContactBook(files: files, logger: logger),
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
        do {
            try identity.statePairKey()
        } catch {
            // Without it there are no pair zones with this account; the next start tries again.
            logger.warning("the key of pair zones was not published", metadata: ["error": "\(error)"])
        }
        do {
            if try identity.enter(founding.certificate) { logger.notice("the device publishes its keys again") }
        } catch {
            // Others cannot give it keys of zones; the next start tries again.
            logger.warning(
                "the device's certificate was not entered in the account log",
                metadata: ["error": "\(error)"]
            )
        }
        let hub = EventHub()
        let measures = NodeMetrics(metrics)
        let replica = ReplicaService(
            identity: identity,
            hub: hub,
            clock: clock,
            sentinel: sentinel,
            lack: beginning.lack,
            measures: measures,
            logger: logger
        )
        beginning.warnings.forEach(replica.health.set)
        if let warning = identity.recoveryWarning() { replica.health.set(warning) }
        if files.sealingKey == nil { replica.health.set(.keysUnsealed(in: stateDirectory)) }
        replica.clocks.noteStored(try await storage.read { try $0.clock() })
        try await storage.read { [health = replica.health] in try health.readAcknowledgements($0) }
        replica.health.startLogging()
        try await replica.settle(storage)
        var keeper: RelayService?
        var addresses: @Sendable () -> [String] = { [] }
        if let relay {
            keeper = try relayService(relay, files, clock, metrics, logger)
            addresses = relay.addresses
        }
        return assemble(
            identity: identity,
            storage: storage,
            replica: replica,
            clock: clock,
            listeningPort: listeningPort,
            observer: observer,
            relay: keeper,
            relayAddresses: addresses,
            measures: measures,
            logger: logger
        )
    }

    private static func assemble(
        identity: NodeIdentity,
        storage: any StoragePort,
        replica: ReplicaService,
        clock: NodeClock,
        listeningPort: @escaping @Sendable () -> UInt16?,
        observer: any MachinePort,
        relay: RelayService?,
        relayAddresses: @escaping @Sendable () -> [String],
        measures: NodeMetrics,
        logger: Logger
    ) -> Node {
        let boot = SystemRandom.bytes(HandshakePayload.bootByteCount)
        let mailbox = ChannelQueue<SyncFact>(waitingByteCountMax: SyncFact.waitingByteCountMax) {
            identity.acceptedSecrets()
        } payload: {
            identity.handshakePayload(boot: boot, listenPort: listeningPort() ?? 0)
        }
        let commits = CommitQueue(storage: storage, measures: measures.commits)
        let indexing = IndexBuilder(
            commits: commits,
            storage: storage,
            committer: { replica.committer },
            logger: logger
        )
        let inbox = InboxService(
            commits: commits,
            storage: storage,
            replica: replica,
            payloadsMayBeDue: { mailbox.put(.payloadsMayBeDue) },
            received: measures.messagesReceived,
            logger: logger
        )
        let dependencies = SyncService.Dependencies(
            identity: identity,
            storage: storage,
            commits: commits,
            replica: replica,
            hub: replica.hub,
            clock: clock,
            measures: measures,
            logger: logger
        )
        let mail = MailService(dependencies: dependencies) {
            mailbox.put(.input(.mailed($0)))
        } claimed: {
            mailbox.put(.claimed($0))
        }
        replica.listen(
            ReplicaService.Listener(
                committed: { commit in
                    mailbox.put(.committed(commit))
                    mail.queue.put(.changed)
                },
                incarnationChanged: { mailbox.put(.incarnationChanged) },
                schemasMayHaveChanged: { indexing.wake() },
                recordsChanged: { inbox.feedGrew() },
                rightsMayHaveChanged: { inbox.wake() },
                payloadArrived: { inbox.arrived() }
            )
        )
        let sync = SyncService(
            mailbox: mailbox,
            dependencies: dependencies,
            mail: mail.queue,
            boot: boot
        )
        return Node(
            identity: identity,
            storage: storage,
            commits: commits,
            replica: replica,
            sync: sync,
            hub: replica.hub,
            indexing: indexing,
            inbox: inbox,
            mail: mail,
            relay: relay,
            relayAddresses: relayAddresses,
            clock: clock,
            measures: measures,
            logger: logger,
            listeningPort: listeningPort,
            machine: observer
        )
    }

    /// Makes the relay's service, under a key that is made at the first time.
    private static func relayService(
        _ settings: RelaySettings,
        _ files: IdentityFiles,
        _ clock: NodeClock,
        _ metrics: any MetricsPort,
        _ logger: Logger
    ) throws -> RelayService {
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

    /// The sink of the transport.
    package var transportSink: any TransportSink { sync.mailbox }

    /// The sink of the transport to relays.
    package var mailSink: any TransportSink { mail.queue }

    /// The service that keeps parcels for other accounts; `nil` = this node has none.
    package var relayService: RelayService? { relay }

    /// Connects the node to relays, before its services run.
    package func connect(toRelays transport: any TransportPort) async { await mail.connect(transport) }

    /// The store of the node's metrics; drivers that are connected to the node use it as well.
    package var metricsPort: any MetricsPort { measures.port }

    /// The keys that the channel proves.
    package var deviceKeys: DeviceIdentity { identity.keys }

    /// Dials these peers too, from now on.
    package func add(peers: [PeerAddress]) async {
        await sync.add(peers: peers)
    }

    /// Connects the node's drivers to the outside, before its services run.
    /// - Parameters:
    ///   - transport: Channels to peers.
    ///   - discovery: The discovery of peers on the network; `nil` = none.
    ///   - peers: The addresses to dial, independent of discovery.
    ///   - relayByteCountMax: The most bytes that a relay keeps for other devices; `nil` =
    ///     ``Sync/Custody/byteCountMax``.
    ///   - relayGraceMilliseconds: The time to wait for a device before parcels for it are left with a relay; `nil` =
    ///     ten seconds.
    package func connect(
        transport: any TransportPort,
        discovery: (any DiscoveryPort)?,
        peers: [PeerAddress],
        relayByteCountMax: UInt64? = nil,
        relayGraceMilliseconds: UInt64? = nil
    ) async {
        if let relayGraceMilliseconds {
            await sync.setGrace(milliseconds: relayGraceMilliseconds)
            await mail.setGrace(milliseconds: relayGraceMilliseconds)
        }
        if let relayByteCountMax { await sync.limitCustody(to: relayByteCountMax) }
        await sync.connect(transport: transport, discovery: discovery, peers: peers)
    }
}

/// Keys, account and store's life of a start, found or made.
private struct Beginning {
    let founding: Founding
    /// `nil` = not made yet.
    let storeKey: StoreKey?
    let sentinel: SentinelFile
    let life: IncarnationDecision
    let lack: StartDecision.Lack?
    /// An entry that the account log lacks since it was rolled back: the sentinel continues to name it.
    let missingEntry: Sentinel.NewestEntry?

    /// Reads the facts, decides, and makes the keys and files that the decision requires.
    /// - Throws: ``NodeStartError`` where no start is allowed, `SecretFile.Failure`, `PrivateFile.Failure`.
    init(
        files: IdentityFiles,
        storage: any StoragePort,
        envelopes: (any EnvelopeSealing)?,
        deviceName: String,
        machine: [UInt8],
        clock: NodeClock
    ) async throws {
        let store = try await storage.read { try IncarnationDecision.StoreState($0) }
        let name = SentinelFile(file: files.sentinel, machine: machine, witness: files.deviceKey.file).machine
        let reading = try StateReading(files, store: store, machine: name)
        switch StartDecision.decide(reading.facts) {
        case .refuse(let refusal):
            throw NodeStartError(description: refusal.words(in: files.directory))
        case .found(let life):
            try files.prepare()
            founding = try Founding(
                making: files,
                found: reading,
                envelopes: envelopes,
                deviceName: deviceName,
                clock: clock
            )
            (self.life, lack, missingEntry) = (life, nil, nil)
            try files.recovering.remove()
        case .resume(let life, let lack):
            try files.prepare()
            let found = try Founding(
                of: reading,
                files: files,
                envelopes: envelopes,
                deviceName: deviceName,
                clock: clock
            )
            guard let found else { throw NodeStartError(description: "the keys in \(files.directory) are missing") }
            founding = found
            (self.life, self.lack, missingEntry) = (life, lack, lack == nil ? nil : reading.missingEntry)
            if lack == nil {
                try files.recovering.remove()
            } else if life != .continue {
                // Before the first commit, behind which nothing else shows that something is missing.
                try files.recovering.replace([])
            }
        }
        storeKey = reading.storeKey
        // The keys exist by now, which distinguish this directory from others.
        sentinel = SentinelFile(file: files.sentinel, machine: machine, witness: files.deviceKey.file)
    }

    /// Health warnings about the store's life; `lack` has its own.
    var warnings: [HealthWarning] {
        switch life {
        case .renew where lack == .older: []
        case .renew(let reason): [.storeRenewed(reason)]
        case .recovering where lack == nil: [.storeBegunAnew]
        case .recovering, .continue, .firstStart: []
        }
    }
}

extension StoreLifetime {
    /// Begins the lifetime of a store that was just opened.
    fileprivate init(
        _ decision: IncarnationDecision,
        sentinel: SentinelFile,
        storage: any StoragePort
    ) async throws {
        self = try await storage.commit { transaction in
            var random = SystemRandom()
            let lifetime = try StoreLifetime.begin(decision, random: &random, in: &transaction)
            switch lifetime.decision {
            case .firstStart, .recovering:
                // Before the commit: a store that is new must not look, after a kill in between, like one that was
                // restored without its sentinel. Commit 0 is behind any store's.
                try sentinel.write(commitNumber: 0, incarnation: lifetime.incarnation)
            case .continue, .renew: break
            }
            return lifetime
        }
    }
}
