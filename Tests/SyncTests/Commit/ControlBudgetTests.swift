import Capabilities
import Identity
import Records
import Sync
import Testing
import Wire

/// The number of operations that a control log of a zone may have.
@Suite("The budget of a control log") struct ControlBudgetTests {
    private static let bounds = ControlBudget.Bounds(rulersCount: 64, membersCount: 16, byteCount: 1 << 20)

    /// A zone of the first account that the second may write in, and the third administers.
    private func shared(_ neighbours: inout Neighbours) throws -> ZoneID {
        let zone = try neighbours.zone(of: 0)
        _ = try neighbours.grant(.write, to: 1, by: 0, zone: zone)
        _ = try neighbours.grant(.admin, to: 2, by: 0, zone: zone)
        try neighbours.exchange(zone)
        return zone
    }

    private func say(
        _ body: ControlBody,
        by index: Int,
        isBounded: Bool = true,
        _ zone: ZoneID,
        _ neighbours: inout Neighbours
    ) throws {
        try neighbours.change(index) {
            _ = try ControlStatements($0).say(body, zone: zone, isBounded: isBounded, in: &$2)
        }
    }

    /// Commits operations until there is no room for more.
    /// - Returns: The number of operations in the log then.
    private func fill(
        _ body: ControlBody,
        by index: Int,
        _ zone: ZoneID,
        _ neighbours: inout Neighbours
    ) throws -> UInt64 {
        for _ in 0..<100 {
            do {
                try say(body, by: index, zone, &neighbours)
            } catch ReplicaError.controlLogFull {
                break
            }
        }
        return try own(index, zone, neighbours)?.size ?? 0
    }

    private func own(_ index: Int, _ zone: ZoneID, at home: Int? = nil, _ neighbours: Neighbours) throws -> LogRow? {
        let device = neighbours.homes[index].keys.deviceID
        return try neighbours.homes[home ?? index].store.logs(zone: zone)
            .first { $0.key.lane == .control && $0.device == device }
    }

    /// Returns the state that every device resolves from the control log of a zone.
    private func commonState(
        _ zone: ZoneID,
        _ neighbours: Neighbours,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> ControlState {
        let states = try neighbours.homes.indices.map { index in
            try neighbours.controlState(zone, on: index)
        }
        #expect(states.allSatisfy { $0 == states[0] }, sourceLocation: sourceLocation)
        return states[0]
    }

    @Test func `more than one checkpoint a day has a quarter of a log, and a daily one all that is not kept`() {
        let budget = ControlBudget(of: .owner, within: Self.bounds)
        #expect(budget.admitsCheckpoint(isDaily: false, behind: 15))
        #expect(!budget.admitsCheckpoint(isDaily: false, behind: 16))
        #expect(budget.admitsCheckpoint(isDaily: true, behind: 55))
        #expect(!budget.admitsCheckpoint(isDaily: true, behind: 56))
    }

    @Test(arguments: [(1, 14, 15, 16), (2, 56, 60, 64)])
    func `its author reserves the last part for keys, and the very last for revocations`(
        author: Int,
        plain: UInt64,
        keys: UInt64,
        all: UInt64
    ) throws {
        var neighbours = try Neighbours([1, 1, 1], seed: 3, controlBounds: Self.bounds)
        let zone = try shared(&neighbours)
        // Others can make it request keys as often as they lie.
        #expect(try fill(.keyRequest([]), by: author, zone, &neighbours) == all / 4)
        #expect(try fill(.unknown(tag: 99, bytes: []), by: author, zone, &neighbours) == plain)
        #expect(try fill(.epoch([]), by: author, zone, &neighbours) == keys)
        let statement = DeviceCuts(devices: [neighbours.homes[0].keys.deviceID], cuts: [])
        #expect(try fill(.deviceCuts(statement), by: author, zone, &neighbours) == all)
    }

    @Test func `an account whose log is full can leave, and be revoked`() throws {
        var neighbours = try Neighbours([1, 1, 1], seed: 4, controlBounds: Self.bounds)
        let zone = try shared(&neighbours)
        _ = try fill(.unknown(tag: 99, bytes: []), by: 1, zone, &neighbours)
        try neighbours.change(1) { _ = try ZoneSharing($0).leave(zone, in: &$2) }
        _ = try fill(.unknown(tag: 99, bytes: []), by: 0, zone, &neighbours)
        let rights =
            try neighbours.controlState(zone, on: 0)
            .participants[neighbours.account(2)]?.capabilities ?? []
        try neighbours.change(0) { _ = try ZoneSharing($0).revoke(rights, zone: zone, reason: "", in: &$2) }
        try neighbours.exchange(zone)
        #expect(try commonState(zone, neighbours).participants.isEmpty)
    }

    @Test func `a log beyond its bound has no effect, is not sent, and is not waited for`() throws {
        var neighbours = try Neighbours([1, 1, 1], seed: 5, controlBounds: Self.bounds)
        let zone = try shared(&neighbours)
        for number in 0..<20 {
            let body = ControlBody.unknown(tag: 99, bytes: [UInt8(number)])
            try say(body, by: 1, isBounded: false, zone, &neighbours)
        }
        let row = try #require(try own(1, zone, neighbours))
        #expect(row.size == 20)
        try neighbours.exchange(zone)
        // Another member has seen it.
        try say(.unknown(tag: 98, bytes: []), by: 2, zone, &neighbours)
        try neighbours.exchange(zone)
        for home in neighbours.homes.indices {
            let store = neighbours.homes[home].store
            let told = try ZonePositions(of: zone).all(in: store).first { $0.row.key == row.key }
            #expect(told?.size == 16)
            #expect(try own(2, zone, at: home, neighbours)?.appliedSize == 1)
        }
        _ = try commonState(zone, neighbours)
    }

    @Test func `a log is read to its own bound once its right is known, whatever came first`() throws {
        var neighbours = try Neighbours([1, 1, 1, 1], seed: 8, controlBounds: Self.bounds)
        let zone = try neighbours.zone(of: 0)
        _ = try neighbours.grant(.write, to: 1, by: 0, zone: zone)
        try neighbours.exchange(zone)
        // The second account does not know of the right of the third when its log comes.
        _ = try neighbours.grant(.admin, to: 2, by: 0, zone: zone)
        try neighbours.pull(zone, from: 0, to: 2)
        _ = try fill(.unknown(tag: 99, bytes: []), by: 2, zone, &neighbours)
        let log = try #require(try own(2, zone, neighbours))
        #expect(log.size > Self.bounds.membersCount)
        try neighbours.pull(zone, from: 2, to: 1) { $0.key == log.key }
        try neighbours.exchange(zone)
        _ = try commonState(zone, neighbours)
        let here = try #require(try own(2, zone, at: 1, neighbours))
        #expect(here.size == log.size && here.appliedSize == log.size)
    }

    @Test func `ownerships that were passed on behind the bound of others are found, whatever came first`() throws {
        let owners = [0, 1, 2, 3]
        var neighbours = try Neighbours([1, 1, 1, 1, 1], seed: 9, controlBounds: Self.bounds)
        let zone = try neighbours.zone(of: 0)
        for index in 1...3 { _ = try neighbours.grant(.admin, to: index, by: 0, zone: zone) }
        _ = try neighbours.grant(.read, to: 4, by: 0, zone: zone)
        try neighbours.exchange(zone)
        for index in owners.dropLast() {
            for number in 0..<20 {
                try say(.unknown(tag: 99, bytes: [UInt8(number)]), by: index, zone, &neighbours)
            }
            try neighbours.transfer(zone, by: index, to: index + 1)
            try neighbours.exchange(zone, among: owners)
        }
        try say(.unknown(tag: 99, bytes: []), by: 3, zone, &neighbours)
        try neighbours.exchange(zone, among: owners)
        // The logs of later owners come first.
        for index in owners.reversed() {
            let device = neighbours.homes[index].keys.deviceID
            try neighbours.pull(zone, from: index, to: 4) { $0.key.lane == .control && $0.device == device }
        }
        try neighbours.exchange(zone)
        #expect(try commonState(zone, neighbours).owners == [neighbours.account(3)])
    }

    @Test func `a run behind the bound is refused, with a code of its own, and changes nothing`() throws {
        var neighbours = try Neighbours([1, 1, 1], seed: 6, controlBounds: Self.bounds)
        let zone = try shared(&neighbours)
        for number in 0..<16 {
            try say(.unknown(tag: 99, bytes: [UInt8(number)]), by: 1, isBounded: false, zone, &neighbours)
        }
        try neighbours.exchange(zone)
        let key = try #require(try own(1, zone, neighbours)).key
        let before = try own(1, zone, at: 0, neighbours)
        // A program that knows no bound appends one more, and sends it.
        let wide = ControlBudget.Bounds(rulersCount: 64, membersCount: 64, byteCount: 1 << 20)
        neighbours.homes[1].store.controlBounds = wide
        try say(.unknown(tag: 99, bytes: [77]), by: 1, isBounded: false, zone, &neighbours)
        let run = try RunExchange(neighbours.committer(1)).run(
            key,
            from: 16,
            byteCount: 1 << 20,
            in: neighbours.homes[1].store
        )
        let sent = try #require(run)
        let applied = try neighbours.change(0) { try RunExchange($0).apply(sent, key: key, random: &$1, in: &$2) }
        #expect(applied.reply == .controlLogFull(size: 17))
        #expect(try own(1, zone, at: 0, neighbours) == before)
    }

    @Test func `a statement about a removed device that finds no room is not reported as stated`() throws {
        var neighbours = try Neighbours([2], seed: 10)
        let zone = try neighbours.zone(of: 0)
        try neighbours.write("a", "1", on: 1, zone: zone)
        try neighbours.exchange(zone)
        let before = try #require(try own(0, zone, neighbours))
        // Room is left, and too little for the statement.
        let bounds = ControlBudget.Bounds(rulersCount: 64, membersCount: 16, byteCount: before.byteCount + 16)
        neighbours.homes[0].store.controlBounds = bounds
        try neighbours.remove(1, by: 0)
        #expect(try own(0, zone, neighbours)?.size == before.size)
        #expect(try neighbours.change(0) { try AccountUpkeep($0).applyCuts(in: &$2).number } == nil)
        neighbours.homes[0].store.controlBounds = .ofProtocol
        #expect(try neighbours.change(0) { try AccountUpkeep($0).applyCuts(in: &$2).number } != nil)
        #expect(try own(0, zone, neighbours)?.size == before.size + 1)
    }

    @Test func `a log whose bytes are used up accepts nothing more`() throws {
        let bounds = ControlBudget.Bounds(rulersCount: 64, membersCount: 16, byteCount: 16_384)
        var neighbours = try Neighbours([1, 1, 1], seed: 7, controlBounds: bounds)
        let zone = try shared(&neighbours)
        let large = ControlBody.unknown(tag: 99, bytes: [UInt8](repeating: 1, count: 6_000))
        #expect(try fill(large, by: 1, zone, &neighbours) == 2)
        try neighbours.exchange(zone)
        try say(large, by: 1, isBounded: false, zone, &neighbours)
        let key = try #require(try own(1, zone, neighbours)).key
        let run = try RunExchange(neighbours.committer(1)).run(
            key,
            from: 2,
            byteCount: 1 << 20,
            in: neighbours.homes[1].store
        )
        let sent = try #require(run)
        #expect(throws: ReplicaError.controlLogFull(key)) {
            try neighbours.change(0) { _ = try RunExchange($0).apply(sent, key: key, random: &$1, in: &$2) }
        }
        #expect(RunOutcome(.failure(ReplicaError.controlLogFull(key)), of: sent) == .controlLogFull(size: 3))
    }
}
