import Records
import Sync
import Wire

/// The applications on all nodes that attach contents to records, copy and remove these, ask for contents, and evict some.
final class AssetWorkload {
    unowned let simulation: Simulation
    let judge: Judge
    private let messenger: Messenger
    /// A source of randomness of its own: histories without assets stay as they were.
    private var random: SeededGenerator
    /// The member that states false things about payloads, once it has begun.
    var liar: Int?
    /// The share of the actions that evict a content; without it nothing is drawn for that.
    var evictionShare = 0.0
    /// The share of the actions that link files, or change linked ones; without it nothing is drawn for that.
    var linkShare = 0.0
    /// The share of the actions that set whether relays keep the contents of a zone; without it nothing is drawn for that.
    var relayShare = 0.0
    /// The time at which each zone's policy was set last on each node.
    private var policySet: [Int: [ZoneID: UInt64]] = [:]
    private lazy var links = LinkWorkload(self, seed: linkSeed)
    private let linkSeed: UInt64
    /// The content that was uploaded last.
    var latest: PayloadID?

    /// The type of the records.
    private static let type = "album"
    /// The number of record names in each zone.
    private static let recordCount = 6
    /// The field with one asset.
    private static let fileField = "file"
    /// The field with a list of assets.
    private static let listField = "files"
    /// The time for which a policy stays, so that one transaction does not have several, in milliseconds.
    private static let policyMilliseconds: UInt64 = 20_000

    init(_ simulation: Simulation, judge: Judge, messenger: Messenger, seed: UInt64) {
        (self.simulation, self.judge, self.messenger) = (simulation, judge, messenger)
        random = SeededGenerator(seed: seed)
        linkSeed = ~seed
    }

    /// Plans the actions of applications in a stretch of time.
    func plan(until end: UInt64, perMinute: Double) {
        let count = Int(Double(end - simulation.now) / 60_000 * perMinute)
        for _ in 0..<count {
            simulation.schedule(at: random.number(simulation.now...end)) { [self] in try act() }
        }
    }

    private func act() throws {
        guard let node = random.element(of: simulation.workplaces), node.isRunning,
            let zone = random.element(of: try zones(on: node))
        else { return }
        if node.index == liar, random.chance(0.3) { return try lie(on: node, zone: zone) }
        if evictionShare > 0, random.chance(evictionShare) { return try evict(on: node) }
        if linkShare > 0, random.chance(linkShare) { return try links.act(on: node, zone: zone) }
        if relayShare > 0, random.chance(relayShare) { return keep(random.chance(0.6), zone: zone, on: node) }
        switch random.index(below: 100) {
        case 0..<38: attach(makeContent(), to: makeName(), on: node, zone: zone)
        case 38..<54: try copy(on: node, to: zone)
        case 54..<64: try nameAgain(on: node, zone: zone)
        case 64..<74: remove(on: node, zone: zone)
        case 74..<82: setPolicy(on: node, zone: zone)
        case 82..<94: try fetch(on: node, zone: zone)
        default: try cancel(on: node)
        }
    }

    // MARK: Records

    func makeName() -> String { "album\(random.index(below: Self.recordCount))" }

    /// Makes a content of one chunk, or of two to five.
    func makeContent() -> [UInt8] {
        let count = random.chance(0.7) ? random.number(1...60_000) : random.number(70_000...300_000)
        return random.bytes(Int(count))
    }

    /// Uploads a content, and names it in a record.
    func attach(_ bytes: [UInt8], to name: String, on node: SimulatedNode, zone: ZoneID) {
        let isInList = random.chance(0.3)
        messenger.handIn(bytes, on: node, zone: zone) { [self, unowned node] payload in
            guard let row = try? node.store?.payload(payload), let secret = row.secret else { return }
            judge.assets.uploaded(payload, AssetLaw.Upload(bytes: bytes, secret: secret.bytes))
            latest = payload
            write([Self.named(payload)], isInList, to: name, on: node, zone: zone)
        }
    }

    /// Names contents in a record: those that are named by their payloads alone are resolved in the same transaction.
    func write(_ assets: [AssetDescriptor], _ isInList: Bool, to name: String, on node: SimulatedNode, zone: ZoneID) {
        node.decide("attach") { committer, _, transaction in
            var resolved: [AssetDescriptor] = []
            for asset in assets {
                guard let known = try Assets(committer).resolve(asset, zone: zone, in: &transaction) else { continue }
                resolved.append(known)
            }
            guard let first = resolved.first else { return CommitNotice() }
            let assignment =
                isInList
                ? FieldAssignment(field: Self.listField, value: .list(resolved.map { .asset($0) }))
                : FieldAssignment(field: Self.fileField, value: .asset(first))
            let write = RecordWrite(name: name, type: Self.type, set: [assignment])
            return try committer.commit([WriteRequest([write])], zone: zone, in: &transaction).notice
        }
    }

    /// Copies assets of a record, as they are, to another record of the same zone or of another one.
    private func copy(on node: SimulatedNode, to zone: ZoneID) throws {
        let places = try named(on: node).sorted { $0.key < $1.key }
        let assets = places.flatMap { $0.value.map(\.asset) }
        let chosen = (0..<(1 + random.index(below: 3))).compactMap { _ in random.element(of: assets) }
        guard !chosen.isEmpty else { return }
        write(chosen, random.chance(0.5), to: makeName(), on: node, zone: zone)
    }

    /// Names an upload of the node once more, by its payload alone.
    private func nameAgain(on node: SimulatedNode, zone: ZoneID) throws {
        let payloads = judge.assets.uploads.keys.sorted()
        let own = try payloads.filter { try node.store?.payload($0)?.zone == zone }
        guard let payload = random.element(of: own) else { return }
        write([Self.named(payload)], random.chance(0.3), to: makeName(), on: node, zone: zone)
    }

    /// Deletes a record, or the assets in it.
    private func remove(on node: SimulatedNode, zone: ZoneID) {
        let name = makeName()
        let write =
            random.chance(0.6)
            ? RecordWrite(name: name, delete: true)
            : RecordWrite(name: name, type: Self.type, remove: [Self.fileField, Self.listField])
        node.decide("detach") { committer, _, transaction in
            try committer.commit([WriteRequest([write])], zone: zone, in: &transaction).notice
        }
    }

    static func named(_ payload: PayloadID) -> AssetDescriptor {
        AssetDescriptor(
            payload: payload,
            size: 0,
            secret: .unknown,
            mediaType: "",
            fileName: "",
            modified: nil,
            thumbnail: []
        )
    }

    // MARK: Requests

    private func setPolicy(on node: SimulatedNode, zone: ZoneID) {
        let last = policySet[node.index]?[zone] ?? 0
        guard simulation.now >= last + Self.policyMilliseconds else { return }
        policySet[node.index, default: [:]][zone] = simulation.now
        let policies: [AssetPolicy?] = [.never, .onDemand, .upTo(random.number(1...300_000)), .always, nil]
        let policy = policies[random.index(below: policies.count)]
        node.decide("policy") { committer, _, transaction in
            try Assets(committer).setPolicy(policy, zone: zone, in: &transaction)
        }
    }

    /// Sets whether relays keep the contents of a zone that are on a node.
    func keep(_ isKept: Bool, zone: ZoneID, on node: SimulatedNode) {
        node.decide("keep") { committer, _, transaction in
            try Assets(committer).setKeptAtRelays(isKept, zone: zone, in: &transaction)
        }
    }

    /// Asks for a content that a record of the zone names, and reads it from some place on.
    private func fetch(on node: SimulatedNode, zone: ZoneID) throws {
        let known = try named(on: node).filter { $0.value.contains { $0.zone == zone } }.keys.sorted()
        guard let payload = random.element(of: known) else { return }
        fetch(payload, zone: zone, on: node)
        guard random.chance(0.5) else { return }
        let offset = random.number(0...4) * UInt64(Limits.chunkByteCount)
        try node.process?.feed(.payloadUrged(payload, from: offset))
    }

    /// Asks for a content that a record of the zone names.
    func fetch(_ payload: PayloadID, zone: ZoneID, on node: SimulatedNode) {
        judge.assets.asks(for: payload, on: node)
        node.decide("fetch") { committer, _, transaction in
            try Assets(committer).fetch(payload, zone: zone, in: &transaction)
        }
    }

    private func cancel(on node: SimulatedNode) throws {
        let wanted = try node.store?.wantedPayloads(limit: 100).filter(\.isAsset).compactMap(\.id) ?? []
        guard let payload = random.element(of: wanted) else { return }
        judge.assets.cancels(payload, on: node)
        node.decide("cancel") { committer, _, transaction in
            try Assets(committer).cancel(payload, in: &transaction)
        }
    }

    /// Evicts a content of a node, sometimes on another node at the same moment, or asks which devices have it.
    private func evict(on node: SimulatedNode) throws {
        guard let store = node.store else { return }
        let present = try named(on: node).filter { try store.payload($0.key)?.state == .present }
        guard let payload = random.element(of: present.keys.sorted()) else { return }
        if random.chance(0.1) {
            let zones = Set((present[payload] ?? []).map(\.zone)).sorted()
            let question = HolderQuestion(id: simulation.makeNumber(), payload: payload, zones: zones)
            try node.process?.feed(.holdersAsked(question))
            return
        }
        try evict(payload, copies: random.chance(0.7) ? 1 : 2, on: node)
        let others = simulation.workplaces.filter { $0.index != node.index }
        guard random.chance(0.4), let other = random.element(of: others) else { return }
        try evict(payload, copies: 1, on: other)
    }

    /// Has a node evict a content, by the promises of so many other devices.
    func evict(_ payload: PayloadID, copies: Int, on node: SimulatedNode) throws {
        let order = EvictionOrder(
            id: simulation.makeNumber(),
            payload: payload,
            copies: copies,
            countsOthers: simulation.hasSeveralAccounts && random.chance(0.5)
        )
        simulation.trace.note(.issue, at: simulation.now, node: node.index, order.id, "evict \(payload.shortText)")
        judge.evictions.asks(order, on: node)
        try node.process?.feed(.evictionAsked(order))
        guard random.chance(0.1) else { return }
        simulation.schedule(after: random.number(0...3_000), for: node) { node in
            try node.process?.feed(.evictionWithdrawn(order.id))
        }
    }

    /// States another secret, or another size, about a known content.
    private func lie(on node: SimulatedNode, zone: ZoneID) throws {
        let known = judge.assets.uploads.sorted { $0.key < $1.key }
        guard let (payload, upload) = random.element(of: known),
            let secret = AssetSecret(random.chance(0.7) ? random.bytes(AssetSecret.byteCount) : upload.secret)
        else { return }
        var asset = Self.named(payload)
        asset.secret = secret
        asset.size = secret.bytes == upload.secret ? random.number(1...400_000) : UInt64(upload.bytes.count)
        judge.assets.lied(about: payload)
        write([asset], random.chance(0.3), to: makeName(), on: node, zone: zone)
    }

    // MARK: Facts

    /// The zones in which a node may write.
    private func zones(on node: SimulatedNode) throws -> [ZoneID] {
        guard let store = node.store, let committer = node.process?.committer() else { return [] }
        return try store.zones().map(\.id).filter { try isUsable($0, store, committer) }
    }

    /// Whether contents of a zone may be asked for on a node.
    func isOpen(_ zone: ZoneID, _ node: SimulatedNode) throws -> Bool {
        guard let store = node.store, let committer = node.process?.committer() else { return false }
        return try isUsable(zone, store, committer)
    }

    private func isUsable(_ zone: ZoneID, _ store: MemoryStore, _ committer: Committer) throws -> Bool {
        guard let row = try store.zone(zone), !row.isInternal else { return false }
        return try messenger.isOpen(zone, store, committer)
    }

    func named(on node: SimulatedNode) throws -> [PayloadID: [NamedAssets.Place]] {
        guard let store = node.store else { return [:] }
        return try NamedAssets(in: store).places.filter { judge.assets.uploads[$0.key] != nil }
    }
}
