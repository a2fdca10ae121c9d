package import Identity
package import Logging
import Mailbox
import Records
package import Sodium
package import Sync
import Wire

/// Why a node cannot start from its state directory.
package struct NodeStartError: Error, Sendable, CustomStringConvertible {
    /// What is wrong, where, and what to do.
    package let description: String
}

extension Node {
    /// Puts a node together from what its state directory and its store hold; the first start makes device and account.
    /// - Parameters:
    ///   - stateDirectory: Where keys and the sentinel live; must exist and belong to this process alone.
    ///   - storage: The open store.
    ///   - envelopes: Seals keys of zones to devices; `nil` writes all records in clear.
    ///   - deviceName: What people call this machine; cut to 63 bytes.
    ///   - machine: What tells this machine from a copy of its disk; 44 bytes of it count.
    ///   - clock: The clocks.
    ///   - unlocking: What opens the seal of the state directory, or makes one; without any the keys stay as they are.
    ///   - passphraseCost: What a guess at a passphrase costs for a seal that is made now.
    ///   - listeningPort: The transport's port, once there is one.
    ///   - relay: What makes it keep parcels for others; `nil` = it does not.
    ///   - metrics: Keeps what is counted and measured.
    ///   - logger: Where to say what operators may want to know.
    /// - Returns: A node that does nothing before its services run.
    /// - Throws: `NodeStartError`, `StorageError`, what `unlocking` throws.
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
        logger: Logger
    ) async throws -> Node {
        let seal = StateSeal(directory: stateDirectory, parameters: passphraseCost)
        let files: IdentityFiles
        do {
            let isNew = try seal.kind() == nil
            files = IdentityFiles(directory: stateDirectory, sealingKey: try seal.unlock(unlocking))
            if isNew, let kind = try seal.kind() {
                logger.notice("the keys are sealed from now on", metadata: ["by": "\(kind)"])
            }
        } catch {
            throw NodeStartError(ofKeys: stateDirectory, error) ?? error
        }
        let founding: Founding
        do {
            founding = try Founding(files: files, envelopes: envelopes, deviceName: deviceName, clock: clock)
        } catch {
            throw NodeStartError(ofKeys: stateDirectory, error)
                ?? NodeStartError(description: "the keys in \(stateDirectory)/keys cannot be used: \(error)")
        }
        try await storage.protect(with: founding.storeKey) {
            let key = SymmetricKey.generate()
            // On the disk before anything is sealed under it.
            try files.storeKey.replace(KeyFile.encode(storeKey: key))
            return StoreKey(key)
        }
        let sentinel = SentinelFile(file: files.sentinel, machine: machine, witness: files.deviceKey.file)
        let lifetime = try await StoreLifetime(
            sentinel: sentinel,
            found: IncarnationDecision.SentinelState(bytes: try files.sentinel.read()),
            storage: storage,
            hadKeys: founding.hadKeys,
            logger: logger
        )
        let identity = NodeIdentity(
            keys: founding.keys,
            certificate: founding.certificate,
            log: founding.log,
            keyring: founding.keyring,
            incarnation: lifetime.incarnation,
            contacts: try ContactBook(files: files, logger: logger),
            files: files,
            envelopes: envelopes,
            clock: clock
        )
        try sentinel.write(commitNumber: lifetime.commitNumber, incarnation: lifetime.incarnation)
        do {
            try identity.statePairKey()
        } catch {
            // Without it there are no pair zones with this account; the next start tries again.
            logger.warning("the key of pair zones is not stated", metadata: ["error": "\(error)"])
        }
        do {
            if try identity.enter(founding.certificate) { logger.notice("the device states its keys anew") }
        } catch {
            // Others cannot give it keys of zones; the next start tries again.
            logger.warning("the device's certificate is not entered", metadata: ["error": "\(error)"])
        }
        let hub = EventHub()
        let measures = NodeMetrics(metrics)
        let others = identity.accountState.activeDevices.count > 1
        let replica = ReplicaService(
            identity: identity,
            hub: hub,
            clock: clock,
            sentinel: sentinel,
            isRecovering: lifetime.isRecovering && others,
            measures: measures,
            logger: logger
        )
        lifetime.warnings(hasOthers: others).forEach(replica.health.set)
        if files.sealingKey == nil { replica.health.set(.keysUnsealed(in: stateDirectory)) }
        replica.clocks.noteStored(try await storage.read { try $0.clock() })
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
        relay: RelayService?,
        relayAddresses: @escaping @Sendable () -> [String],
        measures: NodeMetrics,
        logger: Logger
    ) -> Node {
        let boot = SystemRandom.bytes(HandshakePayload.bootByteCount)
        let parameters = HandshakeParameters(boot: boot) { listeningPort() ?? 0 }
        let mailbox = SyncMailbox(identity: identity, parameters: parameters)
        let commits = CommitQueue(storage: storage, measures: measures.commits)
        let indexing = IndexBuilder(
            commits: commits,
            storage: storage,
            committer: { replica.committer },
            logger: logger
        )
        let inbox = Inbox(
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
            listeningPort: listeningPort
        )
    }

    /// What keeps parcels for others, under a key that is made at the first time.
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

    /// What the transport reports to.
    package var transportSink: any TransportSink { sync.mailbox }

    /// What the transport to relays reports to.
    package var mailSink: any TransportSink { mail.queue }

    /// What keeps parcels for others; `nil` = this node does not.
    package var relayService: RelayService? { relay }

    /// Gives the node its way to relays, before its services run.
    package func connect(toRelays transport: any TransportPort) async { await mail.connect(transport) }

    /// What the node counts is kept here; ways to the outside that are given to it count here as well.
    package var metricsPort: any MetricsPort { measures.port }

    /// The keys that the channel proves.
    package var deviceKeys: DeviceIdentity { identity.keys }

    /// Dials these peers too, from now on.
    package func add(peers: [PeerAddress]) async {
        await sync.add(peers: peers)
    }

    /// Gives the node its ways to the outside, before its services run.
    /// - Parameters:
    ///   - transport: Channels to peers.
    ///   - discovery: Who is on the network; `nil` = nobody says.
    ///   - peers: Whom to dial whatever discovery says.
    ///   - relayByteCountMax: Bytes that a relay keeps for others at most; `nil` = ``Sync/Committer/custodyByteCountMax``.
    ///   - relayGraceMilliseconds: How long a device is waited for before something is left with a relay for it; `nil` = ten seconds.
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

/// The keys and the account, read or made.
private struct Founding {
    let keys: DeviceIdentity
    let certificate: VerifiedCertificate
    let log: AccountLog
    let keyring: AccountKeyring
    /// `nil` = not made yet.
    let storeKey: StoreKey?
    let hadKeys: Bool

    init(
        files: IdentityFiles,
        envelopes: (any EnvelopeSealing)?,
        deviceName: String,
        clock: NodeClock
    ) throws {
        try files.prepare()
        var random = SystemRandom()
        if let key = try files.storeKey.read(KeyFile.storeKey) {
            storeKey = StoreKey(key)
        } else {
            storeKey = nil
        }
        if let keys = try files.deviceKey.read(KeyFile.device) {
            self.keys = keys
            hadKeys = true
        } else {
            keys = DeviceIdentity(using: &random)
            try files.deviceKey.replace(KeyFile.encode(keys))
            hadKeys = false
        }
        certificate = try Self.certificate(of: keys, files, envelopes, deviceName: deviceName, now: clock.wall())
        let entries = try files.readAccountEntries()
        if !entries.isEmpty {
            guard let keyring = try files.accountKey.read(KeyFile.keyring) else {
                // A new account in its place would hide the old one, with the records that belong to it.
                throw NodeStartError(
                    description: "\(files.accountKey.path) is missing; restore it, or move \(files.accountLog.path)"
                        + " away to begin a new account and pair again"
                )
            }
            log = try AccountLog(stored: entries)
            self.keyring = keyring
            return
        }
        // The words of an account that is left or lost are still on somebody's paper: they are never written over.
        let phrase: RecoveryPhrase
        if let kept = try files.recoveryKey.read(KeyFile.recoveryPhrase) {
            phrase = kept
        } else {
            phrase = RecoveryPhrase(using: &random)
            try files.recoveryKey.replace(KeyFile.encode(phrase))
        }
        keyring = AccountKeyring(recovery: RecoveryDoor(phrase), using: &random)
        try files.accountKey.replace(KeyFile.encode(keyring))
        log = try AccountLog.create(
            identity: keys,
            certificate: certificate,
            recoveryKey: RecoveryKey(phrase).publicKey,
            name: certificate.certificate.name,
            using: &random
        )
        // Written last: an account whose log is not on the disk was never made.
        try files.writeAccountEntries(log.storedEntries)
    }

    /// The device's certificate: the one on the disk, if it states the key to which others are to seal now.
    ///
    /// A new one is on the disk before anybody is shown it. Its time is later than the old one's, whatever the clock says.
    private static func certificate(
        of keys: DeviceIdentity,
        _ files: IdentityFiles,
        _ envelopes: (any EnvelopeSealing)?,
        deviceName: String,
        now: UInt64
    ) throws -> VerifiedCertificate {
        let key = try envelopes.map { try keys.encapsulationKey($0) }
        let old = try files.certificate.read().map { try VerifiedCertificate(bytes: $0) }
        if let old {
            guard old.device == keys.deviceID else {
                throw NodeStartError(
                    description: "\(files.certificate.path) is another device's certificate; restore it"
                )
            }
            if key == nil || old.certificate.encapsulationKey == key { return old }
        }
        let certificate = try keys.certificate(
            name: old?.certificate.name ?? fitting(deviceName),
            issued: max(now, old.map { $0.certificate.issued &+ 1 } ?? 0),
            encapsulationKey: key ?? []
        )
        try files.certificate.replace(certificate.signed.encoded)
        return certificate
    }

    private static func fitting(_ name: String) -> String {
        var fitting = name
        while fitting.utf8.count > Limits.deviceNameByteCountMax { fitting.removeLast() }
        return fitting.isEmpty ? "device" : fitting
    }
}

extension StoreLifetime {
    /// Finds the lifetime of a store that was just opened.
    fileprivate init(
        sentinel: SentinelFile,
        found: IncarnationDecision.SentinelState,
        storage: any StoragePort,
        hadKeys: Bool,
        logger: Logger
    ) async throws {
        let results = try await storage.commit([
            { transaction in
                var random = SystemRandom()
                let lifetime = try StoreLifetime.begin(
                    hasKeys: hadKeys,
                    sentinel: found,
                    machine: sentinel.machine,
                    random: &random,
                    in: &transaction
                )
                switch lifetime.decision {
                case .firstStart, .recovering:
                    // Before the commit: a store that is new must not look, after a kill in between, like one that was
                    // restored without its sentinel. Commit 0 is behind any store's.
                    try sentinel.write(commitNumber: 0, incarnation: lifetime.incarnation)
                case .continue, .renew: break
                }
                return lifetime
            }
        ])
        guard let value = try results.first?.get() as? Self else {
            throw NodeStartError(description: "the store did not say which lifetime it is in")
        }
        self = value
        if case .renew(let reason) = decision {
            logger.warning("a new incarnation begins", metadata: ["reason": "\(reason)"])
        }
    }

    /// What people are told of it.
    fileprivate func warnings(hasOthers: Bool) -> [HealthWarning] {
        var warnings: [HealthWarning] = []
        if case .renew(let reason) = decision {
            warnings.append(
                HealthWarning(
                    code: "store.renewed",
                    severity: .info,
                    message: "The store was restored, copied or moved (\(reason)); a new incarnation has begun.",
                    fix: "Nothing to do: what is missing comes back from the peers."
                )
            )
        }
        if isRecovering, hasOthers {
            warnings.append(
                HealthWarning(
                    code: "store.recovering",
                    severity: .warning,
                    message: "The store may lack what this device once had, and has not met a peer since.",
                    fix: "Connect another device of the account."
                )
            )
        }
        return warnings
    }
}
