import ServiceLifecycle

/// A long-lived part of a node as a service of its process.
package struct NodeService: Service {
    private let work: @Sendable () async throws -> Void
    /// Ends the work; `nil` for work that ends when its task is cancelled.
    private var stop: (@Sendable () -> Void)?
    /// Whether the work may be done before shutdown.
    ///
    /// A service of other work that ends ends the daemon, which is then started again.
    private var mayBeDone = false

    private init(mayBeDone: Bool = false, work: @escaping @Sendable () async throws -> Void) {
        (self.work, self.mayBeDone) = (work, mayBeDone)
    }

    private init(_ work: @escaping @Sendable () async throws -> Void, stop: @escaping @Sendable () -> Void) {
        (self.work, self.stop) = (work, stop)
    }

    /// Works until shutdown.
    package func run() async throws {
        if let stop {
            try await withGracefulShutdownHandler(operation: work, onGracefulShutdown: stop)
        } else {
            try await cancelWhenGracefulShutdown(work)
            // Cancellation is an end like any other.
            if mayBeDone { try? await gracefulShutdown() }
        }
    }
}

// The services of a node, in the order in which they start.
extension NodeService {
    /// Group commit; the last to stop, so that everything that was accepted becomes durable.
    package static func commits(_ node: Node) -> NodeService {
        NodeService {
            await withTaskExecutorPreference(node.store.storage.writer) { await node.store.commits.run() }
        } stop: {
            node.store.commits.stop()
        }
    }

    /// Synchronisation with peers.
    package static func synchronization(_ node: Node) -> NodeService {
        NodeService {
            // Where the queue commits: what a commit leads to, and the commits that messages lead to, begin on one thread.
            try await withTaskExecutorPreference(node.store.storage.writer) { try await node.sync.run() }
        } stop: {
            node.sync.stop()
            node.commitService.hub.stop()
        }
    }

    /// Leaving parcels with relays, and taking those that wait.
    package static func mailing(_ node: Node) -> NodeService {
        NodeService {
            // It looks at each commit, and seldom has more to do.
            await withTaskExecutorPreference(node.store.storage.writer) { await node.mail.run() }
        } stop: {
            node.mail.stop()
        }
    }

    /// Keeping parcels for others.
    package static func relaying(_ relay: RelayService) -> NodeService {
        NodeService {
            await relay.run()
        } stop: {
            relay.stop()
        }
    }

    /// Building indexes.
    package static func indexing(_ node: Node) -> NodeService { NodeService { await node.indexing.run() } }

    /// Entering messages into the inbox, and answering them.
    package static func messaging(_ node: Node) -> NodeService { NodeService { await node.inbox.run() } }

    /// Looking at the assets that records name and at linked files, and reporting their states.
    package static func assets(_ node: Node) -> NodeService {
        NodeService {
            await withDiscardingTaskGroup { group in
                group.addTask { await node.assetService.run() }
                group.addTask { await node.assetReporter.run() }
                group.addTask { await node.linkService.run() }
            }
        }
    }

    /// Noticing zones that other accounts offer to this one.
    package static func offers(_ node: Node) -> NodeService { NodeService(mayBeDone: true) { await node.offers.run() } }

    /// The periodic work.
    package static func maintenance(_ node: Node) -> NodeService { NodeService { await node.maintenance.run() } }

    /// Joining an account by a token in a file, which need not exist.
    package static func enrolment(_ node: Node, file: EnrolmentFile) -> NodeService {
        NodeService(mayBeDone: true) { await UnattendedEnrolment(node.sync, file: file).run() }
    }
}
