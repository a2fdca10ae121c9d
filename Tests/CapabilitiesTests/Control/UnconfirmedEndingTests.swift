import Testing
import Wire

@testable import Capabilities

/// Endings of rights that no standing device of the owner states.
@Suite struct `An ending that no owner confirms` {
    let owner = ControlStory.owner

    @Test func `is to be stated by the owner where it keeps a single operation, and not where it keeps none`() {
        var story = ControlStory()
        let admin = story.grant(by: owner, to: 1, .admin)
        let (silent, writer) = (story.grant(by: admin, to: 2), story.grant(by: admin, to: 3))
        story.revoke([silent.right], by: admin, cuts: [silent.position(.data, 0)])
        #expect(story.state.unconfirmedRights.isEmpty)
        story.revoke([writer.right], by: admin, cuts: [writer.position(.data, 1)])
        #expect(story.state.unconfirmedRights.map(\.right) == [writer.right])
    }

    /// The owner revokes a capability before it is granted, and passes the zone on to the account that grants it then.
    @Test func `is one of a former owner as well, also of a right that is granted only afterwards`() {
        var story = ControlStory()
        let signed = story.capability(by: ControlStory.Author(account: 1, device: 0, right: .zero), to: 2)
        let member = ControlStory.Author(account: 2, device: 0, right: signed.id)
        let revocation = story.revoke([signed.id], by: owner, cuts: [member.position(.data, 4)])
        let new = story.transfer(to: 1, by: owner, cuts: [owner.position(.control, 1)])
        story.say(.grant(Grant(signed)), by: new)
        var kept = KeptResolution(
            zone: ControlStory.zone,
            owners: [ControlStory.accounts[0]],
            entries: [],
            directory: story.directory
        )
        for entry in story.entries { kept.add([entry]) }
        #expect(kept.decidedCount == 3, "nothing was decided anew")
        for state in [kept.state, story.state] {
            #expect(state.status(of: signed.id) == .ended(by: [revocation]))
            #expect(state.unconfirmedRights.contains { $0.right == signed.id })
        }
        #expect(kept.state == kept.stateAnew)
    }
}
