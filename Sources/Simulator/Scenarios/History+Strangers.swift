import Sync

// Strangers among all the other trouble.
extension History {
    /// How many of the histories of `everything` with rooms have some.
    private static let strangerChance = 0.5
    /// How often one of them connects, in milliseconds: often enough that the handshakes of ten seconds fill a room.
    private static let strangerPeriodMilliseconds: UInt64 = 100

    /// Lets strangers hold the doors of one machine for some seconds while everything else goes wrong.
    ///
    /// How soon a member gets through is asked in `doors` alone: here the links are as slow as they like.
    func inviteStrangers() {
        guard options.hasRooms, !RememberedSeed.isRemembered(simulation.seed, in: "everything"),
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
                // Its disk fails, and it makes no ticket.
            }
        }
    }
}
