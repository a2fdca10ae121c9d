import Logging
import Records
import Sodium
import Sync
import Wire

/// The periodic work: checkpoints of zones and of the log, and warnings that no event raises.
struct Maintenance: Sendable {
    /// Time between two rounds.
    ///
    /// A checkpoint is due after 10,000 operations or a day, so minutes do not matter.
    private static let interval = Duration.seconds(60)

    let store: CallerStore
    let zones: ZoneWarnings
    let keys: KeyWarnings
    let assetWarnings: AssetWarnings
    let offers: OfferWatch
    let indexing: IndexBuilder
    let inbox: InboxService
    let assets: AssetService
    let links: LinkService
    let facts: ChannelQueue<SyncFact>

    private var commitService: CommitService { store.commitService }

    /// Works until its task is cancelled.
    func run() async {
        await lookForPayloads()
        while !Task.isCancelled {
            // Cancellation is how this ends.
            try? await Task.sleep(for: Self.interval, tolerance: .seconds(5))
            if Task.isCancelled { return }
            await work()
        }
    }

    /// One round of maintenance; a failure is logged and the next round tries again.
    func work() async {
        commitService.clocks.look()
        links.minutePassed()
        await lookForPayloads()
        do {
            await commitService.retryAccountChanges(store.commits, store.storage)
            try await makeDueChanges()
            try await zones.look()
            // A block, or the end of a zone, ends an offer too.
            offers.wake()
            try await keys.look()
            try await assetWarnings.look()
            // Entries of zones that were deleted meanwhile.
            indexing.wake()
            // Receipts for which there was no key, and messages whose time is over.
            inbox.wake()
            // Content that no record names any more, and room for more.
            assets.wake()
            facts.put(.payloadsMayBeDue)
            facts.put(.bookMayBeDue)
            for zone in try await store.storage.read({ try $0.zones().map(\.id) }) {
                try await separately(zone) { try await makeCheckpoints(zone) }
                try await separately(zone) { try await prune(zone) }
            }
            try await store.storage.checkpoint()
        } catch {
            guard !commitService.warn(of: error) else { return }
            commitService.logger.warning("maintenance failed", metadata: ["error": "\(error)"])
        }
    }

    /// Raises the warning that contents cannot be reached, or clears it.
    private func lookForPayloads() async {
        guard let refusal = await store.storage.refusalOfPayloads() else {
            return commitService.health.clear(HealthWarning.payloadsMissingCode)
        }
        commitService.warn(of: refusal)
    }

    /// Makes the changes that are due by time alone.
    private func makeDueChanges() async throws {
        // Only a commit shows whether there is space again; a program that was refused may not ask for long.
        if commitService.health.contains(CommitService.diskFullCode)
            || commitService.health.contains(HealthWarning.storageDisplacedCode)
        {
            try await perform { Changed((), notice: CommitNotice(number: try $2.nextCommitNumber())) }
        }
        if try await store.storage.read({ [store] in try DeviceTimes(store.committer).hasToCorrect(in: $0) }) {
            try await perform { Changed((), notice: try DeviceTimes($0).correct(in: &$2)) }
        }
        let zones = try await store.storage.read { [store] transaction in
            try transaction.zones().filter(store.committer.isCurrent)
        }
        for zone in zones where zone.state == .live {
            try await separately(zone.id) {
                try await perform { Changed((), notice: try ZoneUpkeep($0).maintain(zone.id, in: &$2)) }
            }
        }
    }

    /// Does something in one zone; a failure that lies in this zone does not keep the others from theirs.
    private func separately(_ zone: ZoneID, _ body: () async throws -> Void) async throws {
        do {
            try await body()
        } catch let error as StorageError {
            throw error
        } catch {
            commitService.logger.warning(
                "a zone was not maintained",
                metadata: ["zone.id": "\(zone.shortText)", "error": "\(error)"]
            )
        }
    }

    /// Makes and adopts the checkpoints of a zone: they are computed in snapshots, while other writers go on.
    private func makeCheckpoints(_ zone: ZoneID) async throws {
        var round = CheckpointRound()
        var goesOn = true
        while goesOn, !Task.isCancelled {
            let next = try await store.storage.read { [store] in
                try CheckpointUpkeep(store.committer).work(on: zone, in: $0)
            }
            guard let work = next else { return }
            let step = try await perform { try CheckpointUpkeep($0).perform(work, in: &$2) }
            if case .made(let checkpoint) = step {
                store.commitService.logger.info(
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
            let next = try await store.storage.read { [store, last] transaction in
                try CheckpointUpkeep(store.committer).pruningStep(of: zone, after: last, in: transaction)
            }
            guard let step = next else { return }
            if step.isChange {
                try await perform { Changed((), notice: try CheckpointUpkeep($0).prune(step, in: &$2)) }
            }
            last = step
        }
    }

    private func perform<Reply>(
        _ job: @escaping @Sendable (Committer, inout SystemRandom, inout any NodeTransaction) throws -> Changed<Reply>
    ) async throws -> Reply {
        try await store.commits.perform { [commitService] transaction in
            try commitService.change(&transaction, job)
        } whenDurable: { [commitService] in
            commitService.announce($0.notice)
        }.reply
    }
}
