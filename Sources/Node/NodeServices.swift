import Logging
import Records
import ServiceLifecycle
import Wire

/// The long-lived parts of a node as services, in the order in which they start.
package enum NodeServices {
    /// Group commit; the last to stop, so that everything that was accepted becomes durable.
    package struct Commits: Service {
        private let node: Node

        /// The commit queue of a node.
        package init(_ node: Node) {
            self.node = node
        }

        /// Commits until shutdown.
        package func run() async throws {
            await withGracefulShutdownHandler {
                await node.commits.run()
            } onGracefulShutdown: {
                node.commits.stop()
            }
        }
    }

    /// Synchronisation with peers.
    package struct Synchronization: Service {
        private let node: Node

        /// The synchronisation of a node.
        package init(_ node: Node) {
            self.node = node
        }

        /// Keeps peers in step until shutdown.
        package func run() async throws {
            try await withGracefulShutdownHandler {
                try await node.sync.run()
            } onGracefulShutdown: {
                node.sync.stop()
                node.hub.stop()
            }
        }
    }

    /// What is done once in a while: checkpoints of zones, and the write-ahead log's.
    package struct Maintenance: Service {
        /// Time between two rounds.
        ///
        /// A checkpoint is due after 10,000 operations or a day, so minutes do not matter.
        package static let interval = Duration.seconds(60)

        private let node: Node

        /// The maintenance of a node.
        package init(_ node: Node) {
            self.node = node
        }

        /// Works until shutdown.
        package func run() async throws {
            await cancelWhenGracefulShutdown {
                while !Task.isCancelled {
                    // Cancellation is how this ends.
                    try? await Task.sleep(for: Self.interval, tolerance: .seconds(5))
                    if Task.isCancelled { return }
                    await node.maintain()
                }
            }
        }
    }
}

extension Node {
    /// One round of maintenance; a failure is logged and the next round tries again.
    func maintain() async {
        do {
            let zones = try await storage.read { try $0.zones() }
            for zone in zones where zone.genesis.owner == identity.account && zone.state == .live {
                let notice = try await commits.perform { [replica] in try replica.checkpointIfDue(zone.id, in: &$0) }
                replica.announce(notice)
            }
            try await storage.checkpoint()
        } catch {
            logger.warning("maintenance failed", metadata: ["error": "\(error)"])
        }
    }
}
