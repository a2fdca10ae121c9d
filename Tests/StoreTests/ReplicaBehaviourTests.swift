import ReplicaBehaviour
import Store
import Sync
import Testing

@Suite("The store, like every store of a replica")
struct ReplicaBehaviourTests {
    @Test(arguments: ReplicaBehaviour.allCases)
    func `keeps the promise that`(behaviour: ReplicaBehaviour) async throws {
        let fixture = try await StoreFixture()
        try await fixture.write { transaction throws in try behaviour.check(in: &transaction) }
        try await fixture.store.close()
    }
}
