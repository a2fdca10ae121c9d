import Sodium
import TestSupport
import Testing
import Wire

@testable import Identity

/// The choice of effective entries when they contradict each other.
@Suite struct AccountResolutionTests {
    typealias Fixture = AccountFixture

    /// Devices 0 to `count - 1`, added one after the other by device 0.
    private func household(_ count: Int) throws -> AccountLog {
        var log = try Fixture.newLog()
        for index in 1..<count {
            _ = try log.add(try Fixture.addition(index), by: Fixture.signer(0))
        }
        return log
    }

    @Test func `devices are ordered by when they were added`() throws {
        let log = try household(4)
        #expect(log.state.activeDevices == (0..<4).map(Fixture.device))
    }

    @Test func `a removed device is removed and the others stay`() throws {
        var log = try household(3)
        _ = try log.add(Fixture.removal(1), by: Fixture.signer(0))
        #expect(log.standing(1) == .removed)
        #expect(log.standing(2) == .active(.full))
        #expect(log.state.activeDevices == [Fixture.device(0), Fixture.device(2)])
    }

    @Test func `a removed device does not come back by being added again`() throws {
        var log = try household(2)
        _ = try log.add(Fixture.removal(1), by: Fixture.signer(0))
        _ = try log.add(try Fixture.addition(1), by: Fixture.signer(0), nonce: 1)
        #expect(log.standing(1) == .removed)
    }

    @Test func `removal beats an addition that did not know of it`() throws {
        var log = try household(3)
        let heads = log.heads
        _ = try log.add(Fixture.removal(1), by: Fixture.signer(0), after: heads)
        _ = try log.add(try Fixture.addition(1), by: Fixture.signer(2), after: heads)
        #expect(log.standing(1) == .removed)
    }

    @Test func `a removed device cannot backdate an addition`() throws {
        var log = try household(2)
        let before = log.heads
        _ = try log.add(Fixture.removal(1, keeping: before), by: Fixture.signer(0))
        // The entry names the past before the removal, as if it had been made then.
        _ = try log.add(try Fixture.addition(5), by: Fixture.signer(1), after: before)
        #expect(log.standing(5) == .unknown)
        // The entries of the smuggled device are ineffective, too.
        _ = try log.add(Fixture.removal(0), by: Fixture.signer(5))
        #expect(log.standing(0) == .active(.full))
    }

    @Test func `smuggled devices that vouch for each other stay outside`() throws {
        var log = try household(2)
        let before = log.heads
        _ = try log.add(Fixture.removal(1, keeping: before), by: Fixture.signer(0), after: before)
        _ = try log.add(try Fixture.addition(5), by: Fixture.signer(1), after: before)
        _ = try log.add(try Fixture.addition(6), by: Fixture.signer(5))
        _ = try log.add(try Fixture.addition(5), by: Fixture.signer(6))
        _ = try log.add(Fixture.removal(0), by: Fixture.signer(5))
        #expect(log.state.activeDevices == [Fixture.device(0)])
    }

    @Test func `a device's entries below its cut remain effective`() throws {
        var log = try household(2)
        let added = try log.add(try Fixture.addition(5), by: Fixture.signer(1))
        _ = try log.add(Fixture.removal(1, keeping: [added]), by: Fixture.signer(0))
        #expect(log.standing(5) == .active(.full))
        #expect(log.standing(1) == .removed)
    }

    @Test func `a removal may disown a device's earlier additions, and not its removals`() throws {
        var log = try household(3)
        let before = log.heads
        _ = try log.add(try Fixture.addition(5), by: Fixture.signer(1))
        _ = try log.add(Fixture.removal(2), by: Fixture.signer(1))
        #expect(log.standing(2) == .removed)
        _ = try log.add(Fixture.removal(1, keeping: before), by: Fixture.signer(0))
        #expect(log.standing(5) == .unknown)
        #expect(log.standing(2) == .removed)
    }

    @Test func `a device's entries after its removal are ignored`() throws {
        var log = try household(3)
        _ = try log.add(Fixture.removal(1, keeping: log.heads), by: Fixture.signer(0))
        _ = try log.add(try Fixture.addition(5), by: Fixture.signer(1))
        _ = try log.add(Fixture.removal(2), by: Fixture.signer(1))
        #expect(log.standing(5) == .unknown)
        #expect(log.standing(2) == .active(.full))
    }

    @Test func `a removed device that claims not to know it can remove others, and neither stay nor add`() throws {
        var log = try household(3)
        let before = log.heads
        _ = try log.add(Fixture.removal(0, keeping: before), by: Fixture.signer(2))
        #expect(log.standing(0) == .removed)
        _ = try log.add(Fixture.removal(1), by: Fixture.signer(0), after: before)
        _ = try log.add(try Fixture.addition(5), by: Fixture.signer(0), after: before)
        #expect(log.standing(1) == .removed)
        #expect(log.standing(0) == .removed && log.standing(5) == .unknown)
        #expect(log.state.activeDevices == [Fixture.device(2)])
    }

    @Test func `two devices that remove each other are both out, whichever came first`() throws {
        for isFirstArrivingFirst in [true, false] {
            var log = try household(3)
            let heads = log.heads
            let first = (action: Fixture.removal(2), signer: Fixture.signer(1))
            let second = (action: Fixture.removal(1), signer: Fixture.signer(2))
            for (action, signer) in isFirstArrivingFirst ? [first, second] : [second, first] {
                _ = try log.add(action, by: signer, after: heads)
            }
            #expect(log.standing(1) == .removed)
            #expect(log.standing(2) == .removed)
            #expect(log.state.activeDevices == [Fixture.device(0)])
        }
    }

    @Test func `the first device does not stay by answering its removal at any later time`() throws {
        var log = try household(2)
        let heads = log.heads
        _ = try log.add(Fixture.removal(0, keeping: heads), by: Fixture.signer(1))
        // It saw the removal, and answers over it or over the past before it.
        _ = try log.add(Fixture.removal(1), by: Fixture.signer(0))
        #expect(log.standing(0) == .removed && log.standing(1) == .active(.full))
        _ = try log.add(Fixture.removal(1), by: Fixture.signer(0), after: heads, nonce: 1)
        _ = try log.add(try Fixture.addition(5), by: Fixture.signer(0), after: heads)
        #expect(log.state.activeDevices.isEmpty)
        #expect(log.standing(0) == .removed)
    }

    @Test func `a device whose addition a thief disowns has removed the thief nevertheless`() throws {
        var log = try household(2)
        let addition = log.heads
        _ = try log.add(try Fixture.addition(2), by: Fixture.signer(1))
        let heads = log.heads
        _ = try log.add(Fixture.removal(0, keeping: heads), by: Fixture.signer(2))
        // Device 1 had added device 2; the first device states that none of its entries are effective.
        _ = try log.add(Fixture.removal(1), by: Fixture.signer(0), after: addition)
        #expect(log.standing(0) == .removed && log.standing(1) == .removed)
        #expect(log.state.activeDevices.isEmpty)
        // The words end the effect of the first device's entries beyond the removal.
        _ = try log.add(Fixture.removal(0, keeping: addition), by: .recovery(Fixture.recoveryKeys[0]), after: heads)
        #expect(log.state.activeDevices == [Fixture.device(1), Fixture.device(2)])
    }

    @Test func `two stolen devices do not keep each other in the account`() throws {
        var log = try household(3)
        let heads = log.heads
        let first = try log.add(Fixture.removal(0, keeping: heads), by: Fixture.signer(2))
        _ = try log.add(Fixture.removal(1, keeping: heads), by: Fixture.signer(2), after: [first])
        _ = try log.add(Fixture.removal(2), by: Fixture.signer(0), after: heads)
        _ = try log.add(Fixture.removal(2), by: Fixture.signer(1), after: heads)
        #expect((0...2).allSatisfy { log.standing($0) == .removed })
    }

    @Test func `in a circle of three all are out`() throws {
        var log = try household(4)
        let heads = log.heads
        _ = try log.add(Fixture.removal(1), by: Fixture.signer(2), after: heads)
        _ = try log.add(Fixture.removal(3), by: Fixture.signer(1), after: heads)
        _ = try log.add(Fixture.removal(2), by: Fixture.signer(3), after: heads)
        #expect(log.state.activeDevices == [Fixture.device(0)])
    }

    @Test func `the recovery key beats the first device`() throws {
        var log = try household(2)
        let heads = log.heads
        // The first device, in the hands of a thief, removes the other one and adds its own.
        _ = try log.add(Fixture.removal(1), by: Fixture.signer(0), after: heads)
        _ = try log.add(try Fixture.addition(5), by: Fixture.signer(0))
        _ = try log.add(Fixture.removal(0, keeping: heads), by: .recovery(Fixture.recoveryKeys[0]))
        #expect(log.standing(0) == .removed)
        #expect(log.standing(1) == .active(.full))
        #expect(log.standing(5) == .unknown)
        // No later entry of the first device, with any past, changes that.
        _ = try log.add(Fixture.removal(1), by: Fixture.signer(0), after: heads, nonce: 9)
        _ = try log.add(Fixture.removal(1), by: Fixture.signer(0), nonce: 10)
        #expect(log.standing(1) == .active(.full))
    }

    @Test func `a removal that the recovery key undoes restores every device that it had removed`() throws {
        var log = try household(3)
        let heads = log.heads
        _ = try log.add(Fixture.removal(1), by: Fixture.signer(2), after: heads)
        _ = try log.add(Fixture.removal(2, keeping: heads), by: Fixture.signer(0), after: heads)
        #expect(log.standing(1) == .removed && log.standing(2) == .removed)
        _ = try log.add(Fixture.removal(2, keeping: heads), by: .recovery(Fixture.recoveryKeys[0]))
        #expect(log.standing(2) == .removed)
        #expect(log.standing(1) == .active(.full))
    }

    @Test func `a device may leave on its own`() throws {
        var log = try household(2)
        let heads = log.heads
        _ = try log.add(Fixture.removal(1, keeping: heads), by: Fixture.signer(1))
        #expect(log.standing(1) == .removed)
        _ = try log.add(try Fixture.addition(5), by: Fixture.signer(1), after: heads)
        #expect(log.standing(5) == .unknown)
    }

    @Test func `a device added with two roles has the earlier one`() throws {
        var log = try household(2)
        _ = try log.add(try Fixture.addition(5, role: .readOnly), by: Fixture.signer(0))
        _ = try log.add(try Fixture.addition(5, role: .full), by: Fixture.signer(1))
        #expect(log.standing(5) == .active(.readOnly))
    }

    @Test func `a device that a removed one had added may be added again`() throws {
        var log = try household(2)
        let before = log.heads
        _ = try log.add(try Fixture.addition(5), by: Fixture.signer(1))
        _ = try log.add(Fixture.removal(1, keeping: before), by: Fixture.signer(0))
        #expect(log.standing(5) == .unknown)
        _ = try log.add(try Fixture.addition(5), by: Fixture.signer(0))
        #expect(log.standing(5) == .active(.full))
    }

    @Test func `a replaced recovery key can do nothing that the replacement had not seen`() throws {
        var log = try household(2)
        let heads = log.heads
        let keys = Fixture.recoveryKeys
        _ = try log.add(.replaceRecoveryKey(keys[1].publicKey.bytes), by: .recovery(keys[0]))
        #expect(log.state.recoveryKey == keys[1].publicKey)
        // With the new past the old key's signature is not even accepted; with the old past it is ineffective.
        let late = try Fixture.forge(Fixture.removal(1), in: log, parents: log.heads, signer: .recovery(keys[0]))
        #expect(throws: AccountError.badSignature) { try log.insert(late) }
        _ = try log.add(Fixture.removal(1), by: .recovery(keys[0]), after: heads)
        #expect(log.standing(1) == .active(.full))
        _ = try log.add(Fixture.removal(1), by: .recovery(keys[1]))
        #expect(log.standing(1) == .removed)
    }

    @Test func `of two replacements of one recovery key exactly one is effective, whichever arrived first`() throws {
        let base = try household(1)
        let keys = Fixture.recoveryKeys
        let entries = try (1...3).map { index in
            try Fixture.forge(
                .replaceRecoveryKey(keys[index].publicKey.bytes),
                in: base,
                parents: base.heads,
                signer: .recovery(keys[0])
            )
        }
        var states: Set<AccountState> = []
        for order in [[0, 1, 2], [2, 1, 0], [1, 2, 0]] {
            var log = base
            for index in order {
                try log.insert(entries[index])
            }
            states.insert(log.state)
        }
        #expect(states.count == 1)
        #expect(states.first.map { $0.recoveryKey != keys[0].publicKey } == true)
    }

    @Test func `removals of one device by several others are all kept`() throws {
        var log = try household(4)
        let heads = log.heads
        _ = try log.add(Fixture.removal(3, keeping: heads), by: Fixture.signer(1), after: heads)
        _ = try log.add(Fixture.removal(3), by: Fixture.signer(2), after: heads)
        #expect(log.state.devices[Fixture.device(3)]?.status == .removed)
        #expect(log.state.removals[Fixture.device(3)]?.count == 2)
    }
}
