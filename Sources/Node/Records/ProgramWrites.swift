import Records
import Sync
import Wire

/// The writes of programs, made here or by a device that administers the zone.
struct ProgramWrites: Sendable {
    /// The outcome of a request to write.
    private enum Outcome: Sendable {
        /// The writes were made or refused: one result a write.
        case written([Result<RecordView, NodeError>])
        /// Nothing was written; another device is to be asked to make the writes.
        case asked(GuestQuestion, PreparedWrites)
    }

    let store: CallerStore
    let sync: SyncService

    /// Makes writes in a zone.
    /// - Parameters:
    ///   - reference: The zone; see ``ZoneReference``.
    ///   - isAtomic: Whether all or none are made.
    ///   - isGrowing: Whether another device is asked only if the caller stores less than it may.
    ///   - writes: Returns the writes, at least one.
    /// - Returns: For each write the record as it left it, or its refusal; durable.
    /// - Throws: `NodeError`, for an atomic request the one of its first refused write.
    func perform(
        in reference: String,
        isAtomic: Bool,
        isGrowing: Bool,
        _ writes: @escaping @Sendable (ZoneID, any NodeTransaction) throws -> [RecordWrite]
    ) async throws(NodeError) -> [Result<RecordView, NodeError>] {
        let outcome: Outcome = try await store.write(in: reference) { zone, transaction in
            let committer = store.committer
            let requests = try writes(zone.id, transaction)
            if try GuestWrites(committer).needsHost(requests, zone: zone.id, in: transaction) {
                if isGrowing { try store.limit.check(adding: requests, in: transaction) }
                // The other device does not know the content that was uploaded here; it gets the secrets with the writes.
                let prepared = try PreparedWrites(
                    requests,
                    isAtomic: isAtomic,
                    zone: zone.id,
                    by: committer,
                    in: &transaction
                )
                return Changed(.asked(GuestQuestion(zone: zone.id, writes: prepared.writes), prepared))
            }
            let written = try store.limit.keep(zone: zone.id, in: &transaction) { transaction in
                try PreparedWrites(requests, isAtomic: isAtomic, zone: zone.id, by: committer, in: &transaction)
                    .commit(isAtomic: isAtomic, by: committer, in: &transaction)
            }
            return Changed(.written(written.reply), notice: written.notice)
        }
        switch outcome {
        case .written(let results): return results
        case .asked(let question, let prepared):
            guard !question.writes.isEmpty else { return prepared.withRefused([]) }
            return prepared.withRefused(try await ask(question, isAtomic: isAtomic))
        }
    }

    /// Asks a peer to make writes that this account may not make itself.
    /// - Parameters:
    ///   - question: The writes.
    ///   - isAtomic: Whether all or none are made.
    /// - Returns: For each write the record as it left it, or its refusal.
    /// - Throws: `NodeError` for a refusal of the request as a whole, for the first refused write of an atomic
    ///   request, and where the outcome is not known.
    private func ask(
        _ question: GuestQuestion,
        isAtomic: Bool
    ) async throws(NodeError) -> [Result<RecordView, NodeError>] {
        let writes = try question.messages()
        switch await sync.askHost(writes, zone: question.zone, isAtomic: isAtomic) {
        case .answered(let outcome): return try question.told(outcome, isAtomic: isAtomic)
        case .unreachable: throw .guestUnreachable
        case .busy: throw NodeError(.busy, "Too many writes in public zones wait.", fix: "Try again in a moment.")
        case .unknown: throw .guestUncertain
        }
    }
}
