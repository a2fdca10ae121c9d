package import Wire

/// An account that this one has blocked.
package struct BlockStatus: Sendable, Hashable {
    /// The account.
    package var account: AccountID
    /// The start of the block, in milliseconds since 1970.
    package var sinceMilliseconds: UInt64

    /// Makes a status.
    package init(account: AccountID, sinceMilliseconds: UInt64) {
        self.account = account
        self.sinceMilliseconds = sinceMilliseconds
    }
}
