import Wire

/// The signs of life of a peer: the last message, and pings.
struct Liveness: Sendable {
    var lastHeard: UInt64
    private(set) var nextPing: UInt64
    var pingSent: (nonce: UInt64, at: UInt64)?
    /// The time that the last ping took to be answered, in milliseconds.
    private(set) var roundTripMilliseconds: UInt64?

    init(at now: UInt64) {
        lastHeard = now
        nextPing = now
    }

    /// The time at which the peer is pinged next, or has been silent for too long.
    func deadline(_ limits: SyncLimits) -> UInt64 { min(nextPing, silentAt(limits)) }

    func silentAt(_ limits: SyncLimits) -> UInt64 { lastHeard + limits.silenceMilliseconds }

    mutating func pinged(_ nonce: UInt64, at now: UInt64, next: UInt64) {
        pingSent = (nonce, now)
        nextPing = next
    }

    /// Has the peer pinged at once if nothing was heard of it for a while, unless the last ping is that young.
    mutating func pingSoon(after silence: UInt64, at now: UInt64) {
        if now >= max(lastHeard, pingSent?.at ?? 0) + silence { nextPing = now }
    }

    /// Takes the answer to the last ping.
    /// - Returns: The round trip, in milliseconds; `nil` for another answer.
    mutating func answered(_ nonce: UInt64, at now: UInt64) -> UInt64? {
        guard let ping = pingSent, ping.nonce == nonce else { return nil }
        pingSent = nil
        roundTripMilliseconds = now >= ping.at ? now - ping.at : 0
        return roundTripMilliseconds
    }
}
