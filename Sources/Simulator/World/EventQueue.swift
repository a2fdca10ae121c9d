/// An event of a simulation.
///
/// The frequent kinds are cases of their own, so that they need no closure.
enum SimulationEvent {
    /// Bytes arrive at one end of a connection.
    case bytes(Connection, side: Int, [UInt8])
    /// One end of a connection learns that the other has hung up.
    case ended(Connection, side: Int)
    /// A node's timer.
    case wake(SimulatedNode, life: Int)
    /// Something happens to a node, unless its process has ended by then.
    case node(SimulatedNode, life: Int, (SimulatedNode) throws -> Void)
    /// An event outside of all nodes, which happens independently of all nodes.
    case world(() throws -> Void)
}

/// The pending events, earliest first; of two events at one time the one scheduled first.
struct EventQueue {
    private struct Entry {
        var time: UInt64
        var sequence: UInt64
        var slot: Int

        func isBefore(_ other: Entry) -> Bool {
            time != other.time ? time < other.time : sequence < other.sequence
        }
    }

    /// A binary heap of small values; the events stay where they are while the heap is sifted.
    private var entries: [Entry] = []
    private var slots: [SimulationEvent?] = []
    private var free: [Int] = []
    private var sequence: UInt64 = 0

    /// The number of pending events.
    var count: Int { entries.count }

    /// The time of the next event.
    var nextTime: UInt64? { entries.first?.time }

    mutating func insert(_ event: SimulationEvent, at time: UInt64) {
        sequence += 1
        let slot: Int
        if let reused = free.popLast() {
            slot = reused
            slots[slot] = event
        } else {
            slot = slots.count
            slots.append(event)
        }
        let entry = Entry(time: time, sequence: sequence, slot: slot)
        entries.append(entry)
        var index = entries.count - 1
        while index > 0 {
            let parent = (index - 1) / 2
            guard entry.isBefore(entries[parent]) else { break }
            entries[index] = entries[parent]
            index = parent
        }
        entries[index] = entry
    }

    mutating func removeFirst() -> SimulationEvent? {
        guard let first = entries.first, let last = entries.popLast() else { return nil }
        let event = slots[first.slot]
        slots[first.slot] = nil
        free.append(first.slot)
        guard !entries.isEmpty else { return event }
        var index = 0
        while true {
            var child = 2 * index + 1
            guard child < entries.count else { break }
            if child + 1 < entries.count, entries[child + 1].isBefore(entries[child]) { child += 1 }
            guard entries[child].isBefore(last) else { break }
            entries[index] = entries[child]
            index = child
        }
        entries[index] = last
        return event
    }
}
