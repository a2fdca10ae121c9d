import CoreMetrics
import Identity
import Logging
import Peering
import Records
import Session
import Sync
import Wire

// Performs the orders of the core. Answers of the store come back through the mailbox, in the order of commits.
extension SyncService {
    func perform(_ effects: inout [SyncEffect], in group: inout DiscardingTaskGroup) {
        // Performing an effect may make the core order more; those follow in the same pass.
        var index = 0
        while index < effects.count {
            perform(effects[index], in: &group, more: &effects)
            index += 1
        }
        effects.removeAll(keepingCapacity: true)
    }

    private func perform(_ effect: SyncEffect, in group: inout DiscardingTaskGroup, more: inout [SyncEffect]) {
        switch effect {
        case .send(let id, let message):
            guard let link = links[id], !link.isClosing else { return }
            do throws(WireError) {
                try link.connection.send(message)
            } catch {
                dependencies.logger.error(
                    "a message that no peer would accept is not sent",
                    metadata: ["error": "\(error)"]
                )
            }
        case .readRun(let id, let key, let from, let byteCount):
            readRun(id, key, in: &group) { try $0.run(key, from: from, byteCount: byteCount, in: $1) }
        case .readSkeleton(let id, let key):
            readRun(id, key, in: &group) { try $0.skeleton(key, in: $1) }
        case .applyRun(let id, let run, let key, let purpose):
            applyRun(run, key: key, for: purpose, session: id)
        case .readDeposits(let id, let zone, let held):
            readDeposits(zone, above: held, session: id, in: &group)
        case .createZone(let id, let zone, let genesis):
            createZone(zone, genesis, session: id)
        case .joinZone(let id, let terms):
            joinZone(terms, session: id)
        case .offerZone(let account, let terms):
            offered(terms, by: account)
        case .insertAccountEntries(let id, let account, let entries):
            insertAccountEntries(entries, of: account, session: id, into: &more)
        case .takeRecoverySecret(let secret):
            takeRecoverySecret(secret, into: &more)
        case .takeFleetSecret(let secret):
            dependencies.identity.offer(secret)
            settleFleetKeys(into: &more)
        case .readAccountEntries(let id, let account, let heads):
            let entries = dependencies.identity.log(of: account)?.entries(notIn: heads) ?? []
            feed(.accountEntriesRead(id, account, entries), into: &more)
        case .saveAcknowledgements(let device, let sizes):
            saveAcknowledgements(device, sizes)
        case .foundBehind(let key, let incarnation, let size):
            foundBehind(key, incarnation, size: size)
        case .recordFork(let proof):
            recordFork(proof)
        case .noteEmptyLogs(let zone, let logs):
            noteEmptyLogs(logs, zone: zone)
        case .serveGuestWrite(let id, let write):
            serve(write, session: id, in: &group)
        case .guestWriteSettled(let id, let settlement):
            settled(id, settlement)
        case .readLiveSet(let id, let request):
            readLiveSet(request, session: id, in: &group)
        case .takeLiveSet(let id, let page, let comparison):
            takeLiveSet(page, comparison: comparison, session: id)
        case .keepOutline(let id, let outline, let payload):
            keep(payload, nil, session: id) { try Payloads($0).keep(outline, of: payload, in: &$1) }
        case .keepChunk(let id, let chunk):
            keep(chunk.payload, chunk.position, session: id) { try Payloads($0).keep(chunk, in: &$1) }
        case .readPayload(let id, let request):
            readPayload(request, session: id, in: &group)
        case .takeCustody(let id, let request):
            let limit = custodyByteCountMax
            decideCustody(request, session: id) { try Custody($0).take(request, from: $1, limit: limit, in: &$2) }
        case .endCustody(let id, let request):
            decideCustody(request, session: id) { try Custody($0).end(request, from: $1, in: &$2) }
        case .noteCustody(let relay, let answer):
            note(answer, by: relay)
        case .mailSettled(let delivery, let isDone):
            mail.put(.settled(delivery, isDone: isDone))
        case .probe(let id, let number): probe(id, number: number)
        case .settle(let id, let place):
            links[id]?.connection.settle(in: DoorRoom(place))
        case .close(let id, let code, let reason):
            dependencies.logger.notice("closing session", metadata: ["code": "\(code)", "reason": "\(reason)"])
            links[id]?.isClosing = true
            links[id]?.connection.close(code: code.rawValue)
        case .report(let report):
            tell(report)
        case .transfer(let step):
            let clock = dependencies.clock
            tell(activities.moved(step, at: clock.monotonic(), wall: clock.wall()))
        }
    }

    private func readRun(
        _ id: SessionID,
        _ key: LogKey,
        in group: inout DiscardingTaskGroup,
        _ read: @escaping @Sendable (Committer, any NodeTransaction) throws -> Run?
    ) {
        group.addTask { [dependencies, mailbox] in
            do {
                let run = try await dependencies.storage.read { transaction in
                    try read(dependencies.replica.committer, transaction)
                }
                mailbox.put(.input(.runRead(id, key, run, byteCount: run?.approximateByteCount ?? 0)))
            } catch {
                dependencies.logger.error("run could not be read", metadata: ["error": "\(error)"])
                mailbox.put(.input(.runRead(id, key, nil, byteCount: 0)))
            }
        }
    }

    private func applyRun(_ run: Run, key: LogKey, for purpose: RunPurpose, session: SessionID) {
        let accepted = dependencies.commits.enqueue { [replica = dependencies.replica] transaction in
            try replica.change(&transaction) {
                try $0.apply(run, key: key, for: purpose, random: &$1, in: &$2)
            }
        } completion: { [replica = dependencies.replica, mailbox, logger = dependencies.logger] result in
            replica.announce(result)
            let outcome = RunOutcome(result.map(\.reply), of: run)
            if case .success(let applied) = result, !applied.notice.anomalies.isEmpty {
                mailbox.put(.input(.anomaliesFound(session, applied.notice.anomalies)))
            }
            if case .failure(let error) = result, case .storageFailed = outcome {
                logger.error(
                    "a run could not be stored",
                    metadata: ["zone.id": "\(key.zone.shortText)", "error": "\(error)"]
                )
            }
            mailbox.put(.input(.runApplied(session, key, outcome)))
        }
        if !accepted { mailbox.put(.input(.runApplied(session, key, .storageFailed))) }
    }

    private func readDeposits(
        _ zone: ZoneID,
        above held: [ActorLane: UInt64]?,
        session: SessionID,
        in group: inout DiscardingTaskGroup
    ) {
        group.addTask { [dependencies, mailbox] in
            do {
                let runs = try await dependencies.storage.read { transaction in
                    try dependencies.replica.committer.deposits(in: zone, above: held, transaction)
                }
                mailbox.put(.input(.depositsRead(session, zone, runs)))
            } catch {
                // It is deposited in the next session.
                dependencies.logger.error("deposits could not be read", metadata: ["error": "\(error)"])
            }
        }
    }

    private func createZone(_ zone: ZoneID, _ genesis: ZoneGenesis, session: SessionID) {
        makeZone(zone, session: session) { try $0.learn(zone, genesis: genesis, in: &$1) }
    }

    private func joinZone(_ terms: ZoneTerms, session: SessionID) {
        makeZone(ZoneID(terms.genesis), session: session) { committer, transaction in
            try committer.join(terms.genesis, tagKey: terms.tagKey, in: &transaction).notice
        }
    }

    private func makeZone(
        _ zone: ZoneID,
        session: SessionID,
        _ make: @escaping @Sendable (Committer, inout any NodeTransaction) throws -> CommitNotice
    ) {
        let accepted = dependencies.commits.enqueue { [replica = dependencies.replica] transaction in
            try replica.change(&transaction) { try make($0, &$2) }
        } completion: { [replica = dependencies.replica, mailbox, logger = dependencies.logger] result in
            replica.announce(result)
            guard case .failure(let error) = result else { return }
            logger.notice("zone refused", metadata: ["zone.id": "\(zone.shortText)", "error": "\(error)"])
            mailbox.put(.input(.zoneRefused(session, zone)))
        }
        if !accepted { mailbox.put(.input(.zoneRefused(session, zone))) }
    }

    private func insertAccountEntries(
        _ entries: [[UInt8]],
        of account: AccountID,
        session: SessionID,
        into effects: inout [SyncEffect]
    ) {
        let identity = dependencies.identity
        let before = identity.log(of: account)?.revision
        do {
            if account == identity.account {
                _ = try identity.insert(entries)
            } else {
                _ = try identity.contacts.insert(entries, of: account)
            }
        } catch let error as ContactBook.Full {
            dependencies.logger.warning("account entries not kept", metadata: ["error": "\(error)"])
        } catch let error as AccountError where !error.isBearersFault {
            dependencies.logger.warning("account entries not kept", metadata: ["error": "\(error)"])
        } catch let error as PrivateFile.Failure {
            // The peer is not at fault: it may come again.
            dependencies.logger.error("account entries not written", metadata: ["error": "\(error)"])
            close(session, .busy, into: &effects)
        } catch {
            dependencies.logger.notice("account entries refused", metadata: ["error": "\(error)"])
            violated("account entries: \(error)", on: session, into: &effects)
            close(session, .violation, into: &effects)
        }
        // Also when a bad entry followed good ones, which stay.
        guard identity.log(of: account)?.revision != before else { return }
        if account == identity.account {
            accountChanged(into: &effects)
        } else {
            contactChanged(account, into: &effects)
        }
    }

    /// After any change of another account's log: cuts take effect in the store, sessions of removed devices end.
    func contactChanged(_ account: AccountID, into effects: inout [SyncEffect]) {
        guard let log = dependencies.identity.contacts[account] else { return }
        // The device may be another account's, or this one's: any account can claim it.
        let routes = routes
        for (device, standing) in Standing.all(in: log.state)
        where standing == .removed && routes.keys(reaching: device).isEmpty {
            directory.forget(device)
        }
        directory.forgetRefusals()
        dependencies.replica.ruleZones(suppliesKeys: false, through: dependencies.commits)
        tellContact(log, into: &effects)
        for id in links.keys.sorted() { rememberIfMember(id) }
        // A request may wait for the account's log before it is granted.
        bookChanged()
    }

    /// Passes the core the state of an account's log.
    func tellContact(_ log: AccountLog, into effects: inout [SyncEffect]) {
        let standings = Standing.all(in: log.state)
        feed(.contactChanged(log.account, heads: log.announcedHeads, standings: standings), into: &effects)
        mail.put(.accountChanged)
    }

    /// After any change of the account log: cuts take effect in the store, sessions of removed devices end.
    /// - Parameters:
    ///   - suppliesKeys: Whether this device supplies the keys of zones at once: it does where the change was made
    ///     here. Devices that only learn of a change do so within a minute, and mostly find it done.
    ///   - effects: The effects to perform.
    func accountChanged(suppliesKeys: Bool = false, into effects: inout [SyncEffect]) {
        let identity = dependencies.identity
        let standings = identity.standings()
        for (device, standing) in standings where standing == .removed { directory.forget(device) }
        directory.forgetRefusals()
        dependencies.replica.ruleZones(suppliesKeys: suppliesKeys, through: dependencies.commits)
        feed(.accountChanged(heads: identity.accountHeads, standings: standings), into: &effects)
        settleRecoverySecret(into: &effects)
        settleFleetKeys(into: &effects)
        for id in links.keys.sorted() { rememberIfMember(id) }
        let active = Set(standings.filter { $0.value == .active }.keys).subtracting([identity.device])
        // No device is left that could return the content of a lost store.
        if active.isEmpty { dependencies.replica.cannotRecover() }
        for device in active.symmetricDifference(toldMembers).sorted() { publishPeer(device) }
        toldMembers = active
        mail.put(.accountChanged)
        warnIfRemoved()
    }

    /// Keeps another device's secret of the recovery words, at once or when the account's log names their key.
    private func takeRecoverySecret(_ secret: RecoverySecret, into effects: inout [SyncEffect]) {
        dependencies.identity.offer(secret)
        settleRecoverySecret(into: &effects)
    }

    private func settleRecoverySecret(into effects: inout [SyncEffect]) {
        do {
            try dependencies.identity.settleOfferedDoor()
        } catch {
            dependencies.logger.error(
                "the secret of the new recovery words was not stored",
                metadata: ["error": "\(error)"]
            )
        }
        feed(.recoverySecretChanged(dependencies.identity.recoverySecret), into: &effects)
    }

    /// Whether this device was removed, according to the account log.
    var isRemoved: Bool { dependencies.identity.standing(of: dependencies.identity.device) == .removed }

    /// Raises the warning that a removed device keeps its data, and that no peer opens a session with it.
    private func warnIfRemoved() {
        guard isRemoved else {
            // The removal may turn out to be ignored.
            dependencies.replica.health.clear("account.removed")
            return
        }
        guard !dependencies.replica.health.contains("account.removed") else { return }
        dependencies.replica.health.set(
            HealthWarning(
                code: "account.removed",
                severity: .critical,
                message:
                    "This device was removed from its account: other devices refuse it, and its writes have no effect.",
                fix: "\(PairingRefusal.removedDevice.fix) If a machine in other hands removed it, run"
                    + " `kairan device remove DEVICE --words` here, with that machine as DEVICE: this reverts its removals."
            )
        )
        // Watchers look again.
        for device in toldMembers.sorted() { publishPeer(device) }
    }

    private func saveAcknowledgements(_ device: DeviceID, _ sizes: [LogKey: UInt64]) {
        _ = dependencies.commits.enqueue { [replica = dependencies.replica] transaction in
            try replica.committer.acknowledged(by: device, sizes, in: &transaction)
        } completion: { [logger = dependencies.logger] result in
            // An acknowledgement that is lost here is sent again at the next comparison.
            if case .failure(let error) = result {
                logger.warning("acknowledgement not saved", metadata: ["error": "\(error)"])
            }
        }
    }

    private func foundBehind(_ key: LogKey, _ incarnation: Incarnation, size: UInt64) {
        dependencies.logger.notice(
            "a peer reports more of this store's log than the store holds",
            metadata: ["zone.id": "\(key.zone.shortText)", "peer.size": "\(size)"]
        )
        _ = dependencies.commits.enqueue { [replica = dependencies.replica] transaction in
            try replica.change(&transaction) {
                try $0.renewIfBehind(key, incarnation, size: size, random: &$1, in: &$2)
            }
        } completion: { [replica = dependencies.replica, logger = dependencies.logger] result in
            replica.announce(result)
            guard case .failure(let error) = result else { return }
            logger.error("incarnation not renewed", metadata: ["error": "\(error)"])
        }
    }

    private func recordFork(_ proof: ForkProof) {
        _ = dependencies.commits.enqueue { [replica = dependencies.replica] transaction in
            try replica.change(&transaction) { try $0.record(proof, random: &$1, in: &$2) }
        } completion: { [replica = dependencies.replica, mailbox, logger = dependencies.logger] result in
            replica.announce(result)
            switch result {
            case .success(let notice):
                if !notice.anomalies.isEmpty { mailbox.put(.input(.anomaliesFound(nil, notice.anomalies))) }
            case .failure(let error):
                logger.notice("fork proof refused", metadata: ["error": "\(error)"])
            }
        }
    }

    private func noteEmptyLogs(_ logs: [LogState], zone: ZoneID) {
        _ = dependencies.commits.enqueue { [replica = dependencies.replica] transaction in
            try replica.change(&transaction) { committer, _, transaction in
                try committer.noteEmptyLogs(logs, zone: zone, in: &transaction)
            }
        } completion: { [replica = dependencies.replica, logger = dependencies.logger] result in
            replica.announce(result)
            // While operations wait, peers are asked again.
            if case .failure(let error) = result {
                logger.warning("empty logs not stored", metadata: ["error": "\(error)"])
            }
        }
    }

    /// Notifies watchers of exchanges that begin and end.
    func tell(_ news: [SyncActivity]) {
        for activity in news {
            guard activity.kind == .export, activity.durationMilliseconds != nil else {
                dependencies.hub.publish(.sync(SyncEvent(activity)))
                continue
            }
            // After the commit that notes the acknowledgement: a watcher that looks then finds it included.
            let isQueued = dependencies.commits.enqueue { _ in
                ()
            } completion: { [hub = dependencies.hub] _ in
                hub.publish(.sync(SyncEvent(activity)))
            }
            if !isQueued { dependencies.hub.publish(.sync(SyncEvent(activity))) }
        }
    }

    private func tell(_ report: SyncReport) {
        switch report {
        case .exported(_, _, let count):
            dependencies.measures.operationsAcknowledged.increment(by: Int64(clamping: count))
        case .imported, .importFailed:
            // Steps of exchanges that `activities` collects.
            break
        case .anomaly(let anomaly):
            found(anomaly)
        case .measured(let peer, let roundTrip, let skew):
            measured(peer, roundTripMilliseconds: roundTrip, skewMilliseconds: skew)
        case .inSync(let peer):
            if !hasMetPeer {
                hasMetPeer = true
                dependencies.replica.recovered()
            }
            for (id, link) in links where link.device == peer && !link.isInStep {
                links[id]?.isInStep = true
                tell(activities.inStep(id, at: dependencies.clock.monotonic()))
            }
            dependencies.logger.debug("in step", metadata: ["peer.id": "\(peer.shortText)"])
        }
    }
}
