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
        group.addTask { [dependencies, facts] in
            let attempt: GuestAttempt
            do {
                // Merged with the known log of the account: a device of it may have been removed since.
                let log = try dependencies.identity.contacts.merged(request.entries, of: account)
                attempt = GuestAttempt(device: device, account: log.state, write: request)
            } catch {
                dependencies.logger.notice("account of a guest refused", metadata: ["error": "\(error)"])
                facts.put(
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
            guestOrders.add(continuation, for: order.id)
            facts.put(.input(.requestWrite(order)))
        }
    }
}
