import Session

/// The rooms as `docs/protocol/channel.md` has them, repeated here.
private enum RoomTable {
    /// Places, those of one address, and the time in milliseconds; `nil` = the age of a session.
    static func limits(of room: DoorRoom) -> (places: Int, ofAddress: Int, milliseconds: UInt64?) {
        switch room {
        case .accepted: (128, 8, 5_000)
        case .fleet, .zone: (32, 8, 10_000)
        case .invitation, .ticket, .recovery: (room == .invitation ? 16 : 8, 4, 30_000)
        case .enrolment: (16, 8, 30_000)
        case .joining: (1, 1, 60_000)
        case .relay: (64, 16, 15_000)
        case .confirming: (32, 8, 15_000)
        case .removed: (2, 2, 75_000)
        case .guest: (16, 8, nil)
        case .admitted: (512, 512, nil)
        }
    }
}

// Incoming connections.
extension Judge {
    /// The longest handshake, in addition to the time of its room, and the grace for ending a connection, in
    /// milliseconds.
    private static let handshakeMilliseconds: UInt64 = 5_000
    private static let graceMilliseconds: UInt64 = 100

    /// Notes that an incoming connection has entered a room.
    func entered(_ end: ChannelEnd, on node: SimulatedNode, in simulation: Simulation) throws {
        guard let process = node.process, end.side == 1, let room = end.stay?.room else { return }
        let there = process.ends.values.filter { !$0.isOver && $0.side == 1 && $0.stay?.room == room }
        let limits = RoomTable.limits(of: room)
        let near = there.count { $0.stay?.address == end.stay?.address }
        guard there.count <= limits.places, near <= limits.ofAddress else {
            let text = "the room \(room) has \(there.count) connections, \(near) of them from one address"
            throw Violation(.doors, time: simulation.now, node: node.index, text)
        }
        guard let milliseconds = limits.milliseconds else { return }
        let longest = milliseconds + Self.handshakeMilliseconds + Self.graceMilliseconds
        for other in there {
            guard let since = other.stay?.since, simulation.now > since + longest else { continue }
            let text = "a connection has been in the room \(room) for \(simulation.now - since) ms"
            throw Violation(.doors, time: simulation.now, node: node.index, text)
        }
    }

    /// Checks a connection of a device of the account one second after it was made.
    func awaited(_ end: ChannelEnd, on node: SimulatedNode, in simulation: Simulation) throws {
        guard end.handshake == nil else { return }
        let text = "a member's handshake is not finished a second after its connection"
        throw Violation(.doors, time: simulation.now, node: node.index, text)
    }
}
