import Identity
import Records
import Sync
import Testing
import Wire

extension Neighbours {
    /// An asset that names a payload alone, or states something about it.
    static func asset(_ payload: PayloadID, size: UInt64 = 0, secret: [UInt8]? = nil) -> AssetDescriptor {
        AssetDescriptor(
            payload: payload,
            size: size,
            secret: secret.flatMap { AssetSecret($0) } ?? .unknown,
            mediaType: "image/png",
            fileName: "",
            modified: nil,
            thumbnail: []
        )
    }

    /// Names payloads in a field of a record, as a program does that knows their ids alone.
    /// - Returns: Whether all of them may be named there.
    @discardableResult
    mutating func attach(
        _ payloads: [PayloadID],
        to name: String,
        on index: Int,
        zone: ZoneID
    ) throws -> Bool {
        try change(index) { committer, _, store in
            var assets: [AssetDescriptor] = []
            for payload in payloads {
                let asset = try Assets(committer).resolve(Self.asset(payload), zone: zone, in: &store)
                guard let asset else { return false }
                assets.append(asset)
            }
            try Self.write(assets, to: name, committer, zone, in: &store)
            return true
        }
    }

    /// Writes assets as they are, as a daemon may that keeps no rules.
    mutating func attach(_ assets: [AssetDescriptor], to name: String, on index: Int, zone: ZoneID) throws {
        try change(index) { try Self.write(assets, to: name, $0, zone, in: &$2) }
    }

    private static func write(
        _ assets: [AssetDescriptor],
        to name: String,
        _ committer: Committer,
        _ zone: ZoneID,
        in store: inout MemoryStore
    ) throws {
        let value: FieldValue = assets.count == 1 ? .asset(assets[0]) : .list(assets.map { .asset($0) })
        let write = RecordWrite(name: name, type: "album", set: [FieldAssignment(field: "file", value: value)])
        let commit = try committer.commit([WriteRequest([write])], zone: zone, in: &store).reply
        _ = try commit.results[0][0].get()
    }

    /// Does rounds on a device until nothing is due.
    @discardableResult
    mutating func look(_ index: Int, room: AssetRoom = .unknown) throws -> CommitNotice {
        var notice = CommitNotice()
        while try Assets(committer(index), room: room).isDue(in: homes[index].store) {
            notice.merge(try change(index) { try Assets($0, room: room).round(in: &$2).notice })
        }
        return notice
    }

    /// Lets all devices exchange a zone, and look at its assets.
    mutating func exchangeAssets(_ zone: ZoneID) throws {
        try settle(zone)
        for index in homes.indices { try look(index) }
    }

    func row(_ payload: PayloadID, on index: Int) throws -> PayloadRow? { try homes[index].store.payload(payload) }

    func assetState(_ payload: PayloadID, on index: Int) throws -> AssetState {
        try Assets(committer(index)).state(of: row(payload, on: index), in: homes[index].store)
    }

    /// The true size and secret of a payload that a device has uploaded.
    func described(_ payload: PayloadID, on index: Int) throws -> AssetDescriptor {
        let row = try #require(try row(payload, on: index))
        return Self.asset(payload, size: row.byteCount, secret: row.secret?.bytes)
    }

    mutating func setPolicy(_ policy: AssetPolicy?, on index: Int, zone: ZoneID) throws {
        try change(index) { _ = try Assets($0).setPolicy(policy, zone: zone, in: &$2) }
    }

    /// Lets time pass on all devices, whose clocks confirm each other.
    mutating func pass(_ milliseconds: UInt64) {
        for index in homes.indices {
            homes[index].wall += milliseconds
            homes[index].witnesses = ClockWitnesses(count: 2, median: homes[index].wall)
        }
    }
}
