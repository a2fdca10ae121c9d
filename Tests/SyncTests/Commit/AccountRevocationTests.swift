import Capabilities
import Identity
import Records
import Sync
import TestSupport
import Testing
import Wire

@Suite struct `A revocation of an account's rights` {
    /// Alice (0) owns the zone and lets Carol (2) read it; Bob (1), whose right Alice gave him, lets Carol write.
    private func shared() throws -> (n: Neighbours, zone: ZoneID) {
        var n = try Neighbours([1, 1, 1])
        let zone = try n.zone(of: 0)
        let caveats = Caveats(delegationDepth: 1)
        _ = try n.grant(.admin, to: 1, by: 0, caveats: caveats, canDelegate: true, zone: zone)
        _ = try n.grant(.read, to: 2, by: 0, zone: zone)
        try n.exchange(zone)
        _ = try n.grant(.write, to: 2, by: 1, zone: zone)
        try n.exchange(zone)
        return (n, zone)
    }

    private func revoke(
        _ account: AccountID,
        by index: Int,
        in zone: ZoneID,
        _ n: inout Neighbours
    ) throws -> AccountRevocation.Outcome {
        let row = try #require(try n.homes[index].store.zone(zone))
        let outcome: AccountRevocation.Outcome? = try n.change(index) { committer, random, store in
            try AccountRevocation(committer).revoke(
                account,
                in: row,
                reason: "out",
                keepsBelow: false,
                random: &random,
                in: &store
            )?.reply
        }
        return try #require(outcome)
    }

    @Test func `by an account that is not the owner ends those that descend from its own, and leaves others`() throws {
        var (n, zone) = try shared()
        let carol = n.account(2)
        #expect(try n.controlState(zone, on: 1).participants[carol]?.capabilities.count == 2)
        let outcome = try revoke(carol, by: 1, in: zone, &n)
        #expect(outcome.accounts == [carol] && outcome.kept.isEmpty)
        #expect(outcome.ended.count == 1 && outcome.remaining == Rights(.read))
        try n.exchange(zone)
        #expect(try n.controlState(zone, on: 0).participants[carol]?.rights == Rights(.read))
    }

    @Test func `by the owner ends all of them`() throws {
        var (n, zone) = try shared()
        let carol = n.account(2)
        let outcome = try revoke(carol, by: 0, in: zone, &n)
        #expect(outcome.accounts == [carol] && outcome.ended.count == 2 && outcome.remaining == nil)
        try n.exchange(zone)
        #expect(try n.participants(of: zone, on: 1) == [1])
    }
}
