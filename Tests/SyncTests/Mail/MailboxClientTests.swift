import Identity
import Mailbox
import Records
import Sodium
import Sync
import Testing
import Wire

@Suite struct `A client of mailboxes` {
    private typealias Effect = MailboxClient.Effect
    private typealias Desk = MailboxDesk

    private func requests(_ effects: [Effect]) -> [MailboxRequest] {
        effects.compactMap { if case .send(_, let request) = $0 { request } else { nil } }
    }

    private static let draft = ParcelDraft(
        messages: [[1, 2, 3]],
        stretches: [
            .init(
                key: LogKey(
                    zone: Identifier(digesting: .treeNode, [5]),
                    actor: Identifier(digesting: .treeNode, [6]),
                    lane: .data
                ),
                from: 0,
                size: 3
            )
        ],
        hasMore: false
    )

    @Test func `dials a relay as soon as it knows it, and sends keep-alives when idle`() throws {
        var desk = try Desk()
        #expect(desk.client.nextDeadline == nil)
        let effects = desk.learn(partner: false)
        guard case .dial(let link, let address) = effects.first else {
            Issue.record("nobody is called")
            return
        }
        #expect(link == desk.links[0] && address == "relay:1")
        #expect(desk.client.relayStates.map(\.state) == [.connecting])
        _ = desk.feed(.opened(desk.relay))
        let entered = desk.feed(.received(desk.relay, .entered(quota: 9, used: 1, backend: "memory")))
        #expect(requests(entered) == [.look([])])
        #expect(desk.client.relayStates.map(\.state) == [.connected])
    }

    @Test func `tries the next address after a while when one does not answer`() throws {
        var desk = try Desk()
        _ = desk.learn()
        #expect(desk.feed(.closed(desk.relay)).isEmpty)
        #expect(desk.client.relayStates.map(\.state) == [.unreachable])
        desk.now = try #require(desk.client.nextDeadline)
        guard case .dial(_, let address) = desk.feed(.tick).first else {
            Issue.record("it is not tried again")
            return
        }
        #expect(address == "relay:2")
    }

    @Test func `shows the admission first, then looks, then checks`() throws {
        var desk = try Desk()
        _ = desk.learn()
        #expect(requests(desk.feed(.opened(desk.relay))) == [.enter(secret: desk.links[0].admissionSecret)])
        let looks = requests(desk.feed(.received(desk.relay, .entered(quota: 9, used: 1, backend: "memory"))))
        guard case .look(let proofs) = looks.first else {
            Issue.record("it does not look")
            return
        }
        // A month back, and a day ahead for a clock that is ahead.
        #expect(proofs.count == 33 && proofs.contains(desk.incoming().get))
        #expect(proofs.contains(desk.incoming(day: 19_969).get) && proofs.contains(desk.incoming(day: 20_001).get))
        let effects = desk.feed(.received(desk.relay, .listed([], isComplete: true)))
        guard case .readPosted? = effects.first else {
            Issue.record("it does not check")
            return
        }
        #expect(desk.client.relayStates.map(\.state) == [.connected])
        #expect(desk.client.relayStates.first?.backend == "memory")
    }

    @Test func `applies a parcel before it is deleted, and acknowledges it by another one`() throws {
        var desk = try Desk()
        desk.enter()
        let parcel = try desk.parcel([[7]])
        let keys = desk.incoming()
        #expect(requests(desk.feed(.received(desk.relay, .arrived(keys.mailbox)))) == [.look([keys.get])])
        let notice = ParcelNotice(mailbox: keys.mailbox, parcel: parcel.id, byteCount: UInt64(parcel.bytes.count))
        let fetch = desk.feed(.received(desk.relay, .listed([notice], isComplete: true)))
        #expect(requests(fetch) == [.fetch(keys.get, parcel.id)])
        let taking = desk.feed(.received(desk.relay, .parcel(parcel.bytes)))
        guard case .take(_, parcel.id, let device, _, let messages) = taking.first else {
            Issue.record("not taken")
            return
        }
        #expect(device == desk.bob && messages == [[7]] && requests(taking).isEmpty)
        let removal = desk.feed(.taken(desk.relay, parcel.id, MailOutcome(), isOwed: true))
        #expect(requests(removal) == [.remove(keys.get, [parcel.id])])
        #expect(desk.feed(.received(desk.relay, .removed)).isEmpty)
        desk.now += 1_000
        guard case .draft(_, let demand) = desk.feed(.tick).first else {
            Issue.record("not acknowledged")
            return
        }
        #expect(demand == ParcelDemand(device: desk.bob, account: desk.account, acknowledges: true, forwards: false))
    }

    @Test func `acknowledges no acknowledgement`() throws {
        var desk = try Desk()
        desk.enter()
        let parcel = try desk.parcel([[7]])
        let keys = desk.incoming()
        _ = desk.feed(.received(desk.relay, .arrived(keys.mailbox)))
        let notice = ParcelNotice(mailbox: keys.mailbox, parcel: parcel.id, byteCount: 4_096)
        _ = desk.feed(.received(desk.relay, .listed([notice], isComplete: true)))
        _ = desk.feed(.received(desk.relay, .parcel(parcel.bytes)))
        _ = desk.feed(.taken(desk.relay, parcel.id, MailOutcome(), isOwed: false))
        _ = desk.feed(.received(desk.relay, .removed))
        desk.now += 2_000
        #expect(desk.feed(.tick).isEmpty)
    }

    @Test func `leaves a parcel at the relay that does not fit yet, and takes it after another one has arrived`() throws
    {
        var desk = try Desk()
        desk.enter()
        let (early, late) = (try desk.parcel([[1]]), try desk.parcel([[2]]))
        let keys = desk.incoming()
        _ = desk.feed(.received(desk.relay, .arrived(keys.mailbox)))
        let notices = [late, early].map { ParcelNotice(mailbox: keys.mailbox, parcel: $0.id, byteCount: 4_096) }
        _ = desk.feed(.received(desk.relay, .listed(notices, isComplete: true)))
        _ = desk.feed(.received(desk.relay, .parcel(late.bytes)))
        #expect(
            requests(desk.feed(.taken(desk.relay, late.id, MailOutcome(awaited: [shared]), isOwed: true))) == [
                .fetch(keys.get, early.id)
            ]
        )
        _ = desk.feed(.received(desk.relay, .parcel(early.bytes)))
        #expect(
            requests(desk.feed(.taken(desk.relay, early.id, MailOutcome(), isOwed: true))) == [
                .remove(keys.get, [early.id])
            ]
        )
        // It looks again, and asks for the parcels that it had left.
        guard case .look? = requests(desk.feed(.received(desk.relay, .removed))).first else {
            Issue.record("it does not look again")
            return
        }
        let again = desk.feed(.received(desk.relay, .listed([notices[0]], isComplete: true)))
        #expect(requests(again) == [.fetch(keys.get, late.id)])
    }

    @Test func `looks again into a mailbox whose list is not complete, as long as something new is in it`() throws {
        var desk = try Desk()
        desk.enter()
        let (first, stuck) = (try desk.parcel([[1]]), try desk.parcel([[2]]))
        let keys = desk.incoming()
        func list(_ parcel: SealedParcel) -> MailboxReply {
            .listed([ParcelNotice(mailbox: keys.mailbox, parcel: parcel.id, byteCount: 4_096)], isComplete: false)
        }
        _ = desk.feed(.received(desk.relay, .arrived(keys.mailbox)))
        _ = desk.feed(.received(desk.relay, list(first)))
        _ = desk.feed(.received(desk.relay, .parcel(first.bytes)))
        let removal = desk.feed(.taken(desk.relay, first.id, MailOutcome(), isOwed: false))
        #expect(requests(removal) == [.remove(keys.get, [first.id])])
        #expect(requests(desk.feed(.received(desk.relay, .removed))) == [.look([keys.get])])
        _ = desk.feed(.received(desk.relay, list(stuck)))
        _ = desk.feed(.received(desk.relay, .parcel(stuck.bytes)))
        let kept = desk.feed(.taken(desk.relay, stuck.id, MailOutcome(awaited: [shared]), isOwed: false))
        #expect(requests(kept) == [.look([keys.get])])
        #expect(desk.feed(.received(desk.relay, list(stuck))).isEmpty, "it would look for ever")
    }

    @Test func `refuses parcels that its sender did not leave`() throws {
        var desk = try Desk()
        desk.enter()
        var bytes = try desk.parcel([[1]]).bytes
        bytes[50] ^= 1
        let forged = SealedParcel(bytes: bytes)
        let keys = desk.incoming()
        _ = desk.feed(.received(desk.relay, .arrived(keys.mailbox)))
        let notice = ParcelNotice(mailbox: keys.mailbox, parcel: forged.id, byteCount: 4_096)
        _ = desk.feed(.received(desk.relay, .listed([notice], isComplete: true)))
        let effects = desk.feed(.received(desk.relay, .parcel(forged.bytes)))
        guard case .reportForeign(_, desk.bob)? = effects.first else {
            Issue.record("nothing is said of it")
            return
        }
        #expect(requests(effects) == [.remove(keys.get, [forged.id])])
    }

    @Test func `leaves something ten seconds after it was written, unless the device comes`() throws {
        var desk = try Desk()
        desk.enter()
        desk.now = 60_999
        _ = desk.feed(.connectedChanged([desk.bob]))
        _ = desk.feed(.changed([]))
        desk.now = 80_000
        // Looks and nothing else, as long as the device is there.
        #expect(desk.feed(.tick).allSatisfy { if case .draft = $0 { false } else { true } })
        _ = desk.feed(.received(desk.relay, .listed([], isComplete: true)))
        _ = desk.feed(.connectedChanged([]))
        desk.now += 9_999
        #expect(desk.feed(.tick).isEmpty)
        desk.now += 1
        guard case .draft(_, let demand)? = desk.feed(.tick).first else {
            Issue.record("nothing is left")
            return
        }
        let put = desk.feed(.drafted(desk.relay, demand, Self.draft))
        let keys = desk.own.keys(relay: desk.relay, sender: desk.alice, recipient: desk.bob, day: 20_000)
        guard case .put(keys.put, let bytes)? = requests(put).first else {
            Issue.record("nothing is put")
            return
        }
        #expect(try Parcel(opening: bytes, keys).messages == Self.draft.messages)
        let noted = desk.feed(.received(desk.relay, .stored(SealedParcel(bytes: bytes).id, until: 77)))
        guard case .notePosted(let row)? = noted.first else {
            Issue.record("it is not remembered")
            return
        }
        #expect(row.until == 77 && row.stretches == Self.draft.stretches && row.device == desk.bob)
    }

    @Test func `believes no promise of another parcel`() throws {
        var desk = try Desk()
        desk.enter()
        desk.now += 10_000
        let demand = ParcelDemand(device: desk.bob, account: desk.account, acknowledges: false, forwards: false)
        _ = desk.feed(.tick)
        _ = desk.feed(.drafted(desk.relay, demand, Self.draft))
        let effects = desk.feed(.received(desk.relay, .stored(.zero, until: 77)))
        #expect(effects.allSatisfy { if case .notePosted = $0 { false } else { true } })
        guard case .close? = effects.first else {
            Issue.record("the session goes on")
            return
        }
    }

    @Test func `is left at the next relay when one has no room`() throws {
        var desk = try Desk(relays: 2)
        desk.enter()
        let second = desk.links[1].relay
        _ = desk.feed(.opened(second))
        _ = desk.feed(.received(second, .entered(quota: 9, used: 1, backend: "memory")))
        _ = desk.feed(.received(second, .listed([], isComplete: true)))
        _ = desk.feed(.postedRead(second, []))
        desk.now += 10_000
        guard case .draft(desk.relay, let demand)? = desk.feed(.tick).first else {
            Issue.record("nothing")
            return
        }
        _ = desk.feed(.drafted(desk.relay, demand, Self.draft))
        let effects = desk.feed(.received(desk.relay, .refused(.full)))
        guard case .draft(second, demand)? = effects.first else {
            Issue.record("the other one is not asked")
            return
        }
        #expect(desk.client.relayStates.map(\.state) == [.full, .connected])
    }

    @Test func `shows an admission that was refused again only later`() throws {
        var desk = try Desk()
        _ = desk.learn()
        _ = desk.feed(.opened(desk.relay))
        guard case .close? = desk.feed(.received(desk.relay, .refused(.notAdmitted))).first else {
            Issue.record("the session goes on")
            return
        }
        #expect(desk.client.relayStates.map(\.state) == [.refused])
        #expect(desk.client.nextDeadline == desk.now + 600_000)
    }

    @Test func `checks the state of its parcels, and withdraws acknowledged ones`() throws {
        var desk = try Desk()
        desk.enter()
        func row(_ number: UInt8) -> PostedParcelRow {
            PostedParcelRow(
                relay: desk.relay,
                device: desk.bob,
                parcel: Identifier(digesting: .treeNode, [number]),
                day: 19_999,
                until: 0,
                stretches: Self.draft.stretches
            )
        }
        let (there, gone, settled) = (row(1), row(2), row(3))
        desk.now = 700_000
        _ = desk.feed(.connectedChanged([desk.bob]))
        _ = desk.feed(.tick)
        let look = desk.feed(.received(desk.relay, .listed([], isComplete: true)))
        guard case .readPosted? = look.first else {
            Issue.record("it does not check")
            return
        }
        let asked = desk.feed(.postedRead(desk.relay, [(there, false), (gone, false), (settled, true)]))
        let keys = desk.own.keys(relay: desk.relay, sender: desk.alice, recipient: desk.bob, day: 19_999)
        #expect(requests(asked) == [.check(keys.put, [there.parcel, gone.parcel], withdrawing: [settled.parcel])])
        let effects = desk.feed(.received(desk.relay, .held([there.parcel])))
        guard effects.count == 2, case .noteSettled([settled]) = effects[0], case .noteMissing([gone]) = effects[1]
        else {
            Issue.record("\(effects)")
            return
        }
    }

    @Test func `checks its parcels half a minute after it has met a device`() throws {
        var desk = try Desk()
        desk.enter()
        _ = desk.feed(.connectedChanged([desk.bob]))
        #expect(desk.client.nextDeadline == desk.now + 30_000)
        desk.now += 29_999
        #expect(desk.feed(.tick).isEmpty)
        desk.now += 1
        guard case .readPosted(desk.relay)? = desk.feed(.tick).first else {
            Issue.record("it does not check")
            return
        }
    }

    @Test func `gives a relay up that does not answer`() throws {
        var desk = try Desk()
        _ = desk.learn()
        _ = desk.feed(.opened(desk.relay))
        desk.now = try #require(desk.client.nextDeadline)
        guard case .close? = desk.feed(.tick).first else {
            Issue.record("it waits for ever")
            return
        }
        #expect(desk.client.relayStates.map(\.state) == [.unreachable])
    }

    // MARK: Accounts with which zones are shared

    private let other = AccountID(digesting: .treeNode, [30])
    private let shared = ZoneID(digesting: .treeNode, [31])

    /// Bob is of another account; of two relays the first is Alice's own, and the second one is announced by Bob's
    /// account.
    private func facts(_ desk: Desk, passes: [AdmissionID] = [], unannounced: [ZoneID] = []) -> MailFacts {
        MailFacts(
            relays: [
                MailRelay(links: [desk.links[0]], isOwn: true, accounts: [desk.account, other], passes: passes),
                MailRelay(links: [desk.links[1], desk.links[1].pass(for: .zero)], isOwn: false, accounts: [other]),
            ],
            zones: [other: [shared]],
            unannounced: unannounced
        )
    }

    private func learn(_ desk: inout Desk, _ facts: MailFacts) -> [Effect] {
        desk.feed(.factsChanged(facts, partners: [desk.bob: MailPartner(account: other, secret: desk.own)]))
    }

    private func enter(_ desk: inout Desk, _ relay: RelayID) -> [Effect] {
        _ = desk.feed(.opened(relay))
        return desk.feed(.received(relay, .entered(quota: 9, used: 1, backend: "memory")))
    }

    @Test func `gives passes where the account is admitted, first and once a day, and nowhere else`() throws {
        var desk = try Desk(relays: 2)
        let pass = AdmissionID(digesting: .treeNode, [32])
        _ = learn(&desk, facts(desk, passes: [pass]))
        #expect(requests(enter(&desk, desk.links[0].relay)) == [.give([pass])])
        let second = desk.links[1].relay
        guard case .look = requests(enter(&desk, second)).first else {
            Issue.record("it does not look where others look")
            return
        }
        _ = desk.feed(.received(desk.relay, .given([pass])))
        _ = desk.feed(.received(desk.relay, .listed([], isComplete: true)))
        _ = desk.feed(.postedRead(desk.relay, []))
        // One more is given at once.
        let another = AdmissionID(digesting: .treeNode, [33])
        #expect(requests(learn(&desk, facts(desk, passes: [pass, another]))) == [.give([pass, another])])
        _ = desk.feed(.received(desk.relay, .given([pass, another])))
        desk.now += 86_400_000
        #expect(requests(desk.feed(.tick)).contains(.give([pass, another])))
    }

    @Test func `leaves something for another account with the relay that it has announced, or else with an own one`()
        throws
    {
        var desk = try Desk(relays: 2)
        _ = learn(&desk, facts(desk))
        func stand(_ relay: RelayID) {
            _ = enter(&desk, relay)
            _ = desk.feed(.received(relay, .listed([], isComplete: true)))
            _ = desk.feed(.postedRead(relay, []))
        }
        stand(desk.links[0].relay)
        stand(desk.links[1].relay)
        func drafts(_ effects: [Effect]) -> [RelayID] {
            effects.compactMap { effect in
                guard case .draft(let relay, let demand) = effect else { return nil }
                #expect(demand.account == other && demand.zones == [shared])
                return relay
            }
        }
        desk.now += 10_000
        #expect(drafts(desk.feed(.tick)) == [desk.links[1].relay])
        let demand = ParcelDemand(
            device: desk.bob,
            account: other,
            zones: [shared],
            acknowledges: false,
            forwards: false
        )
        _ = desk.feed(.drafted(desk.links[1].relay, demand, nil))
        _ = desk.feed(.closed(desk.links[1].relay))
        _ = desk.feed(.changed([]))
        desk.now += 10_000
        #expect(drafts(desk.feed(.tick)) == [desk.links[0].relay])
    }

    @Test func `shows a refused pass again after a minute, or shows another one`() throws {
        var desk = try Desk(relays: 2)
        _ = learn(&desk, facts(desk))
        let relay = desk.links[1].relay
        let first = desk.feed(.opened(relay))
        #expect(requests(first) == [.enter(secret: desk.links[1].admissionSecret)])
        _ = desk.feed(.received(relay, .refused(.notAdmitted)))
        desk.now += 60_000
        let isDialled = desk.feed(.tick).contains {
            if case .dial(let link, _) = $0 { link.relay == relay } else { false }
        }
        #expect(isDialled)
        let again = desk.feed(.opened(relay))
        #expect(requests(again) == [.enter(secret: desk.links[1].pass(for: .zero).admissionSecret)])
    }

    @Test func `announces once, and again when the relays are others or an hour has passed`() throws {
        var desk = try Desk(relays: 2)
        func announced(_ effects: [Effect]) -> [ZoneID] {
            effects.compactMap { if case .announce(let zone) = $0 { zone } else { nil } }
        }
        #expect(announced(learn(&desk, facts(desk, unannounced: [shared]))) == [shared])
        #expect(announced(learn(&desk, facts(desk, unannounced: [shared]))).isEmpty)
        var others = facts(desk, unannounced: [shared])
        others.relays[0].links = [desk.links[0].pass(for: shared)]
        #expect(announced(learn(&desk, others)) == [shared])
        desk.now += 3_600_000
        #expect(announced(learn(&desk, others)) == [shared])
    }

    @Test func `reads the relays of participants at once on request, and a while after a change`() throws {
        var desk = try Desk()
        func reads(_ effects: [Effect]) -> Bool {
            effects.contains { if case .readFacts = $0 { true } else { false } }
        }
        #expect(reads(desk.feed(.factsMayHaveChanged)))
        #expect(!reads(desk.feed(.changed([]))))
        #expect(desk.client.nextDeadline == desk.now + 15_000)
        desk.now += 15_000
        #expect(reads(desk.feed(.tick)))
        #expect(!reads(desk.feed(.tick)))
    }
}
