import HTTPTypes
import Hummingbird
import NIOCore
import Node
import Synchronization
import Testing

@testable import LocalAPI

@Suite struct `Writing events` {
    /// Remembers the written bytes and reports them.
    private final class Page: Sendable {
        let text = Mutex("")
        let (written, continuation) = AsyncStream.makeStream(of: String.self)
    }

    private struct PageWriter: ResponseBodyWriter {
        let page: Page

        mutating func write(_ buffer: ByteBuffer) async throws {
            let text = page.text.withLock { text in
                text += String(buffer: buffer)
                return text
            }
            page.continuation.yield(text)
        }

        consuming func finish(_ trailingHeaders: HTTPFields?) async throws {}
    }

    @Test(.timeLimit(.minutes(5))) func `something is written when nothing happens, and the reader's leaving ends it`()
        async throws
    {
        let page = Page()
        let (events, source) = AsyncStream.makeStream(of: NodeEvent.self)
        let (leaving, leave) = AsyncStream.makeStream(of: (@Sendable () -> Void).self)
        let stream = EventStreamWriter(
            events: events,
            whenReaderLeaves: { leave.yield($0) },
            heartbeatInterval: .milliseconds(1)
        )
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                var writer: any ResponseBodyWriter = PageWriter(page: page)
                try await stream.write(to: &writer)
            }
            for await text in page.written where text.contains(": still here\n\n: still here\n\n") { break }
            var actions = leaving.makeAsyncIterator()
            let action = try #require(await actions.next())
            action()
            try await group.waitForAll()
        }
        source.finish()
        #expect(page.text.withLock { $0.hasPrefix(": kairan\n\n") && !$0.contains("data:") })
    }

    @Test(.timeLimit(.minutes(5))) func `a token with a line end is not written as a field of its own`() async throws {
        let page = Page()
        let events = AsyncStream<NodeEvent> { continuation in
            continuation.yield(.snapshot(token: "t\ndata: evil", zones: []))
            continuation.yield(.end(reason: "over"))
            continuation.yield(.end(reason: "never"))
            continuation.finish()
        }
        var writer: any ResponseBodyWriter = PageWriter(page: page)
        try await EventStreamWriter(events: events, whenReaderLeaves: { _ in }).write(to: &writer)
        let text = page.text.withLock { $0 }
        #expect(!text.contains("id:") && !text.contains("\ndata: evil") && !text.contains("never"))
        #expect(text.hasSuffix("data: {\"event\":\"end\",\"number\":1,\"reason\":\"over\"}\n\n"))
    }
}
