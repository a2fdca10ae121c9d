import NIOCore
import Synchronization

/// The connections that are open, so that they end when the daemon stops, or when the policy has changed for them.
final class OpenConnections: Sendable {
    private struct Connection {
        var channel: any Channel
        var holds: @Sendable () -> Bool
    }

    private struct State {
        var connections: [ObjectIdentifier: Connection] = [:]
        var isQuiescing = false
    }

    private let state = Mutex(State())

    /// Remembers a connection until ``remove(_:)``.
    /// - Parameters:
    ///   - channel: The connection.
    ///   - holds: Whether its caller is still the one that it was made for.
    func add(_ channel: any Channel, whileHolds holds: @escaping @Sendable () -> Bool) {
        let isQuiescing = state.withLock { state in
            state.connections[ObjectIdentifier(channel)] = Connection(channel: channel, holds: holds)
            return state.isQuiescing
        }
        if isQuiescing { Self.quiesce(channel) }
        // The policy may have changed between the judgement and this moment.
        if !holds() { channel.close(promise: nil) }
    }

    /// Closes the connections that do not hold any more.
    func review() {
        let connections = state.withLock { Array($0.connections.values) }
        for connection in connections where !connection.holds() { connection.channel.close(promise: nil) }
    }

    /// Forgets a connection.
    func remove(_ channel: any Channel) {
        state.withLock { state in _ = state.connections.removeValue(forKey: ObjectIdentifier(channel)) }
    }

    /// Closes every connection as soon as the request that it carries is answered.
    func quiesce() {
        let channels = state.withLock { state in
            state.isQuiescing = true
            return state.connections.values.map(\.channel)
        }
        for channel in channels { Self.quiesce(channel) }
    }

    private static func quiesce(_ channel: any Channel) {
        channel.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent())
    }
}
