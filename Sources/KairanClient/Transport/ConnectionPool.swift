import NIOCore
import Synchronization

/// The connections of one client: kept for the next request, and bounded in number.
///
/// Overflow policy: wait, then refuse. A request beyond the number of connections waits for one, in the order of
/// arrival; one beyond the number of waiting requests fails at once, with ``TransportFailure/unsent(reason:)``.
package final class ConnectionPool: Sendable {
    /// The maximum number of connections.
    package static let connectionCountMax = 64
    /// The maximum number of requests that wait for a connection.
    package static let waitingCountMax = 4_096

    private enum Place: Sendable {
        case connection(SocketConnection)
        /// Room for one more connection.
        case room
    }

    private struct Waiting: Sendable {
        var number: UInt64
        var continuation: CheckedContinuation<Place, any Error>
    }

    private struct State: Sendable {
        /// Connections without an exchange, the one that was used last at the end.
        var idle: [SocketConnection] = []
        /// All connections that are open.
        var open: [ObjectIdentifier: SocketConnection] = [:]
        /// The number of connections that are open or being opened.
        var takenCount = 0
        var waiting: [Waiting] = []
        var lastNumber: UInt64 = 0
        var isClosed = false
    }

    /// The path of the daemon's socket.
    package let socketPath: String
    private let state = Mutex(State())
    private let uploads: AsyncStream<UploadJob>
    private let startUpload: AsyncStream<UploadJob>.Continuation

    private init(socketPath: String) {
        self.socketPath = socketPath
        // One exchange has one upload, and one connection one exchange.
        (uploads, startUpload) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(Self.connectionCountMax))
    }

    /// The numbers of connections that are open or being opened, of those that carry nothing, and of requests that
    /// wait for one.
    package var counts: (open: Int, idle: Int, waiting: Int) {
        state.withLock { ($0.takenCount, $0.idle.count, $0.waiting.count) }
    }

    /// Runs a closure with connections to a socket, which are closed afterwards; nothing is opened before the first request.
    /// - Parameters:
    ///   - socketPath: The path of the daemon's socket.
    ///   - body: Sends requests. Bodies that are still being sent or read when it returns are cut off.
    /// - Returns: The result of the closure.
    /// - Throws: Any error of the closure.
    package static func withPool<Result>(
        socketPath: String,
        _ body: (ConnectionPool) async throws -> Result
    ) async throws -> Result {
        let pool = ConnectionPool(socketPath: socketPath)
        return try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await pool.upload() }
            do {
                let result = try await body(pool)
                await pool.close()
                return result
            } catch {
                await pool.close()
                throw error
            }
        }
    }

    /// Sends bodies that come in pieces, each beside the rest, until the pool is closed.
    private func upload() async {
        await withDiscardingTaskGroup { group in
            for await job in uploads { group.addTask { await job.run() } }
        }
    }

    /// Sends a request, on a connection that is there or on another one.
    ///
    /// A request that fails on a connection that was used before is sent again if
    /// ``TransportFailure/allowsRepetition`` permits it; one on a new connection is not.
    /// - Parameter request: The request.
    /// - Returns: The answer as soon as its head has arrived, even while the request's body is still being sent.
    /// - Throws: ``TransportFailure``, `CancellationError`, the errors of the request's body.
    package func execute(_ request: SocketRequest) async throws -> SocketAnswer {
        while true {
            let (connection, isUsed) = try await connection()
            let exchange = Exchange(
                request,
                releaseConnection: { [self] in release(connection) },
                startUpload: { [startUpload] job in
                    guard case .enqueued = startUpload.yield(job) else { return false }
                    return true
                }
            )
            do {
                return try await connection.carry(exchange)
            } catch let failure as TransportFailure where isUsed && failure.allowsRepetition {
                continue
            }
        }
    }

    private func connection() async throws -> (SocketConnection, isUsed: Bool) {
        switch try await place() {
        case .connection(let connection): (connection, true)
        case .room: (try await open(), false)
        }
    }

    private func place() async throws -> Place {
        let number = state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let result = state.withLock { state -> Result<Place, any Error>? in
                    if state.isClosed { return .failure(TransportFailure.unsent(reason: "this client was closed")) }
                    if Task.isCancelled { return .failure(CancellationError()) }
                    if let idle = state.idle.popLast() { return .success(.connection(idle)) }
                    if state.takenCount < Self.connectionCountMax {
                        state.takenCount += 1
                        return .success(.room)
                    }
                    guard state.waiting.count < Self.waitingCountMax else {
                        return .failure(TransportFailure.unsent(reason: "too many requests wait for a connection"))
                    }
                    state.waiting.append(Waiting(number: number, continuation: continuation))
                    return nil
                }
                if let result { continuation.resume(with: result) }
            }
        } onCancel: {
            let cancelled = state.withLock { state in
                state.waiting.firstIndex { $0.number == number }.map { state.waiting.remove(at: $0) }
            }
            cancelled?.continuation.resume(throwing: CancellationError())
        }
    }

    private func open() async throws -> SocketConnection {
        let connection: SocketConnection
        do {
            connection = try await SocketConnection.open(socketPath)
        } catch {
            giveBackRoom()
            throw error
        }
        let isClosed = state.withLock { state in
            state.open[ObjectIdentifier(connection)] = connection
            return state.isClosed
        }
        connection.channel.closeFuture.whenComplete { [self] _ in forget(connection) }
        if isClosed { connection.channel.close(promise: nil) }
        return connection
    }

    /// Takes back a connection that can carry another exchange.
    private func release(_ connection: SocketConnection) {
        let next = state.withLock { state -> Waiting? in
            guard state.waiting.isEmpty else { return state.waiting.removeFirst() }
            state.idle.append(connection)
            return nil
        }
        next?.continuation.resume(returning: .connection(connection))
    }

    private func forget(_ connection: SocketConnection) {
        state.withLock { state in
            state.open[ObjectIdentifier(connection)] = nil
            state.idle.removeAll { $0 === connection }
        }
        giveBackRoom()
    }

    private func giveBackRoom() {
        let next = state.withLock { state -> Waiting? in
            guard state.waiting.isEmpty else { return state.waiting.removeFirst() }
            state.takenCount -= 1
            return nil
        }
        next?.continuation.resume(returning: .room)
    }

    /// Closes all connections, even busy ones, and ends all waits for one.
    private func close() async {
        let (open, waiting) = state.withLock { state in
            state.isClosed = true
            defer { state.waiting = [] }
            return (Array(state.open.values), state.waiting)
        }
        for request in waiting {
            request.continuation.resume(throwing: TransportFailure.unsent(reason: "this client was closed"))
        }
        for connection in open { connection.channel.close(promise: nil) }
        for connection in open {
            // The channel's end is no failure.
            try? await connection.channel.closeFuture.get()
        }
        startUpload.finish()
    }
}
