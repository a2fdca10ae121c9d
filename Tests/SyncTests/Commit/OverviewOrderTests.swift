import Capabilities
import Identity
import Records
import Sync
import Testing
import Wire

@Suite struct `The overview of a zone with many members` {
    @Test func `lists the other accounts' devices ascending by account`() throws {
        var n = try Neighbours([Int](repeating: 1, count: 9))
        let zone = try n.zone(of: 0)
        for account in 1...8 { _ = try n.grant(.read, to: account, by: 0, zone: zone) }
        let overview = try ZoneViews(n.committer(0)).overview(of: zone, in: n.homes[0].store)
        let accounts = (1...8).map { n.account($0) }
        #expect(overview.others.map(\.account) == accounts.sorted())
    }
}
