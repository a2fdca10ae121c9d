import Identity
import Testing
import Wire

@testable import Capabilities

/// No account becomes the owner of a zone without its consent.
@Suite("The transfer of a zone") struct ConsentTests {
    let owner = ControlStory.owner
    let second = ControlStory.ownerSecond

    /// Returns the verdict on a transfer to account 1, and the owner of the zone behind it.
    private func verdict(
        of consent: (ControlStory) -> SignedTransferConsent,
        changing change: (inout ControlStory) -> Void = { _ in }
    ) -> EntryVerdict? {
        var story = ControlStory()
        change(&story)
        let new = story.transfer(to: 1, by: owner, consent: consent(story))
        let state = story.state
        #expect((state.owner == ControlStory.accounts[1]) == (state.verdicts[new.right] == .counts))
        return state.verdicts[new.right]
    }

    @Test func `is effective with the consent of a device of the account, whether it is a participant or not`() {
        #expect(verdict { $0.consent(of: 1, device: 2, after: .zero) } == .counts)
    }

    @Test func `is void with a consent that no device of the account has signed`() {
        #expect(verdict { $0.consent(of: 1, after: .zero, signer: ControlStory.devices[0][0]) } == .void(.noConsent))
        let borrowed = verdict { story in
            let keys = ControlStory.devices[2][0]
            return TransferConsent(
                zone: ControlStory.zone,
                ownership: .zero,
                account: ControlStory.accounts[1],
                offer: .zero,
                device: keys.deviceID
            ).signed(by: keys.sign)
        }
        #expect(borrowed == .void(.noConsent))
    }

    @Test func `is void with the consent for another zone, or for the end of another ownership`() {
        let elsewhere = ZoneID(WorldPool.digest(1, 9))
        #expect(verdict { $0.consent(of: 1, after: .zero, zone: elsewhere) } == .void(.noConsent))
        #expect(verdict { $0.consent(of: 1, after: Hash(WorldPool.digest(8, 3))) } == .void(.noConsent))
    }

    @Test func `is effective with the consent of a device removed since, not with that of a read-only one`() {
        let account = ControlStory.accounts[1]
        let device = ControlStory.devices[1][0].deviceID
        let standings: [(AccountStanding?, EntryVerdict)] = [
            (.removed(.full, addedAt: 0), .counts), (.active(.readOnly, addedAt: 0), .void(.noConsent)),
            (.active(.relayOnly, addedAt: 0), .void(.noConsent)), (nil, .void(.noConsent)),
        ]
        for (standing, expected) in standings {
            let found = verdict {
                $0.consent(of: 1, after: .zero)
            } changing: {
                $0.directory.standings[account]?[device] = standing
            }
            #expect(found == expected)
        }
    }

    @Test func `waits while the devices of the account are not known, and precedes later ones once they are`() {
        let heir = ControlStory.accounts[1]
        var story = ControlStory()
        let known = story.directory.standings[heir]
        story.directory.standings[heir] = nil
        let first = story.transfer(to: 1, by: owner)
        let said = story.grant(by: first, to: 3)
        #expect(story.state.verdicts[first.right] == .waiting(.account(heir)))
        #expect(story.state.verdicts[said.right] == nil && story.state.status(of: said.right)?.isWaiting == true)
        #expect(story.state.unknownAccounts == [heir])
        #expect(story.state.owner == ControlStory.accounts[0])
        let later = story.transfer(to: 2, by: owner, cuts: [owner.position(.control, 1)])
        #expect(story.state.owner == ControlStory.accounts[2])
        #expect(story.state.verdicts[first.right] == .waiting(.account(heir)))
        var kept = KeptResolution(
            zone: ControlStory.zone,
            owners: [ControlStory.accounts[0]],
            entries: story.entries,
            directory: story.directory
        )
        story.directory.standings[heir] = known
        kept.follow(story.directory) { account, old in
            old.standings[account] == story.directory.standings[account]
        }
        #expect(story.state.owner == heir)
        #expect(story.state.verdicts[later.right] == .void(.aboveCut))
        #expect(kept.state == story.state)
    }

    @Test func `above the cut of another one waits as well while its account is not known`() {
        var story = ControlStory()
        let heir = ControlStory.accounts[1]
        story.directory.standings[heir] = nil
        let view = story.view
        let first = story.transfer(to: 2, by: owner, seen: view)
        let other = story.transfer(to: 1, by: second, seen: view)
        #expect(story.state.owner == ControlStory.accounts[2])
        #expect(story.state.verdicts[first.right] == .counts)
        #expect(story.state.verdicts[other.right] == .waiting(.account(heir)))
    }

    @Test func `with a consent that did not lead to it is void for a zone that came back`() {
        var story = ControlStory()
        let old = story.consent(of: 1, after: .zero)
        let new = story.transfer(to: 1, by: owner, consent: old)
        let back = story.transfer(to: 0, by: new)
        let again = story.transfer(to: 1, by: back, consent: old)
        #expect(story.state.verdicts[again.right] == .void(.noConsent))
        #expect(story.state.owner == ControlStory.accounts[0])
    }

    // MARK: Offers

    private func offer(to account: Int, keeps: AccessLevel? = nil) -> ControlBody {
        .transferOffer(TransferOffer(to: ControlStory.accounts[account], keeps: keeps))
    }

    /// A zone in which account 1 takes part, and to which it is offered.
    private func offered() -> (story: ControlStory, heir: ControlStory.Author, offer: Hash) {
        var story = ControlStory()
        let heir = story.grant(by: owner, to: 1)
        let hash = story.say(offer(to: 1, keeps: .write), by: owner)
        return (story, heir, hash)
    }

    @Test func `is offered first, which changes no rights`() throws {
        let (story, _, hash) = offered()
        let found = try #require(story.state.offer)
        #expect(found.entry == hash && found.newOwner == ControlStory.accounts[1] && found.keeps == .write)
        #expect(found.author == owner.actor && found.ownership == .zero && found.answer == nil)
        #expect(story.state.owner == ControlStory.accounts[0] && story.state.ownerships.count == 1)
    }

    @Test func `is answered by the account alone, and its last answer holds`() {
        var (story, heir, hash) = offered()
        let stranger = story.grant(by: owner, to: 2)
        let yes = TransferAnswer.accepted(story.consent(of: 1, after: .zero, to: hash))
        story.say(.transferAnswer(yes), by: stranger)
        #expect(story.state.offer?.answer == nil)
        story.say(.transferAnswer(.declined(offer: hash)), by: heir)
        #expect(story.state.offer?.answer == .declined(offer: hash) && story.state.offer?.consent == nil)
        story.say(.transferAnswer(yes), by: heir)
        #expect(story.state.offer?.answer == yes && story.state.offer?.consent != nil)
        let vain = story.consent(of: 1, after: .zero, to: hash, signer: ControlStory.devices[2][0])
        story.say(.transferAnswer(.accepted(vain)), by: heir)
        #expect(story.state.offer?.answer == yes)
        #expect(story.state.owner == ControlStory.accounts[0])
    }

    @Test func `is accepted by no consent for another zone or ownership, nor by that of a device that may not speak`()
        throws
    {
        var (start, heir, hash) = offered()
        let (account, reader) = (ControlStory.accounts[1], ControlStory.devices[1][1].deviceID)
        start.directory.standings[account]?[reader] = .active(.readOnly, addedAt: 1)
        let stranger = ControlStory.devices[2][0]
        let borrowed = TransferConsent(
            zone: ControlStory.zone,
            ownership: .zero,
            account: account,
            offer: hash,
            device: stranger.deviceID
        ).signed(by: stranger.sign)
        let vain = [
            start.consent(of: 1, after: .zero, zone: ZoneID(WorldPool.digest(1, 9)), to: hash),
            start.consent(of: 1, after: Hash(WorldPool.digest(8, 3)), to: hash),
            start.consent(of: 1, device: 1, after: .zero, to: hash),
            borrowed,
        ]
        for (number, consent) in vain.enumerated() {
            var story = start
            let answer = story.say(.transferAnswer(.accepted(consent)), by: heir)
            let offer = try #require(story.state.offer)
            #expect(story.state.verdicts[answer] == .counts, "consent \(number)")
            #expect(offer.entry == hash && offer.answer == nil, "consent \(number)")
        }
        let yes = TransferAnswer.accepted(start.consent(of: 1, device: 2, after: .zero, to: hash))
        start.say(.transferAnswer(yes), by: heir)
        #expect(start.state.offer?.answer == yes)
    }

    @Test func `has no open offer after a withdrawal, another offer, the end of the right, or a transfer`() {
        let (first, heir, _) = offered()
        var story = first
        story.say(.transferOffer(.withdrawal), by: second)
        #expect(story.state.offer == nil)
        story = first
        story.say(offer(to: 2), by: second)
        #expect(story.state.offer == nil, "account 2 takes no part")
        story = first
        story.revoke([heir.right], by: owner)
        #expect(story.state.offer == nil)
        story = first
        story.transfer(to: 1, by: owner, cuts: [owner.position(.control, 2)])
        #expect(story.state.offer == nil && story.state.owner == ControlStory.accounts[1])
    }

    @Test func `is offered by the owner alone, to accounts that may read it`() {
        var story = ControlStory()
        let admin = story.grant(by: owner, to: 1, .admin)
        _ = story.grant(by: owner, to: 2, .relay)
        let vain = story.say(offer(to: 1), by: admin)
        #expect(story.state.verdicts[vain] == .void(.ownerOnly) && story.state.offer == nil)
        story.say(offer(to: 2), by: owner)
        #expect(story.state.offer == nil)
    }
}
