import Foundation
import KairanClient
import KairanInterface
import NIOCore
import NIOHTTP1
import Synchronization

/// Answers the requests of clients by a ``MemoryCore``, and sends its events to the open streams.
final class MemoryTransport: DaemonTransport {
    static let socketPath = "(a daemon in memory)"
    /// Pieces of a stream that wait for their reader; then the stream ends, and its reader goes on behind the last token.
    static let waitingPieceCountMax = 1_024

    typealias Pieces = AsyncThrowingStream<ByteBuffer, any Error>

    private struct Watcher: Sendable {
        var reader: MemoryFeed
        var number: Int64 = 0
        var pieces: Pieces.Continuation
    }

    private struct State: Sendable {
        var core = MemoryCore()
        var watchers: [Int: Watcher] = [:]
        var watcherCount = 0
        var isStopped = false
    }

    private let state = Mutex(State())

    func stop() { endStreams { $0.isStopped = true } }

    func start() { state.withLock { $0.isStopped = false } }

    func expireTokens() { endStreams { $0.core.store += 1 } }

    private func endStreams(_ change: (inout State) -> Void) {
        let ended = state.withLock { state in
            change(&state)
            defer { state.watchers = [:] }
            return state.watchers.values.map(\.pieces)
        }
        // Not under the lock: the termination handler takes the lock to remove a watcher from the list.
        for pieces in ended { pieces.finish() }
    }

    func execute(_ request: SocketRequest) async throws -> SocketAnswer {
        try Task.checkCancellation()
        let now = Int64((Date.now.timeIntervalSince1970 * 1000).rounded())
        let request = try await MemoryRequest.reading(request)
        do {
            if let request, request.isStream { return try openStream(request) }
            let answer = try state.withLock { state throws in
                if state.isStopped { throw TransportFailure.unsent(reason: "the test has stopped it") }
                var generator = SystemRandomNumberGenerator()
                let answer = try state.core.answer(request, at: now, using: &generator)
                return (answer, try Self.tell(&state))
            }
            for pieces in answer.1 { pieces.finish() }
            if let content = answer.0.content { return Self.answer(content) }
            return try Self.answer(status: answer.0.status, answer.0.body)
        } catch let refusal as MemoryRefusal {
            return try Self.answer(status: refusal.status, refusal.json(), type: "application/problem+json")
        }
    }

    /// Sends all pending events.
    /// - Returns: Streams that must end, since their readers are too slow.
    private static func tell(_ state: inout State) throws -> [Pieces.Continuation] {
        var slow: [Pieces.Continuation] = []
        for (number, var watcher) in state.watchers {
            let events = state.core.news(of: &watcher.reader, limit: .max).entries
            guard !events.isEmpty else { continue }
            var text = ByteBuffer()
            for event in events {
                let (name, resource): (String, any Encodable) =
                    switch event.event {
                    case .zone(let change): ("zone", change)
                    case .change(let change): ("change", change)
                    }
                let members = try JSONValue(encoding: resource).members ?? []
                let token = [JSONMember("token", .string(event.token))]
                write((name, members + token), token: event.token, of: &watcher, into: &text)
            }
            state.watchers[number] = watcher
            if case .dropped = watcher.pieces.yield(text) {
                state.watchers[number] = nil
                slow.append(watcher.pieces)
            }
        }
        return slow
    }

    private func openStream(_ request: MemoryRequest) throws -> SocketAnswer {
        let (pieces, continuation) = Pieces.makeStream(bufferingPolicy: .bufferingOldest(Self.waitingPieceCountMax))
        let number = try state.withLock { state throws in
            if state.isStopped { throw TransportFailure.unsent(reason: "the test has stopped it") }
            let (reader, zones) = try state.core.openStream(request)
            var watcher = Watcher(reader: reader, pieces: continuation)
            var text = ByteBuffer(string: ": kairan\n\n")
            let snapshot = [
                JSONMember("token", .string(reader.token)), JSONMember("zones", try JSONValue(encoding: zones)),
            ]
            Self.write(("snapshot", snapshot), token: reader.token, of: &watcher, into: &text)
            continuation.yield(text)
            state.watcherCount += 1
            state.watchers[state.watcherCount] = watcher
            // Sends the events behind the token.
            _ = try Self.tell(&state)
            return state.watcherCount
        }
        continuation.onTermination = { [weak self] _ in
            self?.state.withLock { _ = $0.watchers.removeValue(forKey: number) }
        }
        return SocketAnswer(
            status: 200,
            headers: ["content-type": "text/event-stream"],
            body: AnswerBody(pieces)
        )
    }

    private static func write(
        _ event: (name: String, members: [JSONMember]),
        token: String,
        of watcher: inout Watcher,
        into text: inout ByteBuffer
    ) {
        let head = [JSONMember("event", .string(event.name)), JSONMember("number", .integer(watcher.number))]
        watcher.number += 1
        text.writeString("id: \(token)\ndata: ")
        text.writeBytes(JSONValue.object(head + event.members).encoded)
        text.writeString("\n\n")
    }

    private static func answer(_ part: MemoryContent.Part) -> SocketAnswer {
        let (pieces, continuation) = Pieces.makeStream()
        var rest = part.bytes
        while !rest.isEmpty {
            continuation.yield(ByteBuffer(bytes: rest.prefix(MemoryContent.pieceByteCount)))
            rest = rest.dropFirst(MemoryContent.pieceByteCount)
        }
        continuation.finish()
        return SocketAnswer(status: part.status, headers: HTTPHeaders(part.headers), body: AnswerBody(pieces))
    }

    private static func answer(
        status: Int,
        _ body: (any Encodable)?,
        type: String = "application/json"
    ) throws -> SocketAnswer {
        let (pieces, continuation) = Pieces.makeStream()
        if let body { continuation.yield(ByteBuffer(bytes: try JSONValue(encoding: body).encoded)) }
        continuation.finish()
        return SocketAnswer(status: status, headers: ["content-type": type], body: AnswerBody(pieces))
    }
}
