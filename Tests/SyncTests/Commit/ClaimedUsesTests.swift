import Capabilities
import Identity
import Mailbox
import Records
import Sodium
import Sync
import TestSupport
import Testing
import Wire

@Suite struct `Requests that wait for the relay that counts an invitation` {
    @Test func `are claimed at once, the oldest first, as many as there are uses`() throws {
        // Alice (0) invites; Bob, Carol and Dora ask.
        var n = try Neighbours([1, 1, 1, 1])
        let zone = try n.zone(of: 0)
        let link = try RelayLink(
            relay: Identifier(digesting: .treeNode, [1]),
            channelSecret: [UInt8](repeating: 1, count: 32),
            admissionSecret: [UInt8](repeating: 2, count: 32),
            addresses: ["relay:1"]
        )
        try n.change(0) { _ = try RelayUses($0).add(link, in: &$2) }
        let invite = try n.invite(uses: 2, isCountedByRelay: true, by: 0, zone: zone)
        for joiner in 1...3 {
            guard case .claim(let claim) = try n.redeem(invite, from: joiner, at: 0) else {
                Issue.record("the relay is not asked")
                return
            }
            let silent = ClaimedUse(claim, .silent)
            #expect(try n.redeem(invite, from: joiner, at: 0, claimed: silent) == .waitingRelay)
            n.homes[0].wall += 1
        }
        let claims = try n.change(0) { try Redemptions($0).grantWaiting(random: &$1, in: &$2).claims }
        #expect(claims.map(\.id.account) == [n.account(1), n.account(2)])
    }
}
