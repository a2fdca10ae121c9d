import Identity
import Records
import Sync
import TestSupport
import Testing
import Wire

/// Device 0 removes 2, of which it holds nothing; 1 has written on top of the writes of 2; 3 comes later.
@Suite struct `A log that is cut at zero` {
    private struct Scene {
        var household: Household
        let zone: ZoneID

        var removed: DeviceID { household.homes[2].keys.deviceID }

        init() throws {
            household = try Household(4)
            zone = try ZoneLifecycle(household.committer(0)).create(household.genesis(), in: &household.homes[0].store)
                .zone
            for index in 1...3 { try household.pull(zone, from: 0, to: index) }
            try household.write("a", "cause", on: 2, zone: zone)
            try household.pull(zone, from: 2, to: 1)
            try household.write("a", "effect", on: 1, zone: zone)
        }

        /// Informs these devices that 2 was removed, with a cut for nothing.
        mutating func remove(knownTo indices: [Int]) throws {
            let home = household.homes[0]
            let entry = try home.log.removingDevice(
                removed,
                witness: home.keys.deviceID,
                signer: .device(home.keys),
                using: &household.random
            )
            for index in indices {
                try household.homes[index].log.insert(entry.encoded)
                _ = try AccountUpkeep(household.committer(index)).applyCuts(in: &household.homes[index].store)
                if index > 0 { try household.pull(zone, from: 0, to: index) }
            }
        }

        func snapshot(_ index: Int) throws -> ZoneSnapshot {
            let snapshots = try ZoneViews(household.committer(index)).snapshots(household.homes[index].store)
            return try #require(snapshots.first { $0.zone == zone })
        }

        mutating func note(_ logs: [LogState], on index: Int) throws -> CommitNotice {
            try AccountUpkeep(household.committer(index)).noteEmptyLogs(
                logs,
                zone: zone,
                in: &household.homes[index].store
            )
        }
    }

    @Test func `releases waiting operations at a device that never learned of it`() throws {
        var scene = try Scene()
        try scene.remove(knownTo: [0, 1, 3])
        try scene.household.pull(scene.zone, from: 1, to: 3)
        #expect(try scene.household.text("a", on: 3, zone: scene.zone) == nil)
        #expect(try scene.snapshot(3).isWaiting)
        // A comparison does not show that one of them waits.
        #expect(try scene.snapshot(3).state == scene.snapshot(1).state)
        let told = try scene.snapshot(1).toldLogs
        #expect(told.filter { $0.size == 0 }.map(\.device) == [scene.removed])
        let notice = try scene.note(told, on: 3)
        #expect(!notice.feed.isEmpty && notice.number != nil)
        #expect(try scene.household.text("a", on: 3, zone: scene.zone) == .string("effect"))
        // It informs others in turn.
        #expect(notice.zones.map(\.snapshot.isWaiting) == [false])
        #expect(try scene.snapshot(3).toldLogs == told)
        #expect(try scene.note(told, on: 3).number == nil)
    }

    @Test func `is not noted while its device is in the account`() throws {
        var scene = try Scene()
        try scene.remove(knownTo: [0, 1])
        try scene.household.pull(scene.zone, from: 1, to: 3)
        #expect(try scene.note(try scene.snapshot(1).toldLogs, on: 3).number == nil)
        #expect(try scene.snapshot(3).isWaiting)
        #expect(try scene.snapshot(3).emptyLogs.isEmpty)
    }

    @Test func `is not noted when nothing waits for it`() throws {
        var scene = try Scene()
        try scene.remove(knownTo: [0, 1, 3])
        let told = try scene.snapshot(1).toldLogs
        #expect(try scene.note(told, on: 3).number == nil)
        try scene.household.pull(scene.zone, from: 1, to: 3)
        let invented = LogState(
            device: scene.removed,
            incarnation: try #require(Incarnation([UInt8](repeating: 9, count: 16))),
            right: .zero,
            lane: .data,
            size: 0,
            root: .zero
        )
        #expect(try scene.note([invented], on: 3).number == nil)
        #expect(try scene.snapshot(3).emptyLogs.isEmpty)
    }
}
