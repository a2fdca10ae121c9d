package import Wire

/// A relay that the account uses, as far as this device knows.
package struct RelayStatus: Sendable, Hashable {
    /// How it stands with it.
    package enum State: String, Sendable, CaseIterable {
        /// It does not answer; it is tried again.
        case unreachable
        /// It is being called.
        case connecting
        /// It keeps parcels, and hands them out.
        case connected
        /// It hands parcels out, and has no room for more.
        case full
        /// It does not let the account in (any more).
        case refused
    }

    /// Which it is.
    package var relay: RelayID
    /// Where it is reached, as "host:port"; at least one.
    package var addresses: [String]
    /// How it stands with it.
    package var state: State
    /// Whether the account uses it by an admission of its own; else others have announced it, and it is used for their devices.
    package var isOwn: Bool
    /// The other accounts whose devices look there, ascending.
    package var accounts: [AccountID]
    /// Bytes that it keeps under the account's admission; `nil` while it has not said so.
    package var storedByteCount: UInt64?
    /// Bytes that it would keep; `nil` while it has not said so.
    package var quotaByteCount: UInt64?
    /// What it keeps them in, such as `sqlite` or `jetstream`; `nil` while it has not said so.
    package var backend: String?
    /// Parcels that this device left there and of which it has heard nothing yet.
    package var waitingCount: UInt64
    /// Since when the account uses it, in milliseconds since 1970; `nil` for one that others have announced.
    package var sinceMilliseconds: UInt64?

    /// Makes a status.
    /// - Parameters: as the properties of the same names.
    package init(
        relay: RelayID,
        addresses: [String],
        state: State,
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
