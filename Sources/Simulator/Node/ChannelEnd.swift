import Identity
import Session
import Wire

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
    /// The entry that made the key by which the account's devices went when the connection was made.
    let fleetKey: Hash
    /// What the handshake has proved, once it is done.
    var handshake: HandshakeResult?
    /// Where it stands in the book of connections; `nil` where nobody counts, and once it has left.
    var stay: NodeProcess.Stay?
    /// Nothing more is sent or reported.
    var isOver = false

    init(_ connection: Connection, side: Int, dial: UInt64?, fleetKey: Hash, core: consuming ChannelCore) {
        self.connection = connection
        self.side = side
        self.dial = dial
        self.fleetKey = fleetKey
        self.core = core
    }

    static func id(of connection: Connection, side: Int) -> UInt64 { connection.id << 1 | UInt64(side) }
}
