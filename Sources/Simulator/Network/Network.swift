/// The network between the machines.
///
/// Connections are ordered streams, like TCP's. While a direction of a link is blocked, bytes wait and arrive later,
/// as TCP retransmits them; a side that waits too long gives the connection up.
package final class Network {
    /// The time that a dial waits for an answer, in milliseconds.
    package static let connectMilliseconds: UInt64 = 5_000

    /// The world; set before anything happens.
    unowned var simulation: Simulation?
    let options: SimulationOptions
    /// The special conditions of directions of links.
    var qualities: [LinkDirection: LinkQuality] = [:]
    /// Whether no machine reaches any other; ``heal()`` does not end that.
    var isSevered = false
    private var hosts: [UInt32: Int] = [:]
    private var addresses: [NetworkAddress] = []
    private var nextHost: UInt32 = 1
    private(set) var connections: [UInt64: Connection] = [:]

    init(options: SimulationOptions) {
        self.options = options
    }

    // MARK: Addresses

    /// Gives a machine a new address that no machine had before.
    func place(node: Int) {
        while addresses.count <= node { addresses.append(NetworkAddress(host: 0)) }
        hosts[addresses[node].host] = nil
        addresses[node] = NetworkAddress(host: nextHost)
        hosts[nextHost] = node
        nextHost += 1
    }

    /// The address of a machine.
    package func address(of node: Int) -> NetworkAddress { addresses[node] }

    /// The machine at an address; `nil` if there is none.
    package func node(at address: NetworkAddress) -> Int? { hosts[address.host] }

    // MARK: Connections

    /// The open connections, in the order in which they were made.
    package var openConnections: [Connection] {
        connections.values.filter(\.isOpen).sorted { $0.id < $1.id }
    }

    /// Dials an address for a node, and notifies its process of the outcome.
    func dial(from node: SimulatedNode, to address: NetworkAddress, dial: UInt64) {
        guard let simulation else { return }
        simulation.trace.note(.dial, at: simulation.now, node: node.index, UInt64(address.host))
        guard let other = hosts[address.host], isClear(node.index, other), isClear(other, node.index) else {
            simulation.schedule(after: Self.connectMilliseconds, for: node) {
                try $0.process?.channels.dialFailed(dial)
            }
            return
        }
        let there = delay(node.index, other)
        simulation.schedule(after: there, for: node) { [unowned self, unowned simulation] node in
            let back = delay(other, node.index)
            let target = simulation.nodes[other]
            guard target.isRunning else {
                // A machine that is on refuses; one that is off does not answer.
                let wait = target.isPowered ? back : Self.connectMilliseconds
                simulation.schedule(after: wait, for: node) { try $0.process?.channels.dialFailed(dial) }
                return
            }
            let connection = insert([node.index, other], lives: [node.life, target.life], address: address)
            try target.process?.channels.accepted(connection)
            simulation.schedule(after: back, for: node) { try $0.process?.channels.connected(connection, dial: dial) }
        }
    }

    /// Makes a connection from a machine that is no node, as any machine on the network may.
    ///
    /// - Parameters:
    ///   - node: The machine that is dialled.
    ///   - host: The stranger's host.
    ///   - tap: Receives the bytes that the machine sends.
    /// - Returns: The connection, on which the stranger sends with `send(_:on:side:)` as side 0; `nil` when no
    ///   process listens.
    /// - Throws: Errors of the node.
    package func connectStranger(
        to node: SimulatedNode,
        from host: UInt32 = 0,
        tap: (([UInt8]) throws -> Void)? = nil
    ) throws -> Connection? {
        guard let process = node.process else { return nil }
        let connection = insert([-1, node.index], lives: [0, node.life], address: addresses[node.index], origin: host)
        connection.tap = tap
        try process.channels.accepted(connection)
        return connection
    }

    private func insert(
        _ nodes: [Int],
        lives: [Int],
        address: NetworkAddress,
        origin: UInt32? = nil
    ) -> Connection {
        let id = simulation?.makeNumber() ?? 0
        let from = origin ?? addresses[nodes[0]].host
        let connection = Connection(id: id, nodes: nodes, lives: lives, address: address, origin: from)
        connections[id] = connection
        return connection
    }

    // MARK: Bytes

    /// Hands bytes of one side to the network.
    package func send(_ bytes: [UInt8], on connection: Connection, side: Int) {
        guard let simulation, !bytes.isEmpty, !connection.directions[side].hasEnded else { return }
        simulation.statistics.byteCount += UInt64(bytes.count)
        simulation.trace.note(.bytes, at: simulation.now, node: connection.nodes[side], UInt64(bytes.count))
        simulation.trace.mix(bytes)
        guard !connection.directions[side].isDead else { return }
        var bytes = bytes
        if options.allows(.replay), connection.directions[side].record.count < Connection.recordByteCountMax {
            connection.directions[side].record += bytes
        }
        if connection.directions[side].flipsNext {
            connection.directions[side].flipsNext = false
            let place = simulation.random.index(below: bytes.count)
            bytes[place] ^= UInt8(1) << UInt8(simulation.random.index(below: 8))
        }
        if connection.directions[side].truncatesNext {
            connection.directions[side].truncatesNext = false
            bytes = Array(bytes.prefix(simulation.random.index(below: bytes.count)))
            if !bytes.isEmpty { put(.bytes(bytes), on: connection, side: side, byteCount: bytes.count) }
            hangUp(connection, side: side)
            return
        }
        put(.bytes(bytes), on: connection, side: side, byteCount: bytes.count)
    }

    /// Hangs up one side: bytes sent before still arrive, then the end.
    func hangUp(_ connection: Connection, side: Int) {
        guard !connection.directions[side].hasEnded else { return }
        connection.directions[side].hasEnded = true
        if connection.directions[1 - side].hasEnded { forget(connection) }
        guard !connection.directions[side].isDead else { return }
        put(.end, on: connection, side: side, byteCount: 0)
    }

    private func put(_ item: Connection.Item, on connection: Connection, side: Int, byteCount: Int) {
        guard let simulation else { return }
        let link = LinkDirection(from: connection.nodes[side], to: connection.nodes[1 - side])
        let busy = rate(link).map { UInt64(byteCount) / max($0, 1) } ?? 0
        let start = max(connection.directions[side].lastArrival, simulation.now)
        let arrival = max(start + busy, simulation.now + delay(link.from, link.to))
        connection.directions[side].lastArrival = arrival
        switch item {
        case .bytes(let bytes): simulation.insert(.bytes(connection, side: 1 - side, bytes), at: arrival)
        case .end: simulation.insert(.ended(connection, side: 1 - side), at: arrival)
        }
    }

    /// Delivers an item to a machine, unless its link is blocked: then the item waits there.
    /// - Returns: The node, if it was notified.
    func arrived(_ item: Connection.Item, on connection: Connection, side: Int) throws -> SimulatedNode? {
        if let simulation, case .bytes(let bytes) = item {
            try simulation.judge.sent(bytes, on: connection, side: 1 - side, in: simulation)
        }
        guard !connection.directions[1 - side].isDead else { return nil }
        let link = LinkDirection(from: connection.nodes[1 - side], to: connection.nodes[side])
        // Nothing may overtake items that wait.
        guard connection.directions[1 - side].held.isEmpty, !isBlocked(link) else {
            connection.directions[1 - side].held.append(item)
            return nil
        }
        return try deliver(item, on: connection, side: side)
    }

    private func deliver(_ item: Connection.Item, on connection: Connection, side: Int) throws -> SimulatedNode? {
        let index = connection.nodes[side]
        guard let simulation, index >= 0 else {
            if case .bytes(let bytes) = item { try connection.tap?(bytes) }
            return nil
        }
        let node = simulation.nodes[index]
        guard node.life == connection.lives[side], let process = node.process else {
            // Another process, or none: the kernel refuses, unless the machine is off.
            if case .bytes = item, node.isPowered { reset(connection, side: side) }
            return nil
        }
        switch item {
        case .bytes(let bytes): try process.channels.arrived(bytes, on: connection, side: side)
        case .end: try process.channels.ended(connection, side: side)
        }
        try process.settle()
        return node
    }

    /// Delivers the waiting items of a direction that is free again.
    private func drain(_ connection: Connection, from side: Int) throws {
        let link = LinkDirection(from: connection.nodes[side], to: connection.nodes[1 - side])
        guard !isBlocked(link), !connection.directions[side].isDead else { return }
        let held = connection.directions[side].held
        connection.directions[side].held = []
        for item in held { _ = try deliver(item, on: connection, side: 1 - side) }
    }

    /// Refuses, on behalf of a machine, bytes of a connection that it does not know.
    private func reset(_ connection: Connection, side: Int) {
        connection.directions[1 - side].isDead = true
        hangUp(connection, side: side)
    }

    private func forget(_ connection: Connection) {
        connection.isOpen = false
        connections[connection.id] = nil
    }

    /// Ends the open connections of a process that has ended.
    ///
    /// - Parameters:
    ///   - node: The machine.
    ///   - life: The life of the process.
    ///   - isTold: Whether the machine is still on and its kernel notifies the other sides; without power it does
    ///     not.
    func processEnded(node: Int, life: Int, isTold: Bool) {
        for connection in openConnections {
            for side in 0...1 where connection.nodes[side] == node && connection.lives[side] == life {
                if isTold {
                    hangUp(connection, side: side)
                } else {
                    connection.directions[side].hasEnded = true
                    if connection.directions[1 - side].hasEnded { forget(connection) }
                }
            }
        }
    }

    /// Schedules the items that wait at links that are free again.
    func release() {
        guard let simulation else { return }
        for connection in connections.values.sorted(by: { $0.id < $1.id }) {
            for side in 0...1 where !connection.directions[side].held.isEmpty {
                let link = LinkDirection(from: connection.nodes[side], to: connection.nodes[1 - side])
                guard !isBlocked(link) else { continue }
                let moment = simulation.now + delay(link.from, link.to)
                simulation.schedule(at: moment) { [unowned self] in try drain(connection, from: side) }
            }
        }
    }

    // MARK: Links

    /// Whether both directions between two machines are free.
    func isOpen(between first: Int, and second: Int) -> Bool { isClear(first, second) && isClear(second, first) }

    private func isClear(_ from: Int, _ to: Int) -> Bool { !isBlocked(LinkDirection(from: from, to: to)) }

    func isBlocked(_ link: LinkDirection) -> Bool {
        if isSevered { return true }
        guard !qualities.isEmpty, let quality = qualities[link] else { return false }
        return quality.isBlocked || quality.cloggedUntil > simulation?.now ?? 0
    }

    private func rate(_ link: LinkDirection) -> UInt64? {
        guard !qualities.isEmpty, let quality = qualities[link] else { return options.bytesPerMillisecond }
        return quality.bytesPerMillisecond ?? options.bytesPerMillisecond
    }

    private func delay(_ from: Int, _ to: Int) -> UInt64 {
        guard let simulation else { return 0 }
        var mean = options.delayMilliseconds
        if !qualities.isEmpty, let special = qualities[LinkDirection(from: from, to: to)]?.delayMilliseconds {
            mean = special
        }
        return simulation.random.exponential(mean: mean)
    }
}
