import Testing
import Wire

@testable import Capabilities

@Suite struct RevocationTests {
    let owner = ControlStory.owner
    let second = ControlStory.ownerSecond

    @Test func `logs of a revoked right are effective up to their listed sizes, unlisted ones not at all`() {
        var story = ControlStory()
        let writer = story.grant(by: owner, to: 1)
        let other = ControlStory.Author(account: 1, device: 1, right: writer.right)
        #expect(story.state.cut(writer, in: story) == .none)
        let revocation = story.revoke([writer.right], by: owner, cuts: [writer.position(.data, 7)])
        #expect(story.state.status(of: writer.right) == .ended(by: [revocation]))
        #expect(story.state.cut(writer, in: story) == writer.position(.data, 7).cut)
        #expect(story.state.cut(writer, .control, in: story) == .zero)
        #expect(story.state.cut(other, in: story) == .zero)
        #expect(story.state.participants.isEmpty)
    }

    @Test func `the owner must state effective sizes only where others' statements have made something effective`() {
        var story = ControlStory()
        let admin = story.grant(by: owner, to: 1, .admin)
        let (silent, writer) = (story.grant(by: admin, to: 2), story.grant(by: admin, to: 3))
        story.revoke([silent.right], by: admin)
        #expect(story.state.unconfirmedRights.isEmpty)
        story.revoke([writer.right], by: admin, cuts: [writer.position(.data, 4)])
        #expect(story.state.unconfirmedRights.map(\.right) == [writer.right])
        story.revoke([writer.right], by: owner, cuts: [writer.position(.data, 5)])
        #expect(story.state.unconfirmedRights.isEmpty)
    }

    @Test func `of concurrent revocations the stricter cut is effective`() {
        var story = ControlStory()
        let writer = story.grant(by: owner, to: 1)
        let view = story.view
        story.revoke([writer.right], by: owner, cuts: [writer.position(.data, 7)], seen: view)
        story.revoke([writer.right], by: second, cuts: [writer.position(.data, 4)], seen: view)
        #expect(story.state.cut(writer, in: story) == writer.position(.data, 4).cut)
    }

    @Test func `a checkpoint of the owner makes operations final that a cut would end`() {
        var story = ControlStory()
        let writer = story.grant(by: owner, to: 1)
        let view = story.view
        story.revoke([writer.right], by: owner, cuts: [writer.position(.data, 4)], seen: view)
        story.checkpoint([writer.position(.data, 6)], by: second, seen: view)
        #expect(story.state.cut(writer, in: story) == writer.position(.data, 6).cut)
    }

    @Test func `an account below the owner ends only rights that descend from its own`() {
        var story = ControlStory()
        let admin = story.grant(by: owner, to: 1, .admin)
        let peer = story.grant(by: owner, to: 2, .admin)
        let child = story.grant(by: admin, to: 3)
        let vain = story.revoke([peer.right, admin.right], by: admin)
        #expect(story.state.status(of: peer.right) == .live)
        #expect(story.state.status(of: admin.right) == .live)
        #expect(story.state.verdicts[vain] == .counts)
        #expect(story.state.voidParts.map(\.reason) == [.notDescendant, .notDescendant])
        let other = story.revoke([child.right], by: peer)
        #expect(story.state.status(of: child.right) == .live)
        #expect(story.state.voidParts.contains { $0.entry == other })
        let real = story.revoke([child.right], by: admin)
        #expect(story.state.status(of: child.right) == .ended(by: [real]))
    }

    @Test func `a revocation ends descending rights with the same cuts, except for those that it regrants`() {
        var story = ControlStory()
        let admin = story.grant(by: owner, to: 1, .admin)
        let child = story.grant(by: admin, to: 2)
        let kept = story.grant(by: admin, to: 3)
        let anew = story.capability(by: owner, to: 3)
        let revocation = story.revoke(
            [admin.right],
            by: owner,
            cuts: [child.position(.data, 3), kept.position(.data, 5), admin.position(.control, 2)],
            regrants: [anew]
        )
        let state = story.state
        #expect(state.status(of: child.right) == .ended(by: [revocation]))
        #expect(state.cut(child, in: story) == child.position(.data, 3).cut)
        #expect(state.cut(kept, in: story) == kept.position(.data, 5).cut)
        #expect(state.cut(ControlStory.Author(account: 3, device: 0, right: anew.id), in: story) == .none)
        #expect(state.participants.keys.sorted() == [ControlStory.accounts[3]])
        #expect(state.participants[ControlStory.accounts[3]]?.via == anew.id)
    }

    @Test func `a removed admin cannot grant or revoke with an old past`() {
        var story = ControlStory()
        let admin = story.grant(by: owner, to: 1, .admin)
        let child = story.grant(by: admin, to: 2)
        let view = story.view
        story.revoke(
            [admin.right],
            by: owner,
            cuts: [admin.position(.control, 1), child.position(.data, 9)]
        )
        let backdated = story.grant(by: admin, to: 3, seen: view)
        let revenge = story.revoke([child.right], by: admin, seen: view)
        let state = story.state
        #expect(state.status(of: backdated.right) == .void(.aboveCut))
        #expect(state.verdicts[revenge] == .void(.aboveCut))
        #expect(state.cut(child, in: story) == child.position(.data, 9).cut)
        #expect(state.cut(backdated, in: story) == .zero)
    }

    @Test func `a right that ended is not revived by granting it again`() {
        var story = ControlStory()
        let signed = story.capability(by: owner, to: 1)
        story.say(.grant(Grant(signed)), by: owner)
        let revocation = story.revoke([signed.id], by: owner)
        story.say(.grant(Grant(signed)), by: owner)
        #expect(story.state.status(of: signed.id) == .ended(by: [revocation]))
    }

    @Test func `an owner's correction raises the cuts that its author had seen and no others`() {
        var story = ControlStory()
        let admin = story.grant(by: owner, to: 1, .admin)
        let writer = story.grant(by: admin, to: 2)
        story.revoke([writer.right], by: admin, cuts: [writer.position(.data, 2)])
        let view = story.view
        let raise = CutRaise(capability: writer.right, cuts: [writer.position(.data, 8)])
        story.say(.raiseCut(raise), by: owner, seen: view)
        #expect(story.state.cut(writer, in: story) == writer.position(.data, 8).cut)
        story.revoke([writer.right], by: second, cuts: [writer.position(.data, 5)], seen: view)
        #expect(story.state.cut(writer, in: story) == writer.position(.data, 5).cut)
        let vain = story.say(.raiseCut(raise), by: admin)
        #expect(story.state.verdicts[vain] == .void(.ownerOnly))
    }

    @Test func `a device that its account removed is cut whatever its right, but never below a checkpoint`() {
        var story = ControlStory()
        let writer = story.grant(by: owner, to: 1)
        story.remove(writer, at: 0)
        #expect(story.state.cut(writer, in: story) == .zero)
        story.checkpoint([writer.position(.data, 3)], by: owner)
        #expect(story.state.cut(writer, in: story) == writer.position(.data, 3).cut)
    }

    @Test func `nothing is decided for an account that is not known`() {
        var story = ControlStory()
        let admin = story.grant(by: owner, to: 1, .admin)
        let child = story.grant(by: admin, to: 2)
        let known = story.directory
        story.directory.standings[ControlStory.accounts[1]] = nil
        let state = story.state
        #expect(state.unknownAccounts == [ControlStory.accounts[1]])
        #expect(state.status(of: admin.right) == .live)
        #expect(state.status(of: child.right) == .waiting(.account(ControlStory.accounts[1])))
        #expect(state.cut(admin, in: story) == .waiting(.account(ControlStory.accounts[1])))
        story.directory = known
        #expect(story.state.status(of: child.right) == .live)
    }

    @Test func `operations under a right wait for its grant`() {
        var story = ControlStory()
        let admin = story.grant(by: owner, to: 1, .admin)
        let child = story.grant(by: admin, to: 2)
        let grant = story.entries[0].hash
        let state = story.state(without: [grant])
        #expect(state.verdicts[story.entries[1].hash] == .waiting(.capability(admin.right)))
        #expect(state.status(of: child.right) == .waiting(.capability(admin.right)))
        #expect(state.cut(admin, in: story) == .waiting(.capability(admin.right)))
    }
}
