import Wire

// The effects of a message from a peer. An unconfirmed device may send account entries, and messages about the channel
// and the programs; all else is dropped, since its right to send about zones is not known yet. From a removed device of
// this account its own runs are taken as deposits.
extension SyncCore {
    /// Takes in a message of a session.
    mutating func received(_ message: PeerMessage, byteCount: Int, on id: SessionID) {
        guard let isActive = replication.sessions[id]?.isActive else { return }
        replication.sessions[id]?.liveness.lastHeard = replication.context.now
        guard let message = assemble(message, on: id) else { return }
        switch message {
        case .accountHave(let have): replication.sessions[id]?.take(have, in: &replication.context)
        case .accountEntries(let answer): received(answer, on: id)
        case .fleetSecret(let secret): replication.sessions[id]?.take(secret, in: &replication.context)
        case .ping(let ping):
            let pong = Pong(nonce: ping.nonce, wallMilliseconds: replication.rights.wall)
            replication.send(.pong(pong), to: id)
        case .pong(let pong): replication.sessions[id]?.answered(pong, in: &replication.context)
        case .program(let note): replication.sessions[id]?.take(note, in: &replication.context)
        case .pairRequest, .pairWelcome, .pairRefusal, .pairDone, .recoverRequest, .pairTerms:
            replication.closeForViolation(id, "a pairing message in a member session")
        case .joinRequest, .joinAnswer, .joinRefusal:
            replication.closeForViolation(id, "a message about an invitation in a member session")
        // Parts are put together above.
        case .part: break
        case .run(let run) where !isActive: replication.lateRunReceived(run, byteCount: byteCount, on: id)
        case .acknowledge(let offer) where !isActive:
            replication.sessions[id]?.lateWritesOffered(offer, in: &replication.context)
        case _ where !isActive: break
        case .rangeDigests(let digests): replication.compare(digests.ranges, on: id)
        case .rangeItems(let items): replication.sessions[id]?.compare(items, in: &replication.context)
        case .zoneState(let state): replication.sessions[id]?.take(state, in: &replication.context)
        case .run(let run): replication.runReceived(run, byteCount: byteCount, on: id)
        case .acknowledge(let acknowledgement):
            replication.sessions[id]?.take(acknowledgement, in: &replication.context)
            replication.sessions[id]?.lateWritesAnswered(acknowledgement, in: &replication.context)
        case .pause(let pause): replication.sessions[id]?.take(pause, in: &replication.context)
        case .resume: replication.sessions[id]?.resumed(in: &replication.context)
        case .zoneTerms(let terms): replication.sessions[id]?.take(terms, in: &replication.context)
        case .recoverySecret(let secret): replication.sessions[id]?.take(secret, in: &replication.context)
        case .liveSetRequest(let request): replication.sessions[id]?.take(request, in: &replication.context)
        case .liveSetPage(let page):
            replication.liveSets.take(page, on: id, replication.sessions, in: &replication.context)
        case .guestWrite(let write): guests.take(write, on: id, in: &replication)
        case .guestAnswer(let answer): guestOrders.take(answer, on: id, in: &replication)
        case .payloadRequest(let request): payloads.serve(request, on: id, in: &replication)
        case .payloadOutline(let message): payloads.take(message, on: id, in: &replication.context)
        case .payloadChunk(let chunk): payloads.take(chunk, on: id, in: &replication.context)
        case .payloadMissing(let request): payloads.lack(request, on: id, in: replication.context)
        case .custodyRequest(let request): custody.keep(request, on: id, in: &replication)
        case .custodyAnswer(let answer): custody.take(answer, on: id, in: &replication)
        case .custodyRelease(let request): custody.release(request, on: id, in: &replication)
        case .retentionRequest(let request): evictions.serve(request, on: id, in: &replication)
        case .retentionAnswer(let answer): evictions.take(answer, on: id, in: &replication)
        case .reachRequest(let request): reach.take(request, on: id, in: &replication)
        case .reachAnswer(let answer): replication.sessions[id]?.take(answer, at: replication.context.now)
        case .forkProof(let proof): replication.take(proof, on: id)
        }
    }

    /// Takes in account entries, which come ahead of a request if nothing is known of the account.
    private mutating func received(_ entries: AccountEntries, on id: SessionID) {
        guard let account = replication.sessions[id]?.account else { return }
        // An account may come to be known while its log arrives.
        let isAhead = replication.rights.isServedAsStranger(account) || guests.expectsLog(on: id)
        if isAhead, entries.account == account {
            guests.take(entries, on: id, in: &replication)
        } else {
            replication.sessions[id]?.take(entries, in: &replication.context)
        }
    }

    /// Assembles a long message.
    /// - Returns: The complete message; `nil` while parts are missing.
    private mutating func assemble(_ message: PeerMessage, on id: SessionID) -> PeerMessage? {
        guard replication.sessions[id]?.message.isPart(message) == true else { return message }
        let isOfStranger = replication.sessions[id]?.isOfStranger == true
        let (isConfirmed, now, limits) = (isActive(id), replication.context.now, limits)
        do throws(MessageAssembly.Fault) {
            let whole = try replication.sessions[id]?.message.take(message, isConfirmed: isConfirmed, at: now, limits)
            guard isOfStranger, !hasRoomForParts else { return whole }
            replication.close(id, .busy, "too many bytes of long messages of unknown accounts are held")
        } catch {
            replication.closeForViolation(id, "invalid parts of a message: \(error)")
        }
        return nil
    }

    /// Whether no more is held of long messages of devices and accounts that are not known than may be.
    private var hasRoomForParts: Bool {
        let strangers = replication.sessions.values.filter(\.isOfStranger)
        return strangers.reduce(0) { $0 + $1.message.byteCount } <= limits.strangerPartsByteCountMax
    }
}
