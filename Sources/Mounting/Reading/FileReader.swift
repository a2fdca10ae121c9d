internal import Glibc
internal import Synchronization

/// Serves the readings of an open file, one after the other, while the file is open.
///
/// The kernel asks for bytes of an open file in the order of their offsets, one reading at a time unless programs share the file. The work
/// on a reading that is interrupted is cancelled, and with it the answer that is open; the next reading begins anew.
///
/// Overflow policy: refuse. Beyond ``waitingMax`` readings a further one is answered with `EBUSY` at once.
final class FileReader: Sendable {
    /// The maximum number of readings of a file that wait for another one of it.
    static let waitingMax = 64

    /// A reading.
    struct Reading: Sendable {
        /// The bytes, at least one; they lie in the content.
        var range: Range<UInt64>
        /// The answer.
        var answer: PendingAnswer
    }

    private struct State {
        var waiting: [Reading] = []
        /// The number of the request that is served.
        var current: UInt64?
        /// Whether the serving task is to be cancelled, for the sake of the request that it serves; it takes no other one.
        var isStopping = false
        var isRunning = false
        var isClosed = false
        /// Whether the place of the open answer belongs to another file.
        var isEvicted = false
        /// Wakes the serving task.
        var bell: AsyncStream<Void>.Continuation?
        /// Cancels it.
        var stop: AsyncStream<Void>.Continuation?
    }

    /// The number of the open file.
    let handle: UInt64
    private let source: ContentSource
    private let places: StreamPlaces
    private let pending: PendingAnswers
    private let report: @Sendable (any Error) -> Void
    private let state = Mutex(State())

    /// Makes a reader that does nothing before ``run()``.
    /// - Parameters:
    ///   - handle: The number of the open file.
    ///   - source: Its content.
    ///   - places: The places for answers that stay open.
    ///   - pending: The requests that wait.
    ///   - report: Takes the reasons of failures.
    init(
        _ handle: UInt64,
        _ source: ContentSource,
        places: StreamPlaces,
        pending: PendingAnswers,
        report: @escaping @Sendable (any Error) -> Void
    ) {
        (self.handle, self.source, self.places, self.pending, self.report) = (handle, source, places, pending, report)
    }

    /// Takes a reading.
    /// - Returns: Whether ``run()`` is to be begun, once.
    func take(_ reading: Reading) -> Bool {
        guard pending.add(reading.answer, cancel: { [weak self] in self?.cancel(reading.answer.number) }) else {
            return false
        }
        let (isTaken, begins) = state.withLock { state in
            guard !state.isClosed, state.waiting.count < Self.waitingMax else { return (false, false) }
            state.waiting.append(reading)
            state.bell?.yield()
            defer { state.isRunning = true }
            return (true, !state.isRunning)
        }
        if !isTaken { pending.finish(reading.answer, .failure(EBUSY)) }
        return begins
    }

    /// Ends the reader: the file is closed.
    func close() {
        state.withLock { state in
            state.isClosed = true
            state.stop?.finish()
        }
    }

    /// Serves readings until ``close()``.
    func run() async {
        while let (bell, stop) = begin() {
            await withTaskGroup(of: Void.self) { group in
                group.addTask { await self.serve(bell) }
                group.addTask { for await _ in stop {} }
                await group.next()
                group.cancelAll()
            }
            places.rest(handle, isOpen: false)
        }
        // The kernel closes a file when no program waits for it.
        let left = state.withLock { state in
            defer { state.waiting = [] }
            return state.waiting
        }
        for reading in left { pending.finish(reading.answer, .failure(EINTR)) }
    }

    /// Begins to serve, at first or behind an interruption; `nil` when the file is closed.
    private func begin() -> (bell: AsyncStream<Void>, stop: AsyncStream<Void>)? {
        if Task.isCancelled { return nil }
        return state.withLock { state in
            guard !state.isClosed else { return nil }
            let (bell, ring) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
            let (stop, cancel) = AsyncStream.makeStream(of: Void.self)
            (state.bell, state.stop, state.current, state.isEvicted) = (ring, cancel, nil, false)
            state.isStopping = false
            return (bell, stop)
        }
    }

    private func serve(_ bell: AsyncStream<Void>) async {
        var reader = ContentReader(source)
        var rings = bell.makeAsyncIterator()
        while !Task.isCancelled {
            let (next, isEvicted) = state.withLock { state -> (Reading?, Bool) in
                defer { state.isEvicted = false }
                let next = state.waiting.isEmpty || state.isStopping ? nil : state.waiting.removeFirst()
                state.current = next?.answer.number
                return (next, state.isEvicted)
            }
            if isEvicted { reader.closeStream() }
            if let next {
                await serve(next, &reader)
            } else if await rings.next() == nil {
                return
            }
        }
    }

    private func serve(_ reading: Reading, _ reader: inout ContentReader) async {
        if reader.isStreaming, !places.use(for: handle) { reader.closeStream() }
        do {
            let bytes = try await reader.read(reading.range) {
                places.take(for: handle) { [weak self] in self?.evict() }
            }
            pending.finish(reading.answer, .bytes(bytes))
        } catch {
            // An interruption has answered already.
            if !Task.isCancelled { report(error) }
            pending.finish(reading.answer, .failure(ReadFault.number(of: error)))
        }
        places.rest(handle, isOpen: reader.isStreaming)
    }

    private func evict() {
        state.withLock { state in
            state.isEvicted = true
            state.bell?.yield()
        }
    }

    private func cancel(_ number: UInt64) {
        state.withLock { state in
            state.waiting.removeAll { $0.answer.number == number }
            guard state.current == number else { return }
            // The cancellation comes a little later. A reading that began meanwhile would be cancelled in its place.
            state.isStopping = true
            state.stop?.finish()
        }
    }
}
