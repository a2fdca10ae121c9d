import NIOCore
import Node
import ServiceLifecycle
import Synchronization

extension LocalRequestContext {
    /// Runs work that may take long, and cancels it when its caller has left or the daemon stops, because the result
    /// is then useless.
    /// - Throws: Any error of the work; `notReady` when the daemon stops.
    func whileWanted<Value: Sendable>(
        _ work: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        try await ReaderPresence(channel).whileHere(work)
    }
}

/// Whether the caller of a request is still there; an answer in many parts asks once for all of them.
///
/// This watches the connection itself, not the data read from it: the framework's own way to do that traps when
/// the request's body was not read to its end.
final class ReaderPresence: Sendable {
    private struct State {
        var hasLeft = false
        /// Ends the work that waits for the connection to close.
        var work: [UInt64: AsyncStream<Void>.Continuation] = [:]
        var workCount: UInt64 = 0
    }

    private let state = Mutex(State())

    /// Watches a connection until it is closed.
    init(_ channel: any Channel) {
        channel.closeFuture.whenComplete { [weak self] _ in self?.leave() }
    }

    private func leave() {
        let work = state.withLock { state in
            state.hasLeft = true
            defer { state.work = [:] }
            return Array(state.work.values)
        }
        for continuation in work { continuation.finish() }
    }

    /// Runs work, and cancels it when the caller has left or the daemon stops.
    /// - Throws: Any error of the work; `notReady` when the daemon stops.
    func whileHere<Value: Sendable>(_ work: @escaping @Sendable () async throws -> Value) async throws -> Value {
        let (presence, continuation) = AsyncStream.makeStream(of: Void.self)
        let number = state.withLock { state in
            state.workCount += 1
            if state.hasLeft { continuation.finish() } else { state.work[state.workCount] = continuation }
            return state.workCount
        }
        defer { state.withLock { $0.work[number] = nil } }
        do {
            return try await withThrowingTaskGroup(of: Value.self) { group in
                group.addTask { try await cancelWhenGracefulShutdown(work) }
                group.addTask {
                    for await _ in presence {}
                    throw CancellationError()
                }
                defer { group.cancelAll() }
                guard let value = try await group.next() else { throw CancellationError() }
                return value
            }
        } catch  where Task.isShuttingDownGracefully {
            throw NodeError(.notReady, "The daemon is stopping.", fix: "Try again when it runs.")
        }
    }
}
