import Capabilities
import Records
import TestSupport
import Testing
import Wire

import Sync

/// A zone is offered, the other account answers, and the device that made the offer transfers the zone.
@Suite("Handing a zone over") struct HandoverTests {
    private static let (desk, lap, bob, carol) = (0, 1, 2, 3)

    /// Alice's zone, on two devices of hers, in which Bob may write.
    private func shared() throws -> (Neighbours, ZoneID, right: Hash) {
        var n = try Neighbours([2, 1, 1])
        let zone = try n.zone(of: Self.desk)
        let right = try n.grant(.write, to: 1, by: Self.desk, zone: zone)
        try n.exchange(zone)
        return (n, zone, right)
    }

    private func offer(_ zone: ZoneID, keeping level: AccessLevel? = nil, by index: Int, _ n: inout Neighbours) throws {
        let heir = n.account(1)
        try n.change(index) { _ = try ZoneTransfers($0).offer(zone, to: heir, keeping: level, in: &$2) }
    }

    private func answer(_ zone: ZoneID, _ accepts: Bool, by index: Int, _ n: inout Neighbours) throws {
        try n.change(index) { _ = try ZoneTransfers($0).answer(zone, accepting: accepts, in: &$2) }
    }

    /// Lets the time pass after which a zone is transferred, on all devices or on one.
    private func rest(_ zone: ZoneID, on indices: [Int]? = nil, _ n: inout Neighbours) throws {
        for index in indices ?? Array(n.homes.indices) {
            n.homes[index].wall += ZoneTransfers.waitMilliseconds
            try n.change(index) { try ZoneUpkeep($0).maintain(zone, in: &$2) }
        }
    }

    private func state(_ n: Neighbours, _ index: Int, _ zone: ZoneID) throws -> ControlState {
        try n.controlState(zone, on: index)
    }

    @Test
    func
        `an accepted zone is handed over by the device that offered it, a while after it hears of it, and by no other`()
        throws
    {
        var (n, zone, _) = try shared()
        try n.write("a", "alice", on: Self.desk, zone: zone)
        try offer(zone, keeping: .admin, by: Self.desk, &n)
        try n.exchange(zone)
        try answer(zone, true, by: Self.bob, &n)
        try n.pull(zone, from: Self.bob, to: Self.lap)
        try rest(zone, on: [Self.lap], &n)
        #expect(try state(n, Self.lap, zone).owner == n.account(0))
        #expect(try state(n, Self.lap, zone).offer?.consent != nil)
        try n.pull(zone, from: Self.bob, to: Self.desk)
        try n.change(Self.desk) { try ZoneUpkeep($0).maintain(zone, in: &$2) }
        #expect(try state(n, Self.desk, zone).owner == n.account(0))
        try rest(zone, on: [Self.desk], &n)
        #expect(try state(n, Self.desk, zone).owner == n.account(1))
        try n.exchange(zone)
        for index in n.homes.indices {
            let state = try state(n, index, zone)
            #expect(state.owner == n.account(1) && state.offer == nil && state.ownerships.count == 2, "device \(index)")
            #expect(state.participants[n.account(0)]?.rights == Rights(.admin, canDelegate: true), "device \(index)")
            #expect(try n.text("a", on: index, zone: zone) == "alice", "device \(index)")
        }
        _ = try n.grant(.read, to: 2, by: Self.desk, zone: zone)
        #expect(throws: CommitError.self) { try offer(zone, by: Self.desk, &n) }
    }

    @Test func `writes of the owner's other devices are effective although the offering device was away`()
        throws
    {
        var (n, zone, _) = try shared()
        try offer(zone, by: Self.desk, &n)
        try n.exchange(zone)
        try n.write("b", "of the lap", on: Self.lap, zone: zone)
        try n.pull(zone, from: Self.lap, to: Self.bob)
        try answer(zone, true, by: Self.bob, &n)
        // Control logs arrive first.
        try n.pull(zone, from: Self.bob, to: Self.desk) { $0.key.lane == .control }
        try n.change(Self.desk) { try ZoneUpkeep($0).maintain(zone, in: &$2) }
        try n.pull(zone, from: Self.bob, to: Self.desk)
        try rest(zone, &n)
        try n.exchange(zone)
        for index in n.homes.indices where index != Self.carol {
            #expect(try state(n, index, zone).owner == n.account(1), "device \(index)")
            #expect(try n.text("b", on: index, zone: zone) == "of the lap", "device \(index)")
        }
    }

    @Test func `a restored backup of the device that offered a zone does not hand it over again`() throws {
        var (n, zone, _) = try shared()
        try offer(zone, by: Self.desk, &n)
        try n.exchange(zone)
        let backup = n.homes[Self.desk].store
        try answer(zone, true, by: Self.bob, &n)
        try n.pull(zone, from: Self.bob, to: Self.desk)
        let consented = n.homes[Self.bob].store
        try rest(zone, on: [Self.desk], &n)
        try n.exchange(zone)
        try n.write("c", "of the new owner", on: Self.bob, zone: zone)
        let present = n.homes[Self.bob].store
        n.homes[Self.desk].store = backup
        try n.renewLifetime(Self.desk)
        // The answer arrives before the transfer.
        n.homes[Self.bob].store = consented
        try n.pull(zone, from: Self.bob, to: Self.desk)
        n.homes[Self.bob].store = present
        try rest(zone, on: [Self.desk], &n)
        #expect(try state(n, Self.desk, zone).owner == n.account(0))
        try n.settle(zone)
        for index in n.homes.indices where index != Self.carol {
            #expect(try state(n, index, zone).ownerships.count == 2, "device \(index)")
            #expect(try n.text("c", on: index, zone: zone) == "of the new owner", "device \(index)")
        }
    }

    @Test func `only the offered account answers, and may change its answer until the transfer`()
        throws
    {
        var (n, zone, _) = try shared()
        #expect(throws: CommitError.self) { try answer(zone, true, by: Self.bob, &n) }
        try offer(zone, by: Self.desk, &n)
        try n.exchange(zone)
        for index in [Self.desk, Self.carol] {
            #expect(throws: CommitError.self) { try answer(zone, true, by: index, &n) }
        }
        try answer(zone, false, by: Self.bob, &n)
        let size = try state(n, Self.bob, zone).verdicts.count
        try answer(zone, false, by: Self.bob, &n)
        #expect(try state(n, Self.bob, zone).verdicts.count == size, "the same answer is not said twice")
        try n.exchange(zone)
        #expect(try state(n, Self.desk, zone).offer?.answer != nil)
        #expect(try state(n, Self.desk, zone).owner == n.account(0))
        try answer(zone, true, by: Self.bob, &n)
        try n.exchange(zone)
        try rest(zone, &n)
        try n.exchange(zone)
        for index in n.homes.indices { #expect(try state(n, index, zone).owner == n.account(1), "device \(index)") }
    }

    @Test func `an offer that was withdrawn or made by another device is not completed by an earlier consent`() throws {
        var (n, zone, _) = try shared()
        try offer(zone, by: Self.desk, &n)
        try n.pull(zone, from: Self.desk, to: Self.bob)
        try answer(zone, true, by: Self.bob, &n)
        try n.change(Self.desk) { _ = try ZoneTransfers($0).withdraw(zone, in: &$2) }
        try n.exchange(zone)
        try rest(zone, &n)
        for index in n.homes.indices { #expect(try state(n, index, zone).owner == n.account(0), "device \(index)") }
        #expect(throws: CommitError.self) {
            try n.change(Self.desk) { _ = try ZoneTransfers($0).withdraw(zone, in: &$2) }
        }
        #expect(throws: CommitError.self) { try answer(zone, true, by: Self.bob, &n) }
        try offer(zone, by: Self.lap, &n)
        try n.exchange(zone)
        #expect(try state(n, Self.desk, zone).owner == n.account(0))
        #expect(try state(n, Self.desk, zone).offer?.answer == nil)
        try answer(zone, true, by: Self.bob, &n)
        try n.exchange(zone)
        try rest(zone, &n)
        try n.exchange(zone)
        for index in n.homes.indices { #expect(try state(n, index, zone).owner == n.account(1), "device \(index)") }
    }

    @Test func `a zone is not transferred to an account that was revoked meanwhile`() throws {
        var (n, zone, right) = try shared()
        try offer(zone, by: Self.desk, &n)
        try n.pull(zone, from: Self.desk, to: Self.bob)
        try answer(zone, true, by: Self.bob, &n)
        try n.change(Self.desk) { _ = try ZoneSharing($0).revoke([right], zone: zone, reason: "out", in: &$2) }
        try n.exchange(zone)
        try rest(zone, &n)
        try n.exchange(zone)
        for index in n.homes.indices { #expect(try state(n, index, zone).owner == n.account(0), "device \(index)") }
    }

    @Test func `a changed daemon that transfers without a consent moves nothing, on no device`() throws {
        var (n, zone, _) = try shared()
        let consent = try n.consent(of: 1, zone: zone, from: Self.desk)
        let forged = SignedTransferConsent(
            consent: TransferConsent(
                zone: zone,
                ownership: .zero,
                account: n.account(2),
                offer: .zero,
                device: consent.consent.device
            ),
            signature: consent.signature
        )
        try n.say(.transfer(OwnershipTransfer(consent: forged)), on: Self.desk, zone: zone)
        try n.exchange(zone)
        for index in n.homes.indices { #expect(try state(n, index, zone).owner == n.account(0), "device \(index)") }
        #expect(try n.write("a", "alice", on: Self.desk, zone: zone) == nil)
    }

    @Test func `each change of an offer is notified once, and its time is kept`() throws {
        var (n, zone, _) = try shared()
        let heir = n.account(1)
        func told(_ index: Int, _ body: (Committer, inout MemoryStore) throws -> CommitNotice) throws -> Bool {
            try n.change(index) { committer, _, store in try body(committer, &store) }.offers == [zone]
        }
        #expect(try ZoneTransfers(n.committer(Self.desk)).offerTime(of: zone, in: n.homes[Self.desk].store) == nil)
        #expect(try told(Self.desk) { try ZoneTransfers($0).offer(zone, to: heir, keeping: nil, in: &$1) })
        #expect(try !told(Self.desk) { try ZoneTransfers($0).offer(zone, to: heir, keeping: nil, in: &$1) })
        #expect(try !told(Self.desk) { try ZoneSharing($0).setPublicAccess(.none, zone: zone, in: &$1) })
        #expect(
            try ZoneTransfers(n.committer(Self.desk)).offerTime(of: zone, in: n.homes[Self.desk].store)
                == n.homes[Self.desk].wall
        )
        #expect(try told(Self.desk) { try ZoneTransfers($0).withdraw(zone, in: &$1) })
        #expect(try ZoneTransfers(n.committer(Self.desk)).offerTime(of: zone, in: n.homes[Self.desk].store) == nil)
    }
}
