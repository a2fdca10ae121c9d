import CoreMetrics
import Identity
import Logging
import Peering
import Session
import Sync
import Wire

/// The core's reports, for people and programs: lines in the log, events, warnings and metrics.
struct PeerReporter {
    private static let downgradeCode = "channel.downgraded"
    /// Characters of a reason that are logged.
    private static let detailCountMax = 300

    /// The exchanges in progress, as watchers are notified of them.
    private var activities = SyncActivities()
    /// Anomalies that were published or wait to be.
    private var anomalies = AnomalyWatch()
    private var hasMetPeer = false
    private let dependencies: SyncService.Dependencies

    /// Reports for a service.
    init(_ dependencies: SyncService.Dependencies) {
        self.dependencies = dependencies
    }

    private var logger: Logger { dependencies.logger }

    /// The time at which ``reportDue()`` has something to report.
    var nextDue: UInt64? { [activities.nextDue, anomalies.nextDue].compactMap(\.self).min() }

    /// The last failures of exchanges.
    var failures: [SyncFailure.Key: SyncFailure] { activities.failures }

    /// Reports exchanges that have ended by themselves, and anomalies that were collected.
    mutating func reportDue() {
        let now = dependencies.clock.monotonic()
        publish(activities.due(at: now))
        for anomaly in anomalies.due(at: now) { publish(anomaly) }
    }

    /// Reports a step of an exchange.
    mutating func moved(_ step: Transfer) {
        let clock = dependencies.clock
        publish(activities.moved(step, at: clock.monotonic(), wall: clock.wall()))
    }

    /// Reports what the core has to say.
    mutating func report(_ report: PeerReport, _ board: inout PeerBoard, _ core: SyncService.Core) {
        switch report {
        case .session(let report): self.report(report, &board, core)
        case .sync(let report): self.report(report, &board)
        case .invitation(let report): self.report(report)
        case .closing(let id, let code, let reason):
            logger.notice(
                "closing session",
                metadata: ["session": "\(id)", "code": "\(code)", "reason": "\(reason)"]
            )
        case .malformed(_, let error):
            logger.notice("malformed message", metadata: ["error": "\(error)"])
        case .entries(_, .notKept(let error)):
            logger.warning("account entries not kept", metadata: ["error": "\(error)"])
        case .entries(_, .notWritten(let error)):
            logger.error("account entries not written", metadata: ["error": "\(error)"])
        case .entries(_, .invalid(let error)):
            logger.notice("account entries refused", metadata: ["error": "\(error)"])
        case .certificateEntered(let device):
            logger.info(
                "a certificate was entered in the account log",
                metadata: ["peer.id": "\(device.shortText)"]
            )
        case .certificateNotEntered(let device, let error):
            logger.warning(
                "a certificate was not entered in the account log",
                metadata: ["peer.id": "\(device.shortText)", "error": "\(error)"]
            )
        case .secretNotStored(let kind, let error):
            logger.error("\(kind.failure)", metadata: ["error": "\(error)"])
        case .fleetKeyReplaced(let entry):
            logger.info("the account's devices have another key", metadata: ["entry": "\(entry)"])
        case .blocked(let account):
            logger.notice("account is blocked", metadata: ["account.id": "\(account.shortText)"])
        case .offered(let zone, let account):
            logger.notice(
                "a zone is offered; `kairan join ls` lists it",
                metadata: ["zone.id": "\(zone.shortText)", "account.id": "\(account.shortText)"]
            )
            // Watchers look again.
            board.publish(connectedOf: account, core)
        case .admitted(let link):
            logger.notice("device added", metadata: ["peer.id": "\(link.certificate.device.shortText)"])
        case .joiningFailed(let text, let error):
            let metadata: Logger.Metadata = error.map { ["error": "\($0)"] } ?? [:]
            logger.notice("\(text)", metadata: metadata)
        }
    }

    // MARK: Sessions

    private mutating func report(_ report: SessionReport, _ board: inout PeerBoard, _ core: SyncService.Core) {
        switch report {
        case .noCertificate(let id):
            logger.notice("peer presented no valid certificate", metadata: board.connections.metadata(of: id))
        case .otherAccount(let id):
            logger.notice(
                "peer is from an account that is not accepted here",
                metadata: board.connections.metadata(of: id)
            )
        case .downgraded(let id, let device, let expected, let isMember):
            guard let connection = board.connections[id] else { return }
            reportRefused(connection, of: device, expected: expected, isMember: isMember)
            guard isMember else { return }
            warnOfDowngrades(core)
            // Watchers look again.
            board.publish(device, core)
        case .versionRestored: warnOfDowngrades(core)
        case .opened(let opening, let payload):
            guard let link = board.opened(opening, listenPort: payload.listenPort) else { return }
            reportOpened(link, isInitiator: opening.isInitiator)
        case .closing(let id):
            publish(activities.closed(id, at: dependencies.clock.monotonic()))
        }
    }

    private mutating func reportOpened(_ link: PeerBoard.Link, isInitiator: Bool) {
        let clock = dependencies.clock
        publish(
            activities.opened(
                link.connection.id,
                peer: link.device,
                account: link.account,
                at: clock.monotonic(),
                wall: clock.wall()
            )
        )
        logger.info(
            "session opened",
            metadata: [
                "peer.id": "\(link.device.shortText)", "peer.address": "\(link.connection.address)",
                "initiator": "\(isInitiator)",
                "channel.version": "\(link.connection.handshake.version.rawValue)",
            ]
        )
    }

    /// Reports a session that was refused since its version is lower than the one that the device supports.
    private func reportRefused(
        _ connection: any PeerConnection,
        of device: DeviceID,
        expected: ChannelVersion,
        isMember: Bool
    ) {
        // Of a member there is a health warning.
        logger.log(
            level: isMember ? .info : .warning,
            "session refused: the channel's version is lower than the one that the device supports",
            metadata: [
                "peer.id": "\(device.shortText)", "peer.address": "\(connection.address)",
                "channel.version": "\(connection.handshake.version.rawValue)",
                "channel.expected": "\(expected.rawValue)",
            ]
        )
    }

    /// Raises the warning about devices that were refused for their version, or clears it.
    ///
    /// The highest version ever spoken with a device is the least that is accepted from it afterwards.
    private func warnOfDowngrades(_ core: SyncService.Core) {
        guard !core.sessions.downgraded.isEmpty else {
            dependencies.commitService.health.clear(Self.downgradeCode)
            return
        }
        let names = core.sessions.downgraded.sorted().map { device in
            let name = dependencies.identity.accountState.devices[device]?.name ?? ""
            return name.isEmpty ? device.shortText : name
        }
        dependencies.commitService.health.set(
            HealthWarning(
                code: Self.downgradeCode,
                severity: .warning,
                message: """
                    Refused in an older version of the channel than it speaks: \(names.joined(separator: ", ")). It runs an older \
                    program than before, or an attacker on the network suppresses the present version.
                    """,
                fix: "Update kairand there; if it is up to date, look at the network between the two."
            )
        )
    }

    // MARK: Exchanges

    /// Notifies watchers of exchanges that begin and end.
    private func publish(_ news: [SyncActivity]) {
        for activity in news {
            // Without a watcher nobody looks at once, and the acknowledgement need not be committed for this alone.
            guard activity.kind == .export, activity.durationMilliseconds != nil, dependencies.hub.subscriberCount > 0
            else {
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

    private mutating func report(_ report: SyncReport, _ board: inout PeerBoard) {
        switch report {
        case .exported(_, _, let count):
            dependencies.measures.operationsAcknowledged.increment(by: Int64(clamping: count))
        case .imported, .importFailed:
            // Steps of exchanges that `activities` collects.
            break
        case .anomaly(let anomaly):
            dependencies.measures.anomalies.add(anomaly.kind, Int(clamping: anomaly.count))
            // Unless others of its kind were reported just now.
            let reported = anomalies.found(anomaly, at: dependencies.clock.monotonic())
            if let reported { publish(reported) }
        case .measured(let peer, let roundTrip, let skew):
            board.measured(peer, roundTrip: roundTrip, skew: skew)
        case .inSync(let peer):
            if !hasMetPeer {
                hasMetPeer = true
                dependencies.commitService.recovered()
            }
            for id in board.inStep(peer) { publish(activities.inStep(id, at: dependencies.clock.monotonic())) }
            logger.debug("in step", metadata: ["peer.id": "\(peer.shortText)"])
        }
    }

    /// Reports the collected anomalies to watchers and the log.
    private func publish(_ anomaly: Anomaly) {
        let event = AnomalyEvent(
            anomaly,
            authorName: anomaly.author.flatMap { name(of: $0) },
            peerName: anomaly.peer.flatMap { name(of: $0) }
        )
        dependencies.hub.publish(.anomaly(event))
        var metadata: Logger.Metadata = [
            "kind": "\(anomaly.kind.rawValue)", "count": "\(anomaly.count)",
            "detail": "\(anomaly.detail.prefix(Self.detailCountMax))",
        ]
        if let author = anomaly.author { metadata["author.id"] = "\(author.shortText)" }
        if let peer = anomaly.peer { metadata["peer.id"] = "\(peer.shortText)" }
        if let zone = anomaly.zone { metadata["zone.id"] = "\(zone.shortText)" }
        logger.warning("anomaly", metadata: metadata)
    }

    /// The name of a device in the log of its account, as far as that is held here.
    private func name(of device: DeviceID) -> String? {
        let identity = dependencies.identity
        if let known = identity.accountState.devices[device] { return known.name }
        return identity.contacts.all.values.lazy.compactMap { $0.state.devices[device]?.name }.first
    }

    // MARK: Invitations

    private func report(_ report: InvitationReport) {
        switch report {
        case .unreadable(let error):
            logger.notice("a message about an invitation cannot be read", metadata: ["error": "\(error)"])
        case .invalidAccount(let error):
            logger.notice("account of an invitation refused", metadata: ["error": "\(error)"])
        case .invalidInviter(let error):
            logger.notice("inviting account's log refused", metadata: ["error": "\(error)"])
        case .accountNotKept(let error):
            logger.error("account of an invitation not stored", metadata: ["error": "\(error)"])
        case .answered(let account, let outcome):
            logger.info(
                "invitation answered",
                metadata: ["account.id": "\(account.shortText)", "outcome": "\(outcome.name)"]
            )
        case .refused(let code, let isWatched):
            logger.notice("invitation refused", metadata: ["reason": "\(code)"])
            guard !isWatched else { return }
            let error = NodeError(code)
            dependencies.commitService.health.set(
                HealthWarning(
                    code: "invite.refused",
                    severity: .info,
                    message: "An invitation that was opened earlier was refused: \(error.message)",
                    fix: error.fix
                )
            )
        }
    }
}

extension [ConnectionID: any PeerConnection] {
    /// The address of a channel, for the log.
    fileprivate func metadata(of id: ConnectionID) -> Logger.Metadata {
        self[id].map { ["peer.address": "\($0.address)"] } ?? [:]
    }
}

extension PeerReport.SecretKind {
    /// The line in the log for a secret that could not be stored.
    fileprivate var failure: String {
        switch self {
        case .recovery: "the secret of the new recovery words was not stored"
        case .fleet: "a key of the account's devices was not stored"
        case .retirement: "the days of retired keys were not counted; the next attempt is in an hour"
        case .renewal: "a key of the account's devices was not made; the next attempt is in a minute"
        }
    }
}

extension RedemptionOutcome {
    /// A word for the log: the decision, and none of the zone's secrets.
    fileprivate var name: String {
        switch self {
        case .joined: "joined"
        case .waitingApproval: "waits for approval"
        case .waitingInviter: "waits for the inviting device"
        case .waitingRelay: "waits for the relay"
        case .claim: "the relay is asked"
        case .refused(let code): "refused: \(code)"
        }
    }
}
