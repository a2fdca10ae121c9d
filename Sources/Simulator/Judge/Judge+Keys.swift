import Capabilities
import Identity
import Records
import Sync
import Wire

// Checks which devices can open a write.
extension Judge {
    /// Checks that a node seals its writes to exactly the accounts that may read them, as far as it knows.
    ///
    /// Its knowledge at the time of a write is that before the transaction, after one of its jobs, or after the
    /// transaction.
    func checkSealed(_ places: [OperationLibrary.Place], _ commit: ObservedCommit) throws {
        guard commit.isSealed, !places.isEmpty, !byzantine.contains(commit.device) else { return }
        // A removed device keeps the writes of its user to itself.
        guard commit.account?.standing(of: commit.device) != .removed else { return }
        checkCount += 1
        let known = [commit.after, commit.before] + commit.between
        let accounts = [ReadingAccounts(commit)] + [lastAccounts[commit.node]].compactMap { $0 }
        for place in places {
            guard let entry = library.entries(at: place).last else { continue }
            if let calmSince, commit.time >= calmSince, !entry.operation.header.epoch.isZero {
                lateEpochs.insert(entry.operation.header.epoch)
            }
            try checkAge(of: entry.operation.header.epoch, at: place, commit)
            var complaints: [String?] = []
            for store in known {
                guard let zone = try store.zone(place.key.zone) else { continue }
                for account in accounts { complaints.append(try complaint(entry, at: place, store, zone, account)) }
                if complaints.contains(nil) { break }
            }
            if !complaints.contains(nil), let first = complaints.first ?? nil {
                throw commit.violation(.keys, "\(place) \(first)")
            }
        }
    }

    /// Checks that a key is replaced after 30 days, regardless of the clock of the device that began it.
    private func checkAge(of epoch: Hash, at place: OperationLibrary.Place, _ commit: ObservedCommit) throws {
        guard let begun = epochTimes[epoch], commit.uptime > Self.renewalMilliseconds, clockTurned[commit.node] == nil,
            commit.time > begun + EpochKeys.writingMilliseconds + 86_400_000
        else { return }
        throw commit.violation(
            .keys,
            "\(place) is sealed under a key that was begun \((commit.time - begun) / 86_400_000) days ago"
        )
    }

    /// The longest time that a process may take after its start to begin a key that is due, in milliseconds.
    private static let renewalMilliseconds: UInt64 = 180_000

    /// The fault of an operation in the eyes of a node with this knowledge; `nil` if there is none.
    private func complaint(
        _ entry: OperationLibrary.Entry,
        at place: OperationLibrary.Place,
        _ store: MemoryStore,
        _ zone: ZoneRow,
        _ accounts: ReadingAccounts
    ) throws -> String? {
        let model: RightsModel? =
            accounts.all.isEmpty
            ? nil : try rights(in: zone, store: store, accounts: accounts.all, ownDevice: nil)
        let isOpen = model.map {
            $0.publicAccess.world.contains(.read) || $0.publicAccess.authenticated.contains(.read)
        }
        func isReader(_ device: DeviceID) -> Bool {
            guard let model else { return accounts.own?.activeDevices.contains(device) ?? true }
            return accounts.all.states.contains {
                model.hasActive(device, of: $0.key) && model.mayRead($0.key, now: nil)
            }
        }
        // A reader that a member lets in just now may be known to that member alone.
        func stranger(_ envelopes: [KeyEnvelope]) -> DeviceID? {
            envelopes.map(\.device).first { device in
                !isReader(device)
                    && (accounts.all.isEmpty || accounts.all.states.values.contains { $0.devices[device] != nil })
            }
        }
        switch entry.control {
        case .epoch(let bytes):
            let content = try KeyEpoch(decoding: bytes)
            let newcomer = try newcomer(content.envelopes, to: content.chain.map(\.epoch), place, zone, store, accounts)
            return stranger(content.envelopes).map { "gives a key to \($0.shortText)" }
                ?? newcomer.map { "gives \($0.shortText) the key of earlier records" }
        case .delivery(let bytes):
            let content = try KeyDelivery(decoding: bytes)
            if content.disclosed != nil, isOpen != true { return "discloses a key of a zone that is not public" }
            if try isWaiting(content.epoch, store) {
                return "passes on a key without knowing the operation that began it"
            }
            let newcomer = try newcomer(content.envelopes, to: [content.epoch], place, zone, store, accounts)
            return stranger(content.envelopes).map { "gives a key to \($0.shortText)" }
                ?? newcomer.map { "gives \($0.shortText) the key of earlier records" }
        case .epochAgain(let bytes):
            let said = try Operation(decoding: bytes).header.leafHash
            return library.epochs.values.contains(said) ? nil : "restates an epoch that no device began"
        case nil:
            let epoch = entry.operation.header.epoch
            guard !epoch.isZero else { return isOpen == true ? nil : "is in clear" }
            let holders = try keyHolders(zone, store)
            if holders.disclosed.contains(epoch) {
                return isOpen == true ? nil : "is sealed under a key that was disclosed"
            }
            return holders.of(epoch).sorted().first { !isReader($0) }
                .map { "is sealed under a key of \($0.shortText), which may not read it" }
        default: return nil
        }
    }

    /// Whether a store holds the operation that begins an epoch, and it waits for its causes.
    private func isWaiting(_ epoch: Hash, _ store: MemoryStore) throws -> Bool {
        try library.epochs.contains { place, hash in
            guard hash == epoch, let row = try store.log(place.key), row.size >= place.counter else { return false }
            // Above the end of a log, operations wait for nothing.
            return row.appliedSize < place.counter && row.cut == nil && row.forkProof == nil
        }
    }

    /// A device that receives keys of earlier epochs in a zone that shows newcomers no history; `nil` if there is
    /// none.
    ///
    /// A device is no newcomer if a device of its account had these keys already; of one of its accounts, where the logs
    /// of two have it.
    private func newcomer(
        _ envelopes: [KeyEnvelope],
        to epochs: [Hash],
        _ place: OperationLibrary.Place,
        _ zone: ZoneRow,
        _ store: MemoryStore,
        _ accounts: ReadingAccounts
    ) throws -> DeviceID? {
        guard zone.genesis.history == .fromJoin, !accounts.all.isEmpty, !epochs.isEmpty else { return nil }
        var holders = KeyHolders()
        for row in try store.logs(zone: zone.id) where row.key.lane == .control {
            // The inspected operation itself does not count as an earlier delivery.
            let end = row.key == place.key ? min(row.size, place.counter - 1) : row.size
            for item in try store.items(row.key, from: 0, to: end) {
                if case .operation(let stored) = item.content { try holders.add(stored.operation) }
            }
        }
        func owners(of device: DeviceID) -> Set<AccountID> {
            Set(accounts.all.states.filter { $0.value.devices[device] != nil }.keys)
        }
        for epoch in epochs {
            let having = holders.of(epoch).reduce(into: Set<AccountID>()) { $0.formUnion(owners(of: $1)) }
            let newcomer = envelopes.map(\.device).first { device in
                let own = owners(of: device)
                return !own.isEmpty && own.isDisjoint(with: having)
            }
            if let newcomer { return newcomer }
        }
        return nil
    }

    /// The recipients of each key of a zone, by everything that a store holds about it.
    private func keyHolders(_ zone: ZoneRow, _ store: MemoryStore) throws -> KeyHolders {
        let rows = try store.logs(zone: zone.id).filter { $0.key.lane == .control }
        var stamp = RightsStamp(zone: zone.id, device: nil, accounts: [:])
        for row in rows { stamp.logs[row.key.actor] = row.size }
        // Two histories of a log may be of one size.
        let isForked = rows.contains(where: \.isForked)
        if !isForked, let known = keyHolders[stamp] { return known }
        var holders = KeyHolders()
        for row in rows {
            for item in try store.items(row.key, from: 0, to: row.size) {
                guard case .operation(let stored) = item.content else { continue }
                try holders.add(stored.operation)
            }
        }
        if keyHolders.count > 256 { keyHolders = [:] }
        if !isForked { keyHolders[stamp] = holders }
        return holders
    }

    /// Checks that a nonce is used for one text only.
    func checkNonces(at place: OperationLibrary.Place, _ commit: ObservedCommit) throws {
        var seen: [Hash: Set<[UInt8]>] = [:]
        for entry in library.entries(at: place) where !entry.operation.header.epoch.isZero {
            let nonce = try SealedBody(decoding: entry.operation.body).nonce
            guard !seen[entry.operation.header.epoch, default: []].insert(nonce).inserted else { continue }
            throw commit.violation(.keys, "two texts at \(place) are sealed under one key and one nonce")
        }
    }

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
                let model = try rights(in: zone, store: look.store, accounts: look.accounts, ownDevice: nil)
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
            return try lastStores.contains { node, store in
                guard !look.off.contains(node), store.keyring.key(epoch) != nil,
                    let row = try store.zone(zone.id), row.state == .live,
                    let device = lastAccounts[node]?.device, !byzantine.contains(device)
                else { return false }
                let states = [look.account].compactMap { $0 } + look.accounts.states.values
                return row.role.mayAppend && states.contains { $0.standing(of: device) == .active(.full) }
            }
        }
    }

    /// Whether a member is entitled to the key of an epoch.
    private func isDue(_ epoch: Hash, _ zone: ZoneRow, _ look: StoreLook) throws -> Bool {
        if zone.genesis.history == .full || lateEpochs.contains(epoch) { return true }
        return try !keyHolders(zone, look.store).of(epoch).isDisjoint(with: look.account?.activeDevices ?? [])
    }

    /// The reason why a record cannot be read, for people.
    private func reason(_ tag: RecordTag, _ zone: ZoneRow, _ look: StoreLook) throws -> String {
        let stored = try look.store.operations(zone: zone.id, tags: [tag], states: [.live])
        let epochs = Set(stored.map(\.operation.header.epoch)).filter {
            !$0.isZero && look.store.keyring.key($0) == nil
        }
        let holders = try keyHolders(zone, look.store)
        return try epochs.sorted().map { epoch in
            let places = library.epochs.filter { $0.value == epoch }.map { place, _ in
                let row = try? look.store.log(place.key)
                return "\(place.key.actor.shortText):\(place.counter), of which are held \(row?.size ?? 0), cut"
                    + " \(row?.cut.map { "\($0.size)" } ?? "nowhere")"
            }
            let names = holders.of(epoch).sorted().map(\.shortText).joined(separator: " ")
            let having = try lastStores.sorted { $0.key < $1.key }.filter { $1.keyring.key(epoch) != nil }.map {
                node,
                store in
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

/// A node's knowledge of the accounts whose devices may read.
struct ReadingAccounts {
    /// The state by its own account's log, where there are no other accounts.
    let own: AccountState?
    /// The states by the logs of all accounts; empty where there is only one.
    let all: KnownAccounts

    /// The device.
    let device: DeviceID

    init(_ commit: ObservedCommit) {
        (own, all, device) = (commit.account, commit.accounts, commit.device)
    }
}

/// The holders of each key of a zone: the devices that it was sealed to, and those with the key of an epoch whose
/// chain leads to it.
///
/// Written from `docs/protocol/epochs.md` and nothing else.
struct KeyHolders {
    private var recipients: [Hash: Set<DeviceID>] = [:]
    /// The epochs whose chain leads to an epoch.
    private var leadingTo: [Hash: Set<Hash>] = [:]
    private var told: Set<Hash> = []

    /// Takes in a control operation; one that cannot be decoded is ignored.
    mutating func add(_ operation: Operation) throws {
        switch try ControlBody(decoding: operation.body) {
        case .epochAgain(let bytes):
            guard let said = try? Operation(decoding: bytes), said.header.bodyHash == Operation.bodyHash(said.body),
                case .epoch? = try? ControlBody(decoding: said.body)
            else { return }
            try add(said)
        case .epoch(let bytes):
            guard let content = try? KeyEpoch(decoding: bytes) else { return }
            let epoch = operation.header.leafHash
            recipients[epoch, default: []].formUnion(content.envelopes.map(\.device))
            for link in content.chain { leadingTo[link.epoch, default: []].insert(epoch) }
        case .delivery(let bytes):
            guard let content = try? KeyDelivery(decoding: bytes) else { return }
            recipients[content.epoch, default: []].formUnion(content.envelopes.map(\.device))
            if content.disclosed != nil { told.insert(content.epoch) }
        default: return
        }
    }

    /// The devices that have the key of an epoch.
    func of(_ epoch: Hash) -> Set<DeviceID> {
        sources(of: epoch).reduce(into: []) { $0.formUnion(recipients[$1] ?? []) }
    }

    /// The epochs whose keys are disclosed to all accounts.
    var disclosed: Set<Hash> {
        Set((Array(recipients.keys) + leadingTo.keys + told).filter { !sources(of: $0).isDisjoint(with: told) })
    }

    /// The epoch itself and all epochs whose chains lead to it.
    private func sources(of epoch: Hash) -> Set<Hash> {
        var found: Set<Hash> = [epoch]
        var open = [epoch]
        while let next = open.popLast() {
            for source in leadingTo[next] ?? [] where found.insert(source).inserted { open.append(source) }
        }
        return found
    }
}
