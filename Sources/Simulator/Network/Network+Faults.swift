// Faults of the network.
extension Network {
    // MARK: Links

    /// Blocks a direction: bytes wait, dials go unanswered.
    package func block(from: Int, to: Int) {
        qualities[LinkDirection(from: from, to: to), default: LinkQuality()].isBlocked = true
    }

    /// Unblocks a direction.
    package func unblock(from: Int, to: Int) {
        let link = LinkDirection(from: from, to: to)
        guard qualities[link]?.isBlocked == true else { return }
        qualities[link]?.isBlocked = false
        release()
    }

    /// Delays everything in a direction until a time.
    package func clog(from: Int, to: Int, until time: UInt64) {
        qualities[LinkDirection(from: from, to: to), default: LinkQuality()].cloggedUntil = time
        simulation?.schedule(at: time) { [unowned self] in release() }
    }

    /// Makes a direction slow or long; `nil` = as the options say.
    package func set(from: Int, to: Int, delayMilliseconds: Double?, bytesPerMillisecond: UInt64?) {
        let link = LinkDirection(from: from, to: to)
        qualities[link, default: LinkQuality()].delayMilliseconds = delayMilliseconds
        qualities[link, default: LinkQuality()].bytesPerMillisecond = bytesPerMillisecond
    }

    /// Splits the network: machines in different parts cannot reach each other.
    ///
    /// Connections between the parts wait for the end of the partition, unless they die first: `isFatal` says whether
    /// all of them die at once, without either side noticing.
    ///
    /// - Parameters:
    ///   - parts: For each node the number of its part.
    ///   - isFatal: Whether connections between the parts die.
    package func divide(_ parts: [Int], isFatal: Bool) {
        for from in parts.indices {
            for to in parts.indices where from != to && parts[from] != parts[to] { block(from: from, to: to) }
        }
        for from in parts.indices {
            for to in parts.indices where from != to && parts[from] == parts[to] { unblock(from: from, to: to) }
        }
        guard isFatal else { return }
        for connection in openConnections where !connection.nodes.contains(-1) {
            guard connection.nodes.allSatisfy({ $0 < parts.count }),
                parts[connection.nodes[0]] != parts[connection.nodes[1]]
            else { continue }
            silence(connection)
        }
    }

    /// Ends all special conditions of links; the waiting items continue.
    package func heal() {
        qualities = [:]
        release()
    }

    /// Moves a machine to another address; its connections die without notice.
    package func move(_ node: Int) {
        place(node: node)
        for connection in openConnections where connection.nodes.contains(node) { silence(connection) }
    }

    // MARK: Connections

    /// Kills a connection without notifying either side.
    package func silence(_ connection: Connection) {
        for side in 0...1 {
            connection.directions[side].isDead = true
            connection.directions[side].held = []
        }
    }

    /// Kills a connection, and notifies the sides that notice at once.
    package func cut(_ connection: Connection, noticed: [Bool]) {
        silence(connection)
        for side in 0...1 where noticed[side] && connection.nodes[side] >= 0 { tell(connection, side: side) }
    }

    private func tell(_ connection: Connection, side: Int) {
        guard let simulation else { return }
        let node = simulation.nodes[connection.nodes[side]]
        guard node.life == connection.lives[side] else { return }
        simulation.schedule(after: 0, for: node) { try $0.process?.channels.ended(connection, side: side) }
    }

    /// Cuts the next bytes of one side short, and ends that direction after them.
    package func truncate(_ connection: Connection, side: Int) {
        connection.directions[side].truncatesNext = true
    }

    /// Flips one bit of the next bytes of one side.
    package func flip(_ connection: Connection, side: Int) {
        connection.directions[side].flipsNext = true
    }

    /// Replays the first bytes that a node once sent on a connection to the same machine, on a new connection.
    /// - Throws: Errors of the node.
    package func replay(_ connection: Connection) throws {
        guard let simulation, connection.nodes[1] >= 0, !connection.directions[0].record.isEmpty else { return }
        let record = connection.directions[0].record
        guard let copy = try connectStranger(to: simulation.nodes[connection.nodes[1]]) else { return }
        send(record, on: copy, side: 0)
    }
}
