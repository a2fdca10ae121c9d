/// An ordered stream of bytes between two machines, which may be disturbed in every way that leaves it ordered, and in
/// those that do not.
package final class Connection {
    /// What is on its way.
    enum Item {
        case bytes([UInt8])
        case end
    }

    /// One direction.
    struct Direction {
        /// When the newest bytes arrive: later ones never overtake them.
        var lastArrival: UInt64 = 0
        /// What waits at a blocked link.
        var held: [Item] = []
        /// What is sent is lost from now on.
        var isDead = false
        /// Whether the sender has hung up.
        var hasEnded = false
        /// The next bytes are altered in one place.
        var flipsNext = false
        /// The next bytes are cut short, and the connection ends behind them.
        var truncatesNext = false
        /// The first bytes that were sent, for whoever sends them again.
        var record: [UInt8] = []
    }

    /// Its number.
    package let id: UInt64
    /// The machine that dialled, then the one that was dialled; -1 stands for a machine that is no node.
    package let nodes: [Int]
    /// Where the machine is that dialled.
    let origin: UInt32
    /// Which process of each machine has it.
    let lives: [Int]
    /// The address that was dialled.
    let address: NetworkAddress
    /// What the first side sends, then the second.
    var directions = [Direction(), Direction()]
    /// Receives what is sent to a machine that is no node.
    package var tap: (([UInt8]) throws -> Void)?
    /// Whether the sides have been told that it stands.
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
