import NodeStoreBehaviour
import Store
import Sync
import Testing

@Suite("The store, like every store of a node")
struct NodeStoreBehaviourTests {
    @Test(arguments: NodeStoreBehaviour.allCases)
    func `keeps the promise that`(behaviour: NodeStoreBehaviour) async throws {
        let fixture = try await StoreFixture()
        try await fixture.write { transaction throws in try behaviour.check(in: &transaction) }
        try await fixture.store.close()
    }
}
