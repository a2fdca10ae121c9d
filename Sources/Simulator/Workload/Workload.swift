import Identity
import Queries
package import Records
import Sync
package import Wire

/// The applications on all nodes: their requests, and the feeds that they follow.
package final class Workload {
    /// The world.
    unowned let simulation: Simulation
    /// The options of the history.
    let options: SimulationOptions
    /// The applications' source of randomness.
    var random: SeededGenerator
    /// A separate source of randomness for readers of some records, so that they leave the histories unchanged.
    private var filterRandom: SeededGenerator
    /// The number of values used so far.
    var markCount: UInt64 = 0
    /// Whether zones other than the default one may be deleted.
    package var deletesZones = true
    private var tokens: [FeedFollower.Key: String] = [:]

    /// Creates the applications of a world.
    /// - Parameter simulation: The world.
    package init(_ simulation: Simulation) {
        self.simulation = simulation
        options = simulation.options
        let seed = simulation.random.next()
        random = SeededGenerator(seed: seed)
        filterRandom = SeededGenerator(seed: ~seed)
    }

    /// Creates the default zone on one node, or on several that do not know of each other.
    /// - Throws: ``Violation``.
    package func createFirstZone() throws {
        for node in simulation.workplaces where node.index == 0 || random.chance(0.3) {
            try node.createZone(node.zoneGenesis(0))
        }
    }

    /// Plans the requests of a stretch of time.
    /// - Parameters:
    ///   - end: The end of the stretch, in simulated milliseconds; it begins now.
    ///   - perMinute: The mean number of requests a minute.
    package func plan(until end: UInt64, perMinute: Double) {
        guard perMinute > 0, end > simulation.now else { return }
        let count = Int(Double(end - simulation.now) / 60_000 * perMinute)
        for _ in 0..<count {
            let time = random.number(simulation.now...end)
            simulation.schedule(at: time) { [self] in try act() }
        }
    }

    /// Performs one action of an application on one node.
    /// - Throws: ``Violation``.
    package func act() throws {
        guard let node = random.element(of: simulation.workplaces), let store = node.store else {
            return
        }
        switch random.index(below: 100) {
        case 0..<12:
            try follow(node, random.element(of: views(of: node)) ?? FeedView(), using: &random)
            try follow(node, filterRandom.element(of: filteredViews(of: node)) ?? FeedView(), using: &filterRandom)
        case 12..<16 where options.zoneCount > 1:
            try node.createZone(node.zoneGenesis(random.index(below: options.zoneCount)))
        case 16 where deletesZones && options.zoneCount > 2:
            if let zone = try openZones(store).last(where: { !$0.genesis.isDefault }) { try node.deleteZone(zone.id) }
        case 17..<21:
            // Many writes at once share a transaction.
            for _ in 0..<(2 + random.index(below: 12)) { try write(on: node) }
        default:
            try write(on: node)
        }
    }

    /// Submits one drawn request on a node.
    /// - Parameter node: A node.
    /// - Throws: ``Violation``.
    package func write(on node: SimulatedNode) throws {
        guard let store = node.store, let zone = random.element(of: try openZones(store)) else { return }
        try write(makeRequest(zone: zone.id, store: store), zone: zone.id, on: node)
    }

    /// Submits writes on a node.
    package func write(_ request: WriteRequest, zone: ZoneID, on node: SimulatedNode) throws {
        try node.submit(request, zone: zone)
    }

    /// Gives one field of one record of the default zone a new value.
    /// - Parameters:
    ///   - name: The record.
    ///   - field: The field.
    ///   - node: The node that receives the request.
    /// - Returns: The value; `nil` when the node cannot be asked.
    /// - Throws: ``Violation``.
    @discardableResult
    package func set(_ name: String, _ field: String = "title", on node: SimulatedNode) throws -> String? {
        let mark = makeMark()
        let assignment = FieldAssignment(field: field, value: .string(mark))
        let write = RecordWrite(name: name, type: Self.type, set: [assignment])
        let zone = ZoneID(node.zoneGenesis(0))
        return try node.submit(WriteRequest([write]), zone: zone) == nil ? nil : mark
    }

    /// Deletes a record of the default zone.
    package func delete(_ name: String, on node: SimulatedNode) throws {
        let request = WriteRequest([RecordWrite(name: name, delete: true)])
        try node.submit(request, zone: ZoneID(node.zoneGenesis(0)))
    }

    /// The views that programs on a node follow: everything, one database, or one zone.
    private func views(of node: SimulatedNode) -> [FeedView] {
        [
            FeedView(), FeedView(place: .own), FeedView(container: "org.example.notes", place: .everybody),
            FeedView(zone: ZoneID(node.zoneGenesis(0))),
        ]
    }

    /// The views of programs that follow some of the records: records meet and miss the condition again and again.
    private func filteredViews(of node: SimulatedNode) -> [FeedView] {
        let titles = Predicate.any([
            .contains(.named("title"), .string("1")),
            .compare(.named(Self.counterField), .greater, .int64(3)),
        ])
        let conflicts = Predicate.compare(.system(.conflicts), .greater, .int64(0))
        return [
            FeedView(filter: FeedFilter(type: Self.type, predicate: titles)),
            FeedView(zone: ZoneID(node.zoneGenesis(0)), filter: FeedFilter(type: Self.type, predicate: conflicts)),
        ]
    }

    /// Reads a node's feed to its end, as a program does that keeps its token and its copy of the records.
    ///
    /// The program may die in the middle.
    /// - Parameters:
    ///   - node: The node.
    ///   - view: The view of the feed.
    ///   - isLasting: Whether the program may not die.
    ///   - random: The program's source of randomness.
    /// - Throws: ``Violation``.
    private func follow(
        _ node: SimulatedNode,
        _ view: FeedView,
        isLasting: Bool = false,
        using random: inout SeededGenerator
    ) throws {
        let key = FeedFollower.Key(node: node.index, view: view)
        do {
            while true {
                let limit = 1 + random.index(below: 50)
                let token = tokens[key]
                let page = try node.readFeed(view, since: token, limit: limit)
                let dies = !isLasting && random.chance(0.15)
                let taken = dies ? random.index(below: page.entries.count + 1) : page.entries.count
                // The program keeps its copy and the token that belongs to it together.
                let kept = taken < page.entries.count ? page.entries.prefix(taken).last?.token : page.token
                tokens[key] = kept?.text(of: view) ?? token
                try simulation.judge.feedRead(
                    on: node,
                    view: view,
                    since: token,
                    page: page,
                    taken: taken,
                    in: simulation
                )
                guard page.more, !dies else { return }
            }
        } catch NodeRefusal.tokenExpired {
            tokens[key] = nil
            try simulation.judge.feedExpired(on: node, view: view, in: simulation)
        } catch is StorageError {
            // If the disk cannot be read now, the program reads on another time.
        }
    }

    /// Reads all feeds to their ends.
    package func followAll() throws {
        for node in simulation.workplaces {
            for view in views(of: node) { try followToTheEnd(node, view, using: &random) }
            for view in filteredViews(of: node) { try followToTheEnd(node, view, using: &filterRandom) }
            // A copy, so that the other draws stay the same.
            var draws = filterRandom
            try followToTheEnd(node, FeedView(audience: .everything), using: &draws)
        }
    }

    private func followToTheEnd(_ node: SimulatedNode, _ view: FeedView, using random: inout SeededGenerator) throws {
        try follow(node, view, isLasting: true, using: &random)
        // A program whose token has expired begins again.
        guard tokens[FeedFollower.Key(node: node.index, view: view)] == nil else { return }
        try follow(node, view, isLasting: true, using: &random)
    }

    private func openZones(_ store: MemoryStore) throws -> [ZoneRow] {
        try store.zones().filter { $0.state == .live && !$0.isInternal }
    }
}
