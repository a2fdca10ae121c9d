import Capabilities
import FuzzKit
import Identity
import Records
import TestSupport
import Wire

@testable import Sync

extension SyncWorld {
    /// Milliseconds since 1970 at which the worlds' clocks begin.
    static let wall: UInt64 = 1_700_000_000_000
    /// The time at which a right ends by the clock alone.
    static let expiry = wall + 1_020_000

    /// Four accounts that share zones: the core's has two devices, as has the second; the third has one, and so has a
    /// stranger.
    ///
    /// Real committers write the changes of the zones' rights, one after the other. The world keeps each resolution
    /// as the core would receive it at that time. A program feeds them in any order, since a later resolution may
    /// grant less than an earlier one.
    static let shared: SyncWorld = always("a world of accounts") {
        var making = try SharedWorldMaking()
        try making.home()
        try making.away()
        try making.handedOver()
        try making.ofOthers()
        return making.world
    }
}

/// Makes the zones of the world of several accounts.
private struct SharedWorldMaking {
    private var neighbours: Neighbours
    private var zones: [(genesis: ZoneGenesis, moments: [ZoneAuthority])] = []

    init() throws {
        neighbours = try Neighbours([2, 2, 1, 1], seed: 18)
        // A zone that no other account knows.
        _ = try begin(0)
    }

    var world: SyncWorld {
        SyncWorld(
            accounts: neighbours.logs.map(\.account),
            devices: neighbours.homes.map(\.keys.deviceID),
            accountPlaces: neighbours.homes.map(\.account),
            geneses: zones.map(\.genesis),
            moments: zones.map(\.moments)
        )
    }

    /// Makes a zone of the own account: shared with an administrator and, for a time, with a reader; one device of
    /// the administrator is removed, then the administrator's right is revoked, and at last the zone is transferred
    /// to it.
    mutating func home() throws {
        let zone = try begin(0)
        note(zone)
        let right = try neighbours.grant(.admin, to: 1, by: 0, canDelegate: true, zone: zone)
        _ = try neighbours.grant(.read, to: 2, by: 0, caveats: Caveats(expires: SyncWorld.expiry), zone: zone)
        try settle(zone)
        let known = neighbours.logs[1]
        let entry = try known.removingDevice(
            neighbours.homes[3].keys.deviceID,
            witness: neighbours.homes[2].keys.deviceID,
            signer: .device(neighbours.homes[2].keys),
            using: &neighbours.random
        )
        try neighbours.logs[1].insert(entry.encoded)
        try settle(zone)
        neighbours.logs[1] = known
        try neighbours.change(0) { try ZoneSharing($0).revoke([right], zone: zone, reason: "out", in: &$2) }
        try settle(zone)
        try neighbours.transfer(zone, by: 0, to: 1)
        try settle(zone)
    }

    /// Makes a zone of another account in which the own one takes part, loses its right, and gets one again.
    mutating func away() throws {
        let zone = try begin(2)
        let right = try neighbours.grant(.write, to: 0, by: 2, zone: zone)
        _ = try neighbours.grant(.write, to: 2, by: 2, zone: zone)
        try settle(zone)
        try neighbours.change(2) { try ZoneSharing($0).revoke([right], zone: zone, reason: "out", in: &$2) }
        try settle(zone)
        _ = try neighbours.grant(.read, to: 0, by: 2, zone: zone)
        try settle(zone)
    }

    /// Makes a zone that was the own account's, which keeps a right in it.
    mutating func handedOver() throws {
        let zone = try begin(0)
        _ = try neighbours.grant(.write, to: 2, by: 0, zone: zone)
        try settle(zone)
        try neighbours.transfer(zone, by: 0, to: 2, keeping: .write)
        try settle(zone)
    }

    /// Makes a zone of others that this store knows of.
    mutating func ofOthers() throws {
        let zone = try begin(2)
        _ = try neighbours.grant(.read, to: 2, by: 2, zone: zone)
        try settle(zone)
    }

    private mutating func begin(_ index: Int) throws -> ZoneID {
        let zone = try neighbours.zone(of: index)
        guard let row = try neighbours.homes[0].store.zone(zone) else { throw ReplicaError.unknownZone(zone) }
        zones.append((row.genesis, []))
        return zone
    }

    private mutating func settle(_ zone: ZoneID) throws {
        try neighbours.exchange(zone)
        note(zone)
    }

    /// Keeps the first device's present resolution of a zone's rights.
    private mutating func note(_ zone: ZoneID) {
        let authority = always("the rights in a zone") {
            let store = neighbours.homes[0].store
            let row = known("a zone", try store.zone(zone))
            let rights = try ZoneRights(row, of: neighbours.committer(0), in: store)
            let terms = ZoneTerms(genesis: row.genesis, tagKey: row.tagKey)
            return ZoneAuthority(terms, state: rights.state, directory: rights.directory)
        }
        zones[zones.count - 1].moments.append(authority)
    }
}
