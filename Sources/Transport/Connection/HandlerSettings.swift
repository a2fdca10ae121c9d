import NIOCore
import Node
import Session
import Wire

/// What a connection's handler is to know, besides its own channel.
struct HandlerSettings: Sendable {
    /// Which side of the connection this is.
    enum Role: Sendable {
        /// We connected, with this secret and in this version.
        case initiator(DialID, ChannelSecret, ChannelVersion)
        /// The other side connected.
        case responder

        /// The dial that led here.
        var dial: DialID? {
            if case .initiator(let dial, _, _) = self { dial } else { nil }
        }

        /// What the connection begins as.
        var room: DoorRoom {
            if case .initiator(_, let secret, _) = self { DoorRoom(secret.purpose) } else { .accepted }
        }
    }

    /// What the rest of the transport wants to know of a connection.
    struct Reports: Sendable {
        /// The channel stands.
        var established: @Sendable (NetworkConnection) -> Void
        /// The channel ended after it stood; said once.
        var closed: @Sendable (ConnectionID, CloseReason) -> Void
        /// It ended before; said once.
        var failed: @Sendable (DialFailure) -> Void
    }

    /// Names the connection.
    var id: ConnectionID
    /// Which side this is.
    var role: Role
    /// Where the other side is.
    var address: PeerAddress
    /// The device's key.
    var identity: ChannelIdentity
    /// Which versions of the channel are spoken.
    var agreement: ChannelAgreement
    /// Gets messages, gives secrets and payload.
    var sink: any TransportSink
    /// Times and sizes.
    var limits: TransportLimits
    /// What is counted.
    var metrics = SessionMetrics(.peers)
    /// Who else is told.
    var reports: Reports

    /// The dial that led here.
    var dial: DialID? { role.dial }

    /// Who made the connection.
    var side: SessionSide { dial == nil ? .incoming : .outgoing }
}
