package import Wire

/// An account that this one wants nothing to do with.
package struct BlockStatus: Sendable, Hashable {
    /// The account.
    package var account: AccountID
    /// Since when; milliseconds since 1970.
    package var sinceMilliseconds: UInt64

    /// Makes a status.
    package init(account: AccountID, sinceMilliseconds: UInt64) {
        self.account = account
        self.sinceMilliseconds = sinceMilliseconds
    }
}
