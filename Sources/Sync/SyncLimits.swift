/// The numbers that bound synchronisation, each with its reason; a test or a simulation may pass others.
package struct SyncLimits: Sendable {
    /// Bytes of runs a peer may have received and not acknowledged yet: enough to keep a gigabit link busy over 50 ms.
    package var windowByteCount = 8 << 20
    /// Runs that are read from the store ahead of sending, for each session: one is sent while the next is read.
    package var readAheadCount = 2
    /// Bytes that one run should have: large enough for one fsync to carry thousands of records, small enough that a
    /// live change behind it waits little.
    package var runByteCount = 1 << 20
    /// Time between two comparisons with a peer in sync, in milliseconds; the jitter is a fifth.
    package var antiEntropyMilliseconds: UInt64 = 60_000
    /// Time between two pings, in milliseconds.
    package var pingMilliseconds: UInt64 = 20_000
    /// Silence after which a session counts as dead, in milliseconds: two pings and a half.
    package var silenceMilliseconds: UInt64 = 50_000
    /// How long a paused peer is left alone before it is tried again, in milliseconds.
    package var pauseMilliseconds: UInt64 = 15_000
    /// How long an unconfirmed device may stay connected, in milliseconds: long enough to show an account log.
    package var confirmationMilliseconds: UInt64 = 10_000
    /// How long an operation of somebody else waits before it is passed on, in milliseconds: its author usually
    /// delivers it to everybody first, and an acknowledgement heard in the meantime saves the sending.
    package var forwardDelayMilliseconds: UInt64 = 60
    /// Sessions kept at the same time; further ones are refused.
    package var sessionCountMax = 64

    /// The production numbers.
    package init() {}
}
