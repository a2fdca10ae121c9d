import NIOCore
import NIOPosix
import Testing

@testable import LocalAPI

@Suite struct `The executor of an event loop` {
    private let loops = MultiThreadedEventLoopGroup(numberOfThreads: 2)

    @Test func `runs a task on the loop, also behind a wait`() async throws {
        let executors = EventLoopExecutors()
        for loop in loops.makeIterator() {
            let places = try await withTaskExecutorPreference(executors.executor(of: loop)) {
                let before = loop.inEventLoop
                await Task.yield()
                try await Task.sleep(for: .milliseconds(1))
                return [before, loop.inEventLoop]
            }
            #expect(places == [true, true])
        }
        try await loops.shutdownGracefully()
    }

    @Test func `is one for each loop`() async throws {
        let executors = EventLoopExecutors()
        let all = loops.makeIterator().map { executors.executor(of: $0) }
        #expect(all.count == 2 && all[0] !== all[1])
        #expect(loops.makeIterator().allSatisfy { loop in all.contains { $0 === executors.executor(of: loop) } })
        try await loops.shutdownGracefully()
    }
}
