import Identity
import Records
import Sodium
import Sync
import TestSupport
import Wire

/// Devices of one account with keys, each with a store in memory; the work of a transaction is done at once.
struct Household {
    /// A device, its copy of the account log and its store.
    struct Home {
        var keys: DeviceIdentity
        var log: AccountLog
        var store: MemoryStore
        var wall: UInt64 = 1_700_000_000_000
        /// The evidence of others' clocks.
        var witnesses = ClockWitnesses.none
        /// The size of a zone up to which a transaction adopts checkpoints beside its own work.
        var soonAdoptedCount = ReplicaLimits.soonAdoptedCount
    }

    var random: SeededGenerator
    let keyring: AccountKeyring
    var homes: [Home] = []

    /// The first device makes the account and adds the others, with all rights unless `roles` names another role.
    init(_ count: Int, seed: UInt64 = 1, roles: [Int: DeviceRole] = [:]) throws {
        random = SeededGenerator(seed: seed)
        keyring = AccountKeyring(using: &random)
        let keys = (0..<count).map { _ in DeviceIdentity(using: &random) }
        var log = try AccountLog.create(
            identity: keys[0],
            certificate: try keys[0].certificate(name: "device 0", issued: 1),
            recoveryKey: RecoveryKey(RecoveryPhrase(using: &random)).publicKey,
            name: "device 0",
            using: &random
        )
        for (index, other) in keys.enumerated().dropFirst() {
            let entry = try log.addingDevice(
                try other.certificate(name: "device \(index)", issued: 1),
                role: roles[index] ?? .full,
                name: "device \(index)",
                signer: .device(keys[0]),
                using: &random
            )
            try log.insert(entry.encoded)
        }
        for key in keys {
            var store = MemoryStore(feedIdentity: random.bytes(16))
            _ = try StoreLifetime.begin(
                hasKeys: false,
                sentinel: .missing,
                machine: [],
                random: &random,
                in: &store
            )
            homes.append(Home(keys: key, log: log, store: store))
        }
    }

    /// Returns the committer of a device, with the device's state at this moment.
    func committer(_ index: Int) -> Committer {
        let home = homes[index]
        return Committer(
            keys: home.keys,
            account: home.log.state,
            keyring: keyring,
            wallMilliseconds: home.wall,
            witnesses: home.witnesses,
            soonAdoptedCount: home.soonAdoptedCount
        )
    }

    /// The genesis of a zone of the account.
    func genesis(_ name: String = "notes") -> ZoneGenesis {
        ZoneGenesis(
            owner: homes[0].log.account,
            container: "org.example.notes",
            name: name,
            salt: [UInt8](repeating: 7, count: ZoneGenesis.saltByteCount),
            history: .full,
            isDefault: false
        )
    }

    @discardableResult
    mutating func write(_ name: String, _ text: String, on index: Int, zone: ZoneID) throws -> CommitNotice {
        let write = RecordWrite(
            name: name,
            type: "note",
            set: [FieldAssignment(field: "text", value: .string(text))]
        )
        return try committer(index).commit([WriteRequest([write])], zone: zone, in: &homes[index].store).notice
    }

    /// Gives one device everything of a zone that another holds.
    @discardableResult
    mutating func pull(_ zone: ZoneID, from source: Int, to target: Int) throws -> [RunOutcome] {
        let genesis = try homes[source].store.zone(zone)?.genesis ?? genesis()
        _ = try ZoneLifecycle(committer(target)).learn(zone, genesis: genesis, in: &homes[target].store)
        var outcomes: [RunOutcome] = []
        for lane in [Lane.control, .data] {
            for row in try homes[source].store.logs(zone: zone) where row.key.lane == lane {
                let from = try homes[target].store.log(row.key)?.heldSize ?? 0
                let reader = committer(source)
                guard
                    let run = try RunExchange(reader).run(
                        row.key,
                        from: from,
                        byteCount: 1 << 20,
                        in: homes[source].store
                    )
                else { continue }
                outcomes.append(apply(run, key: row.key, on: target).outcome)
            }
        }
        return outcomes
    }

    /// Applies a run as a transaction would: a failure leaves nothing behind.
    mutating func apply(_ run: Run, key: LogKey, on index: Int) -> (notice: CommitNotice?, outcome: RunOutcome) {
        let before = homes[index].store
        let author = committer(index)
        do {
            let applied = try RunExchange(author).apply(run, key: key, random: &random, in: &homes[index].store)
            return (applied.notice, applied.reply)
        } catch {
            homes[index].store = before
            return (nil, RunOutcome(.failure(error), of: run))
        }
    }

    /// The text of a record; `nil` when it is not there.
    func text(_ name: String, on index: Int, zone: ZoneID) throws -> FieldValue? {
        let store = homes[index].store
        let row = try store.record(zone: zone, tag: try RecordTag(of: name, zone: zone, in: store))
        guard let row, !row.isDeleted else { return nil }
        return try row.content().field(named: "text")?.winner?.value
    }
}
