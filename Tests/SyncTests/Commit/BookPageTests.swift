import Records
import Testing
import Wire

@testable import Sync

@Suite struct `The account's book` {
    @Test func `lists all entries of a kind, also where the store gives them in several pages`() throws {
        var household = try Household(1)
        let accounts = (1...1_001 as ClosedRange<UInt64>).map { number in
            AccountID(Digest32(word0: number, word1: 0, word2: 0, word3: 9))
        }
        let writes = accounts.map { Block(account: $0, since: 1, isBlocked: true).write }
        let committer = household.committer(0)
        for start in stride(from: 0, to: writes.count, by: 256) {
            let part = Array(writes[start..<min(start + 256, writes.count)])
            _ = try AccountZone(committer).save(part, in: &household.homes[0].store)
        }
        let blocked = try Blocklist(committer).all(household.homes[0].store).map(\.account)
        #expect(blocked == accounts.sorted())
    }
}
