import Testing
import Wire

@testable import Capabilities

/// The effective part of a removed device's logs: `docs/protocol/positions.md`, rule 3.
@Suite struct DeviceStatementTests {
    let owner = ControlStory.owner
    let second = ControlStory.ownerSecond
    let third = ControlStory.Author(account: 0, device: 2, right: .zero)

    /// Three devices of the owner, of which the third is removed.
    private func story(witnesses: [ControlStory.Author] = []) -> ControlStory {
        var story = ControlStory()
        story.markRemoved(third)
        story.directory.witnesses[third.deviceID] = Set(witnesses.map(\.deviceID))
        return story
    }

    private func cut(_ author: ControlStory.Author, _ story: ControlStory) -> EffectiveCut {
        story.state.cut(author, in: story)
    }

    @Test func `all writes of a removed device are effective until a device states how much`() {
        var story = story()
        #expect(cut(third, story) == .none)
        story.state(third, at: 4, by: 1)
        #expect(cut(third, story) == third.position(.data, 4).cut)
    }

    @Test func `a log that a statement does not list is cut at zero`() {
        var story = story()
        story.state(third, at: 0, by: 0)
        #expect(cut(third, story) == .zero)
    }

    @Test func `a statement concerns logs under its own right alone`() {
        var story = story()
        let writer = story.grant(by: owner, to: 1)
        let removed = ControlStory.Author(account: 1, device: 1, right: writer.right)
        let other = story.grant(by: owner, to: 1)
        story.markRemoved(removed)
        story.state(removed, at: 2, by: 0)
        #expect(cut(removed, story) == removed.position(.data, 2).cut)
        #expect(cut(ControlStory.Author(account: 1, device: 1, right: other.right), story) == .none)
    }

    @Test func `the witness takes precedence, and otherwise the highest statement`() {
        var told = story(witnesses: [second])
        told.state(third, at: 9, by: 0)
        #expect(cut(third, told) == third.position(.data, 9).cut)
        told.state(third, at: 4, by: 1)
        #expect(cut(third, told) == third.position(.data, 4).cut)
        var untold = story()
        untold.state(third, at: 4, by: 1)
        untold.state(third, at: 9, by: 0)
        #expect(cut(third, untold) == third.position(.data, 9).cut)
    }

    @Test func `of two witnesses the stricter holds, and of one the last statement if it is higher`() {
        var story = story(witnesses: [owner, second])
        story.state(third, at: 9, by: 0)
        story.state(third, at: 4, by: 1)
        #expect(cut(third, story) == third.position(.data, 4).cut)
        story.state(third, at: 6, by: 1)
        story.state(third, at: 5, by: 1)
        #expect(cut(third, story) == third.position(.data, 6).cut)
    }

    @Test func `a removed device is believed while no other states anything, within its own effective log`() {
        var story = story(witnesses: [second])
        story.state(third, at: 4, by: 1)
        story.markRemoved(second)
        #expect(cut(third, story) == third.position(.data, 4).cut)
        // From here on its statements are above its cut.
        story.state(second, at: 1, by: 0)
        story.state(third, at: 1 << 40, by: 1)
        #expect(cut(third, story) == third.position(.data, 4).cut)
        story.state(third, at: 7, by: 0)
        #expect(cut(third, story) == third.position(.data, 7).cut)
    }

    @Test func `statements about oneself, about present devices, or for another account are void`() {
        var story = story()
        story.state(third, at: 3, by: 2)
        story.state(second, at: 0, by: 0)
        let writer = story.grant(by: owner, to: 1)
        story.say(.deviceCuts(DeviceCuts(devices: [third.deviceID], cuts: [])), by: writer)
        #expect(cut(third, story) == .none)
        #expect(cut(second, story) == .none)
    }

    @Test func `a statement above its author's cut by a revocation is not believed`() {
        var story = ControlStory()
        let speaker = story.grant(by: owner, to: 1)
        let removed = ControlStory.Author(account: 1, device: 1, right: speaker.right)
        story.markRemoved(removed)
        story.revoke([speaker.right], by: owner, cuts: [removed.position(.data, 5)])
        story.state(removed, at: 2, by: 0)
        #expect(cut(removed, story) == removed.position(.data, 5).cut)
    }

    @Test func `a transfer or a leave by a removed device, above the stated cut, has no effect`() {
        var story = story()
        story.transfer(to: 1, by: third)
        #expect(story.state.owner == ControlStory.accounts[1])
        story.state(third, at: 0, by: 0)
        #expect(story.state.owner == ControlStory.accounts[0])
        let writer = story.grant(by: owner, to: 2)
        let removed = ControlStory.Author(account: 2, device: 1, right: writer.right)
        story.say(.leave(Leave(cuts: [])), by: removed)
        #expect(story.state.participants[ControlStory.accounts[2]] == nil)
        story.remove(removed, at: 0, by: 0)
        #expect(story.state.participants[ControlStory.accounts[2]] != nil)
    }

    @Test func `unstated removals are listed for rights of the account and devices without a statement`() {
        var story = story()
        let account = ControlStory.accounts[0]
        let unsaid = UnsaidRemovals(right: .zero, devices: [third.deviceID])
        #expect(story.state.unsaidRemovals(of: account, removed: [third.deviceID]) == [unsaid])
        story.state(third, at: 1, by: 0)
        #expect(story.state.unsaidRemovals(of: account, removed: [third.deviceID]).isEmpty)
        story.markRemoved(owner)
        let both = story.state.unsaidRemovals(of: account, removed: [owner.deviceID, third.deviceID])
        #expect(both.map(\.devices.count) == [2])
        story.transfer(to: 1, by: second)
        #expect(story.state.unsaidRemovals(of: account, removed: [third.deviceID]).isEmpty)
    }
}
