import Session
import Sync

/// The room of each connection of a process, and its time there: the production book, used as the
/// daemon's transport uses it.
final class ProcessRooms {
    /// A connection's state in the book.
    struct Stay {
        let pass: DoorBook<UInt32>.Pass
        /// The host from which the connection comes.
        let address: UInt32
        /// The room.
        var room: DoorRoom
        /// The time at which it entered the room, or ended its handshake if that was later, in
        /// simulated milliseconds.
        var since: UInt64
        /// Whether the preamble has fitted a secret.
        var hasKnocked = false
        /// The time by which it must leave the room, by the monotonic clock; `nil` = when a session
        /// reaches its greatest age.
        var deadline: UInt64?
    }

    private unowned let process: NodeProcess
    private var book = DoorBook<UInt32>()

    init(_ process: NodeProcess) { self.process = process }

    private var channels: ProcessChannels { process.channels }
    private var simulation: Simulation { process.simulation }

    /// Admits an incoming connection.
    /// - Returns: Whether the connection is accepted; the stay is `nil` where connections are not counted.
    func admit(_ connection: Connection) throws -> (isTaken: Bool, stay: Stay?) {
        guard simulation.options.hasRooms else { return (true, nil) }
        switch book.connected(from: connection.origin, now: process.monotonic) {
        case .refused:
            return (false, nil)
        case .taken(let pass, let terms, let other):
            if let other { try hangUp(other) }
            return (true, stay(pass, connection.origin, terms))
        }
    }

    /// Enters a connection that this side has made.
    func dialled(_ connection: Connection, under purpose: ChannelSecret.Purpose) -> Stay? {
        guard simulation.options.hasRooms else { return nil }
        let (pass, terms) = book.dialled(under: DoorRoom(purpose), now: process.monotonic)
        return stay(pass, connection.origin, terms)
    }

    private func stay(_ pass: DoorBook<UInt32>.Pass, _ address: UInt32, _ terms: DoorBook<UInt32>.Terms) -> Stay {
        Stay(pass: pass, address: address, room: terms.room, since: simulation.now, deadline: terms.deadline)
    }

    /// Closes a connection without notice to give its place to another one.
    private func hangUp(_ pass: DoorBook<UInt32>.Pass) throws {
        guard let end = channels.ends.values.first(where: { $0.stay?.pass == pass }) else { return }
        try channels.finish(end, .endedInHandshake(messagesReceived: 0))
    }

    /// Moves a connection whose preamble fits a secret to the others of its kind.
    /// - Returns: Whether it may continue.
    func knock(_ end: ChannelEnd) throws -> Bool {
        guard let stay = end.stay, end.side == 1, !stay.hasKnocked, let purpose = end.core.purpose else { return true }
        end.stay?.hasKnocked = true
        let isMoved = try move(end, book.knocked(stay.pass, at: DoorRoom(purpose), now: process.monotonic))
        if !isMoved { try channels.finish(end, .endedInHandshake(messagesReceived: 0)) }
        return isMoved
    }

    /// Handles a finished handshake.
    /// - Returns: Whether the connection may continue.
    func prove(_ end: ChannelEnd) throws -> Bool {
        guard let stay = end.stay else { return true }
        guard let terms = book.proved(stay.pass, now: process.monotonic) else {
            try channels.finish(end, .endedInHandshake(messagesReceived: 0))
            return false
        }
        end.stay?.since = simulation.now
        keep(terms, end)
        return true
    }

    /// Moves a connection to the room of its peer, once the peer is known.
    func settle(_ end: ChannelEnd, in room: DoorRoom) throws {
        guard !end.isOver, let stay = end.stay else { return }
        let move = book.identified(stay.pass, in: room, now: process.monotonic)
        guard try self.move(end, move) else { return channels.close(end, .busy) }
        guard case .moved(let terms, _) = move else { return }
        keep(terms, end)
        var events: [ChannelEvent] = []
        end.core.acceptMessages(
            upTo: terms.messageByteCountMax,
            dropsLonger: terms.dropsLongerMessages,
            into: &events
        )
        // Bytes that have waited are read after all other work of this moment, as on an event loop.
        guard !events.isEmpty else { return }
        simulation.schedule(after: 0, for: process.node) { node in
            guard let process = node.process, !end.isOver else { return }
            try process.channels.perform(events, on: end)
        }
    }

    private func move(_ end: ChannelEnd, _ move: DoorBook<UInt32>.Move) throws -> Bool {
        guard case .moved(let terms, let other) = move else { return false }
        if let other { try hangUp(other) }
        if end.stay?.room != terms.room {
            end.stay?.room = terms.room
            end.stay?.since = simulation.now
        }
        end.stay?.deadline = terms.deadline
        try (simulation.judge as? Judge)?.entered(end, on: process.node, in: simulation)
        return true
    }

    /// Ends a connection when its time in a room is over.
    private func keep(_ terms: DoorBook<UInt32>.Terms, _ end: ChannelEnd) {
        end.stay?.deadline = terms.deadline
        guard let deadline = terms.deadline else { return }
        let left = max(deadline, process.monotonic) - process.monotonic
        simulation.schedule(after: left, for: process.node) { node in
            guard !end.isOver, end.stay?.deadline == deadline else { return }
            node.process?.channels.close(end, .silent)
        }
    }

    /// Handles the end of a connection.
    func leave(_ end: ChannelEnd) {
        guard let stay = end.stay else { return }
        book.ended(stay.pass)
        end.stay = nil
    }
}
