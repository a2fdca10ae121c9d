import Identity
import Mailbox
import Sync
import Testing
import Wire

@Suite struct `The devices with which parcels are exchanged` {
    /// Returns facts about a relay that these accounts use.
    private func facts(_ accounts: [AccountID]) -> MailFacts {
        MailFacts(relays: [MailRelay(links: [], isOwn: true, accounts: Set(accounts))])
    }

    @Test func `are the other devices of the account, except those that only store`() throws {
        let household = try Household(4, roles: [2: .relayOnly, 3: .readOnly])
        let own = household.committer(0).account
        let partners = facts([own.account]).partners(of: household.homes[0].keys, own, [:])
        #expect(Set(partners.keys) == Set([1, 3].map { household.homes[$0].keys.deviceID }))
        #expect(Set(partners.values.map(\.account)) == [own.account])
    }

    @Test func `are those of another account where it uses a relay and is known`() throws {
        let neighbours = try Neighbours([2, 1, 1, 1])
        let accounts = neighbours.logs.map(\.account)
        let devices = neighbours.homes.map(\.keys.deviceID)
        // The third account's log is not here, and the fourth account uses no relay.
        let contacts = [accounts[1]: neighbours.logs[1].state, accounts[3]: neighbours.logs[3].state]
        let partners = facts(Array(accounts[0...2]))
            .partners(of: neighbours.homes[0].keys, neighbours.logs[0].state, contacts)
        #expect(partners.mapValues(\.account) == [devices[1]: accounts[0], devices[2]: accounts[1]])
    }

    @Test func `derive the same mailboxes on both sides`() throws {
        let neighbours = try Neighbours([1, 1])
        let states = neighbours.logs.map(\.state)
        let devices = neighbours.homes.map(\.keys.deviceID)
        func keys(on index: Int) throws -> MailboxKeys {
            let other = states[1 - index]
            let partners = facts([other.account])
                .partners(of: neighbours.homes[index].keys, states[index], [other.account: other])
            let partner = try #require(partners[devices[1 - index]])
            return partner.secret.keys(relay: .zero, sender: devices[0], recipient: devices[1], day: 20_000)
        }
        let (left, taken) = (try keys(on: 0), try keys(on: 1))
        #expect(left.mailbox == taken.mailbox)
        #expect(left.put == taken.put && left.get == taken.get)
    }
}
