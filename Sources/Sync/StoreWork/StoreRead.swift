import Records
package import Wire

/// A question of the core, or of its driver, to the store.
///
/// It is answered from a snapshot, beside the writer. The store may change before the answer arrives, so the core treats each answer as
/// possibly outdated.
package enum StoreRead: Sendable {
    /// The next run of a log; answered by `runRead`.
    case run(SessionID, LogKey, from: UInt64, byteCount: Int)
    /// The newest head of a log, with the hashes under it; answered by `runRead`.
    case skeleton(SessionID, LogKey)
    /// This device's operations in a zone that are not effective; answered by `depositsRead`.
    ///
    /// They are those above the sizes that the peer holds, where it stated them; else above the places where the logs
    /// end by the knowledge of this device.
    case deposits(SessionID, ZoneID, above: [ActorLane: UInt64]?)
    /// A page of the live set under the adopted checkpoint; answered by `liveSetRead`.
    case liveSet(SessionID, LiveSetRequest)
    /// The part of a payload that a peer asks for, which may be a device of this account; answered by `payloadRead`.
    case payload(SessionID, PayloadRequest, isOwn: Bool)
    /// Payloads that are wanted, without the known ones; answered by a `payloadWanted` for each, and `payloadsSearched`.
    case wantedPayloads(PayloadSearch)
    /// The requests for relays about payloads of messages; answered by `custodyDue`.
    case custodyJobs(limit: Int)
    /// Contents of records that relays are to keep; answered by `custodySearched`.
    case contentsToKeep(CustodySearch)
    /// The payloads that are held here, of those that a peer asks about; answered by `retentionDecided`.
    case holding(SessionID, RetentionRequest)
    /// The contents about which the device of a session is to be asked; answered by `holdersSearched`.
    case holders(SessionID, HolderSearch)

    /// Operations at the end of a log that are few enough for ``isBrief(in:)``.
    private static let briefOperationCount: UInt64 = 64

    /// Whether ``isBrief(in:)`` may be true.
    package var mayBeBrief: Bool { if case .run = self { true } else { false } }

    /// Whether few rows answer the question: the peer stands closely behind the log that it is sent.
    /// - Parameter transaction: A snapshot of the store.
    /// - Returns: False where the answer may take longer than a change of threads.
    /// - Throws: Any error of the store.
    package func isBrief(in transaction: some NodeTransaction) throws -> Bool {
        guard case .run(_, let key, let from, _) = self, let log = try transaction.log(key) else { return false }
        return log.size < from || log.size - from <= Self.briefOperationCount
    }

    /// Answers the question.
    /// - Parameters:
    ///   - committer: The account and the time.
    ///   - transaction: A snapshot of the store.
    /// - Returns: The inputs for the core, in their order.
    /// - Throws: `ReplicaError`, or an error of the store; then the core is given ``unanswered``.
    /// - Complexity: O(bytes of the answer), and for a live set O(control operations).
    package func answer(
        by committer: Committer,
        in transaction: some NodeTransaction
    ) throws -> [SyncInput] {
        switch self {
        case .run(let session, let key, let from, let byteCount):
            let run = try RunExchange(committer).run(key, from: from, byteCount: byteCount, in: transaction)
            return [.runRead(session, key, run, byteCount: run?.approximateByteCount ?? 0)]
        case .skeleton(let session, let key):
            let run = try RunExchange(committer).skeleton(key, in: transaction)
            return [.runRead(session, key, run, byteCount: run?.approximateByteCount ?? 0)]
        case .deposits(let session, let zone, let held):
            return [
                .depositsRead(session, zone, try RunExchange(committer).deposits(in: zone, above: held, transaction))
            ]
        case .liveSet(let session, let request):
            return [.liveSetRead(session, try request.page(in: transaction))]
        case .payload(let session, let request, let isOwn):
            let answer = try Payloads(committer).answer(request, toOwnDevice: isOwn, in: transaction)
            return [.payloadRead(session, request, answer)]
        case .wantedPayloads(let search):
            let found = try Payloads(committer).wants(search, in: transaction)
            return found.wants.map { .payloadWanted($0) }
                + [.payloadsSearched(through: found.through, isAtEnd: found.isAtEnd)]
        case .custodyJobs(let limit):
            return [.custodyDue(try Custody(committer).jobs(limit: limit, in: transaction))]
        case .contentsToKeep(let search):
            return [.custodySearched(try Custody(committer).contents(search, in: transaction))]
        case .holding(let session, let request):
            let answer = try Evictions(committer).holding(request, in: transaction)
            return [.retentionDecided(session, request, answer)]
        case .holders(let session, let search):
            return [.holdersSearched(session, try Holders(committer).search(search, in: transaction))]
        }
    }

    /// The inputs for the core where the store could not be read.
    ///
    /// Deposits are read again in the next session, the requests for relays at the next occasion, wanted payloads in the next round of the
    /// search, and contents to ask about in the next round of questions.
    package var unanswered: [SyncInput] {
        switch self {
        case .run(let session, let key, _, _), .skeleton(let session, let key):
            [.runRead(session, key, nil, byteCount: 0)]
        case .liveSet(let session, let request): [.liveSetRead(session, LiveSetPage(nothingOf: request.zone))]
        case .payload(let session, let request, _): [.payloadRead(session, request, .none)]
        case .wantedPayloads: [.payloadsSearched(through: 0, isAtEnd: true)]
        case .holding(let session, let request):
            [.retentionDecided(session, request, RetentionAnswer(to: request, .refused))]
        case .holders(let session, _): [.holdersSearched(session, HolderFinding())]
        case .contentsToKeep: [.custodySearched(nil)]
        case .deposits, .custodyJobs: []
        }
    }
}
