import Identity
import Mailbox
import Records
import Sodium
import Sync
import Testing
import Wire

@Suite struct `A parcel that the store could not take in` {
    private typealias Effect = MailboxClient.Effect

    private let zone = ZoneID(digesting: .treeNode, [31])
    private let other = ZoneID(digesting: .treeNode, [32])

    private func requests(_ effects: [Effect]) -> [MailboxRequest] {
        effects.compactMap { if case .send(_, let request) = $0 { request } else { nil } }
    }

    /// A client that has found one parcel, and the answer of its store.
    private func kept(_ outcome: MailOutcome) throws -> (desk: MailboxDesk, parcel: SealedParcel) {
        var desk = try MailboxDesk()
        desk.enter()
        let parcel = try desk.parcel([[1]])
        let keys = desk.incoming()
        _ = desk.feed(.received(desk.relay, .arrived(keys.mailbox)))
        let notice = ParcelNotice(mailbox: keys.mailbox, parcel: parcel.id, byteCount: 4_096)
        _ = desk.feed(.received(desk.relay, .listed([notice], isComplete: true)))
        answer(&desk, parcel, outcome)
        return (desk, parcel)
    }

    /// Lets the relay send the parcel that was fetched, and the store answer.
    private func answer(_ desk: inout MailboxDesk, _ parcel: SealedParcel, _ outcome: MailOutcome) {
        _ = desk.feed(.received(desk.relay, .parcel(parcel.bytes)))
        let effects = desk.feed(.taken(desk.relay, parcel.id, outcome, isOwed: false))
        #expect(fetched(&desk, by: effects).isEmpty)
    }

    /// Lets time pass, and returns the parcels that are fetched.
    private func fetched(_ desk: inout MailboxDesk, after milliseconds: UInt64) -> [ParcelID] {
        desk.now += milliseconds
        let effects = desk.feed(.tick)
        return fetched(&desk, by: effects)
    }

    /// Performs effects where nothing else is at the relay and nothing is to be left, and returns the parcels that are
    /// fetched.
    private func fetched(_ desk: inout MailboxDesk, by effects: [Effect]) -> [ParcelID] {
        var effects = effects
        var parcels: [ParcelID] = []
        while !effects.isEmpty {
            var next: [Effect] = []
            for effect in effects {
                switch effect {
                case .send(let relay, .look(_)): next += desk.feed(.received(relay, .listed([], isComplete: true)))
                case .send(_, .fetch(_, let parcel)): parcels.append(parcel)
                case .readPosted(let relay): next += desk.feed(.postedRead(relay, []))
                case .draft(let relay, let demand): next += desk.feed(.drafted(relay, demand, nil))
                default: break
                }
            }
            effects = next
        }
        return parcels
    }

    @Test func `is fetched again after a change of a zone that it waits for, once for each, and ever later`() throws {
        let outcome = MailOutcome(awaited: [zone])
        var (desk, parcel) = try kept(outcome)
        #expect(fetched(&desk, after: 3_600_000).isEmpty, "nothing has changed")
        _ = desk.feed(.changed([other]))
        #expect(fetched(&desk, after: 3_600_000).isEmpty, "it does not wait for that")
        for pause in [15_000, 30_000, 60_000] as [UInt64] {
            for _ in 0..<3 { _ = desk.feed(.changed([other, zone])) }
            #expect(fetched(&desk, after: pause - 1).isEmpty)
            #expect(fetched(&desk, after: 1) == [parcel.id])
            answer(&desk, parcel, outcome)
            #expect(fetched(&desk, after: 3_600_000).isEmpty, "it was tried since the change")
        }
        for _ in 0..<12 {
            _ = desk.feed(.changed([zone]))
            #expect(fetched(&desk, after: 3_600_000) == [parcel.id])
            answer(&desk, parcel, outcome)
        }
    }

    @Test func `is removed from the relay once it is taken in`() throws {
        var (desk, parcel) = try kept(MailOutcome(awaited: [zone]))
        _ = desk.feed(.changed([zone]))
        #expect(fetched(&desk, after: 15_000) == [parcel.id])
        _ = desk.feed(.received(desk.relay, .parcel(parcel.bytes)))
        let taken = desk.feed(.taken(desk.relay, parcel.id, MailOutcome(), isOwed: false))
        #expect(requests(taken) == [.remove(desk.incoming().get, [parcel.id])])
        _ = desk.feed(.received(desk.relay, .removed))
        _ = desk.feed(.changed([zone]))
        #expect(fetched(&desk, after: 3_600_000).isEmpty)
    }

    @Test func `is fetched again for a change that comes while the store looks at it`() throws {
        var (desk, parcel) = try kept(MailOutcome(awaited: [zone]))
        _ = desk.feed(.changed([zone]))
        #expect(fetched(&desk, after: 15_000) == [parcel.id])
        _ = desk.feed(.received(desk.relay, .parcel(parcel.bytes)))
        _ = desk.feed(.changed([zone]))
        _ = desk.feed(.taken(desk.relay, parcel.id, MailOutcome(awaited: [zone]), isOwed: false))
        #expect(fetched(&desk, after: 30_000) == [parcel.id])
    }

    @Test func `is fetched again after some time where the store failed, without any change`() throws {
        let outcome = MailOutcome(hasFailed: true)
        var (desk, parcel) = try kept(outcome)
        for pause in [15_000, 30_000] as [UInt64] {
            let deadline = try #require(desk.client.nextDeadline)
            #expect(deadline <= desk.now + pause)
            #expect(fetched(&desk, after: pause - 1).isEmpty)
            #expect(fetched(&desk, after: 1) == [parcel.id])
            answer(&desk, parcel, outcome)
        }
    }

    @Test func `is forgotten where the relay has it no longer`() throws {
        var (desk, parcel) = try kept(MailOutcome(awaited: [zone]))
        _ = desk.feed(.changed([zone]))
        #expect(fetched(&desk, after: 15_000) == [parcel.id])
        _ = desk.feed(.received(desk.relay, .missing(parcel.id)))
        _ = desk.feed(.changed([zone]))
        #expect(fetched(&desk, after: 3_600_000).isEmpty)
    }
}
