package import KairanInterface
package import Wire

/// A relay that the account uses, as far as this device knows.
package struct RelayStatus: Sendable, Hashable {
    /// The relay.
    package var relay: RelayID
    /// The addresses at which it is reached, as "host:port"; at least one.
    package var addresses: [String]
    /// The state of the connection.
    package var state: Relay.State
    /// Whether the account uses it by an admission of its own; else other accounts have announced it, and it is used
    /// for their devices.
    package var isOwn: Bool
    /// The other accounts whose devices fetch parcels there, ascending.
    package var accounts: [AccountID]
    /// Bytes that it keeps under the account's admission; `nil` while it has not reported them.
    package var storedByteCount: UInt64?
    /// The most bytes that it keeps; `nil` while it has not reported that.
    package var quotaByteCount: UInt64?
    /// Its storage of parcels, such as `sqlite` or `jetstream`; `nil` while it has not reported it.
    package var backend: String?
    /// Parcels that this device left there and whose delivery is not yet acknowledged.
    package var waitingCount: UInt64
    /// The time since which the account uses it, in milliseconds since 1970; `nil` for one that other accounts have
    /// announced.
    package var sinceMilliseconds: UInt64?

    /// Makes a status.
    /// - Parameters: as the properties of the same names.
    package init(
        relay: RelayID,
        addresses: [String],
        state: Relay.State,
        isOwn: Bool = true,
        accounts: [AccountID] = [],
        storedByteCount: UInt64? = nil,
        quotaByteCount: UInt64? = nil,
        backend: String? = nil,
        waitingCount: UInt64 = 0,
        sinceMilliseconds: UInt64? = nil
    ) {
        self.relay = relay
        self.addresses = addresses
        self.state = state
        self.isOwn = isOwn
        self.accounts = accounts
        self.storedByteCount = storedByteCount
        self.quotaByteCount = quotaByteCount
        self.backend = backend
        self.waitingCount = waitingCount
        self.sinceMilliseconds = sinceMilliseconds
    }
}
