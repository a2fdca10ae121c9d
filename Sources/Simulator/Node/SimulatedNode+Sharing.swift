import Identity
import Peering
import Records
package import Sync
package import Wire

// The requests of people to a node about zones of several accounts.
extension SimulatedNode {
    /// Makes a statement about a zone or its members, as one job of the commit queue.
    ///
    /// - Parameters:
    ///   - what: A word for people.
    ///   - body: The work.
    ///   - completion: Called once, unless the process ends before.
    package func decide(
        _ what: String,
        _ body: @escaping (Committer, inout SeededGenerator, inout MemoryStore) throws -> CommitNotice,
        completion: @escaping (Result<CommitNotice, any Error>) throws -> Void = { _ in }
    ) {
        guard let process, !process.commits.isFull else { return }
        let number = simulation.makeNumber()
        simulation.trace.note(.issue, at: simulation.now, node: index, number, what)
        process.commits.enqueue { process, transaction in
            try body(process.committer(), &process.node.random, &transaction)
        } completion: { [unowned self] result in
            var text = "\(what): done"
            if case .failure(let error) = result { text = "\(what): \(error)" }
            simulation.trace.note(.answer, at: simulation.now, node: index, number, text)
            try completion(result)
        }
    }

    /// Becomes a participant in a zone that another account has offered.
    package func accept(_ zone: ZoneID) {
        guard let process, let terms = process.core.offers.all[zone]?.terms else { return }
        process.core.accepted(zone)
        decide("join") { committer, _, transaction in
            try ZoneLifecycle(committer).join(terms.genesis, tagKey: terms.tagKey, in: &transaction).notice
        }
    }
}
