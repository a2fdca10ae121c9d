import CoreMetrics
import Identity
import Logging
package import Mailbox
import Peering
import Session
package import Sodium
import Synchronization
import Wire

/// Keeps parcels for admitted accounts: feeds the relay's core events of its own channels, and performs its orders.
///
/// It knows nothing of zones and accounts, and shares nothing with synchronisation but the process.
package actor RelayService {
    /// An answer of the storage.
    enum Fact: Sendable {
        case answered(MailboxRelay.SessionID, MailboxRelay.Answer)
        case tick(deadline: UInt64)
        /// The usage of the storage is to be read for metrics; the stream ends when it is read.
        case measure(AsyncStream<Void>.Continuation)
    }

    /// Room for two parcels.
    let queue: ChannelQueue<Fact>
    /// The id of this relay, for links.
    let relay: RelayID
    let channelSecret: [UInt8]
    /// The storage of the parcels.
    package let storage: any ParcelStorage
    private let agreementKey: AgreementKey
    let room: ParcelRoom
    let measures: RelayMetrics
    private let clock: NodeClock
    let logger: Logger
    private(set) var core: MailboxRelay
    private(set) var connections: [MailboxRelay.SessionID: any PeerConnection] = [:]
    private var paused: Set<MailboxRelay.SessionID> = []
    private var armed: Set<UInt64> = []
    /// Whether the usage is being read for metrics.
    var isReadingUsage = false

    /// The default limit on the bytes of parcels that a relay keeps: 10 GiB.
    package static let usualRoom: UInt64 = 10 << 30

    /// The time between two searches for expired parcels, which live for thirty days; each one reads through
    /// a cluster.
    private static let expiryInterval = Duration.seconds(3_600)
    /// Parcels that are dropped together.
    private static let expiryCount = 1_000

    init(
        seed: borrowing SymmetricKey,
        storage: any ParcelStorage,
        room: ParcelRoom,
        clock: NodeClock,
        measures: RelayMetrics,
        logger: Logger
    ) throws(SodiumError) {
        let keys = try RelayKeys(seed: seed.exportBytes())
        relay = keys.id
        channelSecret = keys.channelSecret()
        agreementKey = keys.agreementKey.duplicate()
        let secret = try ChannelSecret(purpose: .relay, bytes: channelSecret)
        queue = ChannelQueue(waitingByteCountMax: 4 << 20) { [secret] }
        self.storage = storage
        self.room = room
        self.clock = clock
        self.measures = measures
        self.logger = logger
        core = MailboxRelay(backend: storage.backend)
    }

    /// The sink of the relay's transport.
    package nonisolated var transportSink: any TransportSink { queue }

    /// The key of its handshakes.
    package nonisolated func staticKey() -> AgreementKey { agreementKey.duplicate() }

    /// Runs until it is stopped.
    package func run() async {
        await withDiscardingTaskGroup { group in
            group.addTask { [self] in await expireParcels() }
            for await _ in queue.wake {
                let (notices, resumable) = queue.take()
                var effects: [MailboxRelay.Effect] = []
                for notice in notices {
                    handle(notice, in: &group, into: &effects)
                    perform(&effects, in: &group)
                }
                for id in resumable where !paused.contains(id) { connections[id]?.resumeReading() }
                if queue.isStopped || Task.isCancelled { break }
                armTimer(in: &group)
            }
            for connection in connections.values { connection.close(code: CloseCode.goingAway.rawValue) }
            group.cancelAll()
        }
    }

    /// Ends `run()`.
    package nonisolated func stop() { queue.stop() }

    private func feed(_ input: MailboxRelay.Input, into effects: inout [MailboxRelay.Effect]) {
        core.handle(input, at: clock.monotonic(), wall: clock.wall(), into: &effects)
    }

    private func handle(
        _ notice: ChannelQueue<Fact>.Notice,
        in group: inout DiscardingTaskGroup,
        into effects: inout [MailboxRelay.Effect]
    ) {
        switch notice {
        case .opened(let connection):
            connections[connection.id] = connection
            connection.setRoom(.relay)
            feed(.opened(connection.id), into: &effects)
        case .message(let id, let bytes):
            guard connections[id] != nil else { return }
            do {
                let request = try MailboxRequest(decoding: bytes)
                measures.requests.add(RelayRequest(request))
                feed(.received(id, request), into: &effects)
            } catch {
                measures.closed.add(.malformed)
                close(id, .protocolViolation, reason: "not a request: \(error)")
                feed(.closed(id), into: &effects)
            }
        case .closed(let id, _):
            connections[id] = nil
            paused.remove(id)
            feed(.closed(id), into: &effects)
        case .dialFailed:
            // A relay dials no peers.
            break
        case .fact(.answered(let id, let answer)):
            feed(.answered(id, answer), into: &effects)
        case .fact(.measure(let done)):
            group.addTask { [self] in
                await readUsage()
                done.finish()
            }
        case .fact(.tick(let deadline)):
            armed.remove(deadline)
            feed(.tick, into: &effects)
        }
    }

    private func perform(_ effects: inout [MailboxRelay.Effect], in group: inout DiscardingTaskGroup) {
        for effect in effects {
            switch effect {
            case .send(let id, let reply):
                if case .entered = reply { connections[id]?.setRoom(.admitted) }
                measures.answers.add(RelayAnswer(reply))
                connections[id]?.send(reply.encoded)
            case .perform(let id, let order):
                group.addTask { [storage, room, queue, measures, logger] in
                    let (operation, start) = (RelayOperation(order), ContinuousClock.now)
                    defer { measures.storageSeconds.record(operation, since: start) }
                    do {
                        queue.put(.answered(id, try await storage.answer(order, room: room)))
                    } catch {
                        measures.storageFailures.add(operation)
                        logger.error("the relay's storage failed", metadata: ["error": "\(error)"])
                        queue.put(.answered(id, .failed))
                    }
                }
            case .pause(let id):
                paused.insert(id)
            case .resume(let id):
                if paused.remove(id) != nil { connections[id]?.resumeReading() }
            case .close(let id, let reason):
                measures.closed.add(RelayEnding(reason))
                close(id, .goingAway, reason: reason.rawValue)
            }
        }
        effects.removeAll(keepingCapacity: true)
    }

    private func close(_ id: MailboxRelay.SessionID, _ code: CloseCode, reason: String) {
        logger.notice("closing a relay session", metadata: ["reason": "\(reason)"])
        connections.removeValue(forKey: id)?.close(code: code.rawValue)
        paused.remove(id)
    }

    private func armTimer(in group: inout DiscardingTaskGroup) {
        guard let wanted = core.nextDeadline else { return }
        let now = clock.monotonic()
        let deadline = max(wanted, now + 5)
        guard !armed.contains(where: { $0 <= deadline }) else { return }
        armed.insert(deadline)
        group.addTask { [queue] in
            // Cancellation only means that the service ends; a tick too many is harmless.
            try? await Task.sleep(for: .milliseconds(Int64(deadline - now)), tolerance: .milliseconds(50))
            queue.put(.tick(deadline: deadline))
        }
    }

    private nonisolated func expireParcels() async {
        while !Task.isCancelled {
            let start = ContinuousClock.now
            do {
                var count = Self.expiryCount
                while count == Self.expiryCount {
                    count = try await storage.expire(at: clock.wall(), limit: Self.expiryCount)
                    measures.expired.increment(by: count)
                }
                measures.storageSeconds.record(.expire, since: start)
            } catch is CancellationError {
                return
            } catch {
                measures.storageFailures.add(.expire)
                logger.warning("expired parcels were not dropped", metadata: ["error": "\(error)"])
            }
            // Cancellation is how this ends.
            try? await Task.sleep(for: Self.expiryInterval, tolerance: .seconds(60))
        }
    }
}

extension ParcelStorage {
    /// Performs an order of the relay's core.
    fileprivate func answer(_ order: MailboxRelay.Order, room: ParcelRoom) async throws -> MailboxRelay.Answer {
        switch order {
        case .enter(let id):
            return .entered(try await admission(id))
        case .put(let admission, let mailbox, let parcel, let until):
            let deposit = ParcelDeposit(
                admission: admission,
                mailbox: mailbox,
                parcel: parcel,
                until: until,
                room: room
            )
            return .put(try await put(deposit))
        case .look(let mailboxes):
            return .listed(try await parcels(in: mailboxes, limit: Limits.parcelCountMax))
        case .fetch(let mailbox, let parcel):
            return .parcel(try await self.parcel(parcel, in: mailbox))
        case .remove(let mailbox, let parcels):
            try await remove(parcels, from: mailbox)
            return .removed
        case .check(let mailbox, let parcels, let withdrawn):
            if !withdrawn.isEmpty { try await remove(withdrawn, from: mailbox) }
            return .held(try await held(parcels, in: mailbox))
        case .claim(let admission, let slot, let value, let until):
            let claim = SlotClaim(admission: admission, slot: slot, value: value, until: until, room: room)
            return .claimed(try await self.claim(claim))
        case .give(let passes, let giver, let now, let until):
            return .given(try await give(passes, under: giver, at: now, until: until))
        }
    }
}
