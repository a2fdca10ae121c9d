import Peering
import Sync
import Wire

// Whether connected devices can connect to this one, which they are asked to try.
extension SyncService {
    /// Asks all connected devices whether they can connect to this one, unless they were asked within the last minute.
    ///
    /// A device tries once a minute, so an answer may be that old.
    /// - Returns: The answers with their ages; a device that does not answer in time, or whose program does not know the question, is
    ///   left out.
    func reach() async -> [DeviceID: Examination.Reach] {
        let now = dependencies.clock.monotonic()
        await withCheckedContinuation { continuation in
            reachWaits.add(continuation, since: now)
            mailbox.put(.input(.reachAsked))
        }
        var answers: [DeviceID: Examination.Reach] = [:]
        let end = dependencies.clock.monotonic()
        for (id, link) in links where core.sessions.isOpen(id) {
            guard let outcome = core.sync.reach(in: id), let answeredAt = core.sync.reachAnsweredAt(in: id) else {
                continue
            }
            answers[link.device] = Examination.Reach(outcome, ageMilliseconds: end - min(answeredAt, end))
        }
        return answers
    }

    /// Resumes the callers that wait for such answers, when all are there or the time is over.
    func answerReach() {
        reachWaits.answer(
            settled: core.sync.awaitsReach ? nil : core.sync.reachAskedAt,
            at: dependencies.clock.monotonic()
        )
    }

    /// Tries whether the device of a session can be connected to: at the address at which the session was dialled, or where it came from at
    /// the port that the device listens on by its handshake.
    ///
    /// Stated ports below 1,024 are not tried: on a shared address others may have them.
    func probe(_ id: ConnectionID, number: UInt64) {
        let answer: @Sendable (ReachOutcome) -> Void = { [mailbox] outcome in
            mailbox.put(.input(.reachProbed(id, number: number, outcome)))
        }
        guard let transport, let link = links[id] else { return answer(.notTried) }
        var address = link.connection.address
        if link.connection.dial == nil {
            guard link.listenPort >= 1_024 else { return answer(.notTried) }
            address.port = link.listenPort
        }
        guard address.port > 0 else { return answer(.notTried) }
        transport.probe(address, completion: answer)
    }
}
