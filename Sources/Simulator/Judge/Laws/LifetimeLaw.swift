import Identity
import Records
import Sync
import Wire

/// The law that a store's lifetime continues unless a fault has affected the store, and ends when a
/// peer returns its own operations to it.
enum LifetimeLaw {
    /// Checks that a running store goes on in its lifetime, regardless of what its peers say: there are 64 lifetimes
    /// under a right.
    ///
    /// It ends where a store of the device was rolled back, lost or copied; without that no log of it is forked.
    static func checkContinued(_ commit: ObservedCommit, _ evidence: Evidence) throws {
        guard commit.account != nil, let before = try commit.before.incarnation(),
            let after = try commit.after.incarnation(), before != after,
            !evidence.disturbedDevices.contains(commit.device), !evidence.byzantine.contains(commit.device)
        else { return }
        throw commit.violation(.lifetime, "the lifetime of a store that no fault has affected was ended")
    }

    /// Checks that a store does not go on in a log of which a peer has sent it its own operations: it was rolled
    /// back.
    /// - Parameters:
    ///   - place: The place at which an operation that was written before came in.
    ///   - commit: The transaction.
    /// - Throws: ``Violation``.
    static func checkReturned(_ place: OperationLibrary.Place, _ commit: ObservedCommit) throws {
        guard let incarnation = try commit.after.incarnation(), let log = try commit.after.log(place.key),
            log.device == commit.device, log.incarnation == incarnation
        else { return }
        throw commit.violation(.lifetime, "\(place) came back from a peer, and the store still writes to that log")
    }

    /// Checks that the sentinel, which is written after the commit it records, never knows more than the store.
    static func checkSentinel(of node: SimulatedNode, _ store: MemoryStore?, _ evidence: Evidence) throws {
        let state = IncarnationDecision.SentinelState(bytes: node.disk.contents(of: .sentinel))
        guard let store, case .present(let sentinel) = state, !evidence.disturbedNodes.contains(node.index),
            sentinel.incarnation == (try store.incarnation())
        else { return }
        let number = try store.followingCommitNumber() - 1
        guard sentinel.commitNumber > number else { return }
        throw Violation(
            .lifetime,
            at: node,
            "the sentinel has commit \(sentinel.commitNumber), the store only \(number)"
        )
    }
}

extension MemoryStore {
    /// The number that the store's next commit would have.
    func followingCommitNumber() throws -> UInt64 {
        var copy = self
        return try copy.nextCommitNumber()
    }
}
