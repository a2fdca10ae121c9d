import Identity
import TestSupport
import Testing
import Wire

@testable import Capabilities

/// A zone that is passed on again and again: one more transfer costs only its own changes.
@Suite("Transfers in a resolution that is kept") struct KeptTransferTests {
    /// A zone that accounts 0 and 1 pass to each other, as it is kept.
    private struct Chain {
        var story = ControlStory()
        var kept: KeptResolution<WorldDirectory>
        /// The current owner of the zone.
        var owner = ControlStory.owner
        private(set) var entered = 0

        init() {
            kept = KeptResolution(
                zone: ControlStory.zone,
                owners: [ControlStory.accounts[0]],
                entries: [],
                directory: story.directory
            )
        }

        /// Enters the operations since the last call.
        /// - Returns: The number of operations that were decided for it, and of comparisons made about the ownership
        ///   of the zone.
        mutating func enter() -> (decided: UInt64, compared: UInt64) {
            let before = (kept.decidedCount, kept.comparedCount)
            kept.add(Array(story.entries[entered...]))
            entered = story.entries.count
            return (kept.decidedCount - before.0, kept.comparedCount - before.1)
        }

        mutating func passOn() {
            let cuts = story.size(owner) > 0 ? [owner.position(.control, story.size(owner))] : []
            owner = story.transfer(to: 1 - owner.account, by: owner, cuts: cuts)
        }

        /// Returns the author for another device of a former owner, which writes at the same time as the transfer.
        func other(_ device: Int, than author: ControlStory.Author) -> ControlStory.Author {
            ControlStory.Author(account: author.account, device: device, right: author.right)
        }
    }

    @Test(arguments: [3, 30, 300]) func `one more transfer decides one operation, however many there were`(count: Int) {
        var chain = Chain()
        for _ in 0..<count {
            chain.passOn()
            #expect(chain.enter() == (1, 0))
        }
        #expect(chain.kept.state == chain.kept.stateAnew)
        #expect(chain.kept.state.ownerships.count == count + 1)
    }

    @Test(arguments: [4, 40])
    func `so it does when owners make checkpoints, grant rights and revoke them`(count: Int) {
        var chain = Chain()
        for number in 0..<count {
            let member = chain.story.grant(by: chain.owner, to: 2)
            let kept = chain.story.grant(by: chain.owner, to: 3)
            chain.story.say(.unknown(tag: 99, bytes: []), by: member)
            _ = chain.enter()
            chain.story.checkpoint([member.position(.control, 1), kept.position(.data, 4)], by: chain.owner)
            chain.story.revoke([member.right], by: chain.owner, cuts: [member.position(.control, 1)])
            _ = chain.enter()
            #expect(chain.kept.state == chain.kept.stateAnew)
            chain.passOn()
            #expect(chain.enter() == (1, 0), "transfer \(number)")
            #expect(chain.kept.state == chain.kept.stateAnew)
        }
    }

    @Test func `a checkpoint that let more count than the cut raises nothing once its author has passed the zone on`() {
        var chain = Chain()
        let member = chain.story.grant(by: chain.owner, to: 2)
        for _ in 0..<3 { chain.story.say(.unknown(tag: 99, bytes: []), by: member) }
        chain.story.revoke([member.right], by: chain.owner, cuts: [member.position(.control, 1)])
        chain.story.checkpoint([member.position(.control, 2)], by: chain.owner)
        _ = chain.enter()
        #expect(chain.kept.state.verdicts[chain.story.entries[2].hash] == .counts)
        chain.passOn()
        #expect(chain.enter() == (1, 0))
        #expect(chain.kept.state.verdicts[chain.story.entries[2].hash] == .void(.aboveCut))
        #expect(chain.kept.state == chain.kept.stateAnew)
    }

    @Test func `former owners that continue to transfer the zone cost one operation each`() {
        var chain = Chain()
        var former: [ControlStory.Author] = []
        for _ in 0..<100 {
            former.append(chain.owner)
            chain.passOn()
        }
        _ = chain.enter()
        let owners = chain.kept.state.ownerships
        for author in former {
            // Behind its own transfer, and from another device that had seen it.
            chain.story.transfer(to: 2, by: author)
            #expect(chain.enter() == (1, 1))
            chain.story.transfer(to: 3, by: chain.other(1, than: author))
            #expect(chain.enter() == (1, 1))
        }
        #expect(chain.kept.state.ownerships == owners)
        #expect(chain.kept.state == chain.kept.stateAnew)
    }

    @Test func `a concurrent transfer by a device that was added later costs one operation, by an earlier one all`() {
        var chain = Chain()
        var former: [(author: ControlStory.Author, view: VersionVector)] = []
        for _ in 0..<50 {
            let view = chain.story.view
            chain.owner = chain.other(1, than: chain.owner)
            former.append((chain.owner, view))
            chain.passOn()
        }
        _ = chain.enter()
        let last = chain.owner
        for (author, view) in former {
            chain.story.transfer(to: 2, by: chain.other(2, than: author), seen: view)
            #expect(chain.enter() == (1, 1))
        }
        #expect(chain.kept.state.ownership.right == last.right)
        let (author, view) = former[25]
        chain.story.transfer(to: 2, by: chain.other(0, than: author), seen: view)
        let work = chain.enter()
        #expect(work.decided <= UInt64(chain.story.entries.count) + 1)
        #expect(work.compared <= UInt64(chain.story.entries.count) * 3)
        #expect(chain.kept.state.ownerships.count == 27)
        #expect(chain.kept.state == chain.kept.stateAnew)
    }

    /// Each transfer was made by a device that knew only its own.
    @Test(arguments: [100, 400])
    func `transfers of one ownership are compared with logs, not with each other`(count: Int) {
        var story = ControlStory()
        for number in 0..<count {
            let author = ControlStory.Author(account: 0, device: number % 3, right: .zero)
            story.transfer(to: 1 + number % 3, by: author, seen: VersionVector())
        }
        let kept = KeptResolution(
            zone: ControlStory.zone,
            owners: [ControlStory.accounts[0]],
            entries: story.entries,
            directory: story.directory
        )
        #expect(kept.comparedCount <= UInt64(count) * 3)
        #expect(kept.state.ownerships.count == 2)
    }
}
