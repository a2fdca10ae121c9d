import Sync
import Testing
import Wire

@Suite struct `The terms of a zone that come by a mailbox` {
    private func terms(_ genesis: ZoneGenesis) -> ZoneTerms {
        ZoneTerms(genesis: genesis, tagKey: [UInt8](repeating: 1, count: ZoneTerms.tagKeyByteCount))
    }

    private func pair(_ owners: (AccountID, AccountID)) -> ZoneGenesis {
        ZoneGenesis(
            owners: owners,
            container: "org.example.notes",
            name: "pair",
            salt: [UInt8](repeating: 7, count: ZoneGenesis.saltByteCount)
        )
    }

    /// The zones that are to be added once another device of the account has left some terms: by the genesis alone, and
    /// by the terms.
    private func added(by terms: ZoneTerms) -> (learned: [ZoneGenesis], joined: [ZoneTerms]) {
        var harness = CoreHarness()
        let effects = harness.feed(.mailed(Sample.delivery(of: 2, [.zoneTerms(terms)])))
        return (
            learned: effects.compactMap { if case .write(.learn(1_002, _, let genesis)) = $0 { genesis } else { nil } },
            joined: effects.compactMap { if case .write(.join(1_002, let terms)) = $0 { terms } else { nil } }
        )
    }

    @Test func `add a zone by its genesis alone where every device of the account derives the rest`() {
        let zone = added(by: terms(Sample.genesis(5)))
        #expect(zone.learned == [Sample.genesis(5)])
        #expect(zone.joined.isEmpty)
    }

    @Test func `add a zone of another account, and a pair zone of this one, with the key of the record tags`() {
        let foreign = ZoneGenesis(
            owner: Sample.foreign,
            container: "org.example.notes",
            name: "theirs",
            salt: [UInt8](repeating: 7, count: ZoneGenesis.saltByteCount),
            history: .full,
            isDefault: false
        )
        for genesis in [foreign, pair((Sample.account, Sample.foreign))] {
            let zone = added(by: terms(genesis))
            #expect(zone.learned.isEmpty)
            #expect(zone.joined == [terms(genesis)])
        }
    }

    @Test func `add no pair zone of two other accounts`() {
        let zone = added(by: terms(pair((Sample.foreign, .zero))))
        #expect(zone.learned.isEmpty && zone.joined.isEmpty)
    }
}

@Suite struct `Operations that come by a mailbox` {
    private static let waiting = MailOutcome(awaited: [Sample.zone(0)])

    /// The result of a delivery from another device of the account, with one run that the store has answered.
    private func result(_ outcome: RunOutcome, to size: UInt64 = 5) -> [MailOutcome] {
        var harness = CoreHarness()
        harness.feed(.zoneChanged(Sample.snapshot([2: 3]), before: [:]))
        let run = PeerMessage.run(Sample.run(2, from: size - 1, to: size))
        #expect(settled(harness.feed(.mailed(Sample.delivery(of: 2, [run])))).isEmpty, "the store is asked")
        return settled(harness.feed(.runApplied(1_002, Sample.log(2), outcome)))
    }

    private func settled(_ effects: [SyncEffect]) -> [MailOutcome] {
        effects.compactMap { if case .mailSettled(1_002, let outcome) = $0 { outcome } else { nil } }
    }

    @Test func `wait for a change of their zone where something has to come before`() {
        for outcome in [RunOutcome.misplaced, .unexplained, .brokenLog(by: Sample.device(2), "a gap")] {
            #expect(result(outcome) == [Self.waiting], "\(outcome)")
        }
        #expect(result(.misplaced, to: 3) == [MailOutcome()], "they are here")
    }

    @Test func `wait for the store where it has no room or fails`() {
        for outcome in [RunOutcome.storageFull, .storageFailed] {
            #expect(result(outcome) == [MailOutcome(hasFailed: true)], "\(outcome)")
        }
    }

    @Test func `wait for a zone that is not known where they come from another account`() {
        var harness = CoreHarness()
        let run = PeerMessage.run(Sample.run(2, from: 0, to: 1))
        var delivery = Sample.delivery(of: 2, [run])
        delivery.account = Sample.foreign
        harness.feed(.contactChanged(Sample.foreign, heads: [], standings: [Sample.device(2): .active]))
        #expect(settled(harness.feed(.mailed(delivery))) == [Self.waiting])
    }
}
