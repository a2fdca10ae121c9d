import Records
package import Wire

/// What applications were promised.
///
/// Every value that the workload writes is one that was never written before, so a value is found again wherever it is.
/// That, and what each author was shown when it wrote, is all that the ledger goes by: no vector, no dot of a field.
package struct WriteLedger: Sendable {
    /// A write that stands in some log.
    package struct Write: Sendable {
        /// Where.
        package var place: OperationLibrary.Place
        /// The record.
        package var tag: RecordTag
        /// On which node it was made.
        package var node: Int
        /// The values that it brought into the world.
        package var brought: Set<String>
        /// The values that its author had been shown and that it did not keep.
        package var replaced: Set<String>
        /// What its author had been shown of additions to counters, and did not keep: for each field and log the newest.
        package var dropped: [CounterPart: UInt64] = [:]
        /// What the application asked to add to counters, by field.
        package var additions: [String: Int64] = [:]
        /// Whether the application asked to delete the record.
        package var isDeletion = false
        /// Whether the application was told that it is durable.
        package var isAcknowledged = false
        /// Whether the disk that it was written to was set back to before it: then only others hold it.
        package var isSetBack = false
        /// Which of the operations that were written at the place, in the order in which they were.
        package var entry = 0
        /// Why it may be lost all the same: every disk that held it was set back or lost.
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

    /// What one log has added to one counter of a record.
    package struct CounterPart: Hashable, Sendable {
        /// The field.
        package var field: String
        /// Whose log.
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

    /// Nothing was written yet.
    package init() {}

    /// How many writes were acknowledged.
    package var acknowledgedCount: Int { writes.count { $0.isAcknowledged } }

    /// Takes in a write that was committed.
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
    ///   - place: Where it stands.
    ///   - additions: What was asked to be added to counters, by field.
    ///   - isDeletion: Whether it was asked to delete the record.
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
    ///   - part: Of which field and log.
    ///   - counter: Where the addition stands.
    ///   - write: The write that made it.
    /// - Returns: The writes, in the order in which they were made.
    package func droppers(of part: CounterPart, upTo counter: UInt64, made write: Write) -> [Write] {
        let key = DropKey(zone: write.place.key.zone, tag: write.tag, part: part)
        return (droppers[key] ?? []).map { writes[$0] }.filter { $0.dropped[part] ?? 0 >= counter }
    }

    /// Whether no disk holds a write any more.
    /// - Parameters:
    ///   - place: Where it stood.
    ///   - entry: Which of the operations that were written there.
    /// - Returns: False as well for what is not known here.
    /// - Complexity: O(writes); asked only of logs with two histories.
    package func isLost(_ place: OperationLibrary.Place, entry: Int) -> Bool {
        writes.contains { $0.place == place && $0.entry == entry && $0.excuse != nil }
    }

    /// Whether something was written at a place, and no disk holds it any more, whichever of several it was.
    /// - Parameter place: Where it stood.
    /// - Returns: False as well for what is not known here.
    /// - Complexity: O(writes); asked only of what is about to break a law.
    package func isLost(_ place: OperationLibrary.Place) -> Bool {
        let there = writes.filter { $0.place == place }
        return !there.isEmpty && there.allSatisfy { $0.excuse != nil }
    }

    /// The writes that had seen a value and did not keep it.
    package func replacers(of value: String) -> [Write] { (replacers[value] ?? []).map { writes[$0] } }

    /// Notes that a node's disk is not what it was.
    /// - Parameters:
    ///   - node: The node.
    ///   - isHeld: Whether its disk still holds a write.
    package mutating func setBack(_ node: Int, unless isHeld: (Write) -> Bool) {
        for index in writes.indices where writes[index].node == node && !isHeld(writes[index]) {
            writes[index].isSetBack = true
        }
    }

    /// Excuses acknowledged writes that nobody holds any more.
    /// - Parameters:
    ///   - reason: What happened.
    ///   - isHeld: Whether somebody still holds the write.
    package mutating func excuse(because reason: String, unless isHeld: (Write) -> Bool) {
        for index in writes.indices where writes[index].excuse == nil && !isHeld(writes[index]) {
            writes[index].excuse = reason
        }
    }
}

extension RecordBody {
    /// All values by which writes are told apart, folded ones included.
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

    /// What each log has added to each counter, by the newest of its writes; of counters that are in conflict as well.
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
