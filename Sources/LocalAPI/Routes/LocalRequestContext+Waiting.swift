import NIOCore
import Node
import ServiceLifecycle

extension LocalRequestContext {
    /// Runs work that may take long, and cancels it when its caller has left or the daemon stops, because the result
    /// is then useless.
    ///
    /// This watches the connection itself, not the data read from it: the framework's own way to do that traps when
    /// the request's body was not read to its end.
    /// - Throws: Any error of the work; `notReady` when the daemon stops.
    func whileWanted<Value: Sendable>(
        _ work: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        let (presence, continuation) = AsyncStream.makeStream(of: Void.self)
        channel.closeFuture.whenComplete { _ in continuation.finish() }
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
