import Session

/// The law that rooms have no more connections than places, none stays longer than allowed, and a
/// member finds a place.
enum DoorLaw {
    /// The longest handshake, in addition to the time of its room, and the grace for ending a connection, in
    /// milliseconds.
    private static let handshakeMilliseconds: UInt64 = 5_000
    private static let graceMilliseconds: UInt64 = 100

    /// The rooms as `docs/protocol/channel.md` has them, repeated here.
    ///
    /// They have places, those of one address, and the time in milliseconds; `nil` = the age of a
    /// session.
    private static func limits(of room: DoorRoom) -> (places: Int, ofAddress: Int, milliseconds: UInt64?) {
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

    /// Checks the room that an incoming connection has entered.
    static func entered(_ end: ChannelEnd, on node: SimulatedNode) throws {
        guard let process = node.process, end.side == 1, let room = end.stay?.room else { return }
        let there = process.ends.values.filter { !$0.isOver && $0.side == 1 && $0.stay?.room == room }
        let limits = limits(of: room)
        let near = there.count { $0.stay?.address == end.stay?.address }
        guard there.count <= limits.places, near <= limits.ofAddress else {
            let text = "the room \(room) has \(there.count) connections, \(near) of them from one address"
            throw Violation(.doors, at: node, text)
        }
        guard let milliseconds = limits.milliseconds else { return }
        let longest = milliseconds + handshakeMilliseconds + graceMilliseconds
        let now = node.simulation.now
        for other in there {
            guard let since = other.stay?.since, now > since + longest else { continue }
            throw Violation(.doors, at: node, "a connection has been in the room \(room) for \(now - since) ms")
        }
    }

    /// Checks a connection of a device of the account one second after it was made.
    static func awaited(_ end: ChannelEnd, on node: SimulatedNode) throws {
        guard end.handshake == nil else { return }
        throw Violation(.doors, at: node, "a member's handshake is not finished a second after its connection")
    }
}
