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
            guard sessions.isOpen(id), let link = links[id] else { return }
            do throws(WireError) {
                try link.connection.send(message)
            } catch {
                dependencies.logger.error(
                    "a message that no peer would accept is not sent",
                    metadata: ["error": "\(error)"]
                )
            }
        case .read(let question):
            read(question, in: &group)
        case .write(let change):
            write(change)
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
        case .serveGuestWrite(let id, let write):
            serve(write, session: id, in: &group)
        case .guestWriteSettled(let id, let settlement):
            settled(id, settlement)
        case .mailSettled(let delivery, let isDone):
            mail.put(.settled(delivery, isDone: isDone))
        case .probe(let id, let number): probe(id, number: number)
        case .settle(let id, let place):
            links[id]?.connection.settle(in: DoorRoom(place))
        case .close(let id, let code, let reason):
            dependencies.logger.notice("closing session", metadata: ["code": "\(code)", "reason": "\(reason)"])
            sessions.closing(id)
            links[id]?.connection.close(code: code.rawValue)
        case .report(let report):
            tell(report, into: &more)
        case .transfer(let step):
            let clock = dependencies.clock
            tell(activities.moved(step, at: clock.monotonic(), wall: clock.wall()))
        }
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
        sessions.logChanged(Standing.all(in: log.state), of: account, routes: routes)
        dependencies.replica.ruleZones(suppliesKeys: false, through: dependencies.commits)
        tellContact(log, into: &effects)
        rememberMembers(into: &effects)
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
        sessions.logChanged(standings, of: identity.account, routes: routes)
        dependencies.replica.ruleZones(suppliesKeys: suppliesKeys, through: dependencies.commits)
        feed(.accountChanged(heads: identity.accountHeads, standings: standings), into: &effects)
        settleRecoverySecret(into: &effects)
        settleFleetKeys(into: &effects)
        rememberMembers(into: &effects)
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

    private func tell(_ report: SyncReport, into effects: inout [SyncEffect]) {
        switch report {
        case .exported(_, _, let count):
            dependencies.measures.operationsAcknowledged.increment(by: Int64(clamping: count))
        case .imported, .importFailed:
            // Steps of exchanges that `activities` collects.
            break
        case .anomaly(let anomaly):
            found(anomaly)
        case .measured(let peer, let roundTrip, let skew):
            measured(peer, roundTripMilliseconds: roundTrip, skewMilliseconds: skew, into: &effects)
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
