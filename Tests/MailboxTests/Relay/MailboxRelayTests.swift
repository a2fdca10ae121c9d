import Mailbox
import TestSupport
import Testing
import Wire

@Suite struct `A relay of mailboxes` {
    private typealias Effect = MailboxRelay.Effect

    /// A relay's core with a storage behind it that answers at once, unless `answersAtOnce` is false.
    private struct Desk {
        var core: MailboxRelay
        var parcels = MemoryParcels()
        var now: UInt64 = 1_000
        var answersAtOnce = true
        var orders: [(UInt64, MailboxRelay.Order)] = []
        let secret = [UInt8](repeating: 5, count: 32)

        init(_ change: (inout MailboxRelay.Settings) -> Void = { _ in }) throws {
            var settings = MailboxRelay.Settings()
            change(&settings)
            core = MailboxRelay(backend: "memory", settings: settings)
            let admission = Admission(id: AdmissionID(secret: secret), name: "a", quota: 10_000_000, since: 0)
            try parcels.admit(admission)
        }

        /// Returns the effects that are left to the driver; the storage answers those that are meant for it.
        mutating func feed(_ input: MailboxRelay.Input) -> [Effect] {
            var all: [Effect] = []
            var inputs = [input]
            while !inputs.isEmpty {
                var effects: [Effect] = []
                core.handle(inputs.removeFirst(), at: now, wall: 5_000_000, into: &effects)
                for effect in effects {
                    guard case .perform(let id, let order) = effect else {
                        all.append(effect)
                        continue
                    }
                    orders.append((id, order))
                    if answersAtOnce { inputs.append(.answered(id, answer(order))) }
                }
            }
            return all
        }

        mutating func answer(_ order: MailboxRelay.Order) -> MailboxRelay.Answer {
            switch order {
            case .enter(let id): .entered(parcels.admission(id))
            case .put(let admission, let mailbox, let parcel, let until):
                .put(
                    parcels.put(
                        ParcelDeposit(
                            admission: admission,
                            mailbox: mailbox,
                            parcel: parcel,
                            until: until,
                            room: ParcelRoom(total: 1 << 30)
                        )
                    )
                )
            case .look(let mailboxes): .listed(parcels.parcels(in: mailboxes, limit: Limits.parcelCountMax))
            case .fetch(let mailbox, let parcel): .parcel(parcels.parcel(parcel, in: mailbox))
            case .give(let passes, let giver, let now, let until):
                .given(parcels.give(passes, under: giver, at: now, until: until))
            case .remove, .check: .held([])
            case .claim(let admission, let slot, let value, let until):
                .claimed(
                    parcels.claim(
                        SlotClaim(
                            admission: admission,
                            slot: slot,
                            value: value,
                            until: until,
                            room: ParcelRoom(total: 1 << 30)
                        )
                    )
                )
            }
        }

        mutating func enter(_ id: UInt64) -> [Effect] {
            _ = feed(.opened(id))
            return feed(.received(id, .enter(secret: secret)))
        }
    }

    private func proofs(_ seed: UInt8) -> (put: MailboxProof, get: MailboxProof, mailbox: MailboxID) {
        let (putKey, getKey) = ([UInt8](repeating: seed, count: 32), [UInt8](repeating: seed ^ 0xFF, count: 32))
        // A proof's own half yields the hash that the other one has to name.
        let probe = { (key: [UInt8]) in MailboxKeysProbe.hash(of: key) }
        let put = MailboxProof(key: putKey, other: probe(getKey))
        return (put, MailboxProof(key: getKey, other: probe(putKey)), MailboxID(put: put))
    }

    private let bytes = [UInt8](repeating: 1, count: Limits.parcelByteCountMin)

    @Test func `answers nothing to a client that was not admitted`() throws {
        var desk = try Desk()
        _ = desk.feed(.opened(1))
        let proof = proofs(1)
        let requests: [MailboxRequest] = [
            .put(proof.put, parcel: bytes), .look([proof.get]), .fetch(proof.get, .zero), .remove(proof.get, [.zero]),
            .check(proof.put, [.zero], withdrawing: []), .claim(.zero, value: .zero, until: 1), .give([.zero]),
        ]
        for request in requests {
            #expect(desk.feed(.received(1, request)) == [.send(1, .refused(.notAdmitted))])
        }
        #expect(desk.orders.isEmpty)
        #expect(
            desk.feed(.received(1, .enter(secret: [UInt8](repeating: 6, count: 32)))) == [
                .send(1, .refused(.notAdmitted))
            ]
        )
        #expect(desk.core.enteredCount == 0)
    }

    @Test func `keeps a parcel for a client that proves that it may take it`() throws {
        var desk = try Desk()
        #expect(desk.enter(1) == [.send(1, .entered(quota: 10_000_000, used: 0, backend: "memory"))])
        let proof = proofs(1)
        let parcel = SealedParcel(bytes: bytes)
        let until: UInt64 = 5_000_000 + 30 * 86_400_000
        #expect(desk.feed(.received(1, .put(proof.put, parcel: bytes))) == [.send(1, .stored(parcel.id, until: until))])
        let notice = ParcelNotice(mailbox: proof.mailbox, parcel: parcel.id, byteCount: UInt64(bytes.count))
        #expect(desk.feed(.received(1, .look([proof.get]))) == [.send(1, .listed([notice], isComplete: true))])
        #expect(desk.feed(.received(1, .fetch(proof.get, parcel.id))) == [.send(1, .parcel(bytes))])
        // A device that may put is not one that may take.
        #expect(desk.feed(.received(1, .look([proof.put]))) == [.send(1, .listed([], isComplete: true))])
        #expect(desk.feed(.received(1, .fetch(proof.put, parcel.id))) == [.send(1, .missing(parcel.id))])
    }

    @Test func `admits a bearer of a pass, with a quota of its own and no passes to give`() throws {
        var desk = try Desk()
        _ = desk.enter(1)
        let secret = [UInt8](repeating: 7, count: 32)
        let pass = AdmissionID(secret: secret)
        #expect(desk.feed(.received(1, .give([pass]))) == [.send(1, .given([pass]))])
        _ = desk.feed(.opened(2))
        let entered = desk.feed(.received(2, .enter(secret: secret)))
        #expect(entered == [.send(2, .entered(quota: 10_000_000 / 16, used: 0, backend: "memory"))])
        let proof = proofs(1)
        _ = desk.feed(.received(1, .look([proof.get])))
        // A parcel that came under a pass is announced, listed and fetched like any other.
        #expect(desk.feed(.received(2, .put(proof.put, parcel: bytes))).contains(.send(1, .arrived(proof.mailbox))))
        let parcel = SealedParcel(bytes: bytes)
        #expect(desk.feed(.received(1, .fetch(proof.get, parcel.id))) == [.send(1, .parcel(bytes))])
        let refused = [Effect.send(2, .refused(.notAdmitted))]
        #expect(desk.feed(.received(2, .give([.zero]))) == refused)
        #expect(desk.feed(.received(2, .claim(.zero, value: .zero, until: 1))) == refused)
        #expect(desk.parcels.admission(AdmissionID(secret: desk.secret))?.byteCount == 0)
    }

    @Test func `notifies a client that has looked of a new parcel`() throws {
        var desk = try Desk()
        _ = desk.enter(1)
        _ = desk.enter(2)
        let proof = proofs(1)
        _ = desk.feed(.received(2, .look([proof.get])))
        let effects = desk.feed(.received(1, .put(proof.put, parcel: bytes)))
        #expect(effects.contains(.send(2, .arrived(proof.mailbox))))
        // Not of other mailboxes, and not any more once it has gone.
        #expect(desk.feed(.received(1, .put(proofs(2).put, parcel: bytes))).count == 1)
        _ = desk.feed(.closed(2))
        #expect(desk.feed(.received(1, .put(proof.put, parcel: bytes))).count == 1)
    }

    @Test func `does one thing at a time for a session, in order, and lets no session wait for another`() throws {
        var desk = try Desk()
        _ = desk.enter(1)
        _ = desk.enter(2)
        desk.answersAtOnce = false
        desk.orders = []
        let proof = proofs(1)
        for _ in 0..<4 { _ = desk.feed(.received(1, .look([proof.get]))) }
        #expect(desk.orders.map(\.0) == [1])
        _ = desk.feed(.received(2, .look([proof.get])))
        #expect(desk.orders.map(\.0) == [1, 2])
        _ = desk.feed(.answered(1, .listed([])))
        #expect(desk.orders.map(\.0) == [1, 2, 1])
    }

    @Test func `stops reading from a client that asks too fast, and closes one that does not stop`() throws {
        var desk = try Desk()
        _ = desk.enter(1)
        desk.answersAtOnce = false
        let proof = proofs(1)
        var effects: [Effect] = []
        for _ in 0..<6 { effects += desk.feed(.received(1, .look([proof.get]))) }
        #expect(effects == [.pause(1)])
        for _ in 0..<3 { effects += desk.feed(.answered(1, .listed([]))) }
        #expect(effects.contains(.resume(1)))
        for _ in 0..<20 { effects += desk.feed(.received(1, .look([proof.get]))) }
        #expect(effects.contains(.close(1, reason: .flooded)))
    }

    @Test func `ends sessions without proof or without messages`() throws {
        var desk = try Desk()
        #expect(desk.core.nextDeadline == nil)
        _ = desk.feed(.opened(1))
        _ = desk.enter(2)
        #expect(desk.core.nextDeadline == 11_000)
        desk.now = 11_000
        #expect(desk.feed(.tick) == [.close(1, reason: .late)])
        desk.now = 151_000
        #expect(desk.feed(.tick) == [.close(2, reason: .silent)])
        #expect(desk.core.nextDeadline == nil)
    }

    @Test func `reports no room, the end of the admission, or a failure`() throws {
        var desk = try Desk()
        _ = desk.enter(1)
        desk.answersAtOnce = false
        let answers: [(MailboxRelay.Answer, MailboxRefusal)] = [
            (.put(.full), .full), (.failed, .unavailable), (.put(.notAdmitted), .notAdmitted),
        ]
        for (answer, refusal) in answers {
            _ = desk.feed(.received(1, .put(proofs(1).put, parcel: bytes)))
            #expect(desk.feed(.answered(1, answer)) == [.send(1, .refused(refusal))])
        }
        #expect(desk.core.enteredCount == 0)
    }

    @Test func `answers a claim of a slot with its value, and keeps it for a day to 400 days`() throws {
        var desk = try Desk()
        _ = desk.enter(1)
        _ = desk.enter(2)
        func digest(_ number: UInt64) -> Digest32 { Digest32(word0: number, word1: 0, word2: 0, word3: 0) }
        let (slot, other) = (SlotID(digest(1)), SlotID(digest(2)))
        let (mine, theirs) = (Hash(digest(3)), Hash(digest(4)))
        desk.orders = []
        #expect(desk.feed(.received(1, .claim(slot, value: mine, until: 1))) == [.send(1, .claimed(mine))])
        #expect(desk.feed(.received(2, .claim(slot, value: theirs, until: .max))) == [.send(2, .claimed(mine))])
        #expect(desk.feed(.received(1, .claim(slot, value: mine, until: 1))) == [.send(1, .claimed(mine))])
        let month: UInt64 = 5_000_000 + 30 * 86_400_000
        #expect(desk.feed(.received(2, .claim(other, value: theirs, until: month))) == [.send(2, .claimed(theirs))])
        let times = desk.orders.compactMap { _, order -> UInt64? in
            if case .claim(_, _, _, let until) = order { until } else { nil }
        }
        let (day, year): (UInt64, UInt64) = (5_000_000 + 86_400_000, 5_000_000 + 400 * 86_400_000)
        #expect(times == [day, year, day, month])
    }

    @Test func `reports also for a slot that there is no room or no admission`() throws {
        var desk = try Desk()
        _ = desk.enter(1)
        desk.answersAtOnce = false
        let answers: [(MailboxRelay.Answer, MailboxRefusal)] = [
            (.claimed(.full), .full), (.failed, .unavailable), (.put(.stored), .unavailable),
            (.claimed(.notAdmitted), .notAdmitted),
        ]
        for (answer, refusal) in answers {
            _ = desk.feed(.received(1, .claim(.zero, value: .zero, until: 1)))
            #expect(desk.feed(.answered(1, answer)) == [.send(1, .refused(refusal))])
        }
        #expect(desk.core.enteredCount == 0)
    }

    @Test func `accepts no more sessions than it has room for`() throws {
        var desk = try Desk { $0.sessionCountMax = 2 }
        _ = desk.feed(.opened(1))
        _ = desk.feed(.opened(2))
        #expect(desk.feed(.opened(3)) == [.close(3, reason: .full)])
        #expect(desk.feed(.received(3, .look([]))).isEmpty)
    }
}
