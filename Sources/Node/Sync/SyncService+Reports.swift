import CoreMetrics
import Identity
import Logging
import Peering
import Session
import Sync
import Wire

// The core's reports, for people and programs: lines in the log, events, warnings and metrics.
extension SyncService {
    func tell(_ report: PeerReport) {
        switch report {
        case .session(let report): tell(report)
        case .sync(let report): tell(report)
        case .invitation(let report): tell(report)
        case .closing(let id, let code, let reason):
            dependencies.logger.notice(
                "closing session",
                metadata: ["session": "\(id)", "code": "\(code)", "reason": "\(reason)"]
            )
        case .malformed(_, let error):
            dependencies.logger.notice("malformed message", metadata: ["error": "\(error)"])
        case .entries(_, .notKept(let error)):
            dependencies.logger.warning("account entries not kept", metadata: ["error": "\(error)"])
        case .entries(_, .notWritten(let error)):
            dependencies.logger.error("account entries not written", metadata: ["error": "\(error)"])
        case .entries(_, .invalid(let error)):
            dependencies.logger.notice("account entries refused", metadata: ["error": "\(error)"])
        case .certificateEntered(let device):
            dependencies.logger.info(
                "a certificate was entered in the account log",
                metadata: ["peer.id": "\(device.shortText)"]
            )
        case .certificateNotEntered(let device, let error):
            dependencies.logger.warning(
                "a certificate was not entered in the account log",
                metadata: ["peer.id": "\(device.shortText)", "error": "\(error)"]
            )
        case .secretNotStored(let kind, let error):
            dependencies.logger.error("\(kind.failure)", metadata: ["error": "\(error)"])
        case .fleetKeyReplaced(let entry):
            dependencies.logger.info("the account's devices have another key", metadata: ["entry": "\(entry)"])
        case .blocked(let account):
            dependencies.logger.notice("account is blocked", metadata: ["account.id": "\(account.shortText)"])
        case .offered(let zone, let account): tellOffered(zone, by: account)
        case .admitted(let link):
            dependencies.logger.notice("device added", metadata: ["peer.id": "\(link.certificate.device.shortText)"])
        case .joiningFailed(let text, let error):
            let metadata: Logger.Metadata = error.map { ["error": "\($0)"] } ?? [:]
            dependencies.logger.notice("\(text)", metadata: metadata)
        }
    }

    private func tellOffered(_ zone: ZoneID, by account: AccountID) {
        dependencies.logger.notice(
            "a zone is offered; `kairan join ls` lists it",
            metadata: ["zone.id": "\(zone.shortText)", "account.id": "\(account.shortText)"]
        )
        // Watchers look again.
        for (id, link) in links where link.account == account && core.sessions.isOpen(id) { publishPeer(link.device) }
    }

    // MARK: Sessions

    private func tell(_ report: SessionReport) {
        switch report {
        case .noCertificate(let id):
            dependencies.logger.notice("peer presented no valid certificate", metadata: address(of: id))
        case .otherAccount(let id):
            dependencies.logger.notice(
                "peer is from an account that is not accepted here",
                metadata: address(of: id)
            )
        case .downgraded(let id, let device, let expected, let isMember):
            guard let connection = connections[id] else { return }
            tellDowngraded(connection, of: device, expected: expected, isMember: isMember)
        case .versionRestored: tellDowngrades()
        case .opened(let opening, let payload): tellOpened(opening, payload)
        case .closing(let id):
            tell(activities.closed(id, at: dependencies.clock.monotonic()))
        }
    }

    private func tellOpened(_ opening: SessionOpening, _ payload: HandshakePayload) {
        guard let connection = connections[opening.session] else { return }
        let clock = dependencies.clock
        links[connection.id] = Link(
            connection: connection,
            device: opening.device,
            account: opening.account,
            listenPort: payload.listenPort
        )
        tell(
            activities.opened(
                connection.id,
                peer: opening.device,
                account: opening.account,
                at: clock.monotonic(),
                wall: clock.wall()
            )
        )
        dependencies.logger.info(
            "session opened",
            metadata: [
                "peer.id": "\(opening.device.shortText)", "peer.address": "\(connection.address)",
                "initiator": "\(opening.isInitiator)",
                "channel.version": "\(connection.handshake.version.rawValue)",
            ]
        )
    }

    private func address(of id: ConnectionID) -> Logger.Metadata {
        connections[id].map { ["peer.address": "\($0.address)"] } ?? [:]
    }

    // MARK: Exchanges

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
            for (id, link) in links where link.device == peer {
                links[id]?.roundTripMilliseconds = roundTrip
                links[id]?.skewMilliseconds = skew
            }
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

    // MARK: Invitations

    private func tell(_ report: InvitationReport) {
        let logger = dependencies.logger
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
            let error = Self.told(code)
            dependencies.replica.health.set(
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
