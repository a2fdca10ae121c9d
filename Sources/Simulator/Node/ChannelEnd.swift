import Identity
import Peering
import Session
import Sync
import Wire

/// One end of a connection: the production channel, and the node's knowledge of the peer at the other end.
final class ChannelEnd {
    let connection: Connection
    /// Names the end within its process; a process that dials itself has both ends of a connection.
    var id: UInt64 { Self.id(of: connection, side: side) }
    /// 0 when this node dialled, else 1.
    let side: Int
    /// The dial that led here.
    let dial: UInt64?
    var core: ChannelCore
    /// The entry that made the account's key in use when the dial, or the incoming connection, began.
    let fleetKey: Hash
    /// The identity that the handshake has proved, once it is done.
    var handshake: HandshakeResult?
    /// Its state in the book of connections; `nil` where connections are not counted, and once it has left.
    var stay: ProcessRooms.Stay?
    /// Whether nothing more is sent or reported.
    var isOver = false

    init(_ connection: Connection, side: Int, dial: UInt64?, fleetKey: Hash, core: consuming ChannelCore) {
        self.connection = connection
        self.side = side
        self.dial = dial
        self.fleetKey = fleetKey
        self.core = core
    }

    /// Whether a device joins on the channel.
    var isOfJoining: Bool { handshake.flatMap { JoiningKey($0.purpose) } != nil }

    static func id(of connection: Connection, side: Int) -> UInt64 { connection.id << 1 | UInt64(side) }
}
