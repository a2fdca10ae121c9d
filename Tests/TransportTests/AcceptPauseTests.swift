import Glibc
import Logging
import NIOCore
import NIOEmbedded
import Synchronization
import Testing

@testable import Listening

@Suite struct `A listener without a free descriptor` {
    private let channel = EmbeddedChannel()
    private let told = Told()
    private let shortage: DescriptorShortage

    init() throws {
        shortage = DescriptorShortage(logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        shortage.listen { [told] isShort in told.add(isShort) }
        try channel.pipeline.syncOperations.addHandler(AcceptPause(shortage))
    }

    /// Whether the channel was instructed to read by itself; `nil` = no instruction.
    private var reads: Bool? {
        channel.options.last { $0.option is ChannelOptions.Types.AutoReadOption }.flatMap { $0.value as? Bool }
    }

    private func fail(_ code: Int32) { channel.pipeline.fireErrorCaught(IOError(errnoCode: code, reason: "accept")) }

    @Test(arguments: [EMFILE, ENFILE, ENOBUFS, ENOMEM])
    func `waits for a second, and is reported once, however often it finds none`(code: Int32) throws {
        for round in 0..<20 {
            fail(code)
            #expect(shortage.isPresent && told.all == [true], "round \(round)")
            #expect(reads == false)
            // A second error while it waits does not make it wait longer.
            fail(code)
            channel.embeddedEventLoop.advanceTime(by: AcceptPause.pause)
        }
        #expect(reads == true)
        channel.embeddedEventLoop.advanceTime(by: AcceptPause.pause)
        #expect(!shortage.isPresent && told.all == [true, false])
        // And the next time it is reported again.
        fail(code)
        #expect(told.all == [true, false, true])
        _ = try channel.finish()
        #expect(told.all == [true, false, true, false])
    }

    @Test func `delays reads requested by others until then`() throws {
        let counter = ReadCounter()
        let channel = EmbeddedChannel()
        try channel.pipeline.syncOperations.addHandlers([counter, AcceptPause(shortage)])
        channel.read()
        #expect(counter.count == 1)
        channel.pipeline.fireErrorCaught(IOError(errnoCode: EMFILE, reason: "accept"))
        channel.read()
        #expect(counter.count == 1)
        channel.embeddedEventLoop.advanceTime(by: AcceptPause.pause)
        channel.read()
        #expect(counter.count == 2)
        _ = try channel.finish()
    }

    @Test func `passes over a connection that was given up, and passes on everything else`() {
        fail(ECONNABORTED)
        #expect(!shortage.isPresent && reads == nil)
        #expect(throws: Never.self) { try channel.throwIfErrorCaught() }
        fail(EBADF)
        #expect(throws: IOError.self) { try channel.throwIfErrorCaught() }
    }

    @Test func `releases a reserve for work under way, and restores it before it accepts`() throws {
        let shortage = DescriptorShortage(reserve: 3, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        #expect(shortage.reserved == 3)
        let channel = EmbeddedChannel()
        try channel.pipeline.syncOperations.addHandler(AcceptPause(shortage))
        for _ in 0..<2 {
            channel.pipeline.fireErrorCaught(IOError(errnoCode: EMFILE, reason: "accept"))
            #expect(shortage.reserved == 0)
            channel.embeddedEventLoop.advanceTime(by: AcceptPause.pause)
            #expect(shortage.reserved == 3 && shortage.isPresent)
        }
        _ = try channel.finish()
        #expect(!shortage.isPresent)
    }

    @Test func `the limit of descriptors is raised as far as it goes`() throws {
        let raised = try #require(DescriptorLimit.raise())
        var limits = rlimit()
        try #require(getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limits) == 0)
        #expect(raised == UInt64(limits.rlim_max) && limits.rlim_cur == limits.rlim_max)
    }
}

private final class ReadCounter: ChannelOutboundHandler {
    typealias OutboundIn = Never

    var count = 0

    func read(context: ChannelHandlerContext) {
        count += 1
        context.read()
    }
}

private final class Told: Sendable {
    private let values = Mutex<[Bool]>([])

    var all: [Bool] { values.withLock { $0 } }

    func add(_ value: Bool) { values.withLock { $0.append(value) } }
}
