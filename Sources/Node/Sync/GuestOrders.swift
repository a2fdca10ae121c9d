import Sync

/// The callers that wait for a device that administers a public zone.
///
/// Bounded by `SyncLimits.guestOrderCountMax`: the core settles further orders at once, and all others in seconds.
struct GuestOrders {
    private var waiting: [UInt64: CheckedContinuation<GuestSettlement, Never>] = [:]
    /// Whether no device will answer, because the service has ended.
    private(set) var isClosed = false
    private var last: UInt64 = 0

    /// A name that no other order has.
    mutating func next() -> UInt64 {
        last += 1
        return last
    }

    /// Adds the caller that waits for an order.
    mutating func add(_ continuation: CheckedContinuation<GuestSettlement, Never>, for order: UInt64) {
        waiting[order] = continuation
    }

    /// Resumes the caller that waits for an order, with the outcome.
    mutating func settle(_ order: UInt64, _ settlement: GuestSettlement) {
        waiting.removeValue(forKey: order)?.resume(returning: settlement)
    }

    /// Resumes all callers: the account has changed, and no answer will come.
    mutating func giveUp() {
        let orders = waiting
        waiting = [:]
        for order in orders.keys.sorted() { orders[order]?.resume(returning: .unknown) }
    }

    /// Resumes all callers, and lets no other wait: the service ends.
    mutating func close() {
        isClosed = true
        giveUp()
    }
}
