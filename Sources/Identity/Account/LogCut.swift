package import Wire

/// How much of one log of a device counts.
package enum LogCut: Hashable, Sendable {
    /// All of it: the device is in the account.
    case none

    /// The first `size` operations, if the log's tree of that size has this root.
    case at(size: UInt64, root: Hash)

    /// Nothing: the device was removed and the removal does not list the log, or the account does not know the device.
    case zero
}
