import Logging
import Records
import ServiceLifecycle
import Sodium
import Sync
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

        /// Synchronises with peers until shutdown.
        package func run() async throws {
            try await withGracefulShutdownHandler {
                try await node.sync.run()
            } onGracefulShutdown: {
                node.sync.stop()
                node.hub.stop()
            }
        }
    }

    /// Leaving parcels with relays, and taking those that wait.
    package struct Mailing: Service {
        private let node: Node

        /// The mail of a node.
        package init(_ node: Node) {
            self.node = node
        }

        /// Works until shutdown.
        package func run() async throws {
            await withGracefulShutdownHandler {
                await node.mail.run()
            } onGracefulShutdown: {
                node.mail.stop()
            }
        }
    }

    /// Keeping parcels for others.
    package struct Relaying: Service {
        private let relay: RelayService

        /// A relay.
        package init(_ relay: RelayService) {
            self.relay = relay
        }

        /// Works until shutdown.
        package func run() async throws {
            await withGracefulShutdownHandler {
                await relay.run()
            } onGracefulShutdown: {
                relay.stop()
            }
        }
    }

    /// Joining an account by a token in a file.
    package struct Enrolment: Service {
        private let node: Node
        private let file: EnrolmentFile

        /// The enrolment of a node.
        /// - Parameters:
        ///   - node: The node.
        ///   - file: The file with the token, which need not exist.
        package init(_ node: Node, file: EnrolmentFile) {
            self.node = node
            self.file = file
        }

        /// Joins, then waits for shutdown: a service that ends would end the daemon.
        package func run() async throws {
            await cancelWhenGracefulShutdown {
                await node.enrol(with: file)
            }
            // Its only error is cancellation, which is an end like any other.
            try? await gracefulShutdown()
        }
    }

    /// Building indexes.
    package struct Indexing: Service {
        private let node: Node

        /// The indexes of a node.
        package init(_ node: Node) {
            self.node = node
        }

        /// Builds until shutdown.
        package func run() async throws {
            await cancelWhenGracefulShutdown {
                await node.indexing.run()
            }
        }
    }

    /// Entering messages into the inbox, and answering them.
    package struct Messaging: Service {
        private let node: Node

        /// The inbox of a node.
        package init(_ node: Node) {
            self.node = node
        }

        /// Works until shutdown.
        package func run() async throws {
            await cancelWhenGracefulShutdown {
                await node.inbox.run()
            }
        }
    }

    /// Noticing zones that other accounts offer to this one.
    package struct Offers: Service {
        private let node: Node

        /// The offers to a node.
        package init(_ node: Node) {
            self.node = node
        }

        /// Works until shutdown.
        package func run() async throws {
            await cancelWhenGracefulShutdown {
                await node.watchOffers()
            }
            // Cancellation is how this ends.
            try? await gracefulShutdown()
        }
    }

    /// The periodic work: checkpoints of zones, and the write-ahead log's.
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
        replica.clocks.look()
        do {
            await replica.settleAgain(commits, storage)
            // Only a commit shows whether there is space again; a program that was refused may not ask for long.
            if replica.health.contains(ReplicaService.diskFullCode)
                || replica.health.contains(HealthWarning.storageDisplacedCode)
            {
                try await performing { Changed((), notice: CommitNotice(number: try $2.nextCommitNumber())) }
            }
            if try await storage.read({ [replica] in try DeviceTimes(replica.committer).hasToCorrect(in: $0) }) {
                try await performing { Changed((), notice: try DeviceTimes($0).correct(in: &$2)) }
            }
            let zones = try await storage.read { [replica] transaction in
                try transaction.zones().filter(replica.committer.isCurrent)
            }
            for zone in zones where zone.state == .live {
                try await separately(zone.id) {
                    try await self.performing { Changed((), notice: try ZoneUpkeep($0).maintain(zone.id, in: &$2)) }
                }
            }
            try await noteQuarantine()
            try await noteRoom()
            // A block, or the end of a zone, ends an offer too.
            replica.wakeOffers()
            try await noteKeys()
            // Entries of zones that were deleted meanwhile.
            indexing.wake()
            // Receipts for which there was no key, and messages whose time is over.
            inbox.wake()
            sync.mailbox.put(.payloadsMayBeDue)
            sync.mailbox.put(.bookMayBeDue)
            for zone in try await storage.read({ try $0.zones().map(\.id) }) {
                try await separately(zone) { try await self.settleCheckpoints(zone) }
                try await separately(zone) { try await self.prune(zone) }
            }
            try await storage.checkpoint()
        } catch {
            guard !replica.warn(of: error) else { return }
            logger.warning("maintenance failed", metadata: ["error": "\(error)"])
        }
    }

    /// Does something in one zone; a failure that lies in this zone does not keep the others from theirs.
    private func separately(_ zone: ZoneID, _ body: () async throws -> Void) async throws {
        do {
            try await body()
        } catch let error as StorageError {
            throw error
        } catch {
            logger.warning(
                "a zone was not maintained",
                metadata: ["zone.id": "\(zone.shortText)", "error": "\(error)"]
            )
        }
    }

    /// Makes and adopts the checkpoints of a zone: they are computed in snapshots, while other writers go on.
    private func settleCheckpoints(_ zone: ZoneID) async throws {
        var round = CheckpointRound()
        var goesOn = true
        while goesOn, !Task.isCancelled {
            let next = try await storage.read { [replica] in
                try CheckpointUpkeep(replica.committer).work(on: zone, in: $0)
            }
            guard let work = next else { return }
            let step = try await performing { try CheckpointUpkeep($0).perform(work, in: &$2) }
            if case .made(let checkpoint) = step {
                logger.info(
                    "checkpoint made",
                    metadata: ["zone.id": "\(zone.shortText)", "live": "\(checkpoint.liveCount)"]
                )
            }
            goesOn = round.goesOn(after: step)
        }
    }

    /// Prunes the operations of a zone that its adopted checkpoint does not keep alive, a step at a time: other
    /// writers go on in between.
    private func prune(_ zone: ZoneID) async throws {
        var last: PruningStep?
        while !Task.isCancelled {
            let next = try await storage.read { [replica, last] transaction in
                try CheckpointUpkeep(replica.committer).pruningStep(of: zone, after: last, in: transaction)
            }
            guard let step = next else { return }
            if step.isChange {
                try await performing { Changed((), notice: try CheckpointUpkeep($0).prune(step, in: &$2)) }
            }
            last = step
        }
    }

    private func performing<Reply>(
        _ job: @escaping @Sendable (Committer, inout SystemRandom, inout any NodeTransaction) throws -> Changed<Reply>
    ) async throws -> Reply {
        try await commits.perform { [replica] transaction in
            try replica.change(&transaction, job)
        } whenDurable: { [replica] in
            replica.announce($0.notice)
        }.reply
    }

    /// Whether commits come through: an empty one is made.
    ///
    /// - Returns: `true` also when the queue is full, which is a sign of much life.
    package func isAlive() async -> Bool {
        do {
            try await commits.perform { _ in () }
            return true
        } catch let error as NodeError {
            return error.code == .busy
        } catch {
            // A store that refuses, such as for want of space, answers all the same.
            return true
        }
    }
}
