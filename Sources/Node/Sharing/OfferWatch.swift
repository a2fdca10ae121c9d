import Logging
import Records
import Sync
import Wire

/// Raises a warning while a zone that another account offers to this one waits for an answer.
final class OfferWatch: Sendable {
    /// The zones that the warning names: an owner may offer any number.
    private static let namedCountMax = 4
    /// The warning that is raised while a zone is offered to this account.
    private static let code = "zone.offered"

    private let store: CallerStore
    private let wakes: AsyncStream<Void>
    private let wakeContinuation: AsyncStream<Void>.Continuation

    /// Makes a watch that looks once when it begins to run.
    init(_ store: CallerStore) {
        self.store = store
        (wakes, wakeContinuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        wakeContinuation.yield()
    }

    /// Says that an offer of a zone, or the answer to one, may have come or ended.
    func wake() { wakeContinuation.yield() }

    /// Looks whenever it is woken, until its task is cancelled.
    func run() async {
        for await _ in wakes {
            do {
                try await look()
            } catch {
                store.commitService.logger.info("offers of zones could not be read", metadata: ["error": "\(error)"])
            }
        }
    }

    /// Raises the warning that zones are offered to this account and wait for its answer, or clears it.
    private func look() async throws(NodeError) {
        let (offered, names) = try await store.read { [store] transaction in
            let offered = try store.transfersWaiting(in: transaction)
            return (offered, try offered.isEmpty ? AccountNames([]) : AccountNames(store.committer, transaction))
        }
        let waiting = offered.sorted { ($0.openedMilliseconds, $0.invite) < ($1.openedMilliseconds, $1.invite) }
        let health = store.commitService.health
        guard let first = waiting.first else { return health.clear(Self.code) }
        let named = waiting.prefix(Self.namedCountMax)
        let shown = named.map { zone in
            let owner = names[zone.account]
            // The other account has chosen its own name, which may look like anybody's: its id goes with it.
            let chosen = owner.displayName.map { "\($0) (\(zone.account.shortText))" }
            return "\(zone.zoneName ?? zone.shortZone) by \(owner.petname ?? chosen ?? zone.account.shortText)"
        }
        let more = waiting.count > shown.count ? [" and \(waiting.count - shown.count) more"] : []
        health.set(
            HealthWarning(
                code: Self.code,
                severity: .info,
                message: "Offered to this account, which has not answered: \((shown + more).joined(separator: ", ")).",
                // By its id: another account has chosen the name, and a shell may take it for more than a name.
                fix:
                    "`kairan share accept \(first.shortZone)` accepts it, `kairan share decline \(first.shortZone)` declines it.",
                facts: ["zone.id": named.map(\.shortZone).joined(separator: ", ")]
            )
        )
    }
}

extension CallerStore {
    /// The zones that their owners offer to this account, and that this account has not answered for.
    func transfersWaiting(in transaction: any NodeTransaction) throws -> [OpenJoinStatus] {
        try ZoneTransfers(committer).waiting(in: transaction).map { zone, owner, since in
            OpenJoinStatus(
                invite: zone.id.text,
                account: owner,
                state: .transferOffered,
                zoneName: zone.genesis.name,
                openedMilliseconds: since
            )
        }
    }
}

extension OpenJoinStatus {
    /// The first characters of the id of an offered zone.
    fileprivate var shortZone: String { String(invite.prefix(8)) }
}
