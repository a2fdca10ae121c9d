import Identity
import Logging
import Sync
import Wire

// Writing in public zones for accounts that hold no right there: as the zone's administrator, and as the guest.
extension SyncService {
    /// Reads the account that asks for writes, and has the store decide and make them.
    ///
    /// A whole account log is examined, so it is not done here, where all sessions wait.
    func serve(
        _ request: GuestWrite,
        on session: SessionID,
        from device: DeviceID,
        of account: AccountID,
        in group: inout DiscardingTaskGroup
    ) {
        group.addTask { [dependencies, mailbox] in
            let attempt: GuestAttempt
            do {
                // Merged with the known log of the account: a device of it may have been removed since.
                let log = try dependencies.identity.contacts.merged(request.entries, of: account)
                attempt = GuestAttempt(device: device, account: log.state, write: request)
            } catch {
                dependencies.logger.notice("account of a guest refused", metadata: ["error": "\(error)"])
                mailbox.put(
                    .input(.guestWriteServed(session, request.zone, number: request.number, .refused(.badAccount)))
                )
                return
            }
            self.write(.serve(session, attempt))
        }
    }

    // MARK: As the guest

    /// Asks a device that rules a public zone to write there for this account.
    /// - Parameters:
    ///   - writes: The writes; at least one, in the order of the results.
    ///   - zone: The zone.
    ///   - isAtomic: Whether all or none are made.
    /// - Returns: The outcome, durable there; the writes come here with the next synchronisation.
    func askHost(_ writes: [GuestRecordWrite], zone: ZoneID, isAtomic: Bool) async -> GuestSettlement {
        // No peer would answer.
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

    /// Resumes the caller that waits for an order, with the outcome.
    func settled(_ id: UInt64, _ settlement: GuestSettlement) {
        guestOrders.waiting.removeValue(forKey: id)?.resume(returning: settlement)
    }

    /// Resumes all callers that wait for answers that will not come: this service ends, or its account has changed.
    func giveUpGuestOrders(closing: Bool) {
        if closing { guestOrders.isClosed = true }
        let waiting = guestOrders.waiting
        guestOrders.waiting = [:]
        for id in waiting.keys.sorted() { waiting[id]?.resume(returning: .unknown) }
    }
}

/// The callers that wait for a device that administers a public zone.
///
/// Bounded by `SyncLimits.guestOrderCountMax`: the core settles further orders at once, and all others in seconds.
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
