import NIOCore
import Node
import Session
import Wire

/// The facts that a connection's handler needs, besides its own channel.
struct HandlerSettings: Sendable {
    /// The side of the connection.
    enum Role: Sendable {
        /// We connected, with this secret and in this version.
        case initiator(DialID, ChannelSecret, ChannelVersion)
        /// The other side connected.
        case responder

        /// The dial that led here.
        var dial: DialID? {
            if case .initiator(let dial, _, _) = self { dial } else { nil }
        }

        /// The room in which the connection begins.
        var room: DoorRoom {
            if case .initiator(_, let secret, _) = self { DoorRoom(secret.purpose) } else { .accepted }
        }
    }

    /// The callbacks by which the rest of the transport learns of a connection's state.
    struct Reports: Sendable {
        /// The channel is established.
        var established: @Sendable (NetworkConnection) -> Void
        /// The channel ended after it was established; reported once.
        var closed: @Sendable (ConnectionID, CloseReason) -> Void
        /// The connection ended before that; reported once.
        var failed: @Sendable (DialFailure) -> Void
    }

    /// Names the connection.
    var id: ConnectionID
    /// The side of the connection.
    var role: Role
    /// The address of the other side.
    var address: PeerAddress
    /// The device's key.
    var identity: ChannelIdentity
    /// The versions of the channel that are spoken.
    var agreement: ChannelAgreement
    /// Gets messages, gives secrets and payload.
    var sink: any TransportSink
    /// Times and sizes.
    var limits: TransportLimits
    /// The metrics to count in.
    var metrics = SessionMetrics(.peers)
    /// The callbacks for the connection's state.
    var reports: Reports

    /// The dial that led here.
    var dial: DialID? { role.dial }

    /// The side that made the connection.
    var side: SessionSide { dial == nil ? .incoming : .outgoing }
}
