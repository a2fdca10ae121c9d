import Records
import Sodium
import Sync
package import Wire

/// Every operation ever written, as the judge saw it being written.
///
/// It never prunes, so it knows the content that a replica must show after pruning, a restore or a late start.
package struct OperationLibrary: Sendable {
    /// One place in one log.
    package struct Place: Hashable, Sendable {
        /// The log.
        package var key: LogKey
        /// Leaf index + 1.
        package var counter: UInt64

        /// A place.
        package init(key: LogKey, counter: UInt64) {
            self.key = key
            self.counter = counter
        }

        /// The name of the operation in vectors.
        var dot: Dot { Dot(actor: key.actor, counter: counter) }
    }

    /// An operation, and the content of its author's store when it was written.
    package struct Entry: Sendable {
        /// Header and body.
        package var operation: Operation
        /// The decoded body in the data lane.
        package var body: RecordBody?
        /// The decoded body in the control lane.
        package var control: ControlBody?
        /// Index into `pasts`.
        var past: Int
    }

    private struct TagKey: Hashable {
        var zone: ZoneID
        var tag: RecordTag
    }

    private var entries: [Place: [Entry]] = [:]
    private var byTag: [TagKey: [Place]] = [:]
    private var pasts: [[LogKey: UInt64]] = []
    /// The greatest length that each log ever had.
    package private(set) var sizes: [LogKey: UInt64] = [:]
    /// Logs with two histories.
    package private(set) var forked: Set<LogKey> = []
    /// The device, and the right, under which each actor writes.
    private var authors: [ActorID: (device: DeviceID, right: Hash)] = [:]
    /// All keys of epochs that any node ever opened.
    private var keyring = EpochKeyring()
    /// The keys of the zones' tags.
    private var tagKeys: [ZoneID: [UInt8]] = [:]
    /// The operations that no observed node has been able to open so far, by their epoch.
    private var unopened: [Hash: [(place: Place, entry: Int)]] = [:]
    /// The epochs, by the place of the operation that begins them.
    private(set) var epochs: [Place: Hash] = [:]
    /// Every checkpoint that was ever made, by its hash.
    package private(set) var checkpoints: [Hash: Checkpoint] = [:]

    /// Creates an empty library.
    package init() {}

    /// The number of operations written.
    package var count: Int { entries.count }

    /// The operations ever written at a place; more than one only in a forked log.
    package func entries(at place: Place) -> [Entry] { entries[place] ?? [] }

    /// Whether an operation is one that was written there.
    package func knows(_ operation: Operation, at place: Place) -> Bool {
        entries[place]?.contains { $0.operation.header == operation.header && $0.operation.body == operation.body }
            ?? false
    }

    /// Remembers the content of an author's store, for the operations written on top of it.
    /// - Parameter past: The applied size of every log of the zone.
    /// - Returns: The index to pass to `add`.
    package mutating func addPast(_ past: [LogKey: UInt64]) -> Int {
        pasts.append(past)
        return pasts.count - 1
    }

    /// Takes in an operation that its author has just written.
    /// - Parameters:
    ///   - operation: The operation.
    ///   - place: Its place.
    ///   - past: The index from `addPast`.
    /// - Returns: Whether another operation was at the place already.
    package mutating func add(_ operation: Operation, at place: Place, past: Int) -> Bool {
        var entry = Entry(operation: operation, past: past)
        if place.key.lane == .data {
            entry.body = body(of: operation, at: place)
            let epoch = operation.header.epoch
            if !epoch.isZero, keyring.key(epoch) == nil {
                unopened[epoch, default: []].append((place, entries[place]?.count ?? 0))
            }
        } else {
            entry.control = try? ControlBody(decoding: operation.body)
            if case .epoch = entry.control { epochs[place] = operation.header.leafHash }
            if case .checkpoint(let checkpoint) = entry.control { checkpoints[checkpoint.hash] = checkpoint }
        }
        let isTaken = entries[place] != nil
        if isTaken { forked.insert(place.key) }
        entries[place, default: []].append(entry)
        sizes[place.key] = max(sizes[place.key] ?? 0, place.counter)
        if place.key.lane == .data {
            byTag[TagKey(zone: place.key.zone, tag: operation.header.tag), default: []].append(place)
        }
        return isTaken
    }

    /// Remembers the author of a log.
    mutating func learn(_ row: LogRow) { authors[row.key.actor] = (row.device, row.right) }

    /// Remembers the key of a zone's tags, as stated by the zone's maker, which is seen first.
    mutating func learn(_ zone: ZoneRow) {
        if tagKeys[zone.id] == nil { tagKeys[zone.id] = zone.tagKey }
    }

    /// Remembers a node's keys, and opens operations that could not be opened before.
    /// - Parameter other: The keys.
    mutating func learn(_ other: EpochKeyring) {
        for epoch in other.epochs where keyring.key(epoch) == nil {
            guard let key = other.key(epoch) else { continue }
            keyring.insert(key, for: epoch)
            for (place, index) in unopened.removeValue(forKey: epoch) ?? [] {
                guard let operation = entries[place]?[index].operation else { continue }
                let body = body(of: operation, at: place)
                entries[place]?[index].body = body
            }
        }
    }

    /// A body as a holder of its key reads it.
    ///
    /// An unreadable one is its author's fault, which the replicas must detect for themselves.
    private func body(of operation: Operation, at place: Place) -> RecordBody? {
        let header = operation.header
        guard !header.epoch.isZero else { return try? RecordBody(decoding: operation.body) }
        guard let key = keyring.key(header.epoch),
            // The commitment is checked here as well, so that a replica that does not check it is detected.
            let sealed = try? SealedBody(decoding: operation.body),
            key.isCommitted(sealed, zone: place.key.zone, place.dot),
            let (bytes, isTombstone) = key.open(
                operation.body,
                header: header,
                zone: place.key.zone,
                actor: place.key.actor
            ),
            let body = try? RecordBody(decoding: bytes), body.isDeleted == isTombstone,
            isTagged(header.tag, body.name, in: place.key.zone)
        else { return nil }
        return body
    }

    /// Whether a tag is that of a name.
    private func isTagged(_ tag: RecordTag, _ name: String, in zone: ZoneID) -> Bool {
        // Nothing is sealed in a zone of which no store has been seen yet.
        guard let bytes = tagKeys[zone], let key = try? SymmetricKey(bytes: bytes, placement: .transient) else {
            return true
        }
        return RecordTag(name: name, key: key) == tag
    }

    /// The device behind an actor; `nil` for one that never wrote.
    func author(of actor: ActorID) -> DeviceID? { authors[actor]?.device }

    /// The right that an actor writes under; `nil` for one that never wrote.
    func right(of actor: ActorID) -> Hash? { authors[actor]?.right }

    /// Whether a store holds the very operation that the ledger means, and not another one at its place.
    func isHeld(_ write: WriteLedger.Write, in store: MemoryStore?) -> Bool {
        guard let store, store.holds(write.place) else { return false }
        let entries = entries(at: write.place)
        // A pruned operation was held; a store in memory throws nothing.
        guard entries.count > 1, let held = try? store.operation(at: write.place) else { return true }
        return entries[write.entry].operation.header == held.header
    }

    /// The applied size of each log in the author's store when it wrote an operation.
    package func past(of entry: Entry) -> [LogKey: UInt64] { pasts[entry.past] }

    /// Every place at which a record was written.
    package func places(zone: ZoneID, tag: RecordTag) -> [Place] {
        byTag[TagKey(zone: zone, tag: tag)] ?? []
    }

    /// The tags of all records of a zone that were ever written, ascending.
    package func tags(zone: ZoneID) -> [RecordTag] {
        byTag.keys.lazy.filter { $0.zone == zone }.map(\.tag).sorted()
    }
}

extension OperationLibrary.Place: CustomStringConvertible {
    /// Log and counter.
    package var description: String { "\(key):\(counter)" }
}
