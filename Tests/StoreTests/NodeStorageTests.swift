import Records
import Store
import Sync
import TestSupport
import Testing
import Wire

@Suite("The node's own rows")
struct NodeStorageTests {
    @Test func `the account log keeps its order and can be dropped`() async throws {
        var fixture = try await StoreFixture()
        try await fixture.write { try $0.appendAccountEntries([[1], [2, 2], []]) }
        try await fixture.write { try $0.appendAccountEntries([[0]]) }
        try await fixture.reopen()
        #expect(try await fixture.store.read { try $0.accountEntries() } == [[1], [2, 2], [], [0]])
        try await fixture.write { transaction throws in
            try transaction.removeAccountEntries()
            try transaction.appendAccountEntries([[5]])
        }
        #expect(try await fixture.store.read { try $0.accountEntries() } == [[5]])
        try await fixture.store.close()
    }

    @Test func `a met device has one row with at most four addresses`() async throws {
        let fixture = try await StoreFixture()
        var samples = Samples(seed: 61)
        let device: DeviceID = samples.identifier()
        let rows = [
            PeerRow(device: device, addresses: ["a:1"], lastSeenMilliseconds: 0),
            PeerRow(device: device, addresses: ["a:1", "[::1]:2", "c:3", "d:4", "e:5"], lastSeenMilliseconds: .max),
        ]
        try await fixture.write { transaction throws in
            for row in rows { try transaction.save(row) }
        }
        let found = try await fixture.store.read { try $0.peers() }
        #expect(found.map(\.device) == [device])
        #expect(found.first?.addresses == ["a:1", "[::1]:2", "c:3", "d:4"])
        #expect(found.first?.lastSeenMilliseconds == UInt64(Int64.max))
        try await fixture.store.close()
    }

    @Test func `an acknowledgement only grows, whatever a peer claims`() async throws {
        let fixture = try await StoreFixture()
        var samples = Samples(seed: 62)
        let key = LogKey(zone: samples.identifier(), actor: samples.identifier(), lane: .data)
        let device: DeviceID = samples.identifier()
        for (size, expected) in [(5, 5), (3, 5), (9, 9), (UInt64.max, UInt64(Int64.max)), (10, UInt64(Int64.max))] {
            try await fixture.write { try $0.save([AcknowledgementRow(device: device, key: key, size: size)]) }
            let rows = try await fixture.store.read { try $0.acknowledgements(zone: key.zone) }
            #expect(rows.map(\.size) == [expected])
            #expect(rows.map(\.key) == [key])
            #expect(rows.map(\.device) == [device])
        }
        try await fixture.store.close()
    }

    @Test func `clock, incarnation and commit number are committed with the data`() async throws {
        var fixture = try await StoreFixture()
        var samples = Samples(seed: 63)
        let incarnation = Incarnation(using: &samples.generator)
        let time = HybridTime(raw: .max - 5)
        try await fixture.store.read { transaction throws in
            #expect(try transaction.clock() == HybridClock())
            #expect(try transaction.incarnation() == nil)
        }
        let numbers = try await fixture.write { transaction throws in
            try transaction.save(HybridClock(latest: time))
            try transaction.save(incarnation)
            #expect(try transaction.clock().latest == time)
            return [try transaction.nextCommitNumber(), try transaction.nextCommitNumber()]
        }
        #expect(numbers == [1, 2])
        try await fixture.reopen()
        try await fixture.store.read { transaction throws in
            #expect(try transaction.clock().latest == time)
            #expect(try transaction.incarnation() == incarnation)
        }
        #expect(try await fixture.write { try $0.nextCommitNumber() } == 3)
        try await fixture.store.close()
    }

    @Test func `a named value is set, replaced and removed`() async throws {
        let fixture = try await StoreFixture()
        for value in [[1], [], [2, 3], nil, nil] as [[UInt8]?] {
            try await fixture.write { try $0.setValue(value, named: "x") }
            #expect(try await fixture.store.read { try $0.value(named: "x") } == value)
        }
        try await fixture.store.close()
    }
}
