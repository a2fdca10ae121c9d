import NodeStoreBehaviour
import ReplicaBehaviour
import Sync
import Testing

@Suite struct `A node's store in memory` {
    @Test(arguments: ReplicaBehaviour.allCases)
    func `behaves as every store of a replica does`(behaviour: ReplicaBehaviour) throws {
        var store = MemoryStore(feedIdentity: [UInt8](repeating: 7, count: 16))
        try behaviour.check(in: &store)
    }

    @Test(arguments: NodeStoreBehaviour.allCases)
    func `behaves as every store of a node does`(behaviour: NodeStoreBehaviour) throws {
        var store = MemoryStore(feedIdentity: [UInt8](repeating: 7, count: 16))
        try behaviour.check(in: &store)
    }
}
