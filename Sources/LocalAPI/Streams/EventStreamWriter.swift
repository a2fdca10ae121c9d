import Hummingbird
import KairanInterface
import NIOCore
import Node
import ServiceLifecycle

/// Writes the node's events as server-sent events until the node, the reader or the daemon ends it.
struct EventStreamWriter: Sendable {
    /// The interval at which something is written when nothing happens, so that a reader that is gone is noticed.
    static let heartbeatInterval = Duration.seconds(15)

    private enum Item: Sendable {
        case event(NodeEvent)
        case heartbeat
    }

    let events: NodeEventStream
    /// Calls an action when the reader has left, so that a subscription ends with it, whether or not anything happens.
    let whenReaderLeaves: @Sendable (_ action: @escaping @Sendable () -> Void) -> Void
    var heartbeatInterval = Self.heartbeatInterval

    /// Writes until the end.
    ///
    /// An event that cannot be written at once waits. Meanwhile the node's own stream fills up, and the node ends it
    /// with a last event that gives this reason.
    /// - Throws: When the connection is gone, `CancellationError`.
    @concurrent
    func write(to writer: inout any ResponseBodyWriter) async throws {
        let queue = Handoff<Item>(capacity: 4)
        let events = events
        let interval = heartbeatInterval
        whenReaderLeaves { queue.close() }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                // Not as a sequence that ends by itself then: that takes each event from a task elsewhere.
                await withGracefulShutdownHandler {
                    for await event in events {
                        guard await queue.push([(.event(event), 1)]) else { return }
                    }
                    // The node sends the reason for the end; if it did not get to that, the daemon is stopping.
                    queue.finish(with: .event(.end(reason: "stopping")))
                } onGracefulShutdown: {
                    queue.finish(with: .event(.end(reason: "stopping")))
                }
            }
            group.addTask {
                while !Task.isCancelled {
                    try await Task.sleep(for: interval)
                    queue.offer(.heartbeat)
                }
            }
            defer {
                queue.close()
                group.cancelAll()
            }
            // Bytes at once: a reader learns from them that it is connected, before anything happens.
            try await writer.write(ByteBuffer(string: ": kairan\n\n"))
            try await Self.write(from: queue, to: &writer)
        }
    }

    @concurrent
    private static func write(from queue: Handoff<Item>, to writer: inout any ResponseBodyWriter) async throws {
        var number: UInt64 = 0
        while true {
            let items = await queue.take()
            guard !items.isEmpty else { return }
            var text = ByteBuffer()
            var isEnd = false
            for item in items where !isEnd {
                switch item {
                case .heartbeat: text.writeString(": still here\n\n")
                case .event(let event):
                    try append(event, number: number, to: &text)
                    number += 1
                    isEnd = event.isEnd
                }
            }
            try await writer.write(text)
            if isEnd { return }
        }
    }

    private static func append(_ event: NodeEvent, number: UInt64, to text: inout ByteBuffer) throws {
        // Tokens are opaque, but a line end in one would begin another field.
        if let token = event.token, !token.contains(where: \.isNewline) { text.writeString("id: \(token)\n") }
        text.writeString("data: ")
        text.writeBytes(try event.json(number: number).encoded)
        text.writeString("\n\n")
    }
}
