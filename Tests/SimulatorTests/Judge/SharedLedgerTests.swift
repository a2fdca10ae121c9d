import Identity
import Records
import Sync
import Testing
import Wire

@testable import Simulator

@Suite struct `The writes that the ledger requires of a device of another account` {
    /// Makes two accounts of one device each that share a zone; the owner writes while they are apart.
    private func apart(_ isPutOut: Bool) throws -> History {
        var options = SimulationOptions()
        var random = SeededGenerator(seed: 1)
        options.shapeForRights(&random)
        (options.accountCount, options.nodeCount) = (2, 2)
        let history = try History(seed: 1, options: options)
        let zone = try history.openSharedZone(.write)
        let other = history.simulation.accounts[1].id
        #expect(try history.nodes[1].store?.zone(zone) != nil)
        history.divide { $0.accountID == other }
        if isPutOut {
            history.sharing.expel(other, from: zone, on: history.nodes[0])
            try history.wait(1_000)
        }
        let node = history.nodes[0]
        try history.workload.write(HandMadeWorld.write(1), zone: zone, on: node)
        try history.wait(1_000)
        return history
    }

    @Test func `are those of others while it may read`() throws {
        let history = try apart(false)
        let violation = #expect(throws: Violation.self) { try history.checkMembers() }
        #expect(violation?.invariant == Invariant.acknowledgedIsKept.rawValue)
    }

    @Test func `are none of those after its right ended, whether it has learned of that or not`() throws {
        let history = try apart(true)
        try history.checkMembers()
    }
}
