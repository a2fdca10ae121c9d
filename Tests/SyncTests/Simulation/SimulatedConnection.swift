/// One channel between two simulated nodes: ordered, reliable while it stands, and able to die without notice.
final class SimulatedConnection {
    let id: UInt64
    /// The node that dialled, then the one that answered.
    let nodes: [Int]
    /// The process of each node that has it.
    let lives: [Int]
    /// The handshake hash.
    let binding: [UInt8]
    /// Whether everything that is sent from now on is lost.
    var isCut = false
    /// The time at which the last message of each direction arrives.
    var lastArrival: [UInt64] = [0, 0]

    init(id: UInt64, nodes: [Int], lives: [Int], binding: [UInt8]) {
        self.id = id
        self.nodes = nodes
        self.lives = lives
        self.binding = binding
    }

    /// 0 for the node that dialled, 1 for the other.
    func side(of node: Int) -> Int { nodes[0] == node ? 0 : 1 }

    /// The node at the other end.
    func other(than node: Int) -> Int { nodes[0] == node ? nodes[1] : nodes[0] }
}
