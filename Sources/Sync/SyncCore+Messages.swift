import Identity
import Wire

// The effects of a message from a peer. Every message of an unconfirmed device except account entries is dropped,
// since its right to send about zones is not known yet. From a removed device of this account its own runs are taken
// as deposits.
extension SyncCore {
    mutating func received(
        _ message: PeerMessage,
        byteCount: Int,
        on id: SessionID,
        at now: UInt64,
        wall: UInt64,
        into effects: inout [SyncEffect]
    ) {
        guard let phase = sessions[id]?.phase else { return }
        sessions[id]?.lastHeard = now
        guard let message = assemble(message, on: id, at: now, into: &effects) else { return }
        switch message {
        case .accountHave(let have):
            accountHave(have, on: id, into: &effects)
        case .accountEntries(let answer):
            accountEntries(answer, on: id, at: now, into: &effects)
        case .fleetSecret(let secret):
            fleetSecretHanded(secret, on: id, at: now, into: &effects)
        case .ping(let ping):
            effects.append(.send(id, .pong(Pong(nonce: ping.nonce, wallMilliseconds: wall))))
        case .pong(let pong):
            measure(pong, on: id, at: now, wall: wall, into: &effects)
        case .program(let note):
            programTold(note, on: id, into: &effects)
        case .pairRequest, .pairWelcome, .pairRefusal, .pairDone, .recoverRequest, .pairTerms:
            closeForViolation(id, "a pairing message in a member session", into: &effects)
        case .joinRequest, .joinAnswer, .joinRefusal:
            closeForViolation(id, "a message about an invitation in a member session", into: &effects)
        case .part:
            // Parts are put together above.
            break
        case .run(let run) where phase != .active:
            lateRunReceived(run, byteCount: byteCount, on: id, into: &effects)
        case .acknowledge(let offer) where phase != .active:
            lateWritesOffered(offer, on: id, at: now, into: &effects)
        case _ where phase != .active:
            break
        case .rangeDigests(let digests):
            tellHeadsAgain(id, at: now, into: &effects)
            compare(digests: digests.ranges, on: id, at: now, into: &effects)
        case .rangeItems(let items):
            compare(items: items, on: id, at: now, into: &effects)
        case .zoneState(let state):
            zoneState(state, on: id, at: now, into: &effects)
        case .run(let run):
            runReceived(run, byteCount: byteCount, on: id, at: now, into: &effects)
        case .acknowledge(let acknowledgement):
            acknowledged(acknowledgement, on: id, at: now, into: &effects)
            lateWritesAnswered(acknowledgement, on: id, into: &effects)
        case .pause(let pause):
            paused(pause, on: id, into: &effects)
            sessions[id]?.pausedUntil = now + limits.pauseMilliseconds
        case .resume:
            sessions[id]?.pausedUntil = 0
            pump(id, at: now, into: &effects)
        case .zoneTerms(let terms):
            zoneTerms(terms, on: id, into: &effects)
        case .recoverySecret(let secret):
            guard sessions[id]?.account == account, secret != recoverySecret else { return }
            effects.append(.takeRecoverySecret(secret))
        case .liveSetRequest(let request):
            liveSetRequest(request, on: id, into: &effects)
        case .liveSetPage(let page):
            liveSetPage(page, on: id, at: now, into: &effects)
        case .guestWrite(let write):
            guestWrite(write, on: id, into: &effects)
        case .guestAnswer(let answer):
            guestAnswer(answer, on: id, into: &effects)
        case .payloadRequest(let request):
            payloadRequest(request, on: id, into: &effects)
        case .payloadOutline(let outline):
            payloadOutline(outline, on: id, into: &effects)
        case .payloadChunk(let chunk):
            payloadChunk(chunk, on: id, at: now, into: &effects)
        case .payloadMissing(let request):
            payloadMissing(request, on: id, at: now)
        case .custodyRequest(let request):
            custodyRequest(request, on: id, into: &effects)
        case .custodyAnswer(let answer):
            custodyAnswer(answer, on: id, at: now, into: &effects)
        case .custodyRelease(let request):
            custodyRelease(request, on: id, into: &effects)
        case .reachRequest(let request):
            reachRequested(request, on: id, at: now, into: &effects)
        case .reachAnswer(let answer):
            reachAnswered(answer, on: id, at: now)
        case .forkProof(let proof):
            guard view(proof.first.head.zone, for: id) != nil else { return }
            forked(proof)
            effects.append(.write(.record(proof)))
        }
    }

    /// The kinds of long message that a session may have.
    private static let longMessages: Set<LongMessage> = [
        .accountEntries, .rangeDigests, .rangeItems, .zoneState, .acknowledge, .forkProof, .guestWrite,
    ]

    /// Those of them that are accepted from a device that is not confirmed.
    private static let unconfirmedLongMessages: Set<LongMessage> = [.accountEntries, .acknowledge]

    /// Assembles a long message.
    /// - Returns: The complete message; `nil` while parts are missing.
    private mutating func assemble(
        _ message: PeerMessage,
        on id: SessionID,
        at now: UInt64,
        into effects: inout [SyncEffect]
    ) -> PeerMessage? {
        if case .part = message {} else if sessions[id]?.arriving.isOpen != true { return message }
        let isActive = sessions[id]?.phase == .active
        do {
            let whole = try sessions[id]?.arriving.take(
                message,
                of: isActive ? Self.longMessages : Self.unconfirmedLongMessages,
                passingOver: Self.longMessages
            )
            let begun = sessions[id]?.arrivingUntil ?? now + limits.strangerPartsMilliseconds
            let isOpen = sessions[id]?.arriving.isOpen == true
            sessions[id]?.arrivingUntil = isOpen ? begun : nil
            if sessions[id]?.isOfStranger == true, !hasRoomForParts {
                effects.append(
                    .close(id, .busy, reason: "too many bytes of long messages of unknown accounts are held")
                )
                sessions[id] = nil
            }
            return whole
        } catch {
            closeForViolation(id, "invalid parts of a message: \(error)", into: &effects)
            return nil
        }
    }

    /// Whether no more is held of long messages of devices and accounts that are not known than may be.
    private var hasRoomForParts: Bool {
        let strangers = sessions.values.filter(\.isOfStranger)
        return strangers.reduce(0) { $0 + $1.arriving.byteCount } <= limits.strangerPartsByteCountMax
    }

    private mutating func measure(
        _ pong: Pong,
        on id: SessionID,
        at now: UInt64,
        wall: UInt64,
        into effects: inout [SyncEffect]
    ) {
        guard let device = sessions[id]?.device, let ping = sessions[id]?.pingSent, ping.nonce == pong.nonce
        else { return }
        sessions[id]?.pingSent = nil
        let roundTrip = now >= ping.at ? now - ping.at : 0
        sessions[id]?.roundTripMilliseconds = roundTrip
        // The other clock was read half a round trip ago, as well as can be known.
        let theirs = Int64(clamping: pong.wallMilliseconds).addingReportingOverflow(Int64(clamping: roundTrip / 2))
        let skew = (theirs.overflow ? .max : theirs.partialValue) - Int64(clamping: wall)
        effects.append(
            .report(
                .measured(
                    peer: device,
                    roundTripMilliseconds: Double(roundTrip),
                    skewMilliseconds: skew
                )
            )
        )
    }
}
