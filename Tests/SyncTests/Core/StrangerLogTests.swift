import Identity
import Testing
import Wire

@testable import Sync

/// This account's log for a device of which nothing is proven: it reads a public zone, and may claim to hold anything.
@Suite struct `A device that nobody knows` {
    private static let own = [[Sample.hash(1)], [Sample.hash(2)]]

    /// A core with a zone that all accounts may read.
    private func desk() throws -> Desk {
        var desk = try Desk()
        let zone = try desk.neighbours.zone(of: 0)
        try desk.neighbours.change(0) {
            try ZoneSharing($0).setPublicAccess(
                PublicAccess(world: .read, authenticated: .read, creator: []),
                zone: zone,
                in: &$2
            )
        }
        try desk.tellRights(zone)
        desk.feed(.accountChanged(heads: Self.own[0], standings: [desk.neighbours.homes[1].keys.deviceID: .active]))
        return desk
    }

    private func open(_ index: Int, standing: Standing, on desk: inout Desk) -> [SyncEffect] {
        let home = desk.neighbours.homes[index]
        let opening = SessionOpening(
            session: SessionID(index),
            device: home.keys.deviceID,
            account: desk.neighbours.account(home.account),
            standing: standing,
            accountHeads: index == 1 ? Self.own[0] : [],
            binding: [UInt8](repeating: 9, count: 32),
            isInitiator: false,
            remoteRevision: 0
        )
        return desk.feed(.opened(opening))
    }

    /// Lets a session name other heads each time, as one that lacks everything.
    /// - Returns: How often our account's log is read for it.
    private func reads(of desk: inout Desk, on index: Int, from number: UInt64) -> Int {
        (number..<number + 20).reduce(0) { count, number in
            let have = AccountHave(
                account: desk.neighbours.account(0),
                heads: number % 5 == 0 ? [] : [Sample.hash(1_000 + number)],
                wantsReply: number % 2 == 0
            )
            let effects = desk.hear(index, .accountHave(have))
            #expect(effects.messages(to: index).count == (have.wantsReply ? 1 : 0))
            return count + effects.accountReads.count
        }
    }

    @Test func `is sent our account's log once for each state of it, whatever it claims to hold`() throws {
        var desk = try desk()
        #expect(open(2, standing: .unknown, on: &desk).closed.isEmpty)
        #expect(desk.core.replication.sessions[2]?.isUnproven == true)
        #expect(reads(of: &desk, on: 2, from: 0) == 1)
        #expect(reads(of: &desk, on: 2, from: 20) == 0)
        // Another state of the log: it is sent by itself, and then not again.
        let grown = desk.feed(
            .accountChanged(heads: Self.own[1], standings: [desk.neighbours.homes[1].keys.deviceID: .active])
        )
        #expect(grown.accountReads.map(\.session) == [2])
        #expect(reads(of: &desk, on: 2, from: 40) == 0)
        // In another session from the beginning.
        desk.feed(.closed(2))
        _ = open(2, standing: .unknown, on: &desk)
        #expect(reads(of: &desk, on: 2, from: 60) == 1)
    }

    @Test func `differs from a device of the own account, which is sent the entries that it lacks`() throws {
        var desk = try desk()
        _ = open(1, standing: .active, on: &desk)
        #expect(desk.core.replication.sessions[1]?.isUnproven == false)
        #expect(reads(of: &desk, on: 1, from: 0) == 20)
    }
}
