/// The monotonic clock of a process.
struct ProcessClock {
    private unowned let simulation: Simulation
    private let startedAt: UInt64
    /// The initial reading, an arbitrary number.
    private let epoch: UInt64

    /// Starts the clock.
    init(_ node: SimulatedNode) {
        simulation = node.simulation
        startedAt = node.simulation.now
        epoch = node.random.number(0...1_000_000)
    }

    /// Milliseconds.
    var monotonic: UInt64 { simulation.now - startedAt + epoch }
}
