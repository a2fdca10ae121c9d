import CoreMetrics
import Identity
import Logging
import Mailbox
import Peering
import Session
import Sodium
import Sync
import Wire

/// Runs the core that leaves parcels with relays and takes waiting ones: feeds it events, and performs its orders.
package actor MailService {
    /// A fact for the service beside the events on its channels.
    enum Fact: Sendable {
        /// Something was committed, in these zones.
        case changed(Set<ZoneID>)
        /// An account's log changed, or this device's account itself.
        case accountChanged
        /// The account's book may name other relays, or a zone may announce others.
        case bookMayHaveChanged
        /// The devices with a session.
        case connected(Set<DeviceID>)
        /// The facts about the relays in use were read.
        case factsRead(MailFacts)
        /// The items of a parcel were handled.
        case settled(SessionID, MailOutcome)
        /// A relay is to be asked whether an invitation has a use left; the flag is set while a caller waits for
        /// that.
        case claim(UseClaim, isAwaited: Bool)
        /// An answer of the store, for the core.
        case input(MailboxClient.Input)
        /// A deadline passed.
        case tick(deadline: UInt64)
    }

    /// Room for two parcels.
    let queue = ChannelQueue<Fact>(waitingByteCountMax: 4 << 20)
    private let dependencies: SyncService.Dependencies
    /// Delivers content to the synchronisation core.
    private let deliver: @Sendable (MailDelivery) -> Void
    /// Receives the relays' answers to claims.
    private let claimed: @Sendable (ClaimedUse) -> Void
    private var transport: (any TransportPort)?
    private var core: MailboxClient
    private var random = SystemRandom()
    private var facts = MailFacts()
    private var secrets: [RelayID: ChannelSecret] = [:]
    private var dials: [DialID: RelayID] = [:]
    private var nextDial: DialID = 1
    private var connections: [ConnectionID: (relay: RelayID, connection: any PeerConnection)] = [:]
    /// Parcels that the synchronisation core takes in.
    private var deliveries: [SessionID: (relay: RelayID, parcel: ParcelID, isOwed: Bool)] = [:]
    /// Beyond all numbers of connections.
    private var nextDelivery: SessionID = 1 << 63
    private var armed: Set<UInt64> = []

    init(
        dependencies: SyncService.Dependencies,
        deliver: @escaping @Sendable (MailDelivery) -> Void,
        claimed: @escaping @Sendable (ClaimedUse) -> Void
    ) {
        self.dependencies = dependencies
        self.deliver = deliver
        self.claimed = claimed
        core = MailboxClient(localDevice: dependencies.identity.device)
    }

    /// Gives the service its way to relays, before `run()`.
    func connect(_ transport: any TransportPort) { self.transport = transport }

    /// Sets how long devices are waited for before something is left for them, before `run()`.
    func setGrace(milliseconds: UInt64) { core.setGrace(milliseconds: milliseconds) }

    /// The state of the relays that the account uses, the preferred one first, and of those that other accounts have
    /// announced.
    func relayStates() -> [MailboxClient.RelayState] { core.relayStates }

    /// Works until it is stopped.
    package func run() async {
        queue.put(.accountChanged)
        queue.put(.bookMayHaveChanged)
        await withDiscardingTaskGroup { group in
            for await _ in queue.wake {
                let (notices, resumable) = queue.take()
                var effects: [MailboxClient.Effect] = []
                for notice in notices {
                    handle(notice, in: &group, into: &effects)
                    perform(&effects, in: &group)
                }
                for id in resumable { connections[id]?.connection.resumeReading() }
                if queue.isStopped || Task.isCancelled { break }
                armTimer(in: &group)
            }
            for entry in connections.values { entry.connection.close(code: CloseCode.goingAway.rawValue) }
            group.cancelAll()
        }
    }

    /// Ends `run()`.
    package nonisolated func stop() { queue.stop() }

    private func feed(_ input: MailboxClient.Input, into effects: inout [MailboxClient.Effect]) {
        let clock = dependencies.clock
        core.handle(input, at: clock.monotonic(), wall: clock.wall(), random: &random, into: &effects)
    }

    private func handle(
        _ notice: ChannelQueue<Fact>.Notice,
        in group: inout DiscardingTaskGroup,
        into effects: inout [MailboxClient.Effect]
    ) {
        switch notice {
        case .opened(let connection):
            opened(connection, into: &effects)
        case .message(let id, let bytes):
            guard let relay = connections[id]?.relay else { return }
            do {
                feed(.received(relay, try MailboxReply(decoding: bytes)), into: &effects)
            } catch {
                dependencies.logger.notice("a relay's answer cannot be read", metadata: ["error": "\(error)"])
                connections.removeValue(forKey: id)?.connection.close(code: CloseCode.protocolViolation.rawValue)
                feed(.closed(relay), into: &effects)
            }
        case .closed(let id, _):
            guard let relay = connections.removeValue(forKey: id)?.relay else { return }
            feed(.closed(relay), into: &effects)
        case .dialFailed(let dial, _):
            if let relay = dials.removeValue(forKey: dial) { feed(.closed(relay), into: &effects) }
        case .fact(let fact):
            handle(fact, in: &group, into: &effects)
        }
    }

    private func handle(
        _ fact: Fact,
        in group: inout DiscardingTaskGroup,
        into effects: inout [MailboxClient.Effect]
    ) {
        switch fact {
        case .changed(let zones):
            feed(.changed(zones), into: &effects)
        case .accountChanged:
            feed(.factsChanged(facts, partners: partners()), into: &effects)
            feed(.factsMayHaveChanged, into: &effects)
        case .bookMayHaveChanged:
            feed(.factsMayHaveChanged, into: &effects)
        case .connected(let devices):
            feed(.connectedChanged(devices), into: &effects)
        case .factsRead(let facts):
            guard facts != self.facts else { return }
            self.facts = facts
            secrets = [:]
            for link in facts.relays.compactMap(\.links.first) {
                // A link's secret has the right size.
                secrets[link.relay] = try? ChannelSecret(purpose: .relay, bytes: link.channelSecret)
            }
            feed(.factsChanged(facts, partners: partners()), into: &effects)
            let used = Set(secrets.keys)
            commit(isNews: true) { try PostedParcels($0).leaveForgotten(but: used, in: &$1) }
        case .settled(let id, let outcome):
            guard let delivery = deliveries.removeValue(forKey: id) else { return }
            let (relay, parcel, isOwed) = delivery
            dependencies.measures.mail.taken.add(outcome.isDone ? .done : .undone)
            feed(.taken(relay, parcel, outcome, isOwed: isOwed), into: &effects)
        case .claim(let claim, let isAwaited):
            feed(.claim(claim, isAwaited: isAwaited), into: &effects)
        case .input(let input):
            feed(input, into: &effects)
        case .tick(let deadline):
            armed.remove(deadline)
            feed(.tick, into: &effects)
        }
    }

    /// The other devices that take parcels left for them: those of the account, and those of accounts that use a
    /// relay.
    private func partners() -> [DeviceID: MailPartner] {
        let identity = dependencies.identity
        return facts.partners(of: identity.keys, identity.accountState, identity.contacts.states)
    }

    private func readFacts(in group: inout DiscardingTaskGroup) {
        group.addTask { [dependencies, queue] in
            do {
                let facts = try await dependencies.storage.read {
                    try RelayAnnouncements(dependencies.commitService.committer).facts(in: $0)
                }
                queue.put(.factsRead(facts))
            } catch {
                // The next change reads it again.
                dependencies.logger.error("the relays could not be read", metadata: ["error": "\(error)"])
            }
        }
    }

    // MARK: Channels

    private func opened(_ connection: any PeerConnection, into effects: inout [MailboxClient.Effect]) {
        guard let dial = connection.dial, let relay = dials.removeValue(forKey: dial) else {
            connection.close(code: CloseCode.goingAway.rawValue)
            return
        }
        guard connection.handshake.remoteStatic.bytes == relay.bytes else {
            dependencies.logger.warning(
                "the relay is not the one that was dialled",
                metadata: ["peer.address": "\(connection.address)"]
            )
            connection.close(code: CloseCode.goingAway.rawValue)
            feed(.closed(relay), into: &effects)
            return
        }
        connections[connection.id] = (relay, connection)
        // It is the relay of the link, and it was chosen.
        connection.setRoom(.admitted)
        feed(.opened(relay), into: &effects)
    }

    private func dial(_ relay: RelayID, _ address: String, into effects: inout [MailboxClient.Effect]) {
        guard let transport, let secret = secrets[relay], let address = PeerAddress(address) else {
            feed(.closed(relay), into: &effects)
            return
        }
        defer { nextDial += 1 }
        dials[nextDial] = relay
        transport.dial(address, id: nextDial, secret: secret, version: transport.newestVersion)
    }

    // MARK: Effects

    private func perform(_ effects: inout [MailboxClient.Effect], in group: inout DiscardingTaskGroup) {
        // Performing an effect may make the core order more; those follow in the same pass.
        var index = 0
        while index < effects.count {
            perform(effects[index], in: &group, more: &effects)
            index += 1
        }
        effects.removeAll(keepingCapacity: true)
    }

    private func perform(
        _ effect: MailboxClient.Effect,
        in group: inout DiscardingTaskGroup,
        more: inout [MailboxClient.Effect]
    ) {
        switch effect {
        case .readFacts:
            readFacts(in: &group)
        case .announce(let zone):
            announce(in: zone)
        case .dial(let link, let address):
            dial(link.relay, address, into: &more)
        case .close(let relay):
            for (id, entry) in connections where entry.relay == relay {
                connections[id] = nil
                entry.connection.close(code: CloseCode.goingAway.rawValue)
            }
            dials = dials.filter { $0.value != relay }
        case .send(let relay, let request):
            connections.values.first { $0.relay == relay }?.connection.send(request.encoded)
        case .draft(let relay, let demand):
            read(in: &group) {
                try ParcelDrafting($0).draft(demand, in: $1)
            } then: {
                .drafted(relay, demand, $0 ?? nil)
            }
        case .readPosted(let relay):
            read(in: &group) {
                try PostedParcels($0).all(on: relay, in: $1)
            } then: {
                .postedRead(relay, $0 ?? [])
            }
        case .take(let relay, let parcel, let device, let account, let messages):
            take(messages, of: parcel, from: device, account, relay)
        case .notePosted(let parcel):
            dependencies.measures.mail.left.increment()
            commit { try PostedParcels($0).posted(parcel, in: &$1) }
        case .noteMissing(let parcels):
            dependencies.measures.mail.missing.increment(by: parcels.count)
            commit(isNews: true) { try PostedParcels($0).missed(parcels, in: &$1) }
        case .noteSettled(let parcels):
            commit { try PostedParcels($0).forget(parcels, in: &$1) }
        case .claimed(let use):
            claimed(use)
        case .reportForeign(let relay, let device):
            dependencies.measures.mail.foreign.increment()
            dependencies.logger.warning(
                "a parcel in a mailbox is not the one that its sender left",
                metadata: ["relay.id": "\(relay.shortText)", "peer.id": "\(device.shortText)"]
            )
        }
    }

    private func take(
        _ messages: [[UInt8]],
        of parcel: ParcelID,
        from device: DeviceID,
        _ account: AccountID,
        _ relay: RelayID
    ) {
        var known: [PeerMessage] = []
        for bytes in messages {
            do {
                known.append(try PeerMessage(decoding: bytes))
            } catch {
                // A later version may use more kinds; the ones that this version knows are used.
                dependencies.logger.notice("a message in a parcel cannot be read", metadata: ["error": "\(error)"])
            }
        }
        defer { nextDelivery += 1 }
        let delivery = MailDelivery(id: nextDelivery, device: device, account: account, messages: known)
        deliveries[nextDelivery] = (relay, parcel, delivery.isOwed)
        deliver(delivery)
    }

    private func read<Value: Sendable>(
        in group: inout DiscardingTaskGroup,
        _ body: @escaping @Sendable (Committer, any NodeTransaction) throws -> Value,
        then input: @escaping @Sendable (Value?) -> MailboxClient.Input
    ) {
        group.addTask { [dependencies, queue] in
            do {
                let value = try await dependencies.storage.read { try body(dependencies.commitService.committer, $0) }
                queue.put(.input(input(value)))
            } catch {
                dependencies.logger.error("data for a relay could not be read", metadata: ["error": "\(error)"])
                queue.put(.input(input(nil)))
            }
        }
    }

    /// Announces in a zone where this account's devices look.
    private func announce(in zone: ZoneID) {
        _ = dependencies.commits.enqueue { [commitService = dependencies.commitService] transaction in
            try commitService.change(&transaction) { committer, _, transaction in
                try RelayAnnouncements(committer).announce(in: zone, &transaction)
            }
        } completion: { [queue, commitService = dependencies.commitService, logger = dependencies.logger] result in
            switch result {
            case .success(let notice):
                commitService.announce(notice)
                queue.put(.bookMayHaveChanged)
            case .failure(let error):
                // There may be no key at this moment: it is due again in an hour.
                logger.notice(
                    "relays were not announced",
                    metadata: ["zone.id": "\(zone.shortText)", "error": "\(error)"]
                )
            }
        }
    }

    /// Commits a note to the store.
    /// - Parameters:
    ///   - isNews: Whether there may be parcels to leave afterwards.
    ///   - job: The change of the store.
    private func commit<Value: Sendable>(
        isNews: Bool = false,
        _ job: @escaping @Sendable (Committer, inout any NodeTransaction) throws -> Value
    ) {
        _ = dependencies.commits.enqueue { [commitService = dependencies.commitService] transaction in
            try job(commitService.committer, &transaction)
        } completion: { [queue, logger = dependencies.logger] result in
            switch result {
            case .success:
                if isNews { queue.put(.changed([])) }
            case .failure(let error):
                // A parcel that is not noted is left once more, and withdrawn at the next check.
                logger.warning("a relay's report of its parcels was not stored", metadata: ["error": "\(error)"])
            }
        }
    }

    /// Wakes this service when the core wants to be asked again.
    private func armTimer(in group: inout DiscardingTaskGroup) {
        guard let wanted = core.nextDeadline else { return }
        let now = dependencies.clock.monotonic()
        let deadline = max(wanted, now + 5)
        guard !armed.contains(where: { $0 <= deadline }) else { return }
        armed.insert(deadline)
        group.addTask { [queue] in
            // Cancellation only means that the service ends; a tick too many is harmless.
            try? await Task.sleep(for: .milliseconds(Int64(deadline - now)), tolerance: .milliseconds(50))
            queue.put(.tick(deadline: deadline))
        }
    }
}
