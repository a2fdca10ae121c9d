import Identity
import Mailbox
import Records
import Sodium
import Sync
import Testing
import Wire

@Suite struct `An incomplete list of several mailboxes` {
    private let awaited = ZoneID(digesting: .treeNode, [31])

    private func requests(_ effects: [MailboxClient.Effect]) -> [MailboxRequest] {
        effects.compactMap { if case .send(_, let request) = $0 { request } else { nil } }
    }

    /// The relay lists a parcel among others, and the store cannot take it in yet.
    /// - Returns: The requests that follow.
    private func list(_ parcel: SealedParcel, in mailbox: MailboxID, of desk: inout MailboxDesk) -> [MailboxRequest] {
        let notice = ParcelNotice(mailbox: mailbox, parcel: parcel.id, byteCount: 4_096)
        _ = desk.feed(.received(desk.relay, .listed([notice], isComplete: false)))
        _ = desk.feed(.received(desk.relay, .parcel(parcel.bytes)))
        let outcome = MailOutcome(awaited: [awaited])
        return requests(desk.feed(.taken(desk.relay, parcel.id, outcome, isOwed: false)))
    }

    /// Answers looks that concern one mailbox each with an empty list.
    /// - Returns: Their number, and whether one of them was into a mailbox.
    private func answer(
        _ begun: [MailboxRequest],
        _ proof: MailboxProof,
        of desk: inout MailboxDesk
    ) -> (count: Int, hasLooked: Bool) {
        var (next, count, hasLooked) = (begun, 0, false)
        while case .look(let proofs)? = next.first, proofs.count == 1 {
            count += 1
            if proofs == [proof] { hasLooked = true }
            next = requests(desk.feed(.received(desk.relay, .listed([], isComplete: true))))
        }
        return (count, hasLooked)
    }

    @Test func `makes the client look into each of a month's mailboxes alone`() throws {
        var desk = try MailboxDesk()
        _ = desk.learn()
        _ = desk.feed(.opened(desk.relay))
        _ = desk.feed(.received(desk.relay, .entered(quota: 9, used: 1, backend: "memory")))
        let parcel = try desk.parcel([[1]])
        let next = list(parcel, in: desk.incoming().mailbox, of: &desk)
        let looked = answer(next, desk.incoming().get, of: &desk)
        #expect(looked.count == 33 && looked.hasLooked)
    }

    @Test func `makes the client look into each alone also where they are two`() throws {
        var desk = try MailboxDesk()
        desk.enter()
        let (today, yesterday) = (desk.incoming(), desk.incoming(day: 19_999))
        _ = desk.feed(.received(desk.relay, .arrived(today.mailbox)))
        for mailbox in [today.mailbox, yesterday.mailbox] {
            _ = desk.feed(.received(desk.relay, .arrived(mailbox)))
        }
        let both = requests(desk.feed(.received(desk.relay, .listed([], isComplete: true))))
        guard case .look(let proofs)? = both.first else {
            Issue.record("it does not look")
            return
        }
        #expect(proofs.count == 2)
        let parcel = try desk.parcel([[1]])
        let next = list(parcel, in: today.mailbox, of: &desk)
        let looked = answer(next, yesterday.get, of: &desk)
        #expect(looked.count == 2 && looked.hasLooked)
    }
}
