import Records
import ReplicaBehaviour
import Testing
import Wire

@Suite struct `A record that is deleted with another one` {
    private let alice = TestAuthor(1)
    private let bob = TestAuthor(2)

    private func anchored(_ name: String, to targets: String...) -> RecordWrite {
        var write = RecordWrite.note(name, ["text": name])
        for (index, target) in targets.enumerated() {
            write.set.append(.init(field: "anchor\(index)", value: .anchor(record: target)))
        }
        return write
    }

    private func names(_ replica: MemoryReplica) -> [String] {
        replica.allRecords(zone: TestZone.id).filter { !$0.isDeleted }.map(\.name).sorted()
    }

    @Test func `is deleted in the same batch, and so are its dependents`() throws {
        var replica = try emptyReplica()
        try replica.commit(
            [
                .note("a", [:]), anchored("b", to: "a"), anchored("c", to: "b"), anchored("d", to: "c", "x"),
                .note("e", [:]),
            ],
            by: alice
        )
        let commit = try replica.commit([.deletion("a")], by: alice)
        #expect(commit.results == [[.success(try #require(try replica.record("a")))]])
        #expect(commit.changed.map(\.name).sorted() == ["a", "b", "c", "d"])
        #expect(names(replica) == ["e"])
        let log = try #require(try replica.log(alice.log()))
        let places = try replica.items(log.key, from: log.size - 4, to: log.size).compactMap { item -> BatchPlace? in
            guard case .operation(let stored) = item.content else { return nil }
            return stored.operation.header.batch
        }
        #expect(places == (0..<4).map { BatchPlace(index: $0, count: 4) })
        // Every replica applies them as one.
        var other = try emptyReplica()
        try other.pull(from: replica)
        #expect(names(other) == ["e"])
    }

    @Test func `stays where the deletion is to leave it`() throws {
        var replica = try emptyReplica()
        try replica.commit([.note("a", [:]), anchored("b", to: "a")], by: alice)
        try replica.commit([RecordWrite(name: "a", delete: true, leavesAnchored: true)], by: alice)
        #expect(names(replica) == ["b"])
        #expect(try #require(try replica.record("b")).anchors == ["a"])
    }

    @Test func `is judged as the batch leaves it`() throws {
        var replica = try emptyReplica()
        try replica.commit([.note("a", [:]), anchored("b", to: "a"), anchored("c", to: "a")], by: alice)
        let leaves = RecordWrite(name: "b", remove: ["anchor0"])
        // One record leaves and one comes, in the batch that deletes.
        try replica.commit([.deletion("a"), leaves, anchored("new", to: "a")], isAtomic: true, by: alice)
        #expect(names(replica) == ["b"])
        // A record that is made again at once takes nothing along.
        try replica.commit([.note("a", [:]), anchored("c", to: "a")], by: alice)
        try replica.commit([.deletion("a"), .note("a", ["text": "again"])], isAtomic: true, by: alice)
        #expect(names(replica) == ["a", "b", "c"])
        // Each write for itself sees the effect of the ones before it.
        let request = [RecordWrite(name: "c", remove: ["anchor0"]), .deletion("a"), anchored("late", to: "a")]
        try replica.commit(request, by: alice)
        #expect(names(replica) == ["b", "c", "late"])
    }

    @Test func `is deleted once, also in cycles and by two paths`() throws {
        var replica = try emptyReplica()
        try replica.commit(
            [anchored("a", to: "c", "a"), anchored("b", to: "a"), anchored("c", to: "b", "a"), .note("z", [:])],
            by: alice
        )
        let commit = try replica.commit([.deletion("b"), .deletion("a")], isAtomic: true, by: alice)
        #expect(commit.changed.count == 3)
        #expect(names(replica) == ["z"])
    }

    @Test func `stays where two disagree whether it shall go`() throws {
        var one = try emptyReplica()
        try one.commit([.note("a", [:]), .note("b", [:]), anchored("c", to: "a")], by: alice)
        var two = try emptyReplica()
        try two.pull(from: one)
        try one.commit([anchored("c", to: "b")], by: alice)
        try two.commit([RecordWrite(name: "c", set: [.init(field: "anchor0", value: .string("free"))])], by: bob)
        try one.pull(from: two)
        try one.commit([.deletion("b"), .deletion("a")], by: alice)
        #expect(names(one) == ["c"])
    }

    @Test func `stays when it was made where the deletion was not known, on every replica`() throws {
        var one = try emptyReplica()
        try one.commit([.note("a", [:]), anchored("old", to: "a"), anchored("edited", to: "a")], by: alice)
        var two = try emptyReplica()
        try two.pull(from: one)
        try one.commit([.deletion("a")], by: alice)
        try two.commit([anchored("new", to: "a"), .note("edited", ["text": "kept"])], by: bob)
        try one.pull(from: two)
        try two.pull(from: one)
        for replica in [one, two] {
            // A record that its author did not see deleted stays; it still names its anchor.
            #expect(names(replica) == ["edited", "new"])
            #expect(try #require(try replica.record("new")).anchors == ["a"])
            #expect(try #require(try replica.record("edited")).anchors == ["a"])
        }
        #expect(one.allRecords(zone: TestZone.id).map(\.version) == two.allRecords(zone: TestZone.id).map(\.version))
        // An author that makes the record again, and deletes it, takes them along.
        try one.commit([.note("a", [:])], by: alice)
        try one.commit([.deletion("a")], by: alice)
        #expect(names(one) == [])
    }

    @Test func `is not deleted where the right does not reach to it, and then nothing is deleted`() throws {
        var replica = try emptyReplica()
        try replica.commit([.note("in/a", [:]), anchored("in/b", to: "in/a"), anchored("c", to: "in/b")], by: alice)
        let capability = Capability(
            resource: .zone(TestZone.id),
            issuer: TestZone.genesis.owner,
            signer: alice.author.device,
            audience: .zero,
            rights: Rights(.write),
            caveats: Caveats(namePrefix: "in/"),
            parent: .zero,
            nonce: [UInt8](repeating: 0, count: Capability.nonceByteCount)
        )
        var participant = bob.author
        participant.role = .participant(WriteScope(capability))
        func delete(_ name: String) throws -> Commit {
            try LocalWrites(zone: TestZone.id, author: participant, wallMilliseconds: 1_000, sign: bob.sign)
                .commit(writes: [.deletion(name)], in: &replica)
        }
        #expect(try delete("in/a").results == [[.failure(.followerNotAllowed("c"))]])
        #expect(try delete("c").results == [[.failure(.notAllowed)]])
        #expect(names(replica) == ["c", "in/a", "in/b"])
        try replica.commit([RecordWrite(name: "c", remove: ["anchor0"])], by: alice)
        _ = try delete("in/a")
        #expect(names(replica) == ["c"])
    }

    @Test func `is not deleted when there are more than a batch may write, and then nothing is deleted`() throws {
        var replica = try emptyReplica()
        try replica.commit([.note("a", [:])], by: alice)
        let most = Int(Limits.batchOperationCountMax)
        try replica.commit((1..<most).map { anchored("b\($0)", to: "a") }, by: alice)
        try replica.commit([anchored("one more", to: "a")], by: alice)
        let refused = try replica.commit([.deletion("a")], by: alice)
        #expect(refused.results == [[.failure(.tooManyFollowers(limit: most))]])
        let atomic = try replica.commit([.note("x", [:]), .deletion("a")], isAtomic: true, by: alice)
        #expect(
            atomic.results == [[.failure(.batchRefused(index: 1)), .failure(.tooManyFollowers(limit: most))]]
        )
        #expect(names(replica).count == most + 1)
        // Records that were deleted before in the same request take no room.
        let deletions = (1..<most).map { RecordWrite.deletion("b\($0)") } + [.deletion("a")]
        let done = try replica.commit(deletions, by: alice)
        #expect(done.results[0].count == most && names(replica) == [])
    }
}
