import Capabilities
import Identity
import Records
import Sync
import Wire

/// The law that exactly the accounts that may read a write can open it.
struct KeyLaw {
    private let evidence: Evidence
    private let keyHolders = ResolvedKeyHolders()
    /// The time since which all nodes agree on the readers, so that all readers get the keys of new writes.
    var calmSince: UInt64?
    /// The epochs under which something was written since then.
    private var lateEpochs: Set<Hash> = []
    /// The time at which each epoch was begun, in simulated milliseconds.
    private var epochTimes: [Hash: UInt64] = [:]

    init(_ evidence: Evidence) { self.evidence = evidence }

    // MARK: Written operations

    /// Takes note that an epoch was begun.
    mutating func begun(_ epoch: Hash, at time: UInt64) { epochTimes[epoch] = time }

    /// Checks that a node seals its writes to exactly the accounts that may read them, as far as it knows.
    ///
    /// Its knowledge at the time of a write is that before the transaction, after one of its jobs, or after the
    /// transaction.
    mutating func checkSealed(_ places: [OperationLibrary.Place], _ commit: ObservedCommit) throws {
        guard commit.isSealed, !places.isEmpty, !evidence.byzantine.contains(commit.device) else { return }
        // A removed device keeps the writes of its user to itself.
        guard commit.account?.standing(of: commit.device) != .removed else { return }
        evidence.checkCount += 1
        let stores = [commit.after, commit.before] + commit.between
        let accounts = [ReadingAccounts(commit)] + [evidence.lastAccounts[commit.node]].compactMap { $0 }
        for place in places {
            guard let entry = evidence.library.entries(at: place).last else { continue }
            if let calmSince, commit.time >= calmSince, !entry.operation.header.epoch.isZero {
                lateEpochs.insert(entry.operation.header.epoch)
            }
            try checkAge(of: entry.operation.header.epoch, at: place, commit)
            if let fault = try fault(of: entry, at: place, by: stores, accounts) {
                throw commit.violation(.keys, "\(place) \(fault)")
            }
        }
    }

    /// The fault of an operation whatever its author knew of these states; `nil` if there is none.
    private func fault(
        of entry: OperationLibrary.Entry,
        at place: OperationLibrary.Place,
        by stores: [MemoryStore],
        _ accounts: [ReadingAccounts]
    ) throws -> String? {
        var faults: [String?] = []
        for store in stores {
            guard let zone = try store.zone(place.key.zone) else { continue }
            for account in accounts {
                let knowledge = try SealingKnowledge(evidence, keyHolders, of: zone, in: store, account)
                faults.append(try knowledge.fault(of: entry, at: place))
            }
            if faults.contains(nil) { return nil }
        }
        return faults.first ?? nil
    }

    /// Checks that a key is replaced after 30 days, regardless of the clock of the device that began it.
    private func checkAge(of epoch: Hash, at place: OperationLibrary.Place, _ commit: ObservedCommit) throws {
        guard let begun = epochTimes[epoch], commit.uptime > Self.renewalMilliseconds,
            evidence.clockTurned[commit.node] == nil,
            commit.time > begun + EpochKeys.writingMilliseconds + 86_400_000
        else { return }
        throw commit.violation(
            .keys,
            "\(place) is sealed under a key that was begun \((commit.time - begun) / 86_400_000) days ago"
        )
    }

    /// The longest time that a process may take after its start to begin a key that is due, in milliseconds.
    private static let renewalMilliseconds: UInt64 = 180_000

    /// Checks that a nonce is used for one text only.
    func checkNonces(at place: OperationLibrary.Place, _ commit: ObservedCommit) throws {
        var seen: [Hash: Set<[UInt8]>] = [:]
        for entry in evidence.library.entries(at: place) where !entry.operation.header.epoch.isZero {
            let nonce = try SealedBody(decoding: entry.operation.body).nonce
            guard !seen[entry.operation.header.epoch, default: []].insert(nonce).inserted else { continue }
            throw commit.violation(.keys, "two texts at \(place) are sealed under one key and one nonce")
        }
    }

    // MARK: Readers

    /// Checks that in the end every member can read everything that it is entitled to.
    ///
    /// That is all of a zone that shows newcomers its history, and of another zone the records that a device of its
    /// account can read and the records written last, as long as a device that may write has the key.
    func checkReadable(_ look: StoreLook) throws {
        if let complaint = try unreadable(look) { throw look.violation(.keys, complaint) }
    }

    /// A description of a record that a member should be able to read and cannot; `nil` if there is none.
    func unreadable(_ look: StoreLook) throws -> String? {
        if look.account?.standing(of: look.device) == .active(.relayOnly) { return nil }
        for zone in try look.store.zones() where zone.state == .live {
            if !look.accounts.isEmpty {
                let model = try evidence.rights.model(
                    in: zone,
                    store: look.store,
                    accounts: look.accounts,
                    ownDevice: nil
                )
                guard let own = look.account?.account, model.hasActive(look.device, of: own),
                    model.mayRead(own, now: nil)
                else { continue }
            }
            let locked = try look.store.lockedRecords(zone: zone.id, after: nil, limit: .max)
            if let tag = try locked.first(where: { try isWithheld($0, zone, look) }) {
                return "record \(tag.shortText) of zone \(zone.id.shortText) cannot be read: "
                    + (try reason(tag, zone, look))
            }
        }
        return nil
    }

    /// Whether a device that is switched on has the missing key of a record and may deliver it.
    private func isWithheld(_ tag: RecordTag, _ zone: ZoneRow, _ look: StoreLook) throws -> Bool {
        let live = try look.store.operations(zone: zone.id, tags: [tag], states: [.live])
        return try live.map(\.operation.header.epoch).contains { epoch in
            guard !epoch.isZero, look.store.keyring.key(epoch) == nil, try isDue(epoch, zone, look) else {
                return false
            }
            return try evidence.lastStores.contains { node, store in
                guard !look.off.contains(node), store.keyring.key(epoch) != nil,
                    let row = try store.zone(zone.id), row.state == .live,
                    let device = evidence.lastAccounts[node]?.device, !evidence.byzantine.contains(device)
                else { return false }
                let states = [look.account].compactMap { $0 } + look.accounts.states.values
                return row.role.mayAppend && states.contains { $0.standing(of: device) == .active(.full) }
            }
        }
    }

    /// Whether a member is entitled to the key of an epoch.
    private func isDue(_ epoch: Hash, _ zone: ZoneRow, _ look: StoreLook) throws -> Bool {
        if zone.genesis.history == .full || lateEpochs.contains(epoch) { return true }
        return try !keyHolders.of(zone, in: look.store).of(epoch).isDisjoint(with: look.account?.activeDevices ?? [])
    }

    /// The reason why a record cannot be read, for people.
    private func reason(_ tag: RecordTag, _ zone: ZoneRow, _ look: StoreLook) throws -> String {
        let stored = try look.store.operations(zone: zone.id, tags: [tag], states: [.live])
        let epochs = Set(stored.map(\.operation.header.epoch)).filter {
            !$0.isZero && look.store.keyring.key($0) == nil
        }
        let holders = try keyHolders.of(zone, in: look.store)
        return try epochs.sorted().map { epoch in
            let places = evidence.library.epochs.filter { $0.value == epoch }.map { place, _ in
                let row = try? look.store.log(place.key)
                return "\(place.key.actor.shortText):\(place.counter), of which are held \(row?.size ?? 0), cut"
                    + " \(row?.cut.map { "\($0.size)" } ?? "nowhere")"
            }
            let names = holders.of(epoch).sorted().map(\.shortText).joined(separator: " ")
            let stores = evidence.lastStores.sorted { $0.key < $1.key }.filter { $1.keyring.key(epoch) != nil }
            let having = try stores.map { node, store in
                let row = try store.zone(zone.id)
                let role = row.map { "\($0.role), keys needed \($0.needsKeys), \($0.state)" } ?? "unknown"
                return "node \(node) as \(role)"
            }
            return
                "epoch \(epoch.shortText) of \(places.joined(separator: " and ")) was given to \(names); it can be opened at"
                + " \(having.joined(separator: ", "))"
        }.joined(separator: "; ")
            + "; this is \(look.device.shortText), keys are \(zone.sealing), needed \(zone.needsKeys)"
    }
}
