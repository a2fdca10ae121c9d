import Capabilities
import Identity
import Records
import Sync
import TestSupport
import Testing
import Wire

@Suite("The overview of a zone for each account")
struct ZoneOverviewTests {
    /// Alice (devices 0, 1) owns the zone, Bob (2, 3) and Carol (4) know of it.
    private func neighbours() throws -> (Neighbours, ZoneID) {
        var neighbours = try Neighbours([2, 2, 1])
        let zone = try neighbours.zone(of: 0)
        return (neighbours, zone)
    }

    private func overview(_ neighbours: Neighbours, _ index: Int, _ zone: ZoneID) throws -> ZoneOverview {
        try ZoneViews(neighbours.committer(index)).overview(of: zone, in: neighbours.homes[index].store)
    }

    private func isShown(_ neighbours: Neighbours, _ index: Int, _ zone: ZoneID) throws -> Bool {
        let store = neighbours.homes[index].store
        return try ZoneViews(neighbours.committer(index)).isShown(try #require(try store.zone(zone)), in: store)
    }

    @Test func `its owner has all rights, and its members are the devices of all accounts that may read`() throws {
        var (neighbours, zone) = try neighbours()
        #expect(try overview(neighbours, 0, zone).level == .admin)
        #expect(try overview(neighbours, 0, zone).others.map(\.device) == [neighbours.homes[1].keys.deviceID])
        #expect(try overview(neighbours, 2, zone).level == nil)
        _ = try neighbours.grant(.append, to: 1, by: 0, zone: zone)
        _ = try neighbours.grant(.relay, to: 2, by: 0, zone: zone)
        try neighbours.exchange(zone)
        for (index, level) in [(0, AccessLevel.admin), (1, .admin), (2, .append), (3, .append), (4, .relay)] {
            let overview = try overview(neighbours, index, zone)
            #expect(overview.level == level)
            #expect(overview.owner == neighbours.account(0))
            #expect(overview.others.allSatisfy { $0.device != neighbours.homes[index].keys.deviceID })
            #expect(overview.others.allSatisfy { $0.account != neighbours.account(2) })
            #expect(overview.others.count == (index == 4 ? 4 : 3))
        }
        // One's own devices come first.
        #expect(try overview(neighbours, 2, zone).others.first?.account == neighbours.account(1))
        #expect(try overview(neighbours, 1, zone).others.first?.account == neighbours.account(0))
    }

    @Test func `a right is effective during its time`() throws {
        var (neighbours, zone) = try neighbours()
        let end = neighbours.homes[2].wall + 1_000
        _ = try neighbours.grant(.write, to: 1, by: 0, caveats: Caveats(expires: end), zone: zone)
        _ = try neighbours.grant(.read, to: 1, by: 0, zone: zone)
        try neighbours.exchange(zone)
        #expect(try overview(neighbours, 2, zone).level == .write)
        neighbours.homes[2].wall = end
        #expect(try overview(neighbours, 2, zone).level == .read)
    }

    @Test func `the rights of all accounts make it public, for its owner and for others`() throws {
        var (neighbours, zone) = try neighbours()
        _ = try neighbours.grant(.write, to: 1, by: 0, zone: zone)
        let access = PublicAccess(world: .read, authenticated: [], creator: [])
        for (access, isPublic) in [(access, true), (.none, false)] {
            try neighbours.change(0) { _ = try ZoneSharing($0).setPublicAccess(access, zone: zone, in: &$2) }
            try neighbours.exchange(zone)
            #expect(try overview(neighbours, 0, zone).isPublic == isPublic)
            #expect(try overview(neighbours, 2, zone).isPublic == isPublic)
        }
    }

    @Test func `an account that leaves no longer sees it, and a revoked account still does`() throws {
        var (neighbours, zone) = try neighbours()
        _ = try neighbours.grant(.write, to: 1, by: 0, zone: zone)
        let carols = try neighbours.grant(.write, to: 2, by: 0, zone: zone)
        try neighbours.exchange(zone)
        try neighbours.change(2) { _ = try ZoneSharing($0).leave(zone, in: &$2) }
        try neighbours.change(0) { _ = try ZoneSharing($0).revoke([carols], zone: zone, reason: "", in: &$2) }
        try neighbours.exchange(zone)
        for index in [2, 3] { #expect(try !isShown(neighbours, index, zone)) }
        #expect(try isShown(neighbours, 4, zone))
        #expect(try overview(neighbours, 4, zone).level == nil)
        #expect(try isShown(neighbours, 0, zone))
        _ = try neighbours.grant(.read, to: 2, by: 0, zone: zone)
        try neighbours.exchange(zone)
        #expect(try overview(neighbours, 4, zone).level == .read)
    }

    @Test(arguments: [nil, AccessLevel.read])
    func `a former owner sees it only with a right that it kept`(kept: AccessLevel?) throws {
        var (neighbours, zone) = try neighbours()
        _ = try neighbours.grant(.write, to: 1, by: 0, zone: zone)
        let new = neighbours.account(1)
        try neighbours.transfer(zone, by: 0, to: 1, keeping: kept)
        try neighbours.exchange(zone)
        #expect(try isShown(neighbours, 0, zone) == (kept != nil))
        #expect(try overview(neighbours, 0, zone).level == kept)
        for index in [0, 2] { #expect(try overview(neighbours, index, zone).owner == new) }
        #expect(try overview(neighbours, 2, zone).level == .admin)
    }

    @Test func `watchers are notified when their rights in a zone change, and when it disappears`() throws {
        var (neighbours, zone) = try neighbours()
        func told(by source: Int, on target: Int) throws -> [Bool] {
            var told: [Bool] = []
            for row in try neighbours.homes[source].store.logs(zone: zone) where row.key.lane == .control {
                let from = try neighbours.homes[target].store.log(row.key)?.size ?? 0
                let run = try RunExchange(neighbours.committer(source))
                    .run(row.key, from: from, byteCount: 1 << 20, in: neighbours.homes[source].store)
                guard let run else { continue }
                let applied = try neighbours.change(target) {
                    try RunExchange($0).apply(run, key: row.key, random: &$1, in: &$2)
                }
                told += applied.notice.zoneEvents.map(\.isDeleted)
            }
            return told
        }
        let right = try neighbours.grant(.read, to: 1, by: 0, zone: zone)
        #expect(try told(by: 0, on: 2) == [false])
        _ = try neighbours.grant(.read, to: 2, by: 0, zone: zone)
        #expect(try told(by: 0, on: 2).isEmpty, "what others may do is not what it may do")
        try neighbours.change(0) { _ = try ZoneSharing($0).revoke([right], zone: zone, reason: "", in: &$2) }
        #expect(try told(by: 0, on: 2) == [false], "who was put out still has it")
        #expect(try told(by: 0, on: 4) == [false])
        let left = try neighbours.change(4) { try ZoneSharing($0).leave(zone, in: &$2) }
        #expect(left.zoneEvents.map(\.isDeleted) == [true])
    }

    @Test func `the node's own zones are shown to no caller, by the bytes of their container's name`() throws {
        var (neighbours, _) = try neighbours()
        for (container, isShown) in [("kairan.account", false), ("kairan", true), ("Kairan.account", true)] {
            let genesis = ZoneGenesis(
                owner: neighbours.account(0),
                container: container,
                name: "z",
                salt: neighbours.random.bytes(ZoneGenesis.saltByteCount),
                history: .full,
                isDefault: false
            )
            let zone = try neighbours.change(0) { try ZoneLifecycle($0).create(genesis, in: &$2).zone }
            #expect(try self.isShown(neighbours, 0, zone) == isShown)
        }
    }
}
