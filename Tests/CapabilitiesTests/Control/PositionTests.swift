import Testing
import Wire

@testable import Capabilities

/// The extent to which positions are believed whose author is removed, hands over or leaves later.
@Suite struct PositionTests {
    let owner = ControlStory.owner
    let second = ControlStory.ownerSecond
    static let future: UInt64 = 1 << 62

    /// Returns positions in both lanes of a log that no device will ever reach.
    private func future(_ author: ControlStory.Author) -> [LogPosition] {
        [author.position(.control, Self.future), author.position(.data, Self.future)]
    }

    private func remove(_ author: ControlStory.Author, at size: UInt64, in story: inout ControlStory) {
        story.remove(author, at: size)
    }

    // MARK: Checkpoints

    @Test func `a removed device does not lift its cuts by an earlier checkpoint`() {
        var story = ControlStory()
        story.checkpoint(future(second), by: second)
        remove(second, at: 1, in: &story)
        let granted = story.grant(by: second, to: 1, .admin)
        let state = story.state
        #expect(state.status(of: granted.right) == .void(.aboveCut))
        #expect(state.participants.isEmpty)
        #expect(state.cut(second, .control, in: story) == second.position(.control, 1).cut)
        #expect(state.cut(second, .data, in: story) == second.position(.control, 1).cut)
    }

    @Test func `a removed device does not lift the cuts of others by an earlier checkpoint`() {
        var story = ControlStory()
        let writer = story.grant(by: owner, to: 1)
        story.revoke([writer.right], by: owner, cuts: [writer.position(.data, 3)])
        story.checkpoint([writer.position(.data, 9)], by: second)
        #expect(story.state.cut(writer, in: story) == writer.position(.data, 9).cut)
        remove(second, at: 1, in: &story)
        #expect(story.state.cut(writer, in: story) == writer.position(.data, 3).cut)
        // A device that stands has verified the position, and states it again.
        story.checkpoint([writer.position(.data, 9)], by: owner)
        #expect(story.state.cut(writer, in: story) == writer.position(.data, 9).cut)
    }

    @Test func `a checkpoint of a former owner continues to raise cuts when the new owner restates it`() {
        var story = ControlStory()
        let writer = story.grant(by: owner, to: 2)
        story.revoke([writer.right], by: owner, cuts: [writer.position(.data, 3)])
        story.checkpoint([writer.position(.data, 9)], by: owner)
        let new = story.transfer(to: 1, by: owner, cuts: [owner.position(.control, 3)])
        #expect(story.state.cut(writer, in: story) == writer.position(.data, 3).cut)
        story.checkpoint([writer.position(.data, 9)], by: new)
        #expect(story.state.cut(writer, in: story) == writer.position(.data, 9).cut)
    }

    @Test func `no author makes operations final that it claims not to have seen`() {
        var story = ControlStory()
        let writer = story.grant(by: owner, to: 1)
        story.say(.unknown(tag: 99, bytes: []), by: writer)
        story.checkpoint(
            [owner.position(.control, 2), writer.position(.control, 2), second.position(.control, 1)],
            by: owner
        )
        #expect(story.state.watermarks.isEmpty)
        story.checkpoint([owner.position(.control, 2), writer.position(.control, 1)], by: owner)
        #expect(story.state.watermarks.keys.sorted() == [owner.control, writer.control].sorted())
    }

    @Test func `a grant stays settled, or refused, when the maker of the checkpoint is removed`() {
        var story = ControlStory()
        let admin = story.grant(by: owner, to: 1, .admin)
        let settled = story.grant(by: admin, to: 2)
        let view = story.view
        story.checkpoint([admin.position(.control, 1)], by: second)
        let late = story.grant(by: admin, to: 3, seen: view)
        for _ in 0...1 {
            let state = story.state
            #expect(state.status(of: settled.right) == .live)
            #expect(state.status(of: late.right) != .live)
            remove(second, at: 1, in: &story)
        }
    }

    // MARK: Transfers

    @Test func `a former owner has no further effect under positions that it stated for its own log`() {
        var story = ControlStory()
        let new = story.transfer(to: 1, by: owner, cuts: future(owner))
        let granted = story.grant(by: owner, to: 3, .admin)
        let kept = story.grant(by: new, to: 2)
        story.revoke([kept.right], by: owner)
        story.say(.zoneDeletion(reason: "mine after all"), by: owner)
        let state = story.state
        #expect(state.owner == ControlStory.accounts[1])
        #expect(state.status(of: granted.right) == .void(.aboveCut))
        #expect(state.status(of: kept.right) == .live)
        #expect(state.deletion == nil)
    }

    @Test func `a former owner's other device has no effect once the new owner has stated the end of its log`() {
        var story = ControlStory()
        story.say(.unknown(tag: 99, bytes: []), by: second)
        var pretended = story.view
        pretended[second.actor] = 9
        let new = story.transfer(to: 1, by: owner, cuts: [second.position(.control, 9)], seen: pretended)
        story.say(.raiseCut(CutRaise(capability: .zero, cuts: [second.position(.control, 1)])), by: new)
        story.say(.zoneDeletion(reason: "mine after all"), by: second)
        #expect(story.state.cut(second, .control, in: story) == second.position(.control, 1).cut)
        #expect(story.state.deletion == nil)
    }

    // MARK: Leaving, and revoking in name

    @Test func `an account that left grants nothing more, and the owner states the effective part of its records`() {
        var story = ControlStory()
        let admin = story.grant(by: owner, to: 1, .admin)
        let before = story.grant(by: admin, to: 2)
        let leave = Leave(cuts: [admin.position(.control, Self.future), admin.position(.data, Self.future)])
        story.say(.leave(leave), by: admin)
        let after = story.grant(by: admin, to: 3, .admin)
        #expect(story.state.status(of: after.right) != .live)
        #expect(story.state.cut(admin, in: story) == admin.position(.data, Self.future).cut)
        let cuts = [admin.position(.control, 1), admin.position(.data, 5)]
        story.say(.raiseCut(CutRaise(capability: admin.right, cuts: cuts)), by: owner)
        let state = story.state
        #expect(state.status(of: before.right) == .live)
        #expect(state.status(of: after.right) != .live)
        #expect(state.cut(admin, in: story) == admin.position(.data, 5).cut)
        #expect(state.openCut(admin, in: story) == admin.position(.data, Self.future).cut)
    }

    @Test func `the owner revokes rights that an account gave up, and bounds the sizes of its leave`() {
        var story = ControlStory()
        let admin = story.grant(by: owner, to: 1, .admin)
        let below = story.grant(by: admin, to: 2)
        let other = story.grant(by: owner, to: 3)
        #expect(story.state.capabilitiesGivenUp(by: ControlStory.accounts[1]).isEmpty)
        let stated = [admin.position(.control, 1), admin.position(.data, Self.future)]
        story.say(.leave(Leave(cuts: stated)), by: admin)
        #expect(story.state.capabilitiesGivenUp(by: ControlStory.accounts[1]) == [admin.right])
        #expect(story.state.status(of: below.right) == .live)
        let held = [admin.position(.control, 1), admin.position(.data, 5), below.position(.data, 2)]
        story.revoke([admin.right], by: owner, cuts: held.sorted { $0.key < $1.key })
        let state = story.state
        #expect(state.capabilitiesGivenUp(by: ControlStory.accounts[1]).isEmpty)
        #expect(state.cut(admin, in: story) == admin.position(.data, 5).cut)
        #expect(state.openCut(admin, in: story) == admin.position(.data, 5).cut)
        #expect(state.cut(below, in: story) == below.position(.data, 2).cut)
        #expect(state.status(of: other.right) == .live)
    }

    @Test func `a right revoked by others was not given up, one that its account had also left was`() {
        var story = ControlStory()
        let admin = story.grant(by: owner, to: 1, .admin)
        let accomplice = story.grant(by: admin, to: 2)
        let other = story.grant(by: admin, to: 3)
        story.revoke([other.right], by: admin, cuts: [other.position(.data, Self.future)])
        #expect(story.state.capabilitiesGivenUp(by: ControlStory.accounts[3]).isEmpty)
        story.say(.leave(Leave(cuts: [accomplice.position(.data, Self.future)])), by: accomplice)
        let cuts = [accomplice.position(.control, 1), accomplice.position(.data, Self.future)]
        story.revoke([accomplice.right], by: admin, cuts: cuts)
        #expect(story.state.capabilitiesGivenUp(by: ControlStory.accounts[2]) == [accomplice.right])
    }

    @Test func `an owner's cut lowers the future cuts of an admin's revocation of its accomplice`() {
        var story = ControlStory()
        let admin = story.grant(by: owner, to: 1, .admin)
        let accomplice = story.grant(by: admin, to: 2)
        story.revoke([accomplice.right], by: admin, cuts: [accomplice.position(.data, Self.future)])
        let cuts = [accomplice.position(.data, 4)]
        story.say(.raiseCut(CutRaise(capability: accomplice.right, cuts: cuts)), by: owner)
        #expect(story.state.cut(accomplice, in: story) == accomplice.position(.data, 4).cut)
    }

    @Test func `a concurrent raise by the owner does not exceed the cut of the ending`() {
        var story = ControlStory()
        let admin = story.grant(by: owner, to: 1, .admin)
        let writer = story.grant(by: admin, to: 2)
        let view = story.view
        story.say(.raiseCut(CutRaise(capability: writer.right, cuts: [writer.position(.data, 8)])), by: owner)
        story.revoke([writer.right], by: admin, cuts: [writer.position(.data, 2)], seen: view)
        #expect(story.state.cut(writer, in: story) == writer.position(.data, 2).cut)
    }

    @Test func `a correction by a removed device is effective until a remaining device states another one`() {
        var story = ControlStory()
        let writer = story.grant(by: owner, to: 1)
        story.revoke([writer.right], by: owner, cuts: [writer.position(.data, 2)])
        let lie = CutRaise(capability: writer.right, cuts: [writer.position(.data, Self.future)])
        story.say(.raiseCut(lie), by: second)
        remove(second, at: 1, in: &story)
        #expect(story.state.cut(writer, in: story) == writer.position(.data, Self.future).cut)
        story.say(.raiseCut(CutRaise(capability: writer.right, cuts: [writer.position(.data, 6)])), by: owner)
        #expect(story.state.cut(writer, in: story) == writer.position(.data, 6).cut)
    }

    @Test func `two devices of the owner that remove each other's lies end with the last statement`() {
        var story = ControlStory()
        let third = ControlStory.Author(account: 0, device: 2, right: .zero)
        let writer = story.grant(by: owner, to: 1)
        story.revoke([writer.right], by: owner, cuts: [writer.position(.data, 2)])
        for author in [second, third] { story.checkpoint([writer.position(.data, Self.future)], by: author) }
        remove(second, at: 1, in: &story)
        #expect(story.state.cut(writer, in: story) == writer.position(.data, Self.future).cut)
        remove(third, at: 1, in: &story)
        #expect(story.state.cut(writer, in: story) == writer.position(.data, 2).cut)
    }
}

extension ControlState {
    fileprivate func openCut(_ author: ControlStory.Author, in story: ControlStory) -> EffectiveCut {
        openCut(of: author.data, device: author.deviceID, under: author.right, directory: story.directory)
    }
}
