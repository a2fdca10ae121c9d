import Synchronization

/// A bounded queue between a task that produces and one that consumes all available elements at once.
///
/// The producer waits while the queue is over its capacity, so a slow consumer slows it down instead of filling the
/// memory; the consumer takes everything that has gathered while it was busy, so that work is done in batches exactly
/// when batches pay. Either side may end it, and cancelling either task ends it too.
final class Handoff<Element: Sendable>: Sendable {
    private struct State {
        var elements: [(element: Element, weight: Int)] = []
        var weight = 0
        /// Whether no more elements come.
        var isFinished = false
        /// Whether the consumer takes no more elements.
        var isClosed = false
        var producer: CheckedContinuation<Void, Never>?
        var consumer: CheckedContinuation<Void, Never>?

        /// Takes the continuation of the waiting producer, to be resumed after the lock is released.
        mutating func takeProducer() -> CheckedContinuation<Void, Never>? {
            defer { producer = nil }
            return producer
        }

        mutating func takeConsumer() -> CheckedContinuation<Void, Never>? {
            defer { consumer = nil }
            return consumer
        }

        /// Takes the oldest elements out; at least one if there is one.
        mutating func removeOldest(count: Int, weight limit: Int) -> [Element] {
            var taken = 0
            var sum = 0
            for (_, weight) in elements.prefix(count) {
                guard taken == 0 || sum + weight <= limit else { break }
                taken += 1
                sum += weight
            }
            let oldest = elements.prefix(taken).map(\.element)
            elements.removeFirst(taken)
            weight -= sum
            return oldest
        }
    }

    private let state = Mutex(State())
    private let capacity: Int

    /// Makes a queue.
    /// - Parameter capacity: The weight above which the producer waits.
    init(capacity: Int) {
        self.capacity = capacity
    }

    /// Adds elements, then waits until the queue is within its capacity again.
    ///
    /// Only one task at a time may push.
    /// - Returns: `false` when the consumer takes no more elements, or the production has ended: stop producing.
    func push(_ elements: [(element: Element, weight: Int)]) async -> Bool {
        let waiting = state.withLock { state in
            if state.isClosed || state.isFinished { return nil as CheckedContinuation<Void, Never>? }
            state.elements += elements
            state.weight += elements.reduce(0) { $0 + $1.weight }
            return state.takeConsumer()
        }
        waiting?.resume()
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let mustWait = state.withLock { state in
                    guard state.weight > capacity, !state.isClosed, !state.isFinished else { return false }
                    state.producer = continuation
                    return true
                }
                if !mustWait { continuation.resume() }
            }
        } onCancel: {
            close()
        }
        return state.withLock { !$0.isClosed && !$0.isFinished }
    }

    /// Adds an element if the queue is empty; for an element that loses its meaning by waiting.
    func offer(_ element: Element) {
        let waiting = state.withLock { state in
            guard state.elements.isEmpty, !state.isClosed, !state.isFinished else {
                return nil as CheckedContinuation<Void, Never>?
            }
            state.elements.append((element, 0))
            return state.takeConsumer()
        }
        waiting?.resume()
    }

    /// Ends the production; the consumer can still take the present elements.
    /// - Parameter last: An element behind these, beyond the capacity; `nil` for none. Where the production has ended,
    ///   nothing follows.
    func finish(with last: Element? = nil) {
        let (producer, consumer) = state.withLock { state in
            if let last, !state.isFinished, !state.isClosed { state.elements.append((last, 0)) }
            state.isFinished = true
            return (state.takeProducer(), state.takeConsumer())
        }
        producer?.resume()
        consumer?.resume()
    }

    /// Ends the consumption; the present elements are dropped.
    func close() {
        let (producer, consumer) = state.withLock { state in
            state.isClosed = true
            state.elements = []
            state.weight = 0
            return (state.takeProducer(), state.takeConsumer())
        }
        producer?.resume()
        consumer?.resume()
    }

    /// Waits until something is there and takes it.
    ///
    /// Only one task at a time may take.
    /// - Parameters:
    ///   - count: At most this many elements.
    ///   - weight: Stop before the sum of weights exceeds this; one element is always taken.
    /// - Returns: The oldest elements; empty when nothing more comes.
    func take(count: Int = .max, weight: Int = .max) async -> [Element] {
        while true {
            await withTaskCancellationHandler {
                await withCheckedContinuation { continuation in
                    let mustWait = state.withLock { state in
                        guard state.elements.isEmpty, !state.isFinished, !state.isClosed else { return false }
                        state.consumer = continuation
                        return true
                    }
                    if !mustWait { continuation.resume() }
                }
            } onCancel: {
                close()
            }
            let (taken, waiting, isOver) = state.withLock { state in
                let taken = state.removeOldest(count: count, weight: weight)
                let producer = state.weight <= capacity ? state.takeProducer() : nil
                return (taken, producer, state.isFinished || state.isClosed)
            }
            waiting?.resume()
            if !taken.isEmpty || isOver { return taken }
        }
    }
}
