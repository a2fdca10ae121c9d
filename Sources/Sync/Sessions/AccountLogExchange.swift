import Wire

/// The exchange of accounts' logs with a peer.
struct AccountLogExchange: Sendable {
    /// The heads that the peer stated last.
    var heads: [AccountID: [Hash]]
    /// Our heads when the peer was last sent the entries that it lacked: it has all entries that they cover.
    var told: [AccountID: [Hash]] = [:]
    /// The time at which the peer was last asked for the log of each account that is not known here.
    private var asked: [AccountID: UInt64] = [:]
    /// Whether the peer, a device of this account, is sent other accounts' heads again with its first comparison: it
    /// may not have known this device before, and dropped them.
    var tellsHeadsAgain = false
    /// The logs of accounts that are not known here and that the peer, a device of this account, has.
    var fetches = LogFetches()
    /// The entries received of an account's log of which more is to come.
    var arriving = ArrivingEntries()

    init(heads: [AccountID: [Hash]]) { self.heads = heads }

    /// The peer is to be asked for an account's log; once in a while, since a device that learns one sends it.
    /// - Returns: Whether it is asked now.
    mutating func ask(_ other: AccountID, at now: UInt64, _ limits: SyncLimits) -> Bool {
        if let last = asked[other], now < last + limits.antiEntropyMilliseconds { return false }
        asked[other] = now
        return true
    }
}
