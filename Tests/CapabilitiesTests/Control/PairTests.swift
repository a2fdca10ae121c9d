import Identity
import Testing
import Wire

@testable import Capabilities

/// A zone that accounts 0 and 1 own together.
@Suite struct `Two owners of a zone` {
    private typealias Author = ControlStory.Author

    private static let zone = ControlStory.zone
    private static let (first, second) = (ControlStory.accounts[0], ControlStory.accounts[1])

    private static func author(_ account: Int, device: Int = 0) -> Author {
        Author(account: account, device: device, right: Hash(pairRightOf: ControlStory.accounts[account], in: zone))
    }

    private static func state(_ story: ControlStory, hiding hidden: [Hash] = []) -> ControlState {
        ControlState(
            zone: zone,
            owners: [first, second],
            entries: story.entries.filter { !hidden.contains($0.hash) },
            directory: story.directory
        )
    }

    private static func decide(_ act: AdministrativeAct, _ account: Int, _ story: ControlStory) -> AccessDecision {
        Authorisation.decide(
            .administer(act),
            by: .device(ControlStory.devices[account][0].deviceID, of: ControlStory.accounts[account]),
            state: state(story),
            directory: story.directory,
            now: 1
        )
    }

    private static func mayRead(_ account: Int, _ story: ControlStory) -> Bool {
        let decision = Authorisation.decide(
            .serve(.data, sealed: false),
            by: .device(ControlStory.devices[account][0].deviceID, of: ControlStory.accounts[account]),
            state: state(story),
            directory: story.directory,
            now: 1
        )
        if case .allowed = decision { return true }
        return false
    }

    @Test func `exist from the beginning, each by its own right, and no others`() {
        let story = ControlStory()
        let state = Self.state(story)
        #expect(state.owners == [Self.first, Self.second].sorted())
        #expect(state.account(of: Self.author(0).right) == Self.first)
        #expect(state.account(of: Self.author(1).right) == Self.second)
        #expect(state.account(of: .zero) == nil)
        #expect((0..<4).map { Self.mayRead($0, story) } == [true, true, false, false])
        #expect(state.cut(Self.author(1), in: story) == .none)
        // A device of the one under the right of the other.
        let impostor = Author(account: 2, device: 0, right: Self.author(0).right)
        #expect(state.cut(impostor, in: story) == .zero)
    }

    @Test func `revoke nothing from each other, and cannot share`() throws {
        var story = ControlStory()
        let grant = story.capability(by: Self.author(0), to: 2, parent: .zero)
        let said = [
            story.say(.grant(Grant(grant)), by: Self.author(0)),
            story.say(
                .revoke(Revocation(capabilities: [Self.author(1).right], cuts: [], regrants: [])),
                by: Self.author(0)
            ),
            story.say(
                .transfer(OwnershipTransfer(consent: story.consent(of: 2, after: Self.author(0).right))),
                by: Self.author(0)
            ),
            story.say(.zoneDeletion(reason: "mine"), by: Self.author(0)),
            story.say(.publicAccess(PublicAccess(world: .read, authenticated: [], creator: [])), by: Self.author(0)),
        ]
        let state = Self.state(story)
        for hash in said { #expect(state.verdicts[hash] == .void(.pairZone)) }
        #expect(state.owners.count == 2 && state.participants.isEmpty && state.deletion == nil)
        #expect(state.publicAccess == .none && !Self.mayRead(2, story))
        for act: AdministrativeAct in [
            .grant(Rights(.read)), .revoke(Self.author(1).right), .publicAccess, .transfer, .deleteZone, .raiseCut,
        ] {
            #expect(Self.decide(act, 0, story) == .refused(.pairZone))
        }
        for act: AdministrativeAct in [.leave, .checkpoint, .schema, .epoch] {
            #expect(Self.decide(act, 1, story) == .allowed(under: Self.author(1).right))
        }
    }

    @Test func `leave and come back, each for itself`() {
        var story = ControlStory()
        story.say(.unknown(tag: 99, bytes: []), by: Self.author(0))
        let cut = Self.author(0).position(.data, 3)
        let leave = story.say(.leave(Leave(cuts: [cut])), by: Self.author(0))
        var state = Self.state(story)
        #expect(state.owners == [Self.second] && state.hasGivenUp(Self.first) && !state.hasGivenUp(Self.second))
        #expect(state.cut(Self.author(0), in: story) == cut.cut && state.cut(Self.author(1), in: story) == .none)
        #expect(!Self.mayRead(0, story) && Self.mayRead(1, story))
        #expect(state.returning(Self.first) == leave && state.returning(Self.second) == nil)
        #expect(Self.decide(.leave, 0, story) == .refused(.notParticipant))

        let back = Author(account: 0, device: 1, right: leave)
        story.say(.unknown(tag: 99, bytes: []), by: back)
        state = Self.state(story)
        #expect(state.owners.count == 2 && Self.mayRead(0, story) && state.returning(Self.first) == nil)
        #expect(state.ownership(of: Self.first)?.right == leave)
        #expect(state.cut(Self.author(0), in: story) == cut.cut, "what was cut stays cut")
        // No account comes back in the place of another.
        let impostor = Author(account: 1, device: 0, right: leave)
        #expect(Self.state(story).cut(impostor, in: story) == .zero)
        // And again.
        let second = story.say(.leave(Leave(cuts: [])), by: back)
        #expect(Self.state(story).owners == [Self.second] && Self.state(story).returning(Self.first) == second)
    }

    @Test func `of two concurrent leaves of one account, that of the device added first is effective`() {
        var story = ControlStory()
        let late = story.say(.leave(Leave(cuts: [])), by: Self.author(0, device: 1), seen: VersionVector())
        let early = story.say(.leave(Leave(cuts: [])), by: Self.author(0), seen: VersionVector())
        #expect(Self.state(story).returning(Self.first) == early)
        #expect(Self.state(story, hiding: [early]).returning(Self.first) == late)
        // A log that the effective leave does not list is cut at zero, and the other leave with it.
        #expect(Self.state(story).verdicts[late] == .void(.aboveCut))
    }

    @Test func `when both owners leave, both have left`() {
        var story = ControlStory()
        story.say(.leave(Leave(cuts: [])), by: Self.author(0), seen: VersionVector())
        story.say(.leave(Leave(cuts: [])), by: Self.author(1), seen: VersionVector())
        #expect(Self.state(story).owners.isEmpty)
        #expect(!Self.mayRead(0, story) && !Self.mayRead(1, story))
    }

    @Test func `let either make the other's writes final`() {
        var story = ControlStory()
        let kept = Self.author(0).position(.data, 5)
        story.checkpoint([kept], by: Self.author(1))
        story.say(.leave(Leave(cuts: [Self.author(0).position(.data, 3)])), by: Self.author(0))
        #expect(Self.state(story).cut(Self.author(0), in: story) == kept.cut)
    }
}
