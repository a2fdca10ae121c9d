import NIOCore
import Synchronization

/// The connections that are open, so that they can be told that the daemon stops.
final class OpenConnections: Sendable {
    private struct State {
        var channels: [ObjectIdentifier: any Channel] = [:]
        var isQuiescing = false
    }

    private let state = Mutex(State())

    /// Remembers a connection until ``remove(_:)``.
    func add(_ channel: any Channel) {
        let isQuiescing = state.withLock { state in
            state.channels[ObjectIdentifier(channel)] = channel
            return state.isQuiescing
        }
        if isQuiescing { Self.quiesce(channel) }
    }

    /// Forgets a connection.
    func remove(_ channel: any Channel) {
        state.withLock { state in _ = state.channels.removeValue(forKey: ObjectIdentifier(channel)) }
    }

    /// Tells every connection to close as soon as the request that it carries is answered.
    func quiesce() {
        let channels = state.withLock { state in
            state.isQuiescing = true
            return Array(state.channels.values)
        }
        for channel in channels { Self.quiesce(channel) }
    }

    private static func quiesce(_ channel: any Channel) {
        channel.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent())
    }
}
