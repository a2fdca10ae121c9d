/// The events to come in a simulation, earliest first; of two events at one time the one scheduled first.
struct EventQueue {
    private struct Entry {
        var time: UInt64
        var sequence: UInt64
        var body: () throws -> Void

        func isBefore(_ other: Entry) -> Bool { (time, sequence) < (other.time, other.sequence) }
    }

    /// A binary heap.
    private var entries: [Entry] = []
    private var sequence: UInt64 = 0

    /// The time of the next event.
    var nextTime: UInt64? { entries.first?.time }

    mutating func insert(at time: UInt64, _ body: @escaping () throws -> Void) {
        sequence += 1
        entries.append(Entry(time: time, sequence: sequence, body: body))
        var index = entries.count - 1
        while index > 0, entries[index].isBefore(entries[(index - 1) / 2]) {
            entries.swapAt(index, (index - 1) / 2)
            index = (index - 1) / 2
        }
    }

    mutating func removeFirst() -> () throws -> Void {
        let first = entries[0]
        let last = entries.removeLast()
        guard !entries.isEmpty else { return first.body }
        entries[0] = last
        var index = 0
        while true {
            var least = index
            for child in [2 * index + 1, 2 * index + 2] where child < entries.count {
                if entries[child].isBefore(entries[least]) { least = child }
            }
            guard least != index else { return first.body }
            entries.swapAt(index, least)
            index = least
        }
    }
}
