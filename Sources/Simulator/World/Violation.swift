/// A broken law, with time and node: the outcome of a failed simulation.
package struct Violation: Error, Equatable, Sendable, CustomStringConvertible {
    /// The number of the invariant in the documentation; 0 for a mistake of the simulator itself.
    package var invariant: Int
    /// The time, in simulated milliseconds; filled in by the simulation when it is 0.
    package var time: UInt64
    /// The node's index; `nil` when it is not one node's violation.
    package var node: Int?
    /// A description of the observation.
    package var text: String

    /// Describes a violation.
    package init(invariant: Int, time: UInt64 = 0, node: Int? = nil, _ text: String) {
        self.invariant = invariant
        self.time = time
        self.node = node
        self.text = text
    }

    /// One line for people.
    package var description: String {
        let place = node.map { " node \($0)" } ?? ""
        return "invariant \(invariant) at \(time) ms\(place): \(text)"
    }
}

/// A node loses its power in the middle of an operation; thrown by a disk, caught by the simulation.
struct PowerLoss: Error {
    let node: Int
}
