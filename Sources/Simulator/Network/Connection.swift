/// An ordered stream of bytes between two machines, subject to faults that keep it ordered and faults that do not.
package final class Connection {
    /// An item in transit.
    enum Item {
        case bytes([UInt8])
        case end
    }

    /// One direction.
    struct Direction {
        /// The arrival time of the newest bytes: later ones never overtake them.
        var lastArrival: UInt64 = 0
        /// The items that wait at a blocked link.
        var held: [Item] = []
        /// Whether everything sent from now on is lost.
        var isDead = false
        /// Whether the sender has hung up.
        var hasEnded = false
        /// Whether the next bytes are altered in one place.
        var flipsNext = false
        /// Whether the next bytes are cut short, and the connection ends after them.
        var truncatesNext = false
        /// The first bytes sent, for a replay.
        var record: [UInt8] = []
    }

    /// Its number.
    package let id: UInt64
    /// The machine that dialled, then the one that was dialled; -1 stands for a machine that is no node.
    package let nodes: [Int]
    /// The host of the machine that dialled.
    let origin: UInt32
    /// The life of each machine's process that has the connection.
    let lives: [Int]
    /// The address that was dialled.
    let address: NetworkAddress
    /// The directions: from the first side, then from the second.
    var directions = [Direction(), Direction()]
    /// Receives the bytes sent to a machine that is no node.
    package var tap: (([UInt8]) throws -> Void)?
    /// Whether the connection stands, and the sides know it.
    var isOpen = true

    /// Bytes of each direction that are recorded.
    static let recordByteCountMax = 1 << 16

    init(id: UInt64, nodes: [Int], lives: [Int], address: NetworkAddress, origin: UInt32) {
        self.id = id
        self.nodes = nodes
        self.lives = lives
        self.address = address
        self.origin = origin
    }
}
