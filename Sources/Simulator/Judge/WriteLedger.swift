import Records
package import Wire

/// The promises made to applications.
///
/// Every value that the workload writes is new, so it can be found again wherever it is. The ledger uses only that,
/// and the values that each author had been shown when it wrote: no vector, no dot of a field.
package struct WriteLedger: Sendable {
    /// A write that is in some log.
    package struct Write: Sendable {
        /// The write's place.
        package var place: OperationLibrary.Place
        /// The record.
        package var tag: RecordTag
        /// The node on which it was made.
        package var node: Int
        /// The new values that it contains.
        package var brought: Set<String>
        /// The values that its author had been shown and did not keep.
        package var replaced: Set<String>
        /// The additions to counters that its author had been shown and did not keep: for each field and log the
        /// newest.
        package var dropped: [CounterPart: UInt64] = [:]
        /// The requested additions to counters, by field.
        package var additions: [String: Int64] = [:]
        /// Whether the application asked to delete the record.
        package var isDeletion = false
        /// Whether the application learnt that it is durable.
        package var isAcknowledged = false
        /// Whether the disk that it was written to was rolled back to before it: then only other nodes hold it.
        package var isSetBack = false
        /// The index among the operations written at the place, in the order of writing.
        package var entry = 0
        /// The reason why it may be lost nevertheless: every disk that held it was rolled back or lost.
        package var excuse: String?

        /// A write that is not acknowledged yet.
        /// - Parameters: as the properties of the same names.
        package init(
            place: OperationLibrary.Place,
            tag: RecordTag,
            node: Int,
            brought: Set<String>,
            replaced: Set<String>
        ) {
            self.place = place
            self.tag = tag
            self.node = node
            self.brought = brought
            self.replaced = replaced
        }
    }

    /// The additions of one log to one counter of a record.
    package struct CounterPart: Hashable, Sendable {
        /// The field.
        package var field: String
        /// The actor of the log.
        package var actor: ActorID
    }

    private struct DropKey: Hashable {
        var zone: ZoneID
        var tag: RecordTag
        var part: CounterPart
    }

    /// All writes, in the order in which they were made.
    package private(set) var writes: [Write] = []
    private var byPlace: [OperationLibrary.Place: Int] = [:]
    private var replacers: [String: [Int]] = [:]
    private var droppers: [DropKey: [Int]] = [:]

    /// Creates an empty ledger.
    package init() {}

    /// The number of acknowledged writes.
    package var acknowledgedCount: Int { writes.count { $0.isAcknowledged } }

    /// Adds a committed write.
    /// - Parameter write: The write.
    package mutating func add(_ write: Write) {
        byPlace[write.place] = writes.count
        for value in write.replaced { replacers[value, default: []].append(writes.count) }
        for part in write.dropped.keys {
            let key = DropKey(zone: write.place.key.zone, tag: write.tag, part: part)
            droppers[key, default: []].append(writes.count)
        }
        writes.append(write)
    }

    /// Notes that a write was acknowledged.
    /// - Parameters:
    ///   - place: The write's place.
    ///   - additions: The requested additions to counters, by field.
    ///   - isDeletion: Whether the request was to delete the record.
    /// - Returns: Whether such a write is known.
    package mutating func acknowledge(
        _ place: OperationLibrary.Place,
        adding additions: [String: Int64] = [:],
        isDeletion: Bool = false
    ) -> Bool {
        guard let index = byPlace[place] else { return false }
        writes[index].isAcknowledged = true
        writes[index].additions = additions
        writes[index].isDeletion = isDeletion
        return true
    }

    /// The last write that was made at a place.
    package func write(at place: OperationLibrary.Place) -> Write? { byPlace[place].map { writes[$0] } }

    /// The writes whose author had been shown an addition to a counter, or a later one of the same log, and did not keep it.
    /// - Parameters:
    ///   - part: The field and log of the addition.
    ///   - counter: The addition's place in its log.
    ///   - write: The write that made it.
    /// - Returns: The writes, in the order in which they were made.
    package func droppers(of part: CounterPart, upTo counter: UInt64, made write: Write) -> [Write] {
        let key = DropKey(zone: write.place.key.zone, tag: write.tag, part: part)
        return (droppers[key] ?? []).map { writes[$0] }.filter { $0.dropped[part] ?? 0 >= counter }
    }

    /// Whether no disk holds a write any more.
    /// - Parameters:
    ///   - place: The place where it was.
    ///   - entry: The index among the operations written there.
    /// - Returns: Also false for a write that is not known here.
    /// - Complexity: O(writes); called only for logs with two histories.
    package func isLost(_ place: OperationLibrary.Place, entry: Int) -> Bool {
        writes.contains { $0.place == place && $0.entry == entry && $0.excuse != nil }
    }

    /// Whether a place was written, and no disk holds any of the operations written there.
    /// - Parameter place: The place.
    /// - Returns: Also false for a place that is not known here.
    /// - Complexity: O(writes); called only when a law is about to be violated.
    package func isLost(_ place: OperationLibrary.Place) -> Bool {
        let there = writes.filter { $0.place == place }
        return !there.isEmpty && there.allSatisfy { $0.excuse != nil }
    }

    /// The writes that had seen a value and did not keep it.
    package func replacers(of value: String) -> [Write] { (replacers[value] ?? []).map { writes[$0] } }

    /// Notes that a node's disk was rolled back, lost or copied.
    /// - Parameters:
    ///   - node: The node.
    ///   - isHeld: Whether its disk still holds a write.
    package mutating func setBack(_ node: Int, unless isHeld: (Write) -> Bool) {
        for index in writes.indices where writes[index].node == node && !isHeld(writes[index]) {
            writes[index].isSetBack = true
        }
    }

    /// Excuses acknowledged writes that no node holds any more.
    /// - Parameters:
    ///   - reason: The event that lost them.
    ///   - isHeld: Whether a node still holds the write.
    package mutating func excuse(because reason: String, unless isHeld: (Write) -> Bool) {
        for index in writes.indices where writes[index].excuse == nil && !isHeld(writes[index]) {
            writes[index].excuse = reason
        }
    }
}

extension RecordBody {
    /// All values that distinguish writes, folded ones included.
    package var marks: Set<String> {
        var marks: Set<String> = []
        for entry in fields.lazy.flatMap(\.entries) {
            switch entry.value {
            case .string(let text): marks.insert(text)
            case .set(let state):
                for case .string(let text) in state.entries.map(\.element) { marks.insert(text) }
            default: break
            }
        }
        return marks
    }

    /// The additions of each log to each counter, by the newest of its writes; also of counters in conflict.
    package var counterParts: [WriteLedger.CounterPart: CounterState.Entry] {
        var parts: [WriteLedger.CounterPart: CounterState.Entry] = [:]
        for field in fields {
            for case .counter(let state) in field.entries.lazy.map(\.value) {
                for entry in state.entries {
                    let part = WriteLedger.CounterPart(field: field.name, actor: entry.actor)
                    if let known = parts[part], known.counter >= entry.counter { continue }
                    parts[part] = entry
                }
            }
        }
        return parts
    }
}
