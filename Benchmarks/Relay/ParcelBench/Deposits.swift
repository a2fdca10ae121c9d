import Mailbox
import Synchronization

/// Puts some of the parcels.
struct Deposits<Storage: ParcelStorage>: Sendable {
    private let storage: Storage
    private let load: ParcelLoad
    private let numbers: Range<Int>

    init(_ storage: Storage, _ load: ParcelLoad, numbers: Range<Int>) {
        (self.storage, self.load, self.numbers) = (storage, load, numbers)
    }

    /// Puts the parcels, some of them at the same time.
    /// - Parameter atOnce: The number of puts that are under way.
    /// - Returns: The pace; `nil` when there are no parcels.
    /// - Throws: `BenchError.notStored`, or an error of the storage.
    func run(atOnce: Int) async throws -> Pace? {
        guard !numbers.isEmpty else { return nil }
        let next = Number(numbers.lowerBound)
        let progress = Progress("puts, \(atOnce) at once", numbers.count)
        let processor = Footprint.processorSeconds()
        let begun = ContinuousClock.now
        var times: [UInt32] = []
        times.reserveCapacity(numbers.count)
        try await withThrowingTaskGroup(of: [UInt32].self) { group in
            for _ in 0..<atOnce {
                group.addTask {
                    var times: [UInt32] = []
                    while true {
                        let number = next.take()
                        guard number < numbers.upperBound else { return times }
                        let deposit = load.deposit(number)
                        let begun = ContinuousClock.now
                        let outcome = try await storage.put(deposit)
                        guard outcome == .stored else { throw BenchError.notStored(number, outcome) }
                        times.append((ContinuousClock.now - begun).microseconds)
                        progress.add(1)
                    }
                }
            }
            for try await some in group { times += some }
        }
        return Pace(
            count: numbers.count,
            seconds: (ContinuousClock.now - begun).seconds,
            processorSeconds: Footprint.processorSeconds() - processor,
            times: times
        )
    }
}

/// A number that goes up.
final class Number: Sendable {
    private let value: Atomic<Int>

    init(_ value: Int) { self.value = Atomic(value) }

    /// Returns the number, and increases it.
    func take() -> Int { value.add(1, ordering: .relaxed).oldValue }
}
