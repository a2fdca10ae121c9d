import Testing
import Wire

@testable import Capabilities

@Suite struct OwnershipTests {
    let owner = ControlStory.owner
    let second = ControlStory.ownerSecond

    @Test func `a transfer makes another account the owner and cuts the old one's logs`() {
        var story = ControlStory()
        let kept = story.grant(by: owner, to: 2)
        let stays = story.capability(by: owner, to: 0, .admin)
        let new = story.transfer(
            to: 1,
            by: owner,
            cuts: [owner.position(.control, 1), owner.position(.data, 5)],
            regrants: [stays]
        )
        let late = story.grant(by: owner, to: 3)
        let state = story.state
        #expect(state.owner == ControlStory.accounts[1])
        #expect(state.verdicts[new.right] == .counts)
        #expect(state.cut(owner, in: story) == owner.position(.data, 5).cut)
        #expect(state.cut(second, in: story) == .zero)
        #expect(state.status(of: kept.right) == .live)
        #expect(state.status(of: stays.id) == .live)
        #expect(state.status(of: late.right) == .void(.aboveCut))
        story.revoke([kept.right], by: new)
        #expect(story.state.status(of: kept.right) != .live)
    }

    @Test func `of concurrent transfers the one by the device added first is effective`() {
        for isFirst in [true, false] {
            var story = ControlStory()
            let view = story.view
            let authors = isFirst ? [owner, second] : [second, owner]
            story.transfer(to: 1, by: authors[0], seen: view)
            story.transfer(to: 2, by: authors[1], seen: view)
            #expect(story.state.owner == ControlStory.accounts[isFirst ? 1 : 2])
        }
    }

    @Test func `a transfer that knows of an earlier one is too late, whichever device makes it`() {
        var story = ControlStory()
        // It claims to have seen the operation that the other one is about to write, and lets it be effective.
        let pretended = VersionVector([owner.actor: 1])
        let first = story.transfer(to: 1, by: second, cuts: [owner.position(.control, 1)], seen: pretended)
        story.say(.unknown(tag: 99, bytes: []), by: ControlStory.Author(account: 0, device: 2, right: .zero))
        let late = story.transfer(to: 2, by: owner)
        #expect(story.state.owner == ControlStory.accounts[1])
        #expect(story.state.verdicts[late.right] == .void(.lostTransfer(to: first.right)))
        #expect(story.state.status(of: late.right) == nil)
    }

    @Test func `a zone can come back to an account, whose old logs stay cut`() {
        var story = ControlStory()
        let new = story.transfer(to: 1, by: owner, cuts: [owner.position(.data, 2)])
        let back = story.transfer(to: 0, by: new)
        let granted = story.grant(by: back, to: 2)
        let old = story.grant(by: second, to: 3)
        let state = story.state
        #expect(state.owner == ControlStory.accounts[0])
        #expect(state.ownerships.map(\.right) == [.zero, new.right, back.right])
        #expect(state.status(of: granted.right) == .live)
        #expect(state.status(of: old.right) == .void(.aboveCut))
        #expect(state.cut(owner, in: story) == owner.position(.data, 2).cut)
        #expect(state.cut(back, in: story) == .none)
    }

    @Test func `only the owner transfers, corrects, makes final or ends the zone, and the owner cannot leave`() {
        var story = ControlStory()
        let admin = story.grant(by: owner, to: 1, .admin)
        let mine = [
            story.transfer(to: 1, by: admin).right,
            story.checkpoint([], by: admin),
            story.say(.zoneDeletion(reason: ""), by: admin),
            story.say(.raiseCut(CutRaise(capability: admin.right, cuts: [])), by: admin),
        ]
        for hash in mine { #expect(story.state.verdicts[hash] == .void(.ownerOnly)) }
        #expect(story.state.deletion == nil)
        let leave = story.say(.leave(Leave()), by: owner)
        #expect(story.state.verdicts[leave] == .void(.ownerLeaves))
        let gift = story.transfer(to: 0, by: owner)
        #expect(story.state.verdicts[gift.right] == .void(.alreadyOwner))
        let end = story.say(.zoneDeletion(reason: "done"), by: owner)
        #expect(story.state.deletion == end)
    }

    @Test func `a checkpoint makes more of another device of the owner effective, and with it its statements`() {
        var story = ControlStory()
        story.remove(second, at: 0)
        let granted = story.grant(by: second, to: 1)
        #expect(story.state.status(of: granted.right) == .void(.aboveCut))
        story.checkpoint([second.position(.control, 1)], by: owner)
        #expect(story.state.status(of: granted.right) == .live)
    }

    @Test func `a removed device cannot lift its own cut by a checkpoint`() {
        var story = ControlStory()
        story.remove(second, at: 0)
        let vain = story.checkpoint([second.position(.control, 9)], by: second)
        #expect(story.state.verdicts[vain] == .void(.aboveCut))
        #expect(story.state.watermarks.isEmpty)
    }
}
