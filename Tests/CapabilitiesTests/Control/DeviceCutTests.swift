import Testing
import Wire

@testable import Capabilities

/// How much counts of a device that was removed, by what devices of its account say in the zone.
@Suite struct DeviceCutTests {
    let owner = ControlStory.owner
    let second = ControlStory.ownerSecond
    let third = ControlStory.Author(account: 0, device: 2, right: .zero)

    private func remove(
        _ author: ControlStory.Author,
        by remover: ControlStory.Author? = nil,
        frozenAt size: UInt64 = 0,
        in story: inout ControlStory
    ) {
        let account = ControlStory.accounts[author.account]
        story.directory.standings[account]?[author.deviceID] = .removed(.full, addedAt: author.device)
        story.directory.cuts[author.deviceID] = author.position(.control, size)
        story.directory.stated[author.deviceID] = Set(remover.map { [$0.deviceID] } ?? [])
    }

    private func state(
        _ device: ControlStory.Author,
        data size: UInt64,
        by author: ControlStory.Author,
        in story: inout ControlStory
    ) {
        let known = story.size(device)
        let control = known > 0 ? [device.position(.control, known)] : []
        story.say(
            .deviceCut(DeviceCut(device: device.deviceID, cuts: control + [device.position(.data, size)])),
            by: author
        )
    }

    @Test func `a removed device counts as far as the device says that removed it`() {
        var story = ControlStory()
        story.say(.unknown(tag: 99, bytes: []), by: second)
        state(second, data: 5, by: owner, in: &story)
        #expect(story.state.cut(second, in: story) == .none)
        remove(second, by: owner, in: &story)
        #expect(story.state.cut(second, in: story) == second.position(.data, 5).cut)
        #expect(story.state.cut(second, .control, in: story) == second.position(.control, 1).cut)
        let granted = story.grant(by: second, to: 1)
        #expect(story.state.status(of: granted.right) == .void(.aboveCut))
    }

    @Test func `a log of which nobody says anything stays where it is`() {
        var story = ControlStory()
        remove(second, by: owner, frozenAt: 3, in: &story)
        #expect(story.state.cut(second, in: story) == second.position(.control, 3).cut)
        state(second, data: 7, by: owner, in: &story)
        #expect(story.state.cut(second, in: story) == second.position(.data, 7).cut)
    }

    @Test func `what is not listed is cut at zero`() {
        var story = ControlStory()
        story.say(.deviceCut(DeviceCut(device: second.deviceID, cuts: [])), by: owner)
        remove(second, by: owner, frozenAt: 3, in: &story)
        #expect(story.state.cut(second, in: story) == .zero)
    }

    @Test func `the strictest of the others is believed only if who removed the device says nothing`() {
        var story = ControlStory()
        remove(second, by: owner, in: &story)
        state(second, data: 3, by: third, in: &story)
        #expect(story.state.cut(second, in: story) == second.position(.data, 3).cut)
        state(second, data: 8, by: owner, in: &story)
        #expect(story.state.cut(second, in: story) == second.position(.data, 8).cut)
    }

    @Test func `a device that is removed itself is not believed any more`() {
        var story = ControlStory()
        state(second, data: 1 << 62, by: third, in: &story)
        remove(second, by: third, frozenAt: 2, in: &story)
        #expect(story.state.cut(second, in: story) == second.position(.data, 1 << 62).cut)
        remove(third, by: owner, in: &story)
        #expect(story.state.cut(second, in: story) == second.position(.control, 2).cut)
        state(second, data: 4, by: owner, in: &story)
        #expect(story.state.cut(second, in: story) == second.position(.data, 4).cut)
    }

    @Test func `nobody speaks for another account's device, or about itself`() {
        var story = ControlStory()
        let writer = story.grant(by: owner, to: 1)
        let own = ControlStory.Author(account: 1, device: 1, right: writer.right)
        state(writer, data: 9, by: owner, in: &story)
        state(writer, data: 9, by: writer, in: &story)
        remove(writer, by: own, in: &story)
        #expect(story.state.cut(writer, in: story) == .zero)
        state(writer, data: 6, by: own, in: &story)
        #expect(story.state.cut(writer, in: story) == writer.position(.data, 6).cut)
    }

    @Test func `a statement concerns its own right alone`() {
        var story = ControlStory()
        let first = story.grant(by: owner, to: 1)
        let other = story.grant(by: owner, to: 1, .read)
        let sibling = ControlStory.Author(account: 1, device: 1, right: other.right)
        story.say(.deviceCut(DeviceCut(device: first.deviceID, cuts: [first.position(.data, 4)])), by: sibling)
        remove(first, by: sibling, in: &story)
        #expect(story.state.cut(first, in: story) == .zero)
    }

    @Test func `no position is believed that the author cannot have seen`() {
        var story = ControlStory()
        story.say(
            .deviceCut(DeviceCut(device: second.deviceID, cuts: [second.position(.control, 9)])),
            by: owner
        )
        remove(second, by: owner, in: &story)
        #expect(story.state.cut(second, .control, in: story) == .zero)
    }

    @Test func `a statement after the account has left counts, and a removal after that takes nothing`() {
        var story = ControlStory()
        let writer = story.grant(by: owner, to: 1)
        let sibling = ControlStory.Author(account: 1, device: 1, right: writer.right)
        story.say(.leave(Leave(cuts: [writer.position(.data, 5)])), by: sibling)
        remove(writer, by: sibling, in: &story)
        #expect(story.state.cut(writer, in: story) == writer.position(.data, 5).cut)
        state(writer, data: 2, by: sibling, in: &story)
        #expect(story.state.cut(writer, in: story) == writer.position(.data, 2).cut)
    }

    @Test func `a removed device does not hand the zone over`() {
        var story = ControlStory()
        state(second, data: 1, by: owner, in: &story)
        remove(second, by: owner, in: &story)
        story.transfer(to: 3, by: second)
        #expect(story.state.owner == ControlStory.accounts[0])
    }

    @Test func `a revocation says how much counts of a device whose account says nothing`() {
        var story = ControlStory()
        let writer = story.grant(by: owner, to: 1)
        remove(writer, by: nil, in: &story)
        story.revoke([writer.right], by: owner, cuts: [writer.position(.data, 5)])
        #expect(story.state.cut(writer, in: story) == writer.position(.data, 5).cut)
    }
}
