import Identity
import Mailbox
import Records
import Sodium
import Sync
import Testing
import Wire

@Suite struct `A change of relays or partners` {
    @Test func `ends the session with a relay that is not used any more, and no other`() throws {
        var desk = try MailboxDesk(relays: 2)
        desk.enter()
        let relays = [MailRelay(links: [desk.links[0]], isOwn: true, accounts: [desk.account])]
        let partners = [desk.bob: MailPartner(account: desk.account, secret: desk.own)]
        let effects = desk.feed(.factsChanged(desk.facts(relays), partners: partners))
        let closed: [RelayID] = effects.compactMap { effect in
            guard case .close(let relay) = effect else { return nil }
            return relay
        }
        #expect(closed == [desk.links[1].relay])
        #expect(desk.client.relayStates.map(\.state) == [.connected])
    }

    @Test func `forgets an acknowledgement that is owed to a device that is no partner any more`() throws {
        var desk = try MailboxDesk()
        desk.enter()
        let (parcel, keys) = (try desk.parcel([[7]]), desk.incoming())
        let notice = ParcelNotice(mailbox: keys.mailbox, parcel: parcel.id, byteCount: 4_096)
        _ = desk.feed(.received(desk.relay, .arrived(keys.mailbox)))
        _ = desk.feed(.received(desk.relay, .listed([notice], isComplete: true)))
        _ = desk.feed(.received(desk.relay, .parcel(parcel.bytes)))
        _ = desk.feed(.taken(desk.relay, parcel.id, MailOutcome(), isOwed: true))
        _ = desk.feed(.received(desk.relay, .removed))
        _ = desk.feed(.factsChanged(desk.facts(), partners: [:]))
        // It is a partner once more, of which nothing was taken since.
        _ = desk.learn()
        _ = desk.feed(.received(desk.relay, .listed([], isComplete: true)))
        desk.now += 10_000
        let acknowledges: [Bool] = desk.feed(.tick).compactMap { effect in
            guard case .draft(_, let demand) = effect else { return nil }
            return demand.acknowledges
        }
        #expect(acknowledges == [false])
    }
}
