import Wire

/// The replication of zones: the sessions with all peers, and all that passes between them about accounts, rights,
/// zones and runs.
///
/// Functions that concern one session are those of ``PeerSession``; here are those that concern several, or end one.
struct Replication: Sendable {
    var context: SyncContext
    var sessions: [SessionID: PeerSession] = [:]
    /// The live set under a peer's checkpoint, while the peer sends it.
    var liveSets = LiveSetRequests()
    var moments = RightMoments()

    init(_ context: SyncContext) { self.context = context }

    var rights: ExchangeRights { context.rights }

    /// The sessions, in the order in which they are dealt with.
    var ids: [SessionID] { sessions.keys.sorted() }

    /// Returns how much of a zone a session may receive now; nothing if it has ended.
    func access(to zone: ZoneID, on id: SessionID) -> ZoneAccess {
        sessions[id].map { context.rights.access(to: zone, for: $0) } ?? .nothing
    }

    /// Whether a session may receive everything of a zone that is held here.
    func serves(_ zone: ZoneID, on id: SessionID) -> Bool {
        context.rights.zones[zone] != nil && access(to: zone, on: id) == .everything
    }

    mutating func send(_ message: PeerMessage, to id: SessionID) { context.send(message, to: id) }

    // MARK: Ends

    mutating func close(_ id: SessionID, _ code: SyncCloseCode, _ reason: String) {
        context.effects.append(.close(id, code, reason: reason))
        sessions[id] = nil
    }

    mutating func closeForViolation(_ id: SessionID, _ reason: String, in zone: ZoneID? = nil) {
        closeForViolation(id, Anomaly(.violation, zone: zone, detail: reason))
    }

    mutating func closeForViolation(_ id: SessionID, _ anomaly: Anomaly) {
        report(anomaly, on: id)
        close(id, .violation, anomaly.detail)
    }

    /// Reports an event that no honest program causes.
    ///
    /// A device that is not known in any account is not named: anyone can make as many as they like.
    mutating func report(_ anomaly: Anomaly, on id: SessionID?) {
        var anomaly = anomaly
        if let session = id.flatMap({ sessions[$0] }), !session.isUnproven,
            rights.standing(of: session.device, in: session.account) != .unknown
        {
            (anomaly.peer, anomaly.account) = (session.device, session.account)
        }
        context.report(.anomaly(anomaly))
    }

    // MARK: Time

    /// Does the work that is due in every session.
    mutating func runTimers(random: inout some RandomNumberGenerator) {
        for id in ids where sessions[id]?.hasWork(in: context) == true && isAlive(id) {
            sessions[id]?.ping(random: &random, in: &context)
            guard sessions[id]?.isActive == true else { continue }
            if let next = sessions[id]?.comparison.next, context.now >= next {
                beginComparison(id)
                let pause = (2 * context.limits.antiEntropyMilliseconds).jittered(using: &random)
                sessions[id]?.comparison.next = context.now + pause
            }
            sessions[id]?.sendDue(in: &context)
        }
    }

    /// Closes a session whose deadline has passed.
    private mutating func isAlive(_ id: SessionID) -> Bool {
        guard let (code, reason) = sessions[id]?.ending(in: context) else { return true }
        close(id, code, reason)
        return false
    }

    /// Pings peers of which nothing was heard for a while.
    mutating func askPresence(of silence: UInt64) {
        for (id, session) in sessions where session.isActive {
            sessions[id]?.liveness.pingSoon(after: silence, at: context.now)
        }
    }

    /// The next time for which there is something to do; `nil` while no session stands.
    /// - Complexity: O(sessions).
    var nextDeadline: UInt64? {
        let deadlines = sessions.values.map { session in
            let isAwaiting = session.isActive && session.account != context.rights.account
            return min(session.deadline(context.limits), isAwaiting ? moments.deadline ?? .max : .max)
        }
        return (deadlines + [liveSets.nextDeadline].compactMap(\.self)).min()
    }

    // MARK: Comparisons

    mutating func beginComparison(_ id: SessionID) {
        sessions[id]?.beginComparison(in: &context)
        askForLiveSets(on: id)
        sessions[id]?.askForAccounts(in: &context)
    }

    mutating func compare(_ digests: [RangeDigest], on id: SessionID) {
        sessions[id]?.tellHeadsAgain(in: &context)
        if sessions[id]?.compare(digests, in: &context) == true { askForLiveSets(on: id) }
    }

    // MARK: Live sets

    private mutating func askForLiveSets(on id: SessionID) {
        if let session = sessions[id] { liveSets.ask(session, in: &context) }
    }

    mutating func liveSetTaken(_ outcome: LiveSetOutcome, of zone: ZoneID, on id: SessionID) {
        guard liveSets.taken(outcome, of: zone, on: id, sessions, in: &context) else { return }
        // A run that was refused because it could not be explained may be taken now.
        sessions[id]?.arriving.forgetRefusals(of: zone)
        sessions[id]?.tellState(of: zone, wantsReply: false, in: &context)
        askForLiveSets(on: id)
    }
}
