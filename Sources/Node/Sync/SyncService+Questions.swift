import Identity
import Peering
import Sync
import Wire

// Questions of people and programs about peers, some of which the peers answer.
extension SyncService {
    /// The devices with an active session.
    var connectedDevices: Set<DeviceID> { core.sync.connectedDevices }

    /// The number of devices with an active session.
    var connectedCount: Int { core.sync.connectedDevices.count }

    /// The prospects of wanted payloads, by the sessions that there are now; without those that are not wanted, and those that the core
    /// does not know yet.
    func prospects(of payloads: Set<PayloadID>) -> [PayloadID: PayloadProspect] { core.sync.prospects(of: payloads) }

    /// The relays of the account that have just answered that they have no room for a content of this size.
    func fullRelays(for byteCount: UInt64) -> Set<DeviceID> {
        core.sync.fullRelays(for: byteCount, at: dependencies.clock.monotonic())
    }

    /// Dials these addresses too; ones that are known already change nothing.
    func add(peers: [PeerAddress]) {
        stepAside { $0.configure(peers, in: &$1) }
    }

    /// All other devices of the account, and those of other accounts that are connected, ordered by id.
    func peerStatuses() -> [PeerStatus] { board.statuses(core) }

    /// The same, once each connected device that was silent for a while has answered a ping, or a second is over.
    ///
    /// A broken connection shows at once so, and this costs nothing while no caller asks.
    /// - Parameter silence: How long that while is, in milliseconds; 0 pings all.
    /// - Returns: As ``peerStatuses()``.
    func freshPeerStatuses(silence: UInt64) async -> [PeerStatus] {
        let now = dependencies.clock.monotonic()
        facts.put(.input(.presenceAsked(silence: silence)))
        await withCheckedContinuation { presence.add($0, silence: silence, since: now) }
        return peerStatuses()
    }

    /// Resumes the callers that wait for peers to answer, when all have or the time is over.
    func answerPresence() {
        guard presence.isAwaited else { return }
        presence.answer(oldest: board.oldestHeard(core), at: dependencies.clock.monotonic())
    }

    /// The neighbourhood as mDNS shows it, for the doctor.
    func neighbourhood() -> Examination.Neighbourhood {
        Examination.Neighbourhood(
            isUsed: discovery != nil,
            interfaces: discoveryBoard.interfaces,
            unsighted: board.unsighted(core)
        )
    }

    /// The facts about operations that are not there yet.
    func pendingFacts() -> PendingFacts {
        var facts = PendingFacts(missing: core.sync.missing, failures: reporter.failures)
        for peer in peerStatuses() { facts.peers[peer.device] = peer }
        return facts
    }

    // MARK: Whether connected devices can connect to this one

    /// Asks all connected devices whether they can connect to this one, unless they were asked within the last minute.
    ///
    /// A device tries once a minute, so an answer may be that old.
    /// - Returns: The answers with their ages; a device that does not answer in time, or whose program does not know the question, is
    ///   left out.
    func reach() async -> [DeviceID: Examination.Reach] {
        let now = dependencies.clock.monotonic()
        await withCheckedContinuation { continuation in
            reachWaits.add(continuation, since: now)
            facts.put(.input(.reachAsked))
        }
        return board.reach(core)
    }

    /// Resumes the callers that wait for such answers, when all are there or the time is over.
    func answerReach() {
        reachWaits.answer(
            settled: core.sync.awaitsReach ? nil : core.sync.reachAskedAt,
            at: dependencies.clock.monotonic()
        )
    }

    /// Tries whether the device of a session can be connected to.
    func probe(_ id: ConnectionID, number: UInt64) {
        let answer: @Sendable (ReachOutcome) -> Void = { [facts] outcome in
            facts.put(.input(.reachProbed(id, number: number, outcome)))
        }
        guard let transport, let address = board.links[id]?.probedAddress else { return answer(.notTried) }
        transport.probe(address, completion: answer)
    }
}
