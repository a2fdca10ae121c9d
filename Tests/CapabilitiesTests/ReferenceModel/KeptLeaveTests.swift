import Identity
import TestSupport
import Testing
import Wire

@testable import Capabilities

/// Members that leave, again and again, and owners that correct the effective size of logs: one more costs only its
/// own changes.
@Suite("Leaves and corrections in a resolution that is kept") struct KeptLeaveTests {
    /// A zone as it is kept.
    private struct Zone {
        var story = ControlStory()
        private var kept: KeptResolution<WorldDirectory>
        private var entered = 0

        init() {
            kept = KeptResolution(
                zone: ControlStory.zone,
                owners: [ControlStory.accounts[0]],
                entries: [],
                directory: story.directory
            )
        }

        var state: ControlState { kept.state }

        /// Enters the operations since the last call; the result has to equal a resolution from nothing.
        /// - Returns: The number of operations that were decided for it.
        mutating func enter(sourceLocation: SourceLocation = #_sourceLocation) -> UInt64 {
            let before = kept.decidedCount
            kept.add(Array(story.entries[entered...]))
            entered = story.entries.count
            #expect(kept.state == kept.stateAnew, sourceLocation: sourceLocation)
            return kept.decidedCount - before
        }

        /// The verdict on the last operation.
        var last: EntryVerdict? { story.entries.last.flatMap { state.verdicts[$0.hash] } }
    }

    private static func leave(upTo positions: [LogPosition] = []) -> ControlBody { .leave(Leave(cuts: positions)) }

    @Test(arguments: [3, 60]) func `a member that leaves again and again costs one operation each time`(count: Int) {
        var zone = Zone()
        let member = zone.story.grant(by: ControlStory.owner, to: 1)
        let others = (0..<3).map { _ in zone.story.grant(by: ControlStory.owner, to: 1) }
        for _ in 0..<count { zone.story.say(.unknown(tag: 99, bytes: []), by: member) }
        _ = zone.enter()
        for number in 0..<count {
            zone.story.say(Self.leave(upTo: [member.position(.control, UInt64(count - number))]), by: member)
            #expect(zone.enter() == 1, "leave \(number)")
            #expect(zone.last == .counts)
        }
        #expect(zone.state.participants[ControlStory.accounts[1]] == nil)
        #expect(others.allSatisfy { zone.state.capabilities[$0.right]?.leaves.count == count })
    }

    @Test(arguments: [3, 60]) func `one that comes and goes costs one operation each time`(count: Int) {
        var zone = Zone()
        for number in 0..<count {
            let member = zone.story.grant(by: ControlStory.owner, to: 1)
            #expect(zone.enter() == 1, "grant \(number)")
            #expect(zone.state.participants[ControlStory.accounts[1]]?.via == member.right)
            zone.story.say(.unknown(tag: 99, bytes: []), by: member)
            #expect(zone.enter() == 1)
            zone.story.say(Self.leave(upTo: [member.position(.control, 1)]), by: member)
            #expect(zone.enter() == 1, "leave \(number)")
            #expect(zone.state.participants[ControlStory.accounts[1]] == nil)
        }
    }

    @Test func `a leave ends its account's rights no nearer to the owner, and keeps those that it granted`() {
        var zone = Zone()
        let admin = zone.story.grant(by: ControlStory.owner, to: 1, .admin)
        let near = zone.story.grant(by: ControlStory.owner, to: 2)
        let far = zone.story.grant(by: admin, to: 2)
        let granted = zone.story.grant(by: far, to: 3)
        _ = zone.enter()
        zone.story.say(Self.leave(upTo: [far.position(.control, 1)]), by: far)
        #expect(zone.enter() == 1)
        #expect(zone.state.participants[ControlStory.accounts[2]]?.via == near.right)
        #expect(zone.state.status(of: granted.right) == .live)
        // The right that is cut here has granted something.
        zone.story.say(Self.leave(), by: near)
        #expect(zone.enter() > 1)
        #expect(zone.state.status(of: granted.right) == .void(.aboveCut))
        #expect(zone.state.participants[ControlStory.accounts[2]] == nil)
    }

    @Test func `a leave under a right that one nearer to the owner cuts is void`() {
        var zone = Zone()
        let admin = zone.story.grant(by: ControlStory.owner, to: 1, .admin)
        let near = zone.story.grant(by: ControlStory.owner, to: 2)
        let far = zone.story.grant(by: admin, to: 2)
        zone.story.say(Self.leave(), by: far)
        _ = zone.enter()
        #expect(zone.last == .counts)
        let hash = zone.story.entries.last?.hash ?? .zero
        zone.story.say(Self.leave(), by: near)
        #expect(zone.enter() > 1)
        #expect(zone.state.verdicts[hash] == .void(.aboveCut))
    }

    @Test func `a revocation that keeps a leave effective costs one operation, and one that cuts it costs all`() {
        for size in [UInt64(2), 0] {
            var zone = Zone()
            let member = zone.story.grant(by: ControlStory.owner, to: 1)
            zone.story.say(Self.leave(), by: member)
            zone.story.say(.unknown(tag: 99, bytes: []), by: member)
            _ = zone.enter()
            zone.story.revoke([member.right], by: ControlStory.owner, cuts: [member.position(.control, size)])
            #expect((zone.enter() == 1) == (size > 0))
        }
    }

    @Test(arguments: [3, 60])
    func `one more correction costs one operation if the operations that it makes effective change nothing`(
        count: Int
    ) {
        var zone = Zone()
        let member = zone.story.grant(by: ControlStory.owner, to: 1)
        for _ in 0..<count { zone.story.say(.unknown(tag: 99, bytes: []), by: member) }
        zone.story.revoke([member.right], by: ControlStory.owner)
        _ = zone.enter()
        for number in 1...count {
            let cuts = [member.position(.control, UInt64(number))]
            zone.story.say(.raiseCut(CutRaise(capability: member.right, cuts: cuts)), by: ControlStory.owner)
            #expect(zone.enter() == 1, "correction \(number)")
            let counting = zone.story.entries.dropFirst().prefix(count).count {
                zone.state.verdicts[$0.hash] == .counts
            }
            #expect(counting == number)
        }
    }

    @Test func `a correction that makes a grant effective decides it, and all that depends on it`() {
        var zone = Zone()
        let admin = zone.story.grant(by: ControlStory.owner, to: 1, .admin)
        let granted = zone.story.grant(by: admin, to: 2)
        zone.story.revoke([admin.right], by: ControlStory.owner)
        _ = zone.enter()
        #expect(zone.state.status(of: granted.right) == .void(.aboveCut))
        let cuts = [admin.position(.control, 1)]
        zone.story.say(.raiseCut(CutRaise(capability: admin.right, cuts: cuts)), by: ControlStory.owner)
        #expect(zone.enter() > 1)
        #expect(zone.state.capabilities[granted.right] != nil)
    }

    @Test func `a correction by the owner bounds what a leave had stated, and costs one operation`() {
        var zone = Zone()
        let member = zone.story.grant(by: ControlStory.owner, to: 1)
        for _ in 0..<5 { zone.story.say(.unknown(tag: 99, bytes: []), by: member) }
        let view = zone.story.view
        zone.story.say(Self.leave(upTo: [member.position(.control, 5)]), by: member)
        _ = zone.enter()
        // Its author has not seen the leave.
        let cuts = [member.position(.control, 3)]
        zone.story.say(.raiseCut(CutRaise(capability: member.right, cuts: cuts)), by: ControlStory.owner, seen: view)
        #expect(zone.enter() == 1)
        let counting = zone.story.entries[1...5].count { zone.state.verdicts[$0.hash] == .counts }
        #expect(counting == 3)
    }
}
