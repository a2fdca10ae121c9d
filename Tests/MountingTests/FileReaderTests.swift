import Glibc
import KairanClient
import Synchronization
import Testing

@testable import Mounting

@Suite(.timeLimit(.minutes(5))) struct `The readings of an open file` {
    private static let content: [UInt8] = (0..<2_000).map { UInt8(truncatingIfNeeded: $0) }

    /// Runs a reader for the time of a test.
    private func run(
        _ daemon: ScriptedDaemon,
        places: StreamPlaces = StreamPlaces(),
        _ body: (FileReader, PendingAnswers) async throws -> Void
    ) async throws {
        let pending = PendingAnswers()
        let reader = FileReader(
            1,
            `The content of an open file`.source(daemon),
            places: places,
            pending: pending,
            report: { _ in }
        )
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await reader.run() }
            defer { reader.close() }
            try await body(reader, pending)
        }
        #expect(pending.count == 0 && places.count == 0)
    }

    private func read(_ range: Range<UInt64>, _ number: UInt64, _ reader: FileReader) -> SentAnswer {
        let sent = SentAnswer()
        _ = reader.take(FileReader.Reading(range: range, answer: PendingAnswer(number: number, sender: sent)))
        return sent
    }

    @Test func `are served one after the other`() async throws {
        try await run(ScriptedDaemon(Self.content) { _, _ in .bytes(of: "a1") }) { reader, _ async throws in
            var all: [(sent: SentAnswer, bytes: [UInt8])] = []
            for number in UInt64(0)..<4 {
                let first = number * 500
                let bytes = Array(Self.content[Int(first)...].prefix(500))
                all.append((read(first..<first + 500, number, reader), bytes))
            }
            for (sent, bytes) in all {
                #expect(await sent.first() == .bytes(bytes))
                #expect(sent.all.count == 1)
            }
        }
    }

    @Test func `end with an interruption, and the next one is served`() async throws {
        let (left, leave) = AsyncStream.makeStream(of: Void.self)
        let (silent, beSilent) = AsyncStream.makeStream(of: Void.self)
        let daemon = ScriptedDaemon(Self.content, left: { leave.finish() }) { _, index in
            guard index == 0 else { return .bytes(of: "a1") }
            beSilent.finish()
            return .silence
        }
        try await run(daemon) { reader, pending async throws in
            let (first, second) = (read(0..<500, 1, reader), read(500..<600, 2, reader))
            for await _ in silent {}
            pending.interrupt(1)
            #expect(first.all == [.failure(EINTR)])
            // The daemon learns that nobody waits.
            for await _ in left {}
            #expect(await second.first() == .bytes(Array(Self.content[500..<600])))
            #expect(first.all.count == 1)
        }
    }

    @Test func `end with an interruption that comes beside the bytes, and no other one ends with it`() async throws {
        let known = Mutex<PendingAnswers?>(nil)
        let daemon = ScriptedDaemon(Self.content) { _, index in
            if index == 0 { known.withLock { $0 }?.interrupt(1) }
            return .bytes(of: "a1")
        }
        try await run(daemon) { reader, pending async throws in
            known.withLock { $0 = pending }
            let (first, second) = (read(0..<500, 1, reader), read(500..<600, 2, reader))
            #expect(await second.first() == .bytes(Array(Self.content[500..<600])))
            #expect(first.all == [.failure(EINTR)])
        }
    }

    @Test func `that wait are interrupted without a request`() async throws {
        let (silent, beSilent) = AsyncStream.makeStream(of: Void.self)
        let daemon = ScriptedDaemon(Self.content) { _, _ in
            beSilent.finish()
            return .silence
        }
        try await run(daemon) { reader, pending async throws in
            let (first, second) = (read(0..<500, 1, reader), read(500..<600, 2, reader))
            for await _ in silent {}
            pending.interrupt(2)
            #expect(second.all == [.failure(EINTR)] && first.all.isEmpty && daemon.asked.count == 1)
            // The file is closed while a reading is under way.
            reader.close()
            #expect(await first.first() == .failure(EINTR))
        }
    }

    @Test func `go on without their open answer when another file gets its place`() async throws {
        let daemon = ScriptedDaemon(Self.content) { _, _ in .bytes(of: "a1") }
        let places = StreamPlaces(countMax: 1)
        try await run(daemon, places: places) { reader, _ async throws in
            for (index, range) in [UInt64(0)..<100, 100..<200].enumerated() {
                #expect(await read(range, UInt64(index), reader).first() != nil)
            }
            // The answer rests as soon as the reading is answered, or a little later.
            while !places.take(for: 2, evict: {}) { await Task.yield() }
            #expect(await read(200..<300, 9, reader).first() == .bytes(Array(Self.content[200..<300])))
            #expect(daemon.asked.map(\.range) == [0..<100, 100..<2_000, 200..<300])
            places.rest(2, isOpen: false)
        }
    }
}
