import Identity
import Logging
import Records
import Sodium
import Sync
import Synchronization
import Wire

/// Gives jobs of the commit queue the `Committer` that does their work, and announces their outcome.
///
/// The functions that take a transaction run on the store's writing connection; `announce` and its like run afterwards, in
/// the order of the commits.
package final class CommitService: Sendable {
    /// The callbacks that commits are announced to.
    struct Listener: Sendable {
        var committed: @Sendable (PeerNotice) -> Void
        var incarnationChanged: @Sendable () -> Void
        var schemasMayHaveChanged: @Sendable () -> Void
        var messagesChanged: @Sendable () -> Void
        var assetsMayBeDue: @Sendable () -> Void
        var assetsChanged: @Sendable (Set<PayloadID>) -> Void
        var rightsMayHaveChanged: @Sendable () -> Void
        var payloadsWanted: @Sendable () -> Void
        var payloadArrived: @Sendable () -> Void
        var custodyMayHaveChanged: @Sendable (CustodyNews) -> Void
        var offersMayHaveChanged: @Sendable () -> Void
    }

    private struct State {
        var listener: Listener?
        var lack: StartDecision.Lack?
    }

    let identity: NodeIdentity
    let hub: EventHub
    let clock: NodeClock
    let health: HealthBoard
    let clocks: ClockBoard
    let measures: NodeMetrics
    let logger: Logger
    /// Whether rulings wait for the next maintenance, since the store refused them.
    let hasUnfinishedRulings = Atomic(false)
    private let sentinel: SentinelFile
    private let state: Mutex<State>

    init(
        identity: NodeIdentity,
        hub: EventHub,
        clock: NodeClock,
        sentinel: SentinelFile,
        lack: StartDecision.Lack?,
        measures: NodeMetrics,
        logger: Logger
    ) {
        self.identity = identity
        self.hub = hub
        self.clock = clock
        self.sentinel = sentinel
        health = HealthBoard(logger: logger, now: clock.monotonic)
        clocks = ClockBoard(identity: identity, clock: clock, health: health)
        self.measures = measures
        self.logger = logger
        state = Mutex(State(lack: lack))
        switch lack {
        case .fetched: health.set(.storeRecovering)
        case .older: health.set(.storeOlder)
        case nil: break
        }
    }

    /// Whether the device lacks content that it once had, and neither a peer nor a person has settled that.
    var isRecovering: Bool { state.withLock { $0.lack != nil } }

    func listen(_ listener: Listener) {
        state.withLock { $0.listener = listener }
    }

    /// A first comparison with a peer is complete.
    func recovered() {
        let wasRecovering = state.withLock { state in
            guard state.lack == .fetched else { return false }
            state.lack = nil
            return true
        }
        guard wasRecovering else { return }
        health.clear(HealthWarning.storeRecovering.code)
        do {
            try identity.files.recovering.remove()
        } catch {
            // The next start recovers once more, which costs nothing but the warning.
            logger.warning("the note of the accepted loss could not be removed", metadata: ["error": "\(error)"])
        }
    }

    /// Notes that the account has no other device any more from which the lost content could come.
    func cannotRecover() {
        let isLost = state.withLock { state in
            guard state.lack == .fetched else { return false }
            state.lack = .older
            return true
        }
        guard isLost else { return }
        health.clear(HealthWarning.storeRecovering.code)
        health.set(.storeOlder)
    }

    // MARK: In a transaction

    /// The committer with the account and secrets of this moment; asked for in the transaction that needs it.
    var committer: Committer { identity.committer(wallMilliseconds: clock.wall(), witnesses: clocks.witnesses()) }

    /// Runs a change of the store.
    /// - Parameters:
    ///   - transaction: The store.
    ///   - body: The change, by the committer of this moment.
    /// - Returns: The value of the body: the notice to announce when the change is durable, or a reply with it.
    /// - Throws: The errors of the body.
    func change<Change>(
        _ transaction: inout any NodeTransaction,
        _ body: (Committer, inout SystemRandom, inout any NodeTransaction) throws -> Change
    ) throws -> Change {
        var random = SystemRandom()
        return try body(committer, &random, &transaction)
    }

    // MARK: After a commit

    /// Announces the changes of a job, or the trouble of the store that its failure shows.
    ///
    /// Called by the commit queue, in the order of the commits: sizes of logs never decrease from one call to the
    /// next.
    func announce(_ result: Result<CommitNotice, any Error>) {
        switch result {
        case .success(let notice): announce(notice)
        case .failure(let error): warn(of: error)
        }
    }

    /// Announces the changes of a job that has a reply, or the trouble of the store that its failure shows.
    func announce<Reply>(_ result: Result<Changed<Reply>, any Error>) {
        announce(result.map(\.notice))
    }

    /// Raises the warning that belongs to a failure of the store.
    /// - Returns: Whether there is one.
    @discardableResult
    func warn(of error: any Error) -> Bool {
        if let damage = Self.damage(in: error) {
            health.set(
                HealthWarning(
                    code: Self.damagedCode,
                    severity: .critical,
                    message:
                        "The contents of the store contradict each other, so that some cannot be read or accepted: \(damage).",
                    fix: "Stop the daemon, keep the files, and restore them or fetch everything from another device."
                )
            )
            return true
        }
        guard let error = error as? StorageError else { return false }
        switch error.code {
        case .displaced: health.set(.storageDisplaced(error.message))
        case .payloadsMissing: health.set(.payloadsMissing(error.message))
        case .diskFull:
            health.set(
                HealthWarning(
                    code: Self.diskFullCode,
                    severity: .critical,
                    message: "No space is left: writes are refused, reads continue.",
                    fix: "Make space on the state directory's file system; writing then resumes."
                )
            )
        case .inputOutput, .inaccessible, .corrupt, .locked, .otherFormat, .closed, .misuse: return false
        }
        return true
    }

    /// Returns the damaged part of the store, if a failure reports one.
    static func damage(in error: any Error) -> String? {
        switch error {
        case ReplicaError.damaged(let what): what
        case let error as StorageError where error.code == .corrupt: error.message
        default: nil
        }
    }

    /// The warning that is raised until the next start: damage does not go by itself.
    static let damagedCode = "storage.damaged"

    /// The warning that is raised from a failed commit to the next good one.
    static let diskFullCode = "storage.disk_full"

    func announce(_ commit: CommitNotice) {
        measures.count(commit, writtenBy: identity.device)
        if let renewed = commit.renewed { identity.setIncarnation(renewed) }
        if let number = commit.number {
            health.clear(Self.diskFullCode)
            health.clear(HealthWarning.storageDisplacedCode)
            do {
                try sentinel.write(
                    commitNumber: number,
                    incarnation: identity.incarnation,
                    newestEntry: identity.newestEntry
                )
            } catch {
                // It may lag behind the store; a sentinel that stays behind only makes an old backup look current.
                logger.warning("sentinel not written", metadata: ["error": "\(error)"])
            }
        }
        let listener = state.withLock { $0.listener }
        // First the cause of the two that follow, which are then not logged.
        commit.clones.forEach(warnOfClone)
        if commit.renewed != nil {
            warnOfRenewal()
            listener?.incarnationChanged()
        }
        commit.forks.forEach(warnOfFork)
        if let changes = commit.peers { listener?.committed(changes) }
        if commit.mayChangeSchemas { listener?.schemasMayHaveChanged() }
        if commit.mayChangeRights { listener?.rightsMayHaveChanged() }
        if !commit.feed.isEmpty {
            let zones = commit.zones.map(\.snapshot.zone) + commit.zoneEvents.map(\.zone)
            hub.feedGrew(zones: Set(zones), tail: commit.feedTail)
        }
        if commit.needsInbox { listener?.messagesChanged() }
        if commit.needsAssetRound { listener?.assetsMayBeDue() }
        if !commit.assets.isEmpty { listener?.assetsChanged(commit.assets) }
        if commit.hasWants { listener?.payloadsWanted() }
        if commit.hasSettledPayloads { listener?.payloadArrived() }
        if !commit.custody.isEmpty { listener?.custodyMayHaveChanged(commit.custody) }
        for zone in commit.quarantines.sorted() { hub.publish(.quarantine(zone)) }
        for zone in commit.offers.sorted() { hub.publish(.transfer(zone)) }
        if !commit.offers.isEmpty { listener?.offersMayHaveChanged() }
    }

    private func warnOfRenewal() {
        health.set(
            HealthWarning(
                code: "store.renewed",
                severity: .info,
                message:
                    "A peer had operations of this device that the store lacked: the store was restored or copied.",
                fix: "No action is needed: peers send the missing operations, and a new incarnation has begun."
            )
        )
    }

    private func warnOfClone(_ head: TreeHead) {
        health.set(
            HealthWarning(
                code: "device.cloned",
                severity: .critical,
                message:
                    "Another machine writes under this device's keys, most recently in zone \(head.zone.shortText): the machine or "
                    + "its disk was copied, or an older copy of its state directory is in use.",
                fix:
                    "Stop the daemon on all copies but one, give each other copy an empty state directory, and pair it as a device "
                    + "of its own. If you do not know of a copy, its keys are in other hands: remove this device from another "
                    + "one, and pair it anew.",
                facts: ["zone.id": head.zone.shortText]
            )
        )
    }

    func warnOfFork(_ head: TreeHead) {
        health.set(
            HealthWarning(
                code: "log.forked",
                severity: .critical,
                message:
                    "Device \(head.device.shortText) signed two histories of one log in zone \(head.zone.shortText).",
                fix:
                    "The operations of both histories are kept. Find out whether that device was copied; remove it if it was.",
                facts: ["peer.id": head.device.shortText, "zone.id": head.zone.shortText]
            )
        )
    }
}
