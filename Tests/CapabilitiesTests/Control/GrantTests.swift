import Testing
import Wire

@testable import Capabilities

@Suite struct GrantTests {
    let owner = ControlStory.owner
    let second = ControlStory.ownerSecond

    @Test func `a grant by another than the owner needs to be before or behind each checkpoint`() {
        var story = ControlStory()
        let admin = story.grant(by: owner, to: 1, .admin)
        let before = story.grant(by: admin, to: 2)
        let view = story.view
        let checkpoint = story.checkpoint([admin.position(.control, 1)], by: owner, seen: view)
        let beside = story.grant(by: admin, to: 2, seen: view)
        let behind = story.grant(by: admin, to: 3)
        let owners = story.grant(by: second, to: 3, seen: view)
        let state = story.state
        #expect(state.status(of: before.right) == .live)
        #expect(state.status(of: beside.right) == .void(.notFinal(checkpoint: checkpoint)))
        #expect(state.status(of: behind.right) == .live)
        #expect(state.status(of: owners.right) == .live)
    }

    @Test func `a grant that one of two checkpoints covers is effective`() {
        var story = ControlStory()
        let admin = story.grant(by: owner, to: 1, .admin)
        let view = story.view
        let granted = story.grant(by: admin, to: 2)
        let checkpoint = story.checkpoint([], by: second, seen: view)
        #expect(story.state.status(of: granted.right) == .void(.notFinal(checkpoint: checkpoint)))
        // A checkpoint does not cover operations that its author had not seen.
        story.checkpoint([admin.position(.control, 1)], by: owner, seen: view)
        #expect(story.state.status(of: granted.right) != .live)
        story.checkpoint([admin.position(.control, 1)], by: owner)
        #expect(story.state.status(of: granted.right) == .live)
    }

    @Test func `rights that come from one grant of an owner are known as such`() {
        var story = ControlStory()
        let admin = story.grant(by: owner, to: 1, .admin)
        let child = story.grant(by: admin, to: 2)
        let other = story.grant(by: owner, to: 3)
        let state = story.state
        for right in [admin.right, child.right] {
            #expect(state.sharingGrant(with: right) == [admin.right, child.right])
        }
        #expect(state.sharingGrant(with: other.right) == [other.right])
        #expect(state.sharingGrant(with: owner.right) == [owner.right])
    }

    @Test func `the descendants of a right are those at any depth, and come from the same grant`() {
        var story = ControlStory()
        let admin = story.grant(by: owner, to: 1, .admin)
        let deputy = story.grant(by: admin, to: 2, .admin)
        let helper = story.grant(by: deputy, to: 3, .admin)
        let writer = story.grant(by: helper, to: 1)
        let beside = story.grant(by: admin, to: 3)
        let other = story.grant(by: owner, to: 2)
        let state = story.state
        let all = Set([admin, deputy, helper, writer, beside].map(\.right))
        #expect(state.descendants(of: admin.right) == all)
        #expect(state.descendants(of: deputy.right) == [deputy.right, helper.right, writer.right])
        #expect(state.descendants(of: writer.right) == [writer.right])
        #expect(state.descendants(of: owner.right).isEmpty, "an ownership is no capability")
        for right in all { #expect(state.sharingGrant(with: right) == all) }
        #expect(state.sharingGrant(with: other.right) == [other.right])
    }

    @Test func `a void grant can be made anew behind the checkpoint`() throws {
        var story = ControlStory()
        let admin = story.grant(by: owner, to: 1, .admin)
        let view = story.view
        story.checkpoint([], by: owner, seen: view)
        let signed = story.capability(by: admin, to: 2)
        let first = story.say(.grant(Grant(signed)), by: admin, seen: view)
        let again = story.say(.grant(Grant(signed)), by: admin)
        #expect(story.state.status(of: signed.id) == .live)
        #expect(story.state.capabilities[signed.id]?.since == again)
        #expect(story.state.verdicts[first] != .counts)
    }

    @Test func `a revocation takes effect beside a checkpoint`() {
        var story = ControlStory()
        let admin = story.grant(by: owner, to: 1, .admin)
        let writer = story.grant(by: admin, to: 2)
        let view = story.view
        story.checkpoint([admin.position(.control, 1)], by: owner, seen: view)
        let revocation = story.revoke([writer.right], by: admin, seen: view)
        #expect(story.state.status(of: writer.right) == .ended(by: [revocation]))
    }

    @Test func `a capability is granted under the right that it is a part of, by the account that issues it`() {
        var story = ControlStory()
        let admin = story.grant(by: owner, to: 1, .admin)
        let peer = story.grant(by: owner, to: 2, .admin)
        let cases: [(SignedCapability, ControlStory.Author, VoidReason)] = [
            (story.capability(by: admin, to: 3), peer, .wrongParent),
            (story.capability(by: admin, to: 3), owner, .wrongParent),
            (story.capability(by: owner, to: 3), admin, .wrongParent),
            (story.capability(by: peer, to: 3, parent: admin.right), admin, .wrongIssuer),
            (story.capability(by: admin, to: 3, signer: ControlStory.devices[3][0]), admin, .unknownSigner),
            (story.capability(by: admin, to: 3, caveats: .init(delegationDepth: 7)), admin, .widened(.depth)),
        ]
        for (signed, author, reason) in cases {
            let hash = story.say(.grant(Grant(signed)), by: author)
            #expect(story.state.verdicts[hash] == .void(reason))
            #expect(story.state.status(of: signed.id) == .void(reason))
        }
        let writer = story.grant(by: owner, to: 2, .write, canDelegate: false)
        let below = story.grant(by: writer, to: 3, .read)
        #expect(story.state.status(of: below.right) == .void(.widened(.delegation)))
    }

    @Test func `a leave ends its account's rights that are no nearer to the owner, and none that it granted`() {
        var story = ControlStory()
        let near = story.grant(by: owner, to: 1, .admin)
        let admin = story.grant(by: owner, to: 2, .admin)
        let deep = story.grant(by: admin, to: 1)
        let granted = story.grant(by: near, to: 3)
        let farLeave = story.say(.leave(Leave(cuts: [deep.position(.data, 1)])), by: deep)
        #expect(story.state.status(of: deep.right) == .ended(by: [farLeave]))
        #expect(story.state.status(of: near.right) == .live)
        let leave = story.say(.leave(Leave(cuts: [near.position(.data, 4), near.position(.control, 1)])), by: near)
        let state = story.state
        #expect(state.verdicts[leave] == .counts)
        #expect(state.status(of: near.right) == .ended(by: [leave]))
        #expect(state.cut(near, in: story) == near.position(.data, 4).cut)
        #expect(state.status(of: granted.right) == .live)
        #expect(state.cut(granted, in: story) == .none)
        #expect(state.participants[ControlStory.accounts[1]] == nil)
    }

    @Test func `two concurrent leaves of one account are both effective`() {
        var story = ControlStory()
        let left = story.grant(by: owner, to: 1)
        let right = story.grant(by: owner, to: 1)
        let view = story.view
        let first = story.say(.leave(Leave()), by: left, seen: view)
        let other = story.say(.leave(Leave()), by: right, seen: view)
        #expect(story.state.status(of: left.right) == .ended(by: [first, other].sorted()))
        #expect(story.state.status(of: right.right) == .ended(by: [first, other].sorted()))
    }

    @Test func `a leave under a revoked right does not lower the cut of the revocation`() {
        var story = ControlStory()
        let writer = story.grant(by: owner, to: 1)
        story.revoke([writer.right], by: owner, cuts: [writer.position(.data, 9)])
        let late = story.say(.leave(Leave()), by: writer)
        #expect(story.state.verdicts[late] == .void(.aboveCut))
        #expect(story.state.cut(writer, in: story) == writer.position(.data, 9).cut)
    }

    @Test func `public access is the last statement, and the owner's among concurrent ones`() {
        var story = ControlStory()
        let admin = story.grant(by: owner, to: 1, .admin)
        let writer = story.grant(by: owner, to: 2)
        let view = story.view
        let open = PublicAccess(world: .read, authenticated: .all, creator: [])
        story.say(.publicAccess(open), by: admin, seen: view)
        #expect(story.state.publicAccess == open)
        story.say(.publicAccess(.none), by: owner, seen: view)
        #expect(story.state.publicAccess == .none)
        let last = story.say(.publicAccess(open), by: admin)
        #expect(story.state.publicAccessEntry == last)
        let vain = story.say(.publicAccess(.none), by: writer)
        #expect(story.state.verdicts[vain] == .void(.needs(.admin)))
    }

    @Test func `claims of having seen each other give an order all the same`() {
        var story = ControlStory()
        let open = PublicAccess(world: .read, authenticated: [], creator: [])
        let future = VersionVector([owner.actor: 9, second.actor: 9])
        let one = story.say(.publicAccess(open), by: owner, seen: future)
        let two = story.say(.publicAccess(.none), by: second, seen: future)
        #expect([one, two].contains(story.state.publicAccessEntry))
        let boundless = VersionVector([second.actor: .max, ActorID(WorldPool.digest(9, 9)): .max])
        story.say(.publicAccess(open), by: owner, seen: boundless)
        #expect(story.state.publicAccess == open)
    }
}
