import Identity
package import Records
package import Wire

/// A change of the store that a core (`SyncCore`, `PeerSessions`) or its driver requests: the work of one transaction.
///
/// A driver performs them in the order in which they were asked for. Their replies reach the core in the order of the commits, after
/// the changes themselves.
package enum StoreWrite: Sendable {
    /// Verify and store a run; answered by `runApplied`.
    case apply(SessionID, Run, LogKey, RunPurpose)
    /// Compare a page with the live set here, and prune operations that the whole list does not name; answered by
    /// `liveSetTaken`.
    case take(SessionID, LiveSetPage, LiveSetComparison)
    /// Add a zone that a peer announced, if this account made it; answered by `zoneChanged` or `zoneRefused`.
    case learn(SessionID, ZoneID, ZoneGenesis)
    /// Add a zone of another account, which a device of this account takes part in; answered by `zoneChanged` or `zoneRefused`.
    case join(SessionID, ZoneTerms)
    /// Remember that a member is there now, and an address at which it can be reached.
    case met(DeviceID, at: String?)
    /// Remember the version of the channel spoken with a member.
    case spoke(ChannelVersion, DeviceID)
    /// Remember the log sizes that a device holds durably.
    case acknowledge(DeviceID, [LogKey: UInt64])
    /// Begin another incarnation if the head proves that one of this store's logs goes on beyond its end here.
    case renewIfBehind(SignedTreeHead)
    /// Keep a fork proof that came from a peer, and cut the log at the fork.
    case record(ForkProof)
    /// Record that these logs have no effective part, if the account confirms it and operations wait for them.
    case noteEmptyLogs(ZoneID, [LogState])
    /// Decide about the writes that a session's device asks for in a public zone, and make them; answered by `guestWriteServed`.
    case serve(SessionID, GuestAttempt)
    /// Verify and keep the outline of a payload; answered by `payloadKept`.
    case keepOutline(SessionID, PayloadOutline, of: PayloadID)
    /// Verify and keep a chunk; answered by `payloadKept`.
    case keepChunk(SessionID, PayloadChunk)
    /// Look at chunks that could not be given to a peer, and fetch those again that are damaged or lost.
    case recheck(PayloadID, at: [UInt64])
    /// Decide whether a payload is kept for others, within a number of bytes; answered by `custodyDecided`.
    case takeCustody(SessionID, CustodyRequest, from: DeviceID, limit: UInt64)
    /// Stop keeping a payload for a device; answered by `custodyDecided`.
    case endCustody(SessionID, CustodyRequest, from: DeviceID)
    /// Remember a relay's answer about a payload that is kept for a message or a record.
    case noteCustody(DeviceID, CustodyAnswer, for: CustodyRequest.Kind)
    /// Begin an attempt to evict a payload; answered by `evictionBegun`.
    case beginEviction(PayloadID, attempt: UInt64)
    /// Drop a payload that other devices have promised to keep; answered by `evictionDone`.
    case evict(EvictionDrop)
    /// End an attempt to evict a payload; answered by `evictionUnended` where that fails.
    case endEviction(EvictionRow)
    /// Promise a peer to keep payloads, as far as they are held here; answered by `retentionDecided`.
    case retain(SessionID, RetentionRequest)
    /// Remember which contents a device of this account has stated that it holds.
    case noteHolders(RetentionAnswer, by: DeviceID)

    /// The follow-up of a change, after its notice.
    package struct Reply: Sendable {
        /// The inputs for the core, in their order.
        package var inputs: [SyncInput] = []
        /// Whether there may be payloads that the core could look for now.
        package var mayWantPayloads = false
        /// Whether there may be requests for relays that the core does not know.
        package var mayOweCustody = false

        /// Whether nothing follows.
        package var isEmpty: Bool { inputs.isEmpty && !mayWantPayloads && !mayOweCustody }
    }

    /// Whether the change may wait for another one, with which it shares a transaction.
    ///
    /// Sizes that a device has acknowledged are remembered so that fewer bytes are sent and kept for it; without them it states them again.
    package var isPatient: Bool {
        if case .acknowledge = self { true } else { false }
    }

    /// Makes the change.
    /// - Parameters:
    ///   - committer: The account, the keys and the time.
    ///   - random: For a new lifetime of the store.
    ///   - transaction: The store.
    /// - Returns: The reply, which is due once the transaction is durable.
    /// - Throws: `ReplicaError`, `CommitError`, or an error of the store; then the transaction's changes are undone, and ``failed(_:)``
    ///   has the reply.
    package func perform(
        by committer: Committer,
        random: inout some RandomNumberGenerator,
        in transaction: inout some NodeTransaction
    ) throws -> Changed<Reply> {
        switch self {
        case .apply(_, let run, let key, let purpose):
            let applied = try RunExchange(committer).apply(
                run,
                key: key,
                for: purpose,
                random: &random,
                in: &transaction
            )
            return Changed(reply(.success(applied)), notice: applied.notice)
        case .take(let session, let page, let comparison):
            let taken = try LiveSetIntake(committer).take(page, comparison: comparison, in: &transaction)
            return Changed(Reply(inputs: [.liveSetTaken(session, page.zone, taken.reply)]), notice: taken.notice)
        case .learn(_, let zone, let genesis):
            return Changed(
                Reply(),
                notice: try ZoneLifecycle(committer).learn(zone, genesis: genesis, in: &transaction)
            )
        case .join(_, let terms):
            let joined = try ZoneLifecycle(committer).join(terms.genesis, tagKey: terms.tagKey, in: &transaction)
            return Changed(Reply(), notice: joined.notice)
        case .met(let device, let address):
            try PeerMemory(committer).met(device, at: address, in: &transaction)
            return Changed(Reply())
        case .spoke(let version, let device):
            try PeerMemory(committer).spoke(version, with: device, in: &transaction)
            return Changed(Reply())
        case .acknowledge(let device, let sizes):
            try PeerMemory(committer).acknowledged(by: device, sizes, in: &transaction)
            return Changed(Reply())
        case .renewIfBehind(let signed):
            let recovery = RollbackRecovery(committer)
            return Changed(Reply(), notice: try recovery.renewIfBehind(signed, random: &random, in: &transaction))
        case .record(let proof):
            let notice = try RunExchange(committer).record(proof, random: &random, in: &transaction)
            let found: [SyncInput] = notice.anomalies.isEmpty ? [] : [.anomaliesFound(nil, notice.anomalies)]
            return Changed(Reply(inputs: found), notice: notice)
        case .noteEmptyLogs(let zone, let logs):
            return Changed(
                Reply(),
                notice: try AccountUpkeep(committer).noteEmptyLogs(logs, zone: zone, in: &transaction)
            )
        case .serve(let session, let attempt):
            let served = try GuestWrites(committer).serve(attempt, in: &transaction)
            return Changed(Reply(inputs: [attempt.input(session, served.reply)]), notice: served.notice)
        case .keepOutline(_, let outline, let payload):
            let kept = try Payloads(committer).keep(outline, of: payload, in: &transaction)
            return Changed(reply(kept.reply), notice: kept.notice)
        case .keepChunk(_, let chunk):
            let kept = try Payloads(committer).keep(chunk, in: &transaction)
            return Changed(reply(kept.reply), notice: kept.notice)
        case .recheck(let payload, let positions):
            return Changed(
                Reply(),
                notice: try Payloads(committer).recheck(payload, at: positions, in: &transaction)
            )
        case .takeCustody(let session, let request, let device, let limit):
            let taken = try Custody(committer).take(request, from: device, limit: limit, in: &transaction)
            return Changed(Self.decided(taken.reply, about: request, on: session), notice: taken.notice)
        case .endCustody(let session, let request, let device):
            let ended = try Custody(committer).end(request, from: device, in: &transaction)
            return Changed(Self.decided(ended.reply, about: request, on: session), notice: ended.notice)
        case .noteCustody(let relay, let answer, let purpose):
            let notice = try Custody(committer).note(answer, by: relay, for: purpose, in: &transaction)
            return Changed(Reply(mayOweCustody: true), notice: notice)
        case .beginEviction, .evict, .endEviction, .retain, .noteHolders:
            return try performEviction(by: committer, in: &transaction)
        }
    }

    /// Makes a change about evictions.
    private func performEviction(
        by committer: Committer,
        in transaction: inout some NodeTransaction
    ) throws -> Changed<Reply> {
        let evictions = Evictions(committer)
        switch self {
        case .beginEviction(let payload, let attempt):
            let begun = try evictions.begin(payload, attempt: attempt, in: &transaction)
            return Changed(Reply(inputs: [.evictionBegun(begun.reply, attempt: attempt)]), notice: begun.notice)
        case .evict(let drop):
            let done = try evictions.evict(drop, in: &transaction)
            return Changed(Reply(inputs: [.evictionDone(done.reply, attempt: drop.attempt)]), notice: done.notice)
        case .endEviction(let row):
            return Changed(Reply(), notice: try evictions.end(row, in: &transaction))
        case .retain(let session, let request):
            let retained = try evictions.retain(request, in: &transaction)
            let answer = SyncInput.retentionDecided(session, request, retained.reply)
            return Changed(Reply(inputs: [answer]), notice: retained.notice)
        case .noteHolders(let answer, let device):
            return Changed(Reply(), notice: try Holders(committer).note(answer, by: device, in: &transaction))
        default:
            assertionFailure("it is a change about evictions")
            return Changed(Reply())
        }
    }

    /// Returns the reply to a change that was not made.
    ///
    /// An acknowledgement that is lost here is sent again at the next comparison, an answer of a relay in its next session; about
    /// empty logs peers are asked again while operations wait; a damaged chunk is found again by the next peer that asks for it; about
    /// contents devices are asked again in the next round.
    /// - Parameter error: The error of the change, or of its transaction.
    /// - Returns: The reply.
    package func failed(_ error: any Error) -> Reply {
        switch self {
        case .apply: reply(.failure(error))
        case .take(let session, let page, _): Reply(inputs: [.liveSetTaken(session, page.zone, .storageFailed)])
        case .learn(let session, let zone, _): Reply(inputs: [.zoneRefused(session, zone)])
        case .join(let session, let terms): Reply(inputs: [.zoneRefused(session, ZoneID(terms.genesis))])
        case .serve(let session, let attempt):
            Reply(inputs: [attempt.input(session, GuestAnswer.Outcome(.failure(error)))])
        case .keepOutline, .keepChunk: reply(PayloadOutcome(.failure(error)))
        case .takeCustody(let session, let request, _, _), .endCustody(let session, let request, _):
            Reply(inputs: [.custodyDecided(session, request, .full)])
        case .noteCustody: Reply(mayOweCustody: true)
        case .beginEviction(_, let attempt): Reply(inputs: [.evictionBegun(.refused(.storage), attempt: attempt)])
        case .evict(let drop): Reply(inputs: [.evictionDone(.refused(.storage), attempt: drop.attempt)])
        case .endEviction(let row): Reply(inputs: [.evictionUnended(row)])
        case .retain(let session, let request):
            Reply(inputs: [.retentionDecided(session, request, RetentionAnswer(to: request, .refused))])
        case .met, .spoke, .acknowledge, .renewIfBehind, .record, .noteEmptyLogs, .recheck, .noteHolders: Reply()
        }
    }

    /// The reply to a change for which the queue of commits has no place.
    package var refused: Reply {
        switch self {
        case .apply(let session, _, let key, _): Reply(inputs: [.runApplied(session, key, .storageFailed)])
        case .serve(let session, let attempt): Reply(inputs: [attempt.input(session, .refused(.busy))])
        case .noteCustody: Reply()
        default: failed(StorageError(code: .closed, message: "the queue of commits is full"))
        }
    }

    /// The reply about a run.
    private func reply(_ result: Result<Changed<RunOutcome>, any Error>) -> Reply {
        guard case .apply(let session, let run, let key, _) = self else { return Reply() }
        var inputs: [SyncInput] = []
        if case .success(let applied) = result, !applied.notice.anomalies.isEmpty {
            inputs.append(.anomaliesFound(session, applied.notice.anomalies))
        }
        inputs.append(.runApplied(session, key, RunOutcome(result.map(\.reply), of: run)))
        return Reply(inputs: inputs)
    }

    /// The reply about a part of a payload.
    ///
    /// Where it ends the fetching, there is room for another payload.
    private func reply(_ outcome: PayloadOutcome) -> Reply {
        switch self {
        case .keepOutline(let session, _, let payload):
            Reply(
                inputs: [.payloadKept(session, payload, position: nil, outcome)],
                mayWantPayloads: outcome.endsFetching
            )
        case .keepChunk(let session, let chunk):
            Reply(
                inputs: [.payloadKept(session, chunk.payload, position: chunk.position, outcome)],
                mayWantPayloads: outcome.endsFetching
            )
        default: Reply()
        }
    }

    /// The reply about a payload that is kept for others; it may have to be fetched.
    private static func decided(
        _ outcome: CustodyAnswer.Outcome?,
        about request: CustodyRequest,
        on session: SessionID
    ) -> Reply {
        Reply(
            inputs: [.custodyDecided(session, request, outcome)],
            mayWantPayloads: true,
            mayOweCustody: true
        )
    }
}

extension PayloadOutcome {
    /// Whether nothing more is fetched of the payload.
    package var endsFetching: Bool { self == .complete || self == .unwanted }
}

extension GuestAttempt {
    /// The input for the core about this request.
    fileprivate func input(_ session: SessionID, _ outcome: GuestAnswer.Outcome) -> SyncInput {
        .guestWriteServed(session, write.zone, number: write.number, outcome)
    }
}
