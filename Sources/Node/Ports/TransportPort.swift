package import Session
package import Wire

/// The address of a peer: a numeric host, a port, and for link-local IPv6 the interface.
///
/// An address is a hint, never an identity: the device behind it is known only after the handshake.
package struct PeerAddress: Hashable, Sendable, LosslessStringConvertible {
    /// A numeric IPv4 or IPv6 address, or a host name for a configured peer; without brackets or scope.
    package var host: String
    /// The TCP port, 1...65,535.
    package var port: UInt16
    /// The index of the interface for a link-local IPv6 address; 0 where none is needed.
    package var interfaceIndex: UInt32

    /// Names an address.
    package init(host: String, port: UInt16, interfaceIndex: UInt32 = 0) {
        self.host = host
        self.port = port
        self.interfaceIndex = interfaceIndex
    }

    /// `host:port`, with brackets around IPv6 and the interface index as scope where it is set.
    package var description: String {
        guard host.contains(":") else { return "\(host):\(port)" }
        return interfaceIndex == 0 ? "[\(host)]:\(port)" : "[\(host)%\(interfaceIndex)]:\(port)"
    }

    /// Reads `HOST:PORT`, `[IPV6]:PORT` or `[IPV6%INDEX]:PORT`.
    ///
    /// It is `nil` when the text has another form or the port is not 1...65,535.
    /// - Parameter text: The text from a person or a stored row.
    package init?(_ text: String) {
        guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...]), port > 0
        else { return nil }
        var host = text[..<colon]
        var index: UInt32 = 0
        if host.hasPrefix("["), host.hasSuffix("]") {
            host = host.dropFirst().dropLast()
            if let percent = host.lastIndex(of: "%") {
                guard let scope = UInt32(host[host.index(after: percent)...]) else { return nil }
                index = scope
                host = host[..<percent]
            }
        } else if host.contains(":") {
            return nil
        }
        guard !host.isEmpty else { return nil }
        self.init(host: String(host), port: port, interfaceIndex: index)
    }
}

/// Names one attempt to connect, so that its outcome finds its way back.
package typealias DialID = UInt64

/// Names one connection for as long as the process lives; never reused.
package typealias ConnectionID = UInt64

/// An established and authenticated channel, as the transport hands it to the node.
package protocol PeerConnection: Sendable {
    /// Names the connection.
    var id: ConnectionID { get }
    /// The dial that led to it; `nil` when the peer connected to us.
    var dial: DialID? { get }
    /// The peer's address.
    var address: PeerAddress { get }
    /// The outcome of the handshake: the proved identities and the payload.
    var handshake: HandshakeResult { get }

    /// Queues one message for the peer; never blocks.
    ///
    /// The transport closes the connection when more than its bound of bytes wait (112 MiB).
    /// - Parameter message: An encoded peer message.
    func send(_ message: [UInt8])

    /// Sends the close frame with a coarse code, flushes and closes; further messages are dropped.
    func close(code: UInt8)

    /// Reads on after `TransportSink.received` asked to pause.
    func resumeReading()

    /// Sets the room of the channel: the class of peer that the other side is known to be.
    ///
    /// Nothing is read before the first call, and the transport closes the connection when the time for that is over.
    /// It may be called again when more is known. The transport closes the connection with the code *busy* when there
    /// is no place in the room.
    /// - Parameter room: The room whose limits hold from now on.
    func setRoom(_ room: DoorRoom)
}

extension PeerConnection {
    /// Queues a message for the peer, a long one in parts.
    /// - Throws: The `WireError` that the peer would meet; then nothing is sent.
    func send(_ message: PeerMessage) throws(WireError) {
        for bytes in try message.outgoingEncodings() { send(bytes) }
    }
}

/// The receiver of the transport's reports; called on event loops, so it must return quickly and never block.
package protocol TransportSink: AnyObject, Sendable {
    /// The secrets a responder accepts just now, most likely first; at most 32.
    func acceptedSecrets() -> [ChannelSecret]

    /// The bytes for this side's handshake payload.
    func handshakePayload() -> [UInt8]

    /// A channel is established; messages follow.
    func opened(_ connection: any PeerConnection)

    /// One whole message arrived.
    /// - Returns: Whether to read on; `false` stops reading until `resumeReading()`.
    func received(_ message: [UInt8], on connection: ConnectionID) -> Bool

    /// The channel ended; nothing follows.
    func closed(_ connection: ConnectionID, reason: CloseReason)

    /// A dial ended without a channel.
    func dialFailed(_ dial: DialID, _ failure: DialFailure)
}

/// Opens channels; implemented by the transport.
package protocol TransportPort: Sendable {
    /// The highest version of the channel that it speaks.
    var newestVersion: ChannelVersion { get }

    /// The port that accepts connections; `nil` before listening began or when it is off.
    var listeningPort: UInt16? { get }

    /// Begins to connect; the outcome arrives at the sink under the same id within 10 seconds.
    /// - Parameters:
    ///   - address: The address to dial.
    ///   - id: Chosen by the caller, never reused.
    ///   - secret: The pre-shared key that the other side must know too.
    ///   - version: The version of the channel to speak; one that the transport does not speak is replaced by its
    ///     highest.
    func dial(_ address: PeerAddress, id: DialID, secret: ChannelSecret, version: ChannelVersion)

    /// Connects, and closes the connection at once without sending anything.
    /// - Parameters:
    ///   - address: The address to dial.
    ///   - completion: Gets the outcome, once and within three seconds or little more, on any thread.
    func probe(_ address: PeerAddress, completion: @escaping @Sendable (ReachOutcome) -> Void)
}
