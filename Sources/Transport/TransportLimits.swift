package import NIOCore
package import Session

/// Times and sizes of the transport; the standard values are what the product uses, tests shrink them.
package struct TransportLimits: Hashable, Sendable {
    /// How long a TCP connection may take to stand.
    package var connectTimeout: TimeAmount = .seconds(5)
    /// How long both sides have for the handshake.
    ///
    /// With the connect timeout a dial ends within ten seconds.
    package var handshakeTimeout: TimeAmount = .milliseconds(Int64(ChannelLimits.handshakeDeadlineMilliseconds))
    /// How long a goodbye may take to be sent, and the other side to hang up.
    package var closeTimeout: TimeAmount = .seconds(1)
    /// The age at which the side that made a connection ends it, so that new keys are agreed upon.
    package var sessionAgeMax: TimeAmount = .milliseconds(Int64(ChannelLimits.ageMillisecondsMax))
    /// How many bytes of messages may wait to be sent on one connection before it is given up.
    package var waitingByteCountMax = 64 << 20
    /// The longest message in either direction; a run is the longest there is.
    package var messageByteCountMax = 20 << 20
    /// How many connections others may hold to this node at once, established or not.
    package var inboundCountMax = 512

    /// The standard values.
    package init() {}

    /// How many bytes are sealed and handed to the socket in one go.
    ///
    /// Four full frames fit 256 KiB without a rest. Larger buffers win nothing; smaller ones cost system calls.
    static let batchByteCount = 4 * ChannelLimits.frameByteCountMax
    /// Beyond this much in the socket's queue nothing more is sealed, so that memory stays with the messages.
    static let socketQueueHigh = 1 << 20
    /// Below this much sealing goes on.
    static let socketQueueLow = 256 << 10
    /// The largest read from a socket; the size adapts, and a quiet connection costs 2 KiB.
    static let readByteCountMax = 256 << 10
    /// How many threads run event loops; the target machines are small.
    static let eventLoopCount = 2
}

extension CloseCode {
    /// The session has reached its age and the side that made it makes another at once; nothing is wrong.
    package static let renew = CloseCode(rawValue: 64)
}
