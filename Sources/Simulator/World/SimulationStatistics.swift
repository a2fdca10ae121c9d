/// Counts of the events in a simulation.
package struct SimulationStatistics: Sendable {
    /// Events handled.
    package var events: UInt64 = 0
    /// Messages that cores received.
    package var messages: UInt64 = 0
    /// Messages by their tag on the wire; the last element counts all higher tags.
    package var messagesByTag = [UInt64](repeating: 0, count: 32)
    /// Bytes of these messages, by the same tags.
    package var byteCountByTag = [Int](repeating: 0, count: 32)
    /// Runs that the store where they arrived could not take in its state.
    package var misplacedRuns: UInt64 = 0
    /// Bytes handed to the network.
    package var byteCount: UInt64 = 0
    /// Handshakes that completed.
    package var handshakes: UInt64 = 0
    /// Parcels that were taken out of mailboxes.
    package var parcels: UInt64 = 0
    /// Transactions that became durable.
    package var commits: UInt64 = 0
    /// Transactions that failed.
    package var failedCommits: UInt64 = 0
    /// Processes that ended without warning.
    package var crashes: UInt64 = 0
    /// Processes that began.
    package var starts: UInt64 = 0
    /// Requests of applications.
    package var submissions: UInt64 = 0
    /// Milliseconds that processes ran, all together.
    package var nodeMilliseconds: UInt64 = 0
    /// Injected faults, by kind.
    package var faults: [FaultKind: UInt64] = [:]

    /// Creates empty counts.
    package init() {}

    /// Adds the counts of another simulation.
    package mutating func add(_ other: SimulationStatistics) {
        events += other.events
        messages += other.messages
        for tag in messagesByTag.indices { messagesByTag[tag] += other.messagesByTag[tag] }
        for tag in byteCountByTag.indices { byteCountByTag[tag] += other.byteCountByTag[tag] }
        misplacedRuns += other.misplacedRuns
        byteCount += other.byteCount
        handshakes += other.handshakes
        parcels += other.parcels
        commits += other.commits
        failedCommits += other.failedCommits
        crashes += other.crashes
        starts += other.starts
        submissions += other.submissions
        nodeMilliseconds += other.nodeMilliseconds
        faults.merge(other.faults, uniquingKeysWith: +)
    }
}
