internal import CNATS

/// An inbox for requests that have several answers.
///
/// It is reused, because each new one is announced to all servers of a cluster.
///
/// SAFETY: one call at a time uses it, having taken it out of the pool; libnats's own threads only add to its queue.
/// So it is sendable.
@safe
final class NATSInbox: @unchecked Sendable {
    private let subscription: OpaquePointer
    private let address: String
    private var serial: UInt64 = 0

    /// Makes one.
    /// - Parameter connection: Of libnats; it outlives the inbox.
    /// - Throws: `StreamError`.
    init(_ connection: OpaquePointer) throws(StreamError) {
        var made: UnsafeMutablePointer<natsInbox>?
        try NATSConnection.check(unsafe natsInbox_Create(&made), "inbox")
        guard let inbox = unsafe made else { throw .failed("no memory") }
        defer { unsafe natsInbox_Destroy(inbox) }
        address = unsafe String(cString: inbox)
        var subscribed: OpaquePointer?
        let status = unsafe natsConnection_SubscribeSync(&subscribed, connection, "\(address).>")
        try NATSConnection.check(status, "subscribing")
        guard let subscription = unsafe subscribed else { throw .failed("no memory") }
        unsafe self.subscription = subscription
        try NATSConnection.check(unsafe natsSubscription_SetPendingLimits(subscription, -1, -1), "subscribing")
    }

    deinit {
        // SAFETY: no call waits at it any more, or self would be held.
        unsafe natsSubscription_Destroy(subscription)
    }

    /// The subject for answers to the next requests, up to the index of each; different for each call.
    func nextAddress() -> String {
        serial += 1
        return "\(address).\(serial)."
    }

    /// Waits for the next message.
    /// - Parameter turn: Milliseconds.
    /// - Returns: It; the caller destroys it.
    /// - Throws: `StreamError`, also when none comes.
    func next(within turn: Int64) throws(StreamError) -> OpaquePointer? {
        var reply: OpaquePointer?
        try NATSConnection.check(unsafe natsSubscription_NextMsg(&reply, subscription, turn), "waiting for an answer")
        return unsafe reply
    }
}
