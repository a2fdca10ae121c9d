import Identity
import Session

/// One end of a connection: the production channel, and what the node knows of who is at the other end.
final class ChannelEnd {
    let connection: Connection
    /// Names the end within its process; a process that dials itself has both ends of a connection.
    var id: UInt64 { Self.id(of: connection, side: side) }
    /// 0 when this node dialled, else 1.
    let side: Int
    /// The dial that led here.
    let dial: UInt64?
    var core: ChannelCore
    /// What the handshake has proved, once it is done.
    var handshake: HandshakeResult?
    /// Nothing more is sent or reported.
    var isOver = false

    init(_ connection: Connection, side: Int, dial: UInt64?, core: consuming ChannelCore) {
        self.connection = connection
        self.side = side
        self.dial = dial
        self.core = core
    }

    static func id(of connection: Connection, side: Int) -> UInt64 { connection.id << 1 | UInt64(side) }
}
