import Capabilities
import Identity
import Records
import Sodium
package import Wire

/// The keys of zones: the keys open here, the one for writing, and the statements by which all readers get them.
package struct EpochKeys: Sendable {
    /// The time for which an epoch is used for writing: 30 days from when this store first wrote under it, or learnt
    /// of it, by its own clock.
    package static let writingMilliseconds: UInt64 = 30 * 24 * 60 * 60 * 1_000

    let committer: Committer
    private let statements: ControlStatements

    /// Works within one transaction.
    package init(_ committer: Committer) {
        self.committer = committer
        statements = ControlStatements(committer)
    }

    /// Begins a new epoch of a zone's key, whatever the present one is.
    /// - Parameters:
    ///   - zone: The zone.
    ///   - transaction: The store.
    /// - Returns: The epoch for writing from now on, and the notice.
    /// - Throws: `CommitError.refused`, `CommitError.noKey` where there is nothing to rotate: in a zone that everyone
    ///   may read, or while no key can be made; `ReplicaError.controlLogFull`, another `ReplicaError`, or an error of
    ///   the store.
    package func rotate(
        _ zone: ZoneID,
        in transaction: inout some NodeTransaction
    ) throws -> (epoch: Hash, notice: CommitNotice) {
        _ = try statements.authorise(.epoch, zone: zone, in: transaction)
        let before = try transaction.zone(zone)?.sealing
        let notice = try committer.tracking(zone, in: &transaction) { transaction in
            guard let row = try transaction.zone(zone), row.sealing != .open else { throw CommitError.noKey(zone) }
            let outcome = try supply(zone, isDue: true, in: &transaction)
            return CommitNotice(
                number: try transaction.nextCommitNumber(),
                feed: FeedGrowth(outcome?.changed ?? [])
            )
        }
        let sealing = try transaction.zone(zone)?.sealing
        guard sealing != before, case .epoch(let epoch)? = sealing else {
            let key = try statements.ownLog(in: zone, transaction)
            guard try ControlBudget.hasRoomForKeys(key, in: transaction) else { throw ReplicaError.controlLogFull(key) }
            throw CommitError.noKey(zone)
        }
        return (epoch, notice)
    }

    /// Makes the statements that are due about a zone's keys: readers that lack one receive it, and a key that has
    /// been in use for long is followed by another.
    /// - Parameters:
    ///   - zone: The zone.
    ///   - transaction: The store.
    /// - Returns: The notice; without a number when nothing was due.
    /// - Throws: `ReplicaError`, or an error of the store.
    package func renewIfDue(_ zone: ZoneID, in transaction: inout some NodeTransaction) throws -> CommitNotice {
        guard var row = try transaction.zone(zone), mayAsk(row) else { return CommitNotice() }
        if row.keysDue != .max, row.keysDue > committer.wallMilliseconds &+ Self.writingMilliseconds {
            // Noted while this clock was ahead.
            row.keysDue = committer.wallMilliseconds &+ Self.writingMilliseconds
            try transaction.save(row)
        }
        let isOld = mayMake(row) && committer.wallMilliseconds >= row.keysDue
        guard row.needsKeys || isOld else { return CommitNotice() }
        return try committer.tracking(zone, in: &transaction) { transaction in
            let outcome = try supply(zone, isDue: isOld, in: &transaction)
            guard let outcome else { return CommitNotice() }
            return CommitNotice(
                number: try transaction.nextCommitNumber(),
                feed: FeedGrowth(outcome.changed)
            )
        }
    }

    /// Makes the statements that are due about the keys of all zones, as ``renewIfDue(_:in:)`` does for one.
    /// - Parameter transaction: The store.
    /// - Returns: The notice; without a number when nothing was due.
    /// - Throws: `ReplicaError`, or an error of the store.
    package func renewWhereDue(in transaction: inout some NodeTransaction) throws -> CommitNotice {
        var whole = CommitNotice()
        for zone in try transaction.zones() where committer.isCurrent(zone) {
            let notice = try renewIfDue(zone.id, in: &transaction)
            if notice.number != nil { whole.merge(notice) }
        }
        return whole
    }

    /// Opens the keys of zones of an account that this device has left: records that are moved from them are read
    /// first.
    ///
    /// Those of all others are opened by ``AccountUpkeep/applyCuts(in:)``.
    /// - Parameter transaction: The store.
    /// - Throws: `ReplicaError`, or an error of the store.
    package func openOld(in transaction: inout some NodeTransaction) throws {
        guard let envelopes = committer.envelopes else { return }
        for zone in try AccountMove(committer).oldZones(transaction) {
            guard let row = try transaction.zone(zone) else { continue }
            let rights = try ZoneRights(row, of: committer, in: transaction)
            if open(rights.graph, zone, envelopes, in: &transaction) {
                try ZoneTurns(of: zone).note(in: &transaction)
                _ = try ZoneEvaluation(of: zone).unlock(in: &transaction)
            }
        }
    }

    /// Prepares the author under which this store writes records in a zone now, with the key that seals them.
    ///
    /// Keys that can be opened by now are opened; where none can be used, an epoch is begun in the same transaction, if
    /// this account may.
    /// - Parameters:
    ///   - zone: The zone.
    ///   - changed: Gets the records whose visible state has changed by that, also where an error is thrown.
    ///   - transaction: The store.
    /// - Returns: The author.
    /// - Throws: As ``Committer/author(in:_:)``; `CommitError.noKey` while there is no key that exactly the readers have.
    func prepareAuthor(
        in zone: ZoneID,
        noting changed: inout [RecordRow],
        _ transaction: inout some NodeTransaction
    ) throws -> Author {
        var author = try committer.author(in: zone, transaction)
        guard committer.envelopes != nil else { return author }
        if let row = try transaction.zone(zone), row.sealing == .waiting || row.keysStamp != keysStamp {
            // A device may have been removed from an account since; other consequences of that come in a transaction
            // of their own.
            let rights = try ZoneRights(row, of: committer, in: transaction)
            changed += try openKeys(rights, rights.graph, zone: zone, in: &transaction) ?? []
            if try transaction.zone(zone)?.sealing == .waiting {
                changed += try supply(zone, in: &transaction)?.changed ?? []
            }
        }
        switch try transaction.zone(zone)?.sealing {
        case .open: return author
        case .epoch(let epoch):
            guard let key = transaction.keyring.key(epoch) else { throw CommitError.noKey(zone) }
            author.sealer = BodySealer(zone: zone, epoch: epoch, key: key, entropy: committer.entropy)
            return author
        case .waiting, nil:
            // A removed device keeps the writes that its person made on it, for devices that may learn of them later.
            guard committer.account.standing(of: committer.device) == .removed,
                let sealer = try lastSealer(in: zone, transaction)
            else {
                throw CommitError.noKey(zone)
            }
            author.sealer = sealer
            return author
        }
    }

    /// Gives a new zone its first key.
    func begin(_ zone: ZoneID, in transaction: inout some NodeTransaction) throws {
        guard committer.envelopes != nil else { return }
        _ = try LogRulings(committer).rule(zone, in: &transaction)
        if try transaction.zone(zone)?.needsKeys ?? false { _ = try supply(zone, in: &transaction) }
    }

    /// The devices that are active in all accounts that are known here, as one hash: the set of readers depends on
    /// nothing else that changes without an operation in the zone.
    private var keysStamp: Hash {
        let devices = committer.accounts.values.flatMap(\.activeDevices).sorted().flatMap(\.bytes)
        return Hash(digesting: .activeDevices, devices)
    }

    /// Returns the sealer for restated records that are not effective, in a zone from which the account was removed:
    /// they are sealed under the last key that is open, since the account may not have a later one.
    func lastSealer(in zone: ZoneID, _ transaction: some NodeTransaction) throws -> BodySealer? {
        guard committer.envelopes != nil, let row = try transaction.zone(zone) else { return nil }
        let rights = try ZoneRights(row, of: committer, in: transaction)
        let graph = rights.graph
        let open = graph.epochs.compactMap { hash, epoch in
            transaction.keyring.key(hash).map { (hash: hash, depth: epoch.depth, key: $0) }
        }
        let last = open.max { left, right in
            left.depth == right.depth ? left.hash > right.hash : left.depth < right.depth
        }
        return last.map { BodySealer(zone: zone, epoch: $0.hash, key: $0.key, entropy: committer.entropy) }
    }

    // MARK: Consequences of the control log

    /// Opens all keys of a zone that can be opened here, and notes the key under which this store writes.
    /// - Parameters:
    ///   - rights: The rights by the control log.
    ///   - graph: The control log's statements about epochs.
    ///   - zone: The zone.
    ///   - transaction: The store.
    /// - Returns: The records whose content changed since more of them can be read; `nil` when nothing changed.
    /// - Throws: `ReplicaError`, or an error of the store.
    func openKeys(
        _ rights: ZoneRights,
        _ graph: EpochGraph,
        zone: ZoneID,
        in transaction: inout some NodeTransaction
    ) throws -> [RecordRow]? {
        guard let envelopes = committer.envelopes, var row = try transaction.zone(zone) else { return nil }
        let isMore = open(graph, zone, envelopes, in: &transaction)
        let before = row
        if rights.isReadByAll {
            let steps = try publicSteps(graph, row, in: transaction)
            (row.sealing, row.needsKeys, row.keysDue) = (.open, !steps.isEmpty, .max)
        } else {
            let plan = try plan(graph, rights, row, in: transaction)
            row.sealing = plan.current.map { .epoch($0) } ?? .waiting
            row.needsKeys = mayMake(row) && !plan.steps.isEmpty || mayAsk(row) && !plan.requests.isEmpty
            // The author's own time of the beginning is ignored: its clock may be wrong, or lie.
            if row.sealing != before.sealing || row.keysDue == .max {
                row.keysDue = plan.current == nil ? .max : committer.wallMilliseconds &+ Self.writingMilliseconds
            }
        }
        row.keysStamp = keysStamp
        assert(
            row.sealing.epoch.map { transaction.keyring.key($0) != nil } ?? true,
            "records are written under a key that is open here"
        )
        if row != before { try transaction.save(row) }
        if isMore { try ZoneTurns(of: zone).note(in: &transaction) }
        let changed = isMore ? try ZoneEvaluation(of: zone).unlock(in: &transaction) : []
        return row != before || !changed.isEmpty ? changed : nil
    }

    /// - Returns: Whether a key is open that was not.
    private func open(
        _ graph: EpochGraph,
        _ zone: ZoneID,
        _ envelopes: any EnvelopeSealing,
        in transaction: inout some NodeTransaction
    ) -> Bool {
        var opening = EpochOpening(graph, zone: zone, keyring: transaction.keyring)
        opening.run(for: committer.device) { envelope, place in
            guard var secret = opened(envelope, envelopeInfo(zone, place, committer.device), envelopes) else {
                return nil
            }
            defer { ConstantTime.wipe(&secret) }
            // A secret that is not a key of 32 bytes was not sealed by this program.
            return try? EpochKey(bytes: secret)
        }
        transaction.keyring = opening.keyring
        return opening.isMore
    }

    /// Opens an envelope to this device.
    /// - Parameters:
    ///   - envelope: The envelope.
    ///   - info: The purpose of the envelope.
    ///   - envelopes: Opens it.
    /// - Returns: The secret, which the caller has to wipe; `nil` where the envelope does not open.
    func opened(_ envelope: [UInt8], _ info: [UInt8], _ envelopes: any EnvelopeSealing) -> [UInt8]? {
        var seed = committer.keys.encapsulationSeed()
        defer { ConstantTime.wipe(&seed) }
        // Another envelope or the next epoch may open.
        return try? envelopes.open(envelope, seed: seed, info: info)
    }

    private func plan(
        _ graph: EpochGraph,
        _ rights: ZoneRights,
        _ row: ZoneRow,
        isDue: Bool = false,
        in transaction: some NodeTransaction
    ) throws -> EpochPlan {
        let readers = rights.readers
        let keyring = transaction.keyring
        let applied = try AppliedControls(row, in: transaction)
        let facts = EpochFacts(
            graph: graph,
            readers: readers,
            history: row.genesis.history,
            device: committer.device,
            author: mayMake(row) ? try committer.author(in: row.id, transaction).actor : nil,
            counts: { rights.state.verdicts[$0] == .counts },
            isAddressable: { device in
                // For a device with a malformed key, neither a new epoch nor another attempt would help.
                encapsulationKey(of: device, readers).map { committer.envelopes?.isKey($0) ?? false } ?? false
            },
            isOpen: { keyring.key($0) != nil },
            isApplied: { applied.cover($0.seen) },
            hasSeen: applied.cover
        )
        return EpochPlan(facts, isDue: isDue)
    }

    private func publicSteps(
        _ graph: EpochGraph,
        _ row: ZoneRow,
        in transaction: some NodeTransaction
    ) throws -> [EpochPlan.Step] {
        let keyring = transaction.keyring
        let applied = try AppliedControls(row, in: transaction)
        return EpochPlan.publicSteps(
            graph,
            isOpen: { keyring.key($0) != nil },
            isApplied: { applied.cover($0.seen) }
        )
    }

    /// Returns the encapsulation key that a device has stated; it may be malformed.
    func encapsulationKey(of device: DeviceID, _ readers: [DeviceID: AccountID]) -> [UInt8]? {
        let entry = readers[device].flatMap { committer.accounts[$0]?.devices[device] }
        let key = entry?.certificate.certificate.encapsulationKey ?? []
        return key.isEmpty ? nil : key
    }

    private func envelopeInfo(_ zone: ZoneID, _ place: Dot, _ device: DeviceID) -> [UInt8] {
        ContextString.epochEnvelope.prefixed(zone.bytes + device.bytes + place.encoded)
    }

    // MARK: Saying it

    /// Makes the statements that are due about a zone's keys, as far as this account may.
    /// - Parameters:
    ///   - zone: The zone.
    ///   - isDue: Whether the next epoch is to begin.
    ///   - transaction: The store.
    /// - Returns: The changes; `nil` when no statement was made.
    /// - Throws: `CommitError`, `ReplicaError`, or an error of the store.
    @discardableResult
    func supply(
        _ zone: ZoneID,
        isDue: Bool = false,
        in transaction: inout some NodeTransaction
    ) throws -> RulingOutcome? {
        guard let envelopes = committer.envelopes, let row = try transaction.zone(zone), mayAsk(row) else { return nil }
        guard try ControlBudget.hasRoomForKeys(statements.ownLog(in: zone, transaction), in: transaction) else {
            return nil
        }
        let rights = try ZoneRights(row, of: committer, in: transaction)
        let graph = rights.graph
        let plan = rights.isReadByAll ? nil : try plan(graph, rights, row, isDue: isDue, in: transaction)
        var steps: [EpochPlan.Step] = []
        if mayMake(row) { steps = try plan?.steps ?? publicSteps(graph, row, in: transaction) }
        var hasSaid = try ask(for: plan?.requests ?? [], zone: zone, in: &transaction)
        for step in steps where try make(step, in: zone, rights, envelopes, &transaction) { hasSaid = true }
        return hasSaid ? try LogRulings(committer).rule(zone, in: &transaction) ?? RulingOutcome() : nil
    }

    /// Makes one statement.
    /// - Returns: Whether it was made; false also where this store's control log is full.
    private func make(
        _ step: EpochPlan.Step,
        in zone: ZoneID,
        _ rights: ZoneRights,
        _ envelopes: any EnvelopeSealing,
        _ transaction: inout some NodeTransaction
    ) throws -> Bool {
        let (graph, readers) = (rights.graph, rights.readers)
        switch step {
        case .sayAgain(let hash):
            guard let beginning = graph.epochs[hash]?.beginning else { return false }
            return try statements.commitIfRoom(.epochAgain(beginning.encoded), zone: zone, in: &transaction) != nil
        case .begin(let previous, let chain):
            // A device that cannot open the key would lose its own writes.
            guard encapsulationKey(of: committer.device, readers) != nil else { return false }
            return try begin(zone, behind: previous, chain, readers, envelopes, in: &transaction) != nil
        case .deliver(let hash, let devices):
            guard let key = transaction.keyring.key(hash), let epoch = graph.epochs[hash] else { return false }
            let sealed = seal(key, zone, epoch.place, to: devices, readers)
            return try deliver(sealed, of: hash, zone: zone, in: &transaction)
        case .disclose(let hash):
            guard let secret = transaction.keyring.key(hash).flatMap({ Hash($0.exportBytes()) }) else { return false }
            let delivery = KeyDelivery(epoch: hash, disclosed: secret)
            return try statements.commitIfRoom(.delivery(delivery.encoded), zone: zone, in: &transaction) != nil
        }
    }

    /// Asks for keys that this device has by others' claims.
    /// - Returns: Whether the request was made; false where there are none, and where this store's control log is
    ///   full.
    private func ask(
        for epochs: [Hash],
        zone: ZoneID,
        in transaction: inout some NodeTransaction
    ) throws -> Bool {
        if epochs.isEmpty { return false }
        let request = KeyRequest(epochs)
        return try statements.commitIfRoom(.keyRequest(request.encoded), zone: zone, in: &transaction) != nil
    }

    /// Begins an epoch.
    /// - Returns: The operation's hash; `nil` where this store's control log is full.
    private func begin(
        _ zone: ZoneID,
        behind previous: [Hash],
        _ chain: [Hash],
        _ readers: [DeviceID: AccountID],
        _ envelopes: any EnvelopeSealing,
        in transaction: inout some NodeTransaction
    ) throws -> Hash? {
        let author = try committer.author(in: zone, transaction)
        let place = try author.nextPlace(.control, zone: zone, in: transaction)
        var secret = committer.entropy.hash(.epochSecret, zone.bytes + place.encoded)
        defer { ConstantTime.wipe(&secret) }
        let key = try EpochKey(bytes: secret)
        let addressable = readers.keys.filter { encapsulationKey(of: $0, readers) != nil }.sorted()
        var sealed = seal(key, zone, place, to: addressable, readers)
        // This key is restored from the own envelope after a restart.
        let own = sealed.first { $0.device == committer.device }
        guard let own, let opened = opened(own.sealed, envelopeInfo(zone, place, committer.device), envelopes),
            ConstantTime.equal(opened, secret)
        else { throw CommitError.noKey(zone) }
        sealed.removeAll { $0.device == committer.device }
        let first = [own] + sealed.prefix(Limits.envelopeCountMax - 1)
        let epoch = KeyEpoch(
            previous: previous,
            confirm: key.confirmTag(zone: zone, place: place),
            chain: chain.compactMap { hash in
                transaction.keyring.key(hash).map { key.link(to: $0, of: hash, zone: zone) }
            },
            envelopes: first
        )
        assert(epoch.chain.count == chain.count, "an epoch leads to those before it whose keys are open here")
        assert(Set(chain).isSubset(of: previous), "an epoch leads to epochs that it follows")
        let said = try statements.commitIfRoom(.epoch(epoch.encoded), zone: zone, in: &transaction)
        guard let hash = said else { return nil }
        transaction.keyring.insert(key, for: hash)
        let rest = Array(sealed.dropFirst(Limits.envelopeCountMax - 1))
        // Another device delivers the key to those that this one does not reach.
        _ = try deliver(rest, of: hash, zone: zone, in: &transaction)
        return hash
    }

    /// Delivers the key of an epoch.
    /// - Returns: False where this store's control log is full before all deliveries are stated.
    private func deliver(
        _ sealed: [KeyEnvelope],
        of epoch: Hash,
        zone: ZoneID,
        in transaction: inout some NodeTransaction
    ) throws -> Bool {
        var rest = sealed[...]
        while !rest.isEmpty {
            let delivery = KeyDelivery(epoch: epoch, envelopes: Array(rest.prefix(Limits.envelopeCountMax)))
            rest = rest.dropFirst(Limits.envelopeCountMax)
            let said = try statements.commitIfRoom(.delivery(delivery.encoded), zone: zone, in: &transaction)
            if said == nil { return false }
        }
        return true
    }

    private func seal(
        _ key: EpochKey,
        _ zone: ZoneID,
        _ place: Dot,
        to devices: [DeviceID],
        _ readers: [DeviceID: AccountID]
    ) -> [KeyEnvelope] {
        var secret = key.exportBytes()
        defer { ConstantTime.wipe(&secret) }
        return seal(secret, to: devices, readers) { envelopeInfo(zone, place, $0) }
    }

    /// Seals a secret to devices; those that state no key are left out.
    /// - Parameters:
    ///   - secret: 32 bytes.
    ///   - devices: The devices.
    ///   - readers: Their accounts.
    ///   - info: The purpose of a device's envelope.
    /// - Returns: The envelopes.
    func seal(
        _ secret: [UInt8],
        to devices: [DeviceID],
        _ readers: [DeviceID: AccountID],
        info: (DeviceID) -> [UInt8]
    ) -> [KeyEnvelope] {
        guard let envelopes = committer.envelopes else { return [] }
        assert(devices.allSatisfy { readers[$0] != nil }, "a secret is sealed to readers alone")
        return devices.compactMap { device in
            guard let recipient = encapsulationKey(of: device, readers) else { return nil }
            do {
                let sealed = try envelopes.seal(secret, to: recipient, info: info(device), entropy: committer.entropy)
                return KeyEnvelope(device: device, sealed: sealed)
            } catch {
                // The device's stated key is malformed: it reads nothing until it states a valid one.
                return nil
            }
        }
    }

    private func mayMake(_ row: ZoneRow) -> Bool {
        committer.mayWrite && row.state == .live && row.role.mayAppend
    }

    /// Whether this device may state which keys it lacks: every device that may write the zone's control log may.
    private func mayAsk(_ row: ZoneRow) -> Bool {
        committer.mayWrite && row.state == .live && row.role.maySpeak
    }
}
