import Identity
import Sync
import Testing
import Wire

@Suite struct AccountExchangeTests {
    @Test func `with an unconfirmed device only account entries are exchanged`() {
        var harness = CoreHarness()
        harness.feed(.zoneChanged(Sample.snapshot([1: 5]), before: [:]))
        var effects = harness.open(9, standing: .unknown, heads: [Sample.hash(7)])
        #expect(effects.messages(to: 9).map(\.tag) == [1])
        let ours = RangeDigest(prefix: .empty, itemCount: 1, digest: .zero)
        for message: PeerMessage in [
            .rangeDigests(RangeDigests(ranges: [ours])), .zoneState(Sample.zoneState([1: 3], wantsReply: true)),
            .run(Sample.run(9, from: 0, to: 3)), Sample.acknowledge(1, size: 3),
            .rangeItems(RangeItems(ranges: [ItemRange(prefix: .empty, items: [])], isReply: false)),
        ] {
            let effects = harness.hear(9, message)
            #expect(effects.isEmpty, "\(message.tag)")
        }
        effects = harness.feed(.zoneChanged(Sample.snapshot([1: 6]), before: [Sample.log(1): 5]))
        #expect(effects.isEmpty)
        #expect(harness.core.connectedDevices.isEmpty)
        effects = harness.hear(
            9,
            .accountEntries(AccountEntries(account: Sample.account, entries: [[1]], more: false))
        )
        #expect(
            effects.contains { if case .insertAccountEntries(9, Sample.account, [[1]]) = $0 { true } else { false } }
        )
        // Once it is confirmed, the device that confirmed it compares with it at once.
        effects = harness.know([1, 2, 3, 4, 9])
        #expect(effects.messages(to: 9).map(\.tag) == [3])
        #expect(harness.core.connectedDevices == [Sample.device(9)])
    }

    @Test func `entries in several messages are applied together`() {
        var harness = CoreHarness()
        harness.open(2)
        func taken(_ account: AccountID, _ byte: UInt8, count: Int = 1, more: Bool) -> [[UInt8]] {
            let entries = [[UInt8]](repeating: [byte], count: count)
            let effects = harness.hear(
                2,
                .accountEntries(AccountEntries(account: account, entries: entries, more: more))
            )
            return effects.flatMap { effect -> [[UInt8]] in
                guard case .insertAccountEntries(2, _, let entries) = effect else { return [] }
                return entries
            }
        }
        #expect(taken(Sample.account, 1, more: true).isEmpty)
        #expect(taken(Sample.account, 2, more: true).isEmpty)
        #expect(taken(Sample.account, 3, more: false) == [[1], [2], [3]])
        #expect(taken(Sample.account, 4, more: false) == [[4]])
        // At most a mebibyte is held: a device that never sends the end fills no memory.
        let large = [[UInt8]](repeating: [UInt8](repeating: 5, count: 47_000), count: 1)
        var passed = 0
        for _ in 0..<46 {
            let message = AccountEntries(account: Sample.account, entries: large, more: true)
            let effects = harness.hear(2, .accountEntries(message))
            passed += effects.reduce(0) { sum, effect in
                if case .insertAccountEntries(_, _, let entries) = effect { sum + entries.count } else { sum }
            }
        }
        #expect(passed == 46)
    }

    @Test func `the secret of the recovery words goes to active devices of the account alone`() {
        var harness = CoreHarness()
        let secret = RecoverySecret(key: [UInt8](repeating: 1, count: 32), secret: [UInt8](repeating: 2, count: 32))
        let other = RecoverySecret(key: [UInt8](repeating: 3, count: 32), secret: [UInt8](repeating: 4, count: 32))
        harness.open(2)
        harness.open(9, standing: .unknown)
        func hasSecret(_ effects: [SyncEffect], _ device: Int) -> Bool {
            effects.messages(to: device).contains { $0 == .recoverySecret(secret) }
        }
        var effects = harness.feed(.recoverySecretChanged(secret))
        #expect(hasSecret(effects, 2) && !hasSecret(effects, 9))
        #expect(harness.feed(.recoverySecretChanged(secret)).isEmpty, "it is handed on once")
        effects = harness.open(3)
        #expect(hasSecret(effects, 3))
        effects = harness.open(7, standing: .unknown, account: Sample.foreign)
        #expect(!hasSecret(effects, 7))
        effects = harness.know([1, 2, 3, 4, 9])
        #expect(hasSecret(effects, 9), "once it is confirmed")
        func taken(_ effects: [SyncEffect]) -> [RecoverySecret] {
            effects.compactMap { if case .takeRecoverySecret(let secret) = $0 { secret } else { nil } }
        }
        #expect(taken(harness.hear(2, .recoverySecret(other))) == [other])
        #expect(taken(harness.hear(2, .recoverySecret(secret))).isEmpty, "it is held already")
        #expect(taken(harness.hear(7, .recoverySecret(other))).isEmpty, "another account's device has none for us")
    }

    @Test func `a session's kind of device is reported at its opening and when more is known`() {
        var harness = CoreHarness()
        #expect(harness.open(2).places == [2: .member])
        #expect(harness.open(9, standing: .unknown, heads: [Sample.hash(7)]).places == [9: .confirming])
        #expect(harness.know([1, 2, 3, 4, 9]).places == [9: .member])
        harness.know([1, 2, 3, 4, 9], removed: [8])
        #expect(harness.open(8, standing: .removed, heads: [Sample.hash(7)]).places == [8: .confirming])
    }

    @Test func `a device that stays unconfirmed is closed at the deadline, and not before`() {
        var harness = CoreHarness()
        harness.open(9, standing: .unknown, isInitiator: false)
        #expect(harness.wait(9_999, hearing: [9]).closed.isEmpty)
        #expect(harness.wait(2, hearing: [9]).closed == [9: .refused])
        #expect(harness.core.nextDeadline == nil)
    }

    @Test func `a device is disconnected when its removal becomes known`() {
        var harness = CoreHarness()
        harness.open(2)
        harness.open(3)
        let effects = harness.know([1, 3, 4], removed: [2])
        #expect(effects.closed == [2: .refused])
        #expect(harness.core.connectedDevices == [Sample.device(3)])
        #expect(harness.hear(2, .zoneState(Sample.zoneState([1: 1], wantsReply: true))).isEmpty)
        #expect(!harness.core.shares(with: Sample.device(2), of: Sample.account))
    }

    @Test func `a session ends with a device whose admission turns out to be void`() {
        var harness = CoreHarness()
        harness.know([1, 2, 3, 4])
        harness.open(3)
        harness.open(4)
        // The device that admitted it was removed by one that had not seen the admission.
        let effects = harness.know([1, 2, 4])
        #expect(effects.closed == [3: .refused])
        #expect(harness.core.connectedDevices == [Sample.device(4)])
        // It may hold the proof that the removal is void, and brings entries alone.
        #expect(harness.open(3, standing: .unknown).closed.isEmpty)
        #expect(harness.hear(3, .run(Sample.run(3, from: 0, to: 1))).isEmpty)
        #expect(harness.core.connectedDevices == [Sample.device(4)])
        harness.know([1, 2, 3, 4])
        #expect(harness.core.connectedDevices == [Sample.device(3), Sample.device(4)])
    }

    @Test(arguments: [true, false])
    func `with a removed device only the account's log is exchanged, until a deadline`(_ isInitiator: Bool) {
        var harness = CoreHarness()
        harness.know([1, 2, 3, 4], removed: [9])
        harness.feed(.zoneChanged(Sample.snapshot([1: 5]), before: [:]))
        let heads = [Sample.hash(7)]
        var effects = harness.open(9, standing: .removed, heads: heads, isInitiator: isInitiator)
        #expect(effects.closed.isEmpty)
        effects += harness.hear(9, .accountHave(AccountHave(account: Sample.account, heads: heads, wantsReply: true)))
        #expect(effects.accountReads.map(\.heads) == [heads])
        #expect(Set(effects.messages(to: 9).map(\.tag)) == [1])
        for message: PeerMessage in [
            .zoneState(Sample.zoneState([1: 3], wantsReply: true)), .run(Sample.run(1, from: 0, to: 3)),
            .rangeDigests(RangeDigests(ranges: [RangeDigest(prefix: .empty, itemCount: 1, digest: .zero)])),
        ] {
            #expect(harness.hear(9, message).isEmpty, "\(message.tag)")
        }
        // The entries that it brings may come in several messages, and the first need not settle its standing.
        #expect(harness.know([1, 2, 3, 4, 5], removed: [9]).closed.isEmpty)
        #expect(harness.core.connectedDevices.isEmpty)
        #expect(harness.wait(2_999, hearing: [9]).closed.isEmpty)
        #expect(harness.wait(2, hearing: [9]).closed == [9: .refused])
    }

    @Test(arguments: [400, 401])
    func `of a removed device only its own late writes are accepted and answered`(heads: UInt64) {
        var harness = CoreHarness()
        harness.know([1, 2, 3, 4], removed: [9])
        harness.feed(.zoneChanged(Sample.snapshot([1: 5, 9: 2]), before: [:]))
        #expect(harness.open(9, standing: .removed, heads: [Sample.hash(heads)]).closed.isEmpty)
        let run = Sample.run(9, from: 2, to: 4)
        let key = run.signedHead.head.key
        let effects = harness.hear(9, .run(run))
        #expect(effects.contains { if case .write(.apply(9, _, key, .deposit)) = $0 { true } else { false } })
        var answer = harness.feed(.runApplied(9, key, .durable(size: 4, operations: 2))).messages(to: 9)
        #expect(answer.map(\.tag) == [7])
        // A run that is not kept, or does not fit, is answered as well, and shows no more.
        for outcome in [
            RunOutcome.misplaced, .violation("broken"), .durable(size: 6, operations: 0), .unwanted(size: 6),
        ] {
            harness.hear(9, .run(Sample.run(9, from: 4, to: 6)))
            answer = harness.feed(.runApplied(9, key, outcome)).messages(to: 9)
            #expect(answer.map(\.tag) == [7], "\(outcome)")
            guard case .acknowledge(let told) = answer.first else { continue }
            #expect(told.logs.map(\.size) == [0])
        }
        #expect(
            harness.feed(.zoneChanged(Sample.snapshot([1: 6, 9: 2]), before: [Sample.log(1): 5])).messages(to: 9)
                .isEmpty
        )
        // However much it deposits, it is not here for long.
        for _ in 0..<30 {
            harness.wait(2_500, hearing: [9])
            harness.hear(9, .run(Sample.run(9, from: 4, to: 6)))
            harness.feed(.runApplied(9, key, .misplaced))
        }
        #expect(harness.hear(9, .ping(Ping(nonce: 1, wallMilliseconds: 1))).isEmpty)
    }

    @Test func `a removed device learns how much is held of its own logs, once for each zone`() {
        var harness = CoreHarness()
        harness.know([1, 2, 3, 4], removed: [9])
        harness.feed(.zoneChanged(Sample.snapshot([1: 5, 9: 2]), before: [:]))
        harness.open(9, standing: .removed, heads: [Sample.hash(400)])
        let offer = Acknowledge(
            zone: Sample.zone(0),
            logs: [(1, 5), (8, 3), (9, 4)].map { AcknowledgedLog(actor: Sample.actor($0.0), lane: .data, size: $0.1) }
        )
        let effects = harness.hear(9, .acknowledge(offer))
        // Runs may be long, so its connection gets a place for them before the request for them is sent.
        let places = effects.compactMap { effect -> SessionPlace? in
            if case .setPlace(9, let place) = effect { place } else { nil }
        }
        #expect(places == [.removed])
        guard case .setPlace = effects.first else {
            Issue.record("the place comes first: \(effects)")
            return
        }
        let answers = effects.messages(to: 9)
        guard case .acknowledge(let answer) = answers.first else {
            Issue.record("not answered")
            return
        }
        // Nothing of logs of other devices.
        let sizes = Dictionary(uniqueKeysWithValues: answer.logs.map { ($0.actor, $0.size) })
        #expect(sizes == [Sample.actor(8): 0, Sample.actor(9): 2])
        #expect(harness.hear(9, .acknowledge(offer)).messages(to: 9).isEmpty)
    }

    @Test func `a device that learns of its removal uploads zone after zone, and dials until it has done so once`()
        throws
    {
        var harness = CoreHarness()
        harness.feed(.zoneChanged(Sample.snapshot(0, [1: 5]), before: [:]))
        harness.feed(.zoneChanged(Sample.snapshot(1, [1: 5]), before: [:]))
        harness.open(2)
        #expect(!harness.core.hasLateWrites)
        func offers(_ effects: [SyncEffect]) -> [ZoneID] {
            effects.messages(to: 2).compactMap { if case .acknowledge(let offer) = $0 { offer.zone } else { nil } }
        }
        func answer(_ zone: ZoneID, _ size: UInt64) -> [SyncEffect] {
            let log = AcknowledgedLog(actor: Sample.actor(1), lane: .data, size: size)
            return harness.hear(2, .acknowledge(Acknowledge(zone: zone, logs: [log])))
        }
        var asked = offers(harness.know([2, 3, 4], removed: [1]))
        #expect(harness.core.hasLateWrites)
        try #require(asked.count == 1)
        let lane = ActorLane(actor: Sample.actor(1), lane: .data)
        #expect(
            answer(asked[0], 3).contains { effect in
                guard case .read(.deposits(2, asked[0], let held)) = effect else { return false }
                return held == [lane: 3]
            }
        )
        let run = Sample.run(1, from: 3, to: 5)
        #expect(harness.feed(.depositsRead(2, asked[0], [run])).runs(to: 2) == [5])
        #expect(offers(harness.feed(.tick)).isEmpty, "the next zone waits for the answer")
        asked += offers(answer(run.signedHead.head.key.zone, 0))
        try #require(Set(asked) == [Sample.zone(0), Sample.zone(1)])
        #expect(harness.core.hasLateWrites)
        _ = answer(asked[1], 5)
        harness.feed(.depositsRead(2, asked[1], []))
        #expect(!harness.core.hasLateWrites)
        // A write that was under way meanwhile is offered in the next session.
        harness.feed(
            .zoneChanged(
                Sample.snapshot(1, [1: 6]),
                before: [LogKey(zone: Sample.zone(1), actor: Sample.actor(1), lane: .data): 5]
            )
        )
        #expect(harness.core.hasLateWrites)
    }

    @Test func `a removed device that brings the proof that its removal is void is a member again`() {
        var harness = CoreHarness()
        harness.know([1, 2, 3, 4], removed: [9])
        harness.feed(.zoneChanged(Sample.snapshot([1: 5]), before: [:]))
        harness.open(9, standing: .removed, heads: [Sample.hash(7)], isInitiator: false)
        let entries = AccountEntries(account: Sample.account, entries: [[1]], more: false)
        let effects = harness.hear(9, .accountEntries(entries))
        #expect(
            effects.contains { if case .insertAccountEntries(9, Sample.account, [[1]]) = $0 { true } else { false } }
        )
        #expect(harness.know([1, 3, 4, 9], removed: [2]).messages(to: 9).map(\.tag) == [3])
        #expect(harness.core.connectedDevices == [Sample.device(9)])
    }

    @Test func `sessions beyond the limit are refused`() {
        var limits = SyncLimits()
        limits.sessionCountMax = 2
        var harness = CoreHarness(limits: limits)
        harness.open(2)
        harness.open(3)
        #expect(harness.open(4).closed == [4: .busy])
    }

    @Test func `the side that dialled asks for the account log if the heads differ`() {
        var harness = CoreHarness()
        #expect(harness.open(2, heads: [Sample.hash(400)]).messages(to: 2).map(\.tag) == [3])
        #expect(harness.open(3, heads: [Sample.hash(1)]).messages(to: 3).map(\.tag) == [1, 3])
    }

    @Test func `the other side sends changes since the handshake unasked, and once`() {
        var harness = CoreHarness()
        let effects = harness.open(2, heads: [Sample.hash(1)], isInitiator: false)
        #expect(effects.accountReads.map(\.heads) == [[Sample.hash(1)]])
        let have = AccountHave(account: Sample.account, heads: [Sample.hash(1)], wantsReply: true)
        let answer = harness.hear(2, .accountHave(have))
        #expect(answer.accountReads.isEmpty)
        #expect(answer.messages(to: 2).map(\.tag) == [1])
    }

    @Test func `a change of the account is sent to all peers that lack it`() {
        var harness = CoreHarness()
        harness.open(2)
        harness.open(3, heads: [Sample.hash(1)])
        let effects = harness.know([1, 2, 3, 4, 5])
        #expect(effects.accountReads.map(\.session) == [2, 3])
        // Entries that were sent once are not sent again.
        let later = harness.know([1, 2, 3, 4, 5, 6])
        #expect(later.accountReads.map(\.heads).allSatisfy { $0.contains(Sample.hash(500)) })
        #expect(harness.know([1, 2, 3, 4, 5, 6]).accountReads.isEmpty)
    }

    private static func other(_ number: UInt64) -> AccountID {
        AccountID(Digest32(word0: number, word1: 0, word2: 0, word3: 0))
    }

    @Test(arguments: [true, false])
    func `devices of an account exchange their knowledge of other accounts, and request unknown ones`(
        _ isInitiator: Bool
    ) {
        let (known, stranger) = (Self.other(7), Self.other(8))
        let heads = [Sample.hash(9)]
        var harness = CoreHarness()
        harness.feed(.contactChanged(known, heads: heads, standings: [:]))
        let statement = AccountHave(account: known, heads: heads, wantsReply: false)
        #expect(harness.open(2, isInitiator: isInitiator).messages(to: 2).contains(.accountHave(statement)))
        let theirs = AccountHave(account: stranger, heads: heads, wantsReply: false)
        let question = AccountHave(account: stranger, heads: [], wantsReply: false)
        #expect(harness.hear(2, .accountHave(theirs)).messages(to: 2) == [.accountHave(question)])
        #expect(harness.hear(2, .accountHave(question)).isEmpty, "who knows nothing has nothing to say")
        let asked = AccountHave(account: known, heads: [], wantsReply: false)
        #expect(harness.hear(2, .accountHave(asked)).accountReads.map(\.heads) == [[]])
    }

    @Test(arguments: [true, false])
    func `a statement that an unknowing device may have dropped is repeated at its comparison`(
        _ isInitiator: Bool
    ) {
        let known = Self.other(7)
        var harness = CoreHarness()
        harness.feed(.contactChanged(known, heads: [Sample.hash(9)], standings: [:]))
        let statement = PeerMessage.accountHave(
            AccountHave(account: known, heads: [Sample.hash(9)], wantsReply: false)
        )
        let comparison = PeerMessage.rangeDigests(
            RangeDigests(ranges: [RangeDigest(prefix: .empty, itemCount: 0, digest: .zero)])
        )
        harness.open(2, heads: [Sample.hash(1)], isInitiator: isInitiator)
        #expect(harness.hear(2, comparison).messages(to: 2).contains(statement))
        #expect(!harness.hear(2, comparison).messages(to: 2).contains(statement), "once")
        harness.open(3, isInitiator: isInitiator)
        #expect(
            !harness.hear(3, comparison).messages(to: 3).contains(statement),
            "who had the same log dropped nothing"
        )
    }

    @Test func `logs of unknown accounts are requested one after the other, each once`() {
        let accounts = [Self.other(7), Self.other(8), Self.other(9)]
        let questions = accounts.map { PeerMessage.accountHave(AccountHave(account: $0, heads: [], wantsReply: false)) }
        func statement(_ index: Int) -> PeerMessage {
            .accountHave(AccountHave(account: accounts[index], heads: [Sample.hash(9)], wantsReply: false))
        }
        func answer(_ index: Int, more: Bool = false) -> PeerMessage {
            .accountEntries(AccountEntries(account: accounts[index], entries: [[1]], more: more))
        }
        var harness = CoreHarness()
        harness.open(2)
        #expect(harness.hear(2, statement(0)).messages(to: 2) == [questions[0]])
        #expect(harness.hear(2, statement(1)).messages(to: 2).isEmpty)
        #expect(harness.hear(2, statement(2)).messages(to: 2).isEmpty)
        #expect(harness.hear(2, statement(0)).messages(to: 2).isEmpty)
        #expect(harness.hear(2, answer(2)).messages(to: 2).isEmpty, "not what was asked for")
        #expect(harness.hear(2, answer(0, more: true)).messages(to: 2).isEmpty)
        // Another session has brought the entries.
        harness.feed(.contactChanged(accounts[1], heads: [Sample.hash(9)], standings: [:]))
        #expect(harness.hear(2, answer(0)).messages(to: 2) == [questions[2]])
        #expect(harness.hear(2, answer(2)).messages(to: 2).isEmpty)
        #expect(harness.hear(2, statement(0)).messages(to: 2).isEmpty, "it did not help the first time")
    }

    @Test func `a long account log is sent in messages that the peer accepts, in order`() throws {
        var harness = CoreHarness()
        harness.open(2)
        let entries = (0..<50).map { [UInt8](repeating: UInt8($0), count: 40_000) }
        let effects = harness.feed(.accountEntriesRead(2, Sample.account, entries))
        let messages = try effects.messages(to: 2).map { try PeerMessage(decoding: $0.encoded) }
        let parts = messages.compactMap { if case .accountEntries(let part) = $0 { part } else { nil } }
        #expect(parts.count == messages.count)
        #expect(parts.flatMap(\.entries) == entries)
        #expect(parts.map(\.more) == [Bool](repeating: true, count: parts.count - 1) + [false])
        #expect(harness.feed(.accountEntriesRead(2, Sample.account, [])).isEmpty)
        #expect(harness.feed(.accountEntriesRead(7, Sample.account, entries)).isEmpty)
    }

    @Test func `a member that speaks of pairing or of invitations is closed`() {
        for message: PeerMessage in [
            .pairDone, .joinRequest(JoinRequest(account: .zero, entries: [])),
            .joinAnswer(JoinAnswer(.waitingApproval, entries: [])),
            .joinRefusal(JoinRefusal(.expired)),
        ] {
            var harness = CoreHarness()
            harness.open(2)
            #expect(harness.hear(2, message).closed == [2: .violation])
        }
    }

    @Test func `another account drops everything`() {
        var harness = CoreHarness()
        harness.open(2)
        harness.core.accountReplaced(.zero)
        #expect(harness.core.nextDeadline == nil)
        #expect(harness.hear(2, .resume).isEmpty)
    }

    @Test func `a log of thousands of entries is sent completely, in messages that a peer accepts`() throws {
        var harness = CoreHarness()
        harness.open(9, standing: .unknown)
        let entries = (0..<4_096).map { number in
            [UInt8(number & 0xFF), UInt8(number >> 8)] + [UInt8](repeating: 1, count: 100 + number % 400)
        }
        let effects = harness.feed(.accountEntriesRead(9, Sample.account, entries))
        var heard: [[UInt8]] = []
        var more: [Bool] = []
        for message in effects.messages(to: 9) {
            guard case .accountEntries(let part) = try PeerMessage(decoding: message.encoded) else { continue }
            heard += part.entries
            more.append(part.more)
        }
        #expect(heard == entries)
        #expect(more.count > 1 && more.last == false && more.dropLast().allSatisfy { $0 })
    }
}
