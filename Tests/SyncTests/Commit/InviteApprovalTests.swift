import Capabilities
import Identity
import Records
import Sync
import Testing
import Wire

@Suite("Invitations with approval")
struct InviteApprovalTests {
    /// Alice (devices 0, 1) owns the zone; Bob (2, 3) and Carol (4) know nothing of it but that it is there.
    private func home(_ counts: [Int] = [2, 2, 1]) throws -> (Neighbours, ZoneID) {
        var neighbours = try Neighbours(counts)
        let zone = try neighbours.zone(of: 0)
        return (neighbours, zone)
    }

    @Test func `a person approves or denies`() throws {
        var (neighbours, zone) = try home()
        let invite = try neighbours.invite(uses: 2, needsApproval: true, by: 0, zone: zone)
        #expect(try neighbours.redeem(invite, from: 2, at: 0) == .waitingApproval)
        #expect(try neighbours.redeem(invite, from: 4, at: 0) == .waitingApproval)
        try neighbours.settle(0)
        let (bob, carol) = (neighbours.account(1), neighbours.account(2))
        #expect(try Set(neighbours.requests(on: 0, zone: zone).map(\.id.account)) == [bob, carol])
        let bobs = Redemption.ID(invite: invite.identifier, account: bob)
        let carols = Redemption.ID(invite: invite.identifier, account: carol)
        let yes = try neighbours.change(0) { try Redemptions($0).approve(bobs, random: &$1, in: &$2).capability }
        #expect(try neighbours.change(0) { try Redemptions($0).approve(bobs, random: &$1, in: &$2).capability } == yes)
        try neighbours.change(0) { _ = try Redemptions($0).deny(carols, in: &$2) }
        #expect(try neighbours.change(0) { try Redemptions($0).deny(carols, in: &$2).number } == nil)
        #expect(try neighbours.redeem(invite, from: 2, at: 0).capability == yes)
        #expect(try neighbours.redeem(invite, from: 4, at: 0) == .refused(.refused))
        #expect(throws: InviteError.denied) {
            try neighbours.change(0) { _ = try Redemptions($0).approve(carols, random: &$1, in: &$2) }
        }
        #expect(throws: InviteError.granted(try #require(yes))) {
            try neighbours.change(0) { _ = try Redemptions($0).deny(bobs, in: &$2) }
        }
        #expect(throws: InviteError.unknownRequest) {
            let unknown = Redemption.ID(invite: invite.identifier, account: neighbours.account(0))
            try neighbours.change(0) { _ = try Redemptions($0).deny(unknown, in: &$2) }
        }
        #expect(try neighbours.requests(on: 0).isEmpty)
    }

    @Test func `a yes on another device is carried out by the one that made the invitation`() throws {
        var (neighbours, zone) = try home()
        let invite = try neighbours.invite(needsApproval: true, by: 0, zone: zone)
        try neighbours.exchangeBook(among: [0, 1])
        #expect(try neighbours.redeem(invite, from: 2, at: 1) == .waitingApproval)
        let id = try #require(try neighbours.requests(on: 1).first?.id)
        #expect(try neighbours.change(1) { try Redemptions($0).approve(id, random: &$1, in: &$2).capability } == nil)
        #expect(try neighbours.redeem(invite, from: 2, at: 1) == .waitingInviter)
        #expect(try neighbours.participants(of: zone, on: 1).isEmpty)
        try neighbours.exchangeBook(among: [0, 1])
        try neighbours.settle(0)
        #expect(try neighbours.redeem(invite, from: 2, at: 0).capability != nil)
        // A device that does not want to wait for the inviting one grants without the invitation.
        let other = try neighbours.invite(.admin, by: 0, zone: zone)
        try neighbours.exchangeBook(among: [0, 1])
        #expect(try neighbours.redeem(other, from: 4, at: 1) == .waitingInviter)
        let granted = try neighbours.grant(.admin, to: 2, by: 1, zone: zone)
        #expect(try neighbours.redeem(other, from: 4, at: 1).capability == granted)
        #expect(try neighbours.requests(on: 1).isEmpty)
    }

    @Test func `a yes to an account that is not known yet is carried out once it is`() throws {
        var (neighbours, zone) = try home()
        let invite = try neighbours.invite(needsApproval: true, by: 0, zone: zone)
        neighbours.homes[0].strangers = [1]
        try neighbours.exchangeBook(among: [0, 1])
        try neighbours.redeem(invite, from: 2, at: 1)
        try neighbours.exchangeBook(among: [0, 1])
        let id = try #require(try neighbours.requests(on: 0).first?.id)
        #expect(try neighbours.change(0) { try Redemptions($0).approve(id, random: &$1, in: &$2).capability } == nil)
        #expect(try neighbours.participants(of: zone, on: 0).isEmpty)
        neighbours.homes[0].strangers = []
        try neighbours.settle(0)
        #expect(try neighbours.participants(of: zone, on: 0) == [1])
    }

    @Test func `an approval that grants at once is notified as a change of the zone as well as of the book`() throws {
        var (neighbours, zone) = try home()
        let invite = try neighbours.invite(needsApproval: true, by: 0, zone: zone)
        #expect(try neighbours.redeem(invite, from: 2, at: 0) == .waitingApproval)
        let id = try #require(try neighbours.requests(on: 0).first?.id)
        let notice = try neighbours.change(0) { try Redemptions($0).approve(id, random: &$1, in: &$2).notice }
        let book = ZoneID(AccountZone(neighbours.committer(0)).genesis)
        #expect(Set(notice.zones.map(\.snapshot.zone)) == [zone, book])
        #expect(notice.mayChangeRights)
    }

    @Test func `a request waits for the log of its account, and not once it is denied`() throws {
        var (neighbours, zone) = try home()
        let invite = try neighbours.invite(by: 0, zone: zone)
        try neighbours.exchangeBook(among: [0, 1])
        #expect(try neighbours.redeem(invite, from: 2, at: 1) == .waitingInviter)
        try neighbours.exchangeBook(among: [0, 1])
        neighbours.homes[0].strangers = [1]
        #expect(try neighbours.change(0) { try Redemptions($0).grantWaiting(random: &$1, in: &$2).awaitsLogs })
        let id = Redemption.ID(invite: invite.identifier, account: neighbours.account(1))
        try neighbours.change(0) { _ = try Redemptions($0).deny(id, in: &$2) }
        #expect(try !neighbours.change(0) { try Redemptions($0).grantWaiting(random: &$1, in: &$2).awaitsLogs })
        #expect(try neighbours.participants(of: zone, on: 0).isEmpty)
    }

    @Test func `no request of a blocked account is shown, approved or settled`() throws {
        var (neighbours, zone) = try home()
        let invite = try neighbours.invite(uses: 2, by: 0, zone: zone)
        let asked = try neighbours.invite(.read, needsApproval: true, by: 0, zone: zone)
        try neighbours.exchangeBook(among: [0, 1])
        try neighbours.redeem(invite, from: 2, at: 1)
        try neighbours.redeem(asked, from: 2, at: 1)
        let bob = neighbours.account(1)
        try neighbours.change(1) { _ = try Blocklist($0).block(bob, in: &$2) }
        #expect(try neighbours.requests(on: 1).isEmpty)
        #expect(throws: InviteError.blocked(bob)) {
            let id = Redemption.ID(invite: asked.identifier, account: bob)
            try neighbours.change(1) { _ = try Redemptions($0).approve(id, random: &$1, in: &$2) }
        }
        try neighbours.exchangeBook(among: [0, 1])
        try neighbours.settle(0)
        #expect(try neighbours.participants(of: zone, on: 0).isEmpty)
    }

    @Test func `an approval after the end of the invitation is reported`() throws {
        var (neighbours, zone) = try home()
        let invite = try neighbours.invite(needsApproval: true, by: 0, zone: zone)
        try neighbours.redeem(invite, from: 2, at: 0)
        try neighbours.redeem(invite, from: 4, at: 0)
        let requests = try neighbours.requests(on: 0)
        try neighbours.change(0) { _ = try Redemptions($0).approve(requests[0].id, random: &$1, in: &$2) }
        #expect(throws: InviteError.over(.spent)) {
            try neighbours.change(0) { _ = try Redemptions($0).approve(requests[1].id, random: &$1, in: &$2) }
        }
        #expect(try neighbours.requests(on: 0).isEmpty)
    }
}
