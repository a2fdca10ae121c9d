import Identity
import Logging
import Sync
import Wire

// Writing in public zones for accounts that hold no right there: as who rules the zone, and as the guest.
extension SyncService {
    /// Decides about what a session's device asks, and writes it.
    ///
    /// A whole account log is looked into, so it is not done here, where all sessions wait.
    func serve(_ write: GuestWrite, session: SessionID, in group: inout DiscardingTaskGroup) {
        guard let link = links[session] else { return }
        let (device, account) = (link.device, link.account)
        group.addTask { [dependencies, mailbox] in
            @Sendable func answer(_ outcome: GuestAnswer.Outcome) {
                mailbox.put(.input(.guestWriteServed(session, write.zone, number: write.number, outcome)))
            }
            let attempt: GuestAttempt
            do {
                // Together with what is known of the account already: its log may have been removed from.
                let log = try dependencies.identity.contacts.merged(write.entries, of: account)
                attempt = GuestAttempt(device: device, account: log.state, write: write)
            } catch {
                dependencies.logger.notice("account of a guest refused", metadata: ["error": "\(error)"])
                answer(.refused(.badAccount))
                return
            }
            let accepted = dependencies.commits.enqueue { [replica = dependencies.replica] transaction in
                try replica.change(&transaction) { try $0.serve(attempt, in: &$2) }
            } completion: { [replica = dependencies.replica, logger = dependencies.logger] result in
                replica.announce(result)
                if case .failure(let error) = result {
                    logger.notice("guest not served", metadata: ["error": "\(error)"])
                }
                answer(GuestAnswer.Outcome(result.map { ($0 as? StoreNotice)?.commit ?? CommitNotice() }))
            }
            if !accepted { answer(.refused(.busy)) }
        }
    }

    // MARK: As the guest

    /// Asks a device that rules a public zone to write there for this account.
    /// - Parameters:
    ///   - writes: What; at least one, in the order of the results.
    ///   - zone: Where.
    ///   - isAtomic: Whether all or none.
    /// - Returns: What became of it, durable there; it comes here with the next synchronisation.
    func askHost(_ writes: [GuestRecordWrite], zone: ZoneID, isAtomic: Bool) async -> GuestSettlement {
        // Nobody would answer.
        guard !guestOrders.isClosed else { return .unreachable }
        let identity = dependencies.identity
        let order = GuestOrder(
            id: guestOrders.next(),
            zone: zone,
            isAtomic: isAtomic,
            writes: writes,
            entries: identity.log(of: identity.account)?.entries ?? []
        )
        return await withCheckedContinuation { continuation in
            guestOrders.waiting[order.id] = continuation
            mailbox.put(.input(.requestWrite(order)))
        }
    }

    /// Tells whoever waits for it what became of an order.
    func settled(_ id: UInt64, _ settlement: GuestSettlement) {
        guestOrders.waiting.removeValue(forKey: id)?.resume(returning: settlement)
    }

    /// Lets nobody wait for answers that will not come: this service ends, or its account has changed.
    func giveUpGuestOrders(closing: Bool) {
        if closing { guestOrders.isClosed = true }
        let waiting = guestOrders.waiting
        guestOrders.waiting = [:]
        for id in waiting.keys.sorted() { waiting[id]?.resume(returning: .unknown) }
    }
}

/// Who waits for a device that rules a public zone.
///
/// Bounded by `SyncLimits.guestOrderCountMax`: the core settles what is beyond it at once, and all else in seconds.
struct GuestOrders {
    var waiting: [UInt64: CheckedContinuation<GuestSettlement, Never>] = [:]
    /// Whether the service has ended.
    var isClosed = false
    private var last: UInt64 = 0

    /// A name that no other order has.
    mutating func next() -> UInt64 {
        last += 1
        return last
    }
}
