import Records
package import Wire

/// Every operation that anybody ever wrote, as the judge saw it being written.
///
/// It never forgets, so it can say what a replica that pruned, was restored or came late ought to show.
package struct OperationLibrary: Sendable {
    /// One place in one log.
    package struct Place: Hashable, Sendable {
        /// Which log.
        package var key: LogKey
        /// Leaf index + 1.
        package var counter: UInt64

        /// A place.
        package init(key: LogKey, counter: UInt64) {
            self.key = key
            self.counter = counter
        }
    }

    /// An operation and what its author's store held when it was written.
    package struct Entry: Sendable {
        /// Header and body.
        package var operation: Operation
        /// The decoded body in the data lane.
        package var body: RecordBody?
        /// What it says in the control lane.
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
    /// How long each log ever was.
    package private(set) var sizes: [LogKey: UInt64] = [:]
    /// Logs with two histories.
    package private(set) var forked: Set<LogKey> = []
    /// Every checkpoint that was ever made, by its hash.
    package private(set) var checkpoints: [Hash: Checkpoint] = [:]

    /// Knows nothing.
    package init() {}

    /// How many operations were written.
    package var count: Int { entries.count }

    /// What was ever written at a place; more than one only in a forked log.
    package func entries(at place: Place) -> [Entry] { entries[place] ?? [] }

    /// Whether an operation is one that was written there.
    package func knows(_ operation: Operation, at place: Place) -> Bool {
        entries[place]?.contains { $0.operation.header == operation.header && $0.operation.body == operation.body }
            ?? false
    }

    /// Remembers what an author's store held, for the operations written on top of it.
    /// - Parameter past: The applied size of every log of the zone.
    /// - Returns: What to hand to `add`.
    package mutating func addPast(_ past: [LogKey: UInt64]) -> Int {
        pasts.append(past)
        return pasts.count - 1
    }

    /// Takes an operation in that its author wrote just now.
    /// - Parameters:
    ///   - operation: The operation.
    ///   - place: Where it stands.
    ///   - past: From `addPast`.
    /// - Returns: Whether another one stood there already.
    package mutating func add(_ operation: Operation, at place: Place, past: Int) -> Bool {
        var entry = Entry(operation: operation, past: past)
        // An unreadable body is an author's fault, which the replicas have to find for themselves.
        if place.key.lane == .data {
            entry.body = try? RecordBody(decoding: operation.body)
        } else {
            entry.control = try? ControlBody(decoding: operation.body)
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

    /// What the author of an operation had applied when it wrote it.
    package func past(of entry: Entry) -> [LogKey: UInt64] { pasts[entry.past] }

    /// Every place where something of a record was written.
    package func places(zone: ZoneID, tag: RecordTag) -> [Place] {
        byTag[TagKey(zone: zone, tag: tag)] ?? []
    }

    /// The tags of all records of a zone that were ever written, ascending.
    package func tags(zone: ZoneID) -> [RecordTag] {
        byTag.keys.lazy.filter { $0.zone == zone }.map(\.tag).sorted()
    }
}
