import Sync

// Strangers, in addition to the faults of other kinds.
extension History {
    /// The share of the histories of `everything` with rooms that have strangers.
    private static let strangerChance = 0.5
    /// The interval between their connections, in milliseconds: short enough that the handshakes of ten seconds fill
    /// a room.
    private static let strangerPeriodMilliseconds: UInt64 = 100

    /// Lets strangers occupy the doors of one machine for some seconds while faults of all other kinds happen.
    ///
    /// Only `doors` checks how soon a member gets through: here the links may be arbitrarily slow.
    func inviteStrangers() {
        guard options.hasRooms, !RememberedSeed.isWithoutKeys(simulation.seed, in: "everything"),
            strangerRandom.chance(Self.strangerChance)
        else { return }
        let node = nodes[strangerRandom.index(below: nodes.count)]
        let begin = simulation.now + strangerRandom.number(1...options.faultDuration / 2)
        simulation.schedule(at: begin) { [self] in
            guard node.isRunning else { return }
            do {
                let siege = try Siege(self, of: node, drawing: \.strangerRandom)
                let end = simulation.now + strangerRandom.number(10_000...30_000)
                try siege.knock(until: end, every: Self.strangerPeriodMilliseconds)
                simulation.schedule(at: end + 1_000) { siege.hangUp() }
            } catch is StorageError {
                // The machine's disk fails, and it makes no ticket.
            }
        }
    }
}
