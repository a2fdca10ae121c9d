package import NIOCore
package import Session

/// Times and sizes of the transport; the product uses the standard values, tests shrink them.
package struct TransportLimits: Hashable, Sendable {
    /// The time that a TCP connection may take to be established.
    package var connectTimeout: TimeAmount = .seconds(5)
    /// The limits of connections by state, before the other side is known: their number, their time, and the bytes
    /// they may send.
    package var doors = DoorLimits()
    /// The time that a goodbye may take to be sent, and the other side to hang up.
    package var closeTimeout: TimeAmount = .seconds(1)
    /// The age at which the side that made a connection ends it, so that new keys are agreed upon.
    package var sessionAgeMax: TimeAmount = .milliseconds(Int64(ChannelLimits.ageMillisecondsMax))
    /// The time by which the other side does so later.
    package var renewalGrace: TimeAmount = .milliseconds(Int64(ChannelLimits.renewalGraceMilliseconds))
    /// How many bytes of messages may wait to be sent on one connection before it is given up: the longest account log and a run fit.
    package var waitingByteCountMax = 112 << 20
    /// The longest message in either direction; a run is the longest there is.
    package var messageByteCountMax = 20 << 20

    /// The standard values.
    package init() {}

    /// The number of bytes that are sealed and passed to the socket at once.
    ///
    /// Four full frames just fit into 256 KiB. Larger buffers gain nothing; smaller ones cost system calls.
    static let batchByteCount = 4 * ChannelLimits.frameByteCountMax
    /// The size of the socket's queue in bytes above which nothing more is sealed, so that waiting data stays in messages.
    static let socketQueueHigh = 1 << 20
    /// The size of the queue below which sealing continues.
    static let socketQueueLow = 256 << 10
    /// The largest read from a socket once the other side is known; the size adapts, and a quiet connection costs 2
    /// KiB.
    static let readByteCountMax = 256 << 10
    /// The largest read before that: the longest message of a handshake.
    static let earlyReadByteCountMax = 16 << 10
    /// The number of connections that the kernel keeps before they are accepted: a burst of strangers does not cost
    /// others a second.
    static let backlog: Int32 = 1_024
    /// The number of threads that run event loops; the target machines are small.
    static let eventLoopCount = 2
}

extension CloseCode {
    /// The session has reached its age and the side that made it makes another at once; nothing is wrong.
    package static let renew = CloseCode(rawValue: 64)
}
