import FuzzKit
import Identity
import Records
import Wire

@testable import Sync

/// Checks the core's effects on sessions of other accounts against each zone's rights at that moment.
struct SessionWatch {
    private struct Session {
        let device: DeviceID
        let account: AccountID
        let binding: [UInt8]
        /// The time since when it shares nothing.
        var sharesNothingSince: UInt64?
    }

    /// The input that the core now answers, where that makes a difference to the laws.
    private enum Occasion {
        case any
        /// A run of this log, which came on this session.
        case answer(SessionID, LogKey)
        case deposit
    }

    private let world: SyncWorld
    private var sessions: [SessionID: Session] = [:]
    private var authorities: [ZoneID: ZoneAuthority] = [:]
    private var zones: [ZoneID: ZoneSnapshot] = [:]
    private var contacts: Set<AccountID> = []
    private var occasion = Occasion.any
    private var wall: UInt64 = 0

    init(_ world: SyncWorld) {
        self.world = world
    }

    /// Notes an input before the core handles it.
    mutating func note(_ input: SyncInput, wall: UInt64) {
        self.wall = wall
        occasion = .any
        switch input {
        case .opened(let opening):
            sessions[opening.session] = Session(
                device: opening.device,
                account: opening.account,
                binding: opening.binding
            )
        case .rightsChanged(let authority): authorities[authority.zone] = authority
        case .zoneChanged(let snapshot, _, _): zones[snapshot.zone] = snapshot
        case .contactChanged(let account, _, _): contacts.insert(account)
        case .runApplied(let id, let key, _): occasion = .answer(id, key)
        case .depositsRead: occasion = .deposit
        default: break
        }
    }

    // MARK: The view of a session

    private func access(to zone: ZoneID, _ session: Session) -> ZoneAccess {
        if session.account == world.account { return .everything }
        guard let authority = authorities[zone] else { return .nothing }
        switch authority.access(of: session.device, in: session.account, at: wall) {
        case .nothing: return .nothing
        case .control: return .control
        case .everything: return authority.ownAccess(of: world.devices[0], in: world.account, at: wall)
        }
    }

    private func isShown(_ key: LogKey, _ session: Session) -> Bool {
        switch access(to: key.zone, session) {
        case .nothing: false
        case .control: key.lane == .control
        case .everything: true
        }
    }

    /// Returns the items that a comparison with the session may reveal.
    private func items(_ session: Session) -> Set<RangeItem> {
        let items = zones.values.compactMap { zone -> RangeItem? in
            let key = RangeReconciler.blinded(zone.zone, binding: session.binding)
            switch access(to: zone.zone, session) {
            case .nothing: return nil
            case .control: return RangeItem(zone: key, state: zone.controlOnly.state)
            case .everything: return RangeItem(zone: key, state: zone.state)
            }
        }
        return Set(items)
    }

    // MARK: The laws

    /// Checks an effect of the input that was noted last.
    func check(_ effect: SyncEffect) {
        switch effect {
        case .send(let id, let message):
            guard let session = sessions[id], session.account != world.account else { return }
            check(message, to: session, id)
        case .read(.run(let id, let key, _, _)), .read(.skeleton(let id, let key)):
            guard let session = sessions[id] else { return }
            demand(isShown(key, session), "only what may be sent is read")
        case .write(.apply(let id, let run, let key, let purpose)):
            guard let session = sessions[id], session.account != world.account else { return }
            check(purpose, of: run, key, session)
        case .read(.deposits(let id, let zone, _)):
            guard let session = sessions[id] else { return }
            // A removed device delivers its late writes to the devices of its own account.
            demand(
                session.account == world.account || authorities[zone]?.rules(session.account) == true,
                "deposits are for those who decide"
            )
        case .serveGuestWrite(let id, let write):
            guard let session = sessions[id] else { return }
            demand(session.account != world.account, "devices of the account are no guests")
            demand(access(to: write.zone, session) == .everything, "who may not read is not served")
        case .read(.payload(let id, let request, _)):
            guard let session = sessions[id] else { return }
            demand(access(to: request.zone, session) == .everything, "for who may not read nothing is read")
        case .write(.takeCustody(let id, let request, _, _)):
            guard let session = sessions[id] else { return }
            demand(access(to: request.zone, session) == .everything, "for who may not read nothing is kept")
        case .write(.retain(let id, let request)), .read(.holding(let id, let request)):
            guard let session = sessions[id] else { return }
            demand(access(to: request.zone, session) == .everything, "for who may not read nothing is promised")
        case .write(.learn(let id, _, _)), .write(.join(let id, _)):
            demand(sessions[id]?.account == world.account, "zones are made as our own devices say")
        case .readAccountEntries(let id, let account, _):
            guard let session = sessions[id], session.account != world.account else { return }
            demand(isRelevant(account, session), "accounts are told of where they take part")
        default: break
        }
    }

    private func check(_ message: PeerMessage, to session: Session, _ id: SessionID) {
        switch message {
        case .custodyRequest(let request), .custodyRelease(let request):
            demand(access(to: request.zone, session) == .everything, "no payload is left with who may not read")
        case .retentionRequest(let request):
            demand(access(to: request.zone, session) == .everything, "those are asked about contents who may read")
        case .zoneState(let state):
            let access = access(to: state.zone, session)
            demand(access != .nothing, "no word of a zone to whom it does not concern")
            demand(access == .everything || state.logs.allSatisfy { $0.lane == .control }, "only control logs are told")
        case .run(let run):
            let head = run.signedHead.head
            if isShown(head.key, session) { return }
            demand(isDeposit(head, to: session), "no run to whom it does not concern")
        case .acknowledge(let acknowledgement):
            for log in acknowledgement.logs {
                let key = LogKey(zone: acknowledgement.zone, actor: log.actor, lane: log.lane)
                demand(
                    isShown(key, session) || isAnswer(key, to: id, session),
                    "no acknowledgement of what is not shown"
                )
            }
        case .forkProof(let proof):
            let head = proof.first.head
            let isOwn = head.device == session.device && isAnswer(head.key, to: id, session)
            demand(isShown(head.key, session) || isOwn, "no proof about what is not shown")
        case .zoneTerms(let terms):
            demand(access(to: ZoneID(terms.genesis), session) == .everything, "terms are for those who take part")
        case .rangeItems(let items):
            let allowed = self.items(session)
            demand(
                items.ranges.allSatisfy { $0.items.allSatisfy(allowed.contains) },
                "a comparison lists what is shown"
            )
        case .rangeDigests(let digests):
            let count = items(session).count
            demand(digests.ranges.allSatisfy { $0.itemCount <= count }, "a comparison counts what is shown")
        case .guestWrite(let write):
            demand(authorities[write.zone]?.rules(session.account) == true, "those are asked who rule the zone")
        case .liveSetRequest(let request):
            demand(access(to: request.zone, session) == .everything, "those are asked what lives who may read the zone")
        case .liveSetPage(let page):
            demand(access(to: page.zone, session) == .everything, "what lives is for those who may read")
        case .payloadRequest(let request):
            demand(access(to: request.zone, session) == .everything, "those are asked who may read the zone")
        case .payloadOutline(let outline):
            demand(access(to: outline.zone, session) == .everything, "outlines are for those who may read")
        case .payloadChunk(let chunk):
            demand(access(to: chunk.zone, session) == .everything, "chunks are for those who may read")
        case .accountHave(let have):
            demand(isRelevant(have.account, session), "accounts are told of where they take part")
        default: break
        }
    }

    /// Returns whether the session sent the run that was just applied: its sender then learns the outcome.
    private func isAnswer(_ key: LogKey, to id: SessionID, _ session: Session) -> Bool {
        guard case .answer(id, key) = occasion else { return false }
        return access(to: key.zone, session) != .nothing
    }

    private func isDeposit(_ head: TreeHead, to session: Session) -> Bool {
        guard case .deposit = occasion, let authority = authorities[head.zone] else { return false }
        return authority.rules(session.account) && authority.hasEnded(world.account)
            && authority.access(of: session.device, in: session.account, at: wall) == .everything
    }

    private func check(_ purpose: RunPurpose, of run: Run, _ key: LogKey, _ session: Session) {
        switch purpose {
        case .replication: demand(isShown(key, session), "nothing is taken in from whom it does not concern")
        case .deposit:
            demand(authorities[key.zone]?.rules(world.account) == true, "who decides takes deposits")
            demand(run.signedHead.head.device == session.device, "each hands over its own")
        }
    }

    private func isRelevant(_ account: AccountID, _ session: Session) -> Bool {
        if account == world.account || account == session.account { return true }
        return authorities.contains { $0.value.parties.contains(account) && access(to: $0.key, session) != .nothing }
    }

    /// Checks the core after the input that was noted last.
    mutating func check(_ core: SyncCore, at now: UInt64) {
        let accountCount = world.accounts.count + contacts.count
        for (id, state) in core.sessions {
            demand(
                state.lateWrites.deposited.count <= max(authorities.count, core.zones.count),
                "deposits are remembered for zones that are known"
            )
            demand(state.joining.told.count <= authorities.count, "terms are remembered for zones that are known")
            demand(state.accounts.heads.count <= accountCount, "heads are remembered of accounts that are known")
            demand(state.accounts.told.count <= accountCount, "sent heads are remembered of known accounts")
            let asks = state.comparison.waitingAsks.count
            demand(asks <= zones.count, "questions are remembered for zones that are known")
            guard let session = sessions[id], session.account != world.account, core.isActive(id) else { continue }
            guard !zones.keys.contains(where: { access(to: $0, session) == .everything }) else {
                sessions[id]?.sharesNothingSince = nil
                continue
            }
            let since = session.sharesNothingSince ?? now
            sessions[id]?.sharesNothingSince = since
            demand(now < since + core.limits.leavingMilliseconds, "who shares nothing is let go in time")
        }
        sessions = sessions.filter { core.sessions[$0.key] != nil }
    }
}

extension SyncCore {
    var sessions: [SessionID: PeerSession] { replication.sessions }
    var zones: [ZoneID: ZoneSnapshot] { replication.rights.zones }
}
