import Capabilities
import Identity
import Records
import Sync
import TestSupport
import Wire

/// Some accounts of one or more devices each, which know each other's account logs unless configured otherwise,
/// without the network between them.
struct Neighbours {
    /// A device with its store.
    struct Home {
        var account: Int
        var keys: DeviceIdentity
        var store: MemoryStore
        var wall: UInt64 = 1_700_000_000_000
        /// The evidence of others' clocks.
        var witnesses = ClockWitnesses.none
        /// Accounts that it does not know.
        var strangers: Set<Int> = []
        /// Accounts of which it knows only the first device.
        var beginnings: Set<Int> = []
    }

    var random: SeededGenerator
    var logs: [AccountLog] = []
    var keyrings: [AccountKeyring] = []
    var homes: [Home] = []
    /// The sealing of epochs' keys to devices; `nil` where records are not sealed.
    let envelopes: (any EnvelopeSealing)?

    /// Accounts with so many devices each.
    init(
        _ deviceCounts: [Int],
        seed: UInt64 = 1,
        envelopes: (any EnvelopeSealing)? = nil,
        controlBounds: ControlBudget.Bounds = .ofProtocol
    ) throws {
        random = SeededGenerator(seed: seed)
        self.envelopes = envelopes
        for (account, count) in deviceCounts.enumerated() {
            let keys = (0..<count).map { _ in DeviceIdentity(using: &random) }
            var log = try AccountLog.create(
                identity: keys[0],
                certificate: try certificate(of: keys[0]),
                recoveryKey: RecoveryKey(RecoveryPhrase(using: &random)).publicKey,
                name: "device",
                using: &random
            )
            for other in keys.dropFirst() {
                let entry = try log.addingDevice(
                    try certificate(of: other),
                    role: .full,
                    name: "device",
                    signer: .device(keys[0]),
                    using: &random
                )
                try log.insert(entry.encoded)
            }
            logs.append(log)
            keyrings.append(AccountKeyring(using: &random))
            for key in keys {
                var store = MemoryStore(feedIdentity: random.bytes(16))
                store.controlBounds = controlBounds
                _ = try StoreLifetime.begin(
                    hasKeys: false,
                    sentinel: .missing,
                    machine: [],
                    random: &random,
                    in: &store
                )
                homes.append(Home(account: account, keys: key, store: store))
            }
        }
    }

    func certificate(of keys: DeviceIdentity) throws -> VerifiedCertificate {
        let key = try envelopes?.encapsulationKey(seed: keys.encapsulationSeed()) ?? []
        return try keys.certificate(name: "device", issued: 1, encapsulationKey: key)
    }

    func account(_ index: Int) -> AccountID { logs[index].account }

    func committer(_ index: Int) -> Committer {
        let home = homes[index]
        let known = logs.indices.filter { !home.strangers.contains($0) }.map { logs[$0] }
        return Committer(
            keys: home.keys,
            account: logs[home.account].state,
            contacts: Dictionary(uniqueKeysWithValues: known.map { ($0.account, $0.state) })
                .merging(home.beginnings.map { beginning(of: logs[$0]) }) { _, beginning in beginning },
            keyring: keyrings[home.account],
            wallMilliseconds: home.wall,
            witnesses: home.witnesses,
            envelopes: envelopes
        )
    }

    /// The state of a zone's control log, as a device resolves it.
    func controlState(_ zone: ZoneID, on index: Int) throws -> ControlState {
        try ZoneViews(committer(index)).controlState(zone, in: homes[index].store)
    }

    /// The authorities of the zones with several accounts, as a device sees them.
    func authorities(on index: Int) throws -> [ZoneAuthority] {
        try ZoneViews(committer(index)).authorities(homes[index].store)
    }

    private func beginning(of log: AccountLog) -> (AccountID, AccountState) {
        do {
            return (log.account, try AccountLog(of: log.account, entries: Array(log.entries.prefix(1))).state)
        } catch {
            preconditionFailure("a log begins with its genesis: \(error)")
        }
    }

    /// Runs a piece of work as a transaction would: a failure leaves nothing behind.
    @discardableResult
    mutating func change<Value>(
        _ index: Int,
        _ body: (Committer, inout SeededGenerator, inout MemoryStore) throws -> Value
    ) throws -> Value {
        let before = homes[index].store
        do {
            return try body(committer(index), &random, &homes[index].store)
        } catch {
            homes[index].store = before
            throw error
        }
    }

    /// A zone of a device's account that all others have joined.
    mutating func zone(of index: Int, history: ZoneHistory = .full) throws -> ZoneID {
        let genesis = ZoneGenesis(
            owner: account(homes[index].account),
            container: "org.example.notes",
            name: "shared",
            salt: random.bytes(ZoneGenesis.saltByteCount),
            history: history,
            isDefault: false
        )
        let zone = try change(index) { try ZoneLifecycle($0).create(genesis, in: &$2).zone }
        let tagKey = try homes[index].store.zone(zone)?.tagKey ?? []
        for other in homes.indices where other != index {
            try change(other) { _ = try ZoneLifecycle($0).join(genesis, tagKey: tagKey, in: &$2) }
        }
        try exchange(zone)
        return zone
    }

    mutating func grant(
        _ level: AccessLevel,
        to account: Int,
        by index: Int,
        caveats: Caveats = Caveats(),
        canDelegate: Bool = false,
        zone: ZoneID
    ) throws -> Hash {
        let terms = Capability.Terms(
            audience: self.account(account),
            rights: Rights(level, canDelegate: canDelegate),
            caveats: caveats
        )
        return try change(index) { try ZoneSharing($0).grant(terms, zone: zone, random: &$1, in: &$2).reply.id }
    }

    /// The consent of an account, by its first device, to own a zone after the ownership under which a device rules it.
    func consent(of account: Int, zone: ZoneID, from index: Int) throws -> SignedTransferConsent {
        guard let device = homes.firstIndex(where: { $0.account == account }) else {
            preconditionFailure("an account has a device")
        }
        return ZoneTransfers(committer(device)).consent(
            zone,
            after: try homes[index].store.zone(zone)?.right ?? .zero,
            to: .zero
        )
    }

    /// Transfers a zone to an account that has consented.
    mutating func transfer(_ zone: ZoneID, by index: Int, to account: Int, keeping level: AccessLevel? = nil) throws {
        let consent = try consent(of: account, zone: zone, from: index)
        try change(index) { _ = try ZoneTransfers($0).transfer(zone, with: consent, keeping: level, in: &$2) }
    }

    @discardableResult
    mutating func write(
        _ name: String,
        _ text: String,
        type: String = "note",
        on index: Int,
        zone: ZoneID
    ) throws -> WriteRefusal? {
        let write = RecordWrite(name: name, type: type, set: [.init(field: "text", value: .string(text))])
        let commit = try change(index) { try $0.commit([WriteRequest([write])], zone: zone, in: &$2).reply }
        guard case .failure(let refusal) = commit.results[0][0] else { return nil }
        return refusal
    }

    mutating func delete(_ name: String, on index: Int, zone: ZoneID) throws -> WriteRefusal? {
        let write = RecordWrite(name: name, delete: true)
        let commit = try change(index) { try $0.commit([WriteRequest([write])], zone: zone, in: &$2).reply }
        guard case .failure(let refusal) = commit.results[0][0] else { return nil }
        return refusal
    }

    /// Gives one device everything of a zone that another serves, or some logs of it.
    @discardableResult
    mutating func pull(
        _ zone: ZoneID,
        from source: Int,
        to target: Int,
        where isWanted: (LogRow) -> Bool = { _ in true }
    ) throws -> [RunOutcome] {
        var outcomes: [RunOutcome] = []
        for lane in [Lane.control, .data] {
            for row in try homes[source].store.logs(zone: zone) where row.key.lane == lane && isWanted(row) {
                let from = try homes[target].store.log(row.key)?.heldSize ?? 0
                guard
                    let run = try RunExchange(committer(source)).run(
                        row.key,
                        from: from,
                        byteCount: 1 << 20,
                        in: homes[source].store
                    )
                else { continue }
                outcomes.append(apply(run, on: target))
            }
        }
        return outcomes
    }

    mutating func apply(_ run: Run, on index: Int) -> RunOutcome {
        let result = Result {
            try change(index) {
                try RunExchange($0).apply(run, key: run.signedHead.head.key, random: &$1, in: &$2).reply
            }
        }
        return RunOutcome(result, of: run)
    }

    /// Lets all devices exchange everything, until nothing changes any more.
    mutating func exchange(_ zone: ZoneID, among indices: [Int]? = nil) throws {
        let indices = indices ?? Array(homes.indices)
        for _ in 0..<3 {
            for source in indices {
                for target in indices where target != source { try pull(zone, from: source, to: target) }
            }
        }
    }

    func text(_ name: String, on index: Int, zone: ZoneID) throws -> String? {
        let store = homes[index].store
        let row = try store.record(zone: zone, tag: try RecordTag(of: name, zone: zone, in: store))
        guard let row, !row.isDeleted, case .string(let text)? = try row.content().field(named: "text")?.winner?.value
        else { return nil }
        return text
    }

    func digests(_ zone: ZoneID, of indices: [Int]) throws -> Set<Hash> {
        Set(try indices.map { try ZonePositions(of: zone).digest(in: homes[$0].store) })
    }
}
