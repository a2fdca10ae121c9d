import Identity
import Records
import Sodium
import Sync
import TestSupport
import Testing
import Wire

extension Neighbours {
    /// Returns the positions of one device's logs in a zone, as far as another device holds them.
    func positions(of device: Int, in zone: ZoneID, on index: Int) throws -> [LogPosition] {
        try ZonePositions(of: zone).all(in: homes[index].store)
            .filter { $0.row.device == homes[device].keys.deviceID && $0.size > 0 }
            .map { LogPosition(actor: $0.row.key.actor, lane: $0.row.key.lane, size: $0.size, root: $0.root) }
    }

    /// Removes a device from its account, as another device of the account does it, and informs all devices.
    mutating func remove(_ removed: Int, by index: Int) throws {
        let account = homes[removed].account
        let entry = try logs[account].removingDevice(
            homes[removed].keys.deviceID,
            witness: homes[index].keys.deviceID,
            signer: .device(homes[index].keys),
            using: &random
        )
        try logs[account].insert(entry.encoded)
        for other in homes.indices { try change(other) { _ = try AccountUpkeep($0).applyCuts(in: &$2) } }
    }

    /// Lets a device state other bytes as its key for envelopes, or its own once more, and informs all devices.
    mutating func restate(_ key: [UInt8]?, on index: Int, issued: UInt64) throws {
        let (keys, account) = (homes[index].keys, homes[index].account)
        let own = try envelopes?.encapsulationKey(seed: keys.encapsulationSeed()) ?? []
        let certificate = try keys.certificate(name: "device", issued: issued, encapsulationKey: key ?? own)
        let entry = try logs[account].renewing(certificate, by: keys, using: &random)
        try logs[account].insert(try #require(entry).encoded)
        for other in homes.indices { try change(other) { _ = try AccountUpkeep($0).applyCuts(in: &$2) } }
    }

    /// Informs all devices of the logs that end at zero, as sessions do, and lets them go on.
    mutating func settle(_ zone: ZoneID, among indices: [Int]? = nil) throws {
        let indices = indices ?? Array(homes.indices)
        for _ in 0..<2 {
            try exchange(zone, among: indices)
            for source in indices {
                guard let row = try homes[source].store.zone(zone) else { continue }
                let told = try ZoneViews(committer(source)).snapshot(of: row, in: homes[source].store).toldLogs
                for target in indices where target != source {
                    try change(target) {
                        _ = try AccountUpkeep($0).noteEmptyLogs(told.filter { $0.size == 0 }, zone: zone, in: &$2)
                    }
                }
            }
        }
        try exchange(zone, among: indices)
    }

    /// Adds a device to an account.
    /// - Returns: Its place among the devices.
    mutating func addDevice(of account: Int, role: DeviceRole) throws -> Int {
        let keys = DeviceIdentity(using: &random)
        let signer = try #require(homes.first { $0.account == account }).keys
        let entry = try logs[account].addingDevice(
            try certificate(of: keys),
            role: role,
            name: "device",
            signer: .device(signer),
            using: &random
        )
        try logs[account].insert(entry.encoded)
        var store = MemoryStore(feedIdentity: random.bytes(16))
        _ = try StoreLifetime.begin(hasKeys: false, sentinel: .missing, machine: [], random: &random, in: &store)
        homes.append(Home(account: account, keys: keys, store: store))
        return homes.count - 1
    }

    /// Makes a checkpoint of all that the device holds, as if all others had acknowledged it.
    mutating func checkpoint(_ zone: ZoneID, on index: Int) throws -> Checkpoint? {
        homes[index].wall += 2 * 24 * 60 * 60 * 1_000
        let sizes = try Dictionary(
            uniqueKeysWithValues: homes[index].store.logs(zone: zone).map { ($0.key, $0.size) }
        )
        for other in homes.indices where other != index {
            let device = homes[other].keys.deviceID
            try change(index) { try PeerMemory($0).acknowledged(by: device, sizes, in: &$2) }
        }
        return try change(index) { committer, _, store in
            let made = try CheckpointUpkeep(committer).settle(zone, in: &store).checkpoint
            try CheckpointUpkeep(committer).pruneAll(zone, in: &store)
            return made
        }
    }

    /// Commits an operation about a zone that the daemon as it is would not write.
    mutating func say(_ body: ControlBody, on index: Int, zone: ZoneID) throws {
        try change(index) { committer, _, store in
            try LocalWrites(
                zone: zone,
                author: try committer.author(in: zone, store),
                wallMilliseconds: committer.wallMilliseconds,
                sign: { committer.keys.sign($0, context: .treeHead) }
            ).commitControl(body, in: &store)
            _ = try AccountUpkeep(committer).applyCuts(in: &store)
        }
    }
}
