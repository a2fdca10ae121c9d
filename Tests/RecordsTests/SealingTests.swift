@testable import Records
import ReplicaBehaviour
import Sodium
import TestSupport
import Testing
import Wire

/// Bodies that are sealed, by themselves.
@Suite struct `A sealed body` {
    private static let epoch = Hash([UInt8](repeating: 0xE1, count: 32)) ?? .zero

    private func key(_ byte: UInt8 = 1) throws -> EpochKey { try EpochKey(bytes: [UInt8](repeating: byte, count: 32)) }

    private func sealer(_ key: EpochKey) -> BodySealer {
        BodySealer(zone: TestZone.id, epoch: Self.epoch, key: key, entropy: TransactionEntropy())
    }

    private func header(_ random: inout SeededGenerator, actor: ActorID) -> OperationHeader {
        let counter = UInt64(1 + Int.random(in: 0..<1_000, using: &random))
        let dot = Dot(actor: actor, counter: counter)
        return OperationHeader(
            counter: counter,
            tag: RecordTag(random.bytes(32)) ?? .zero,
            vector: VersionVector(covering: [dot, Dot(actor: ActorID(random.bytes(32)) ?? .zero, counter: 3)]),
            creation: dot,
            controlHeads: Hash(random.bytes(32)) ?? .zero,
            epoch: Self.epoch,
            time: HybridTime(milliseconds: UInt64(1 + Int.random(in: 0..<1 << 40, using: &random))),
            batch: BatchPlace(index: 1, count: 3),
            bodyHash: .zero
        )
    }

    @Test(arguments: 1...40) func `opens to the sealed content, and discloses nothing of it before`(seed: UInt64) throws
    {
        var random = SeededGenerator(seed: seed)
        let key = try key()
        let actor = TestAuthor(1).author.actor
        let header = header(&random, actor: actor)
        let text = random.bytes(Int.random(in: 0..<4_000, using: &random)) + Array("a canary that sings".utf8)
        let isTombstone = (Int.random(in: 0..<3, using: &random) == 0)
        let sealed = sealer(key).seal(text, isTombstone: isTombstone, header: header, actor: actor)
        let opened = try #require(key.open(sealed, header: header, zone: TestZone.id, actor: actor))
        #expect(opened.body == text && opened.isTombstone == isTombstone)
        #expect(String(decoding: sealed, as: UTF8.self).contains("canary") == false)
    }

    @Test func `never has one nonce for two texts or two places, even if nothing is random`() throws {
        var random = SeededGenerator(seed: 3)
        let key = try key()
        let entropy = TransactionEntropy(using: &random)
        let sealer = BodySealer(zone: TestZone.id, epoch: Self.epoch, key: key, entropy: entropy)
        let actor = TestAuthor(1).author.actor
        var nonces: Set<[UInt8]> = []
        var header = header(&random, actor: actor)
        for counter in 1...20 {
            header.counter = UInt64(counter)
            for text in 0..<20 {
                let sealed = sealer.seal([UInt8(text)], isTombstone: false, header: header, actor: actor)
                nonces.insert(try SealedBody(decoding: sealed).nonce)
            }
        }
        #expect(nonces.count == 400)
    }

    @Test(arguments: 1...10) func `opens in no other operation, zone or log, and under no other key`(
        seed: UInt64
    ) throws {
        var random = SeededGenerator(seed: seed)
        let key = try key()
        let actor = TestAuthor(1).author.actor
        let (one, other) = (header(&random, actor: actor), header(&random, actor: actor))
        let sealed = sealer(key).seal([1, 2, 3], isTombstone: false, header: one, actor: actor)
        // Each field of the other operation in the place of this one's.
        let transplants: [(String, (inout OperationHeader) -> Void)] = [
            ("counter", { $0.counter = other.counter == one.counter ? one.counter + 1 : other.counter }),
            ("tag", { $0.tag = other.tag }),
            ("vector", { $0.vector = other.vector }),
            ("creation", { $0.creation = Dot(actor: one.creation.actor, counter: one.creation.counter + 1) }),
            ("control heads", { $0.controlHeads = other.controlHeads }),
            ("epoch", { $0.epoch = other.controlHeads }),
            ("time", { $0.time = other.time }),
            ("batch", { $0.batch = BatchPlace(index: 2, count: 3) }),
        ]
        for (name, transplant) in transplants {
            var changed = one
            transplant(&changed)
            #expect(key.open(sealed, header: changed, zone: TestZone.id, actor: actor) == nil, "\(name)")
        }
        let elsewhere = ZoneID([UInt8](repeating: 9, count: 32)) ?? .zero
        #expect(key.open(sealed, header: one, zone: elsewhere, actor: actor) == nil)
        #expect(key.open(sealed, header: one, zone: TestZone.id, actor: TestAuthor(2).author.actor) == nil)
        #expect(try self.key(2).open(sealed, header: one, zone: TestZone.id, actor: actor) == nil)
        for index in sealed.indices {
            var altered = sealed
            altered[index] ^= 1 << UInt8(Int.random(in: 0..<8, using: &random))
            #expect(key.open(altered, header: one, zone: TestZone.id, actor: actor) == nil, "byte \(index)")
        }
        for count in 0..<sealed.count {
            #expect(key.open(Array(sealed[..<count]), header: one, zone: TestZone.id, actor: actor) == nil)
        }
    }

    @Test func `opens only with valid padding and commitment, whoever sealed it`() throws {
        var random = SeededGenerator(seed: 5)
        let key = try key()
        let actor = TestAuthor(1).author.actor
        let header = header(&random, actor: actor)
        let record = key.recordKey(zone: TestZone.id, Dot(actor: actor, counter: header.counter))
        let commitment = try #require(Hash(Blake2b.keyedHash(.keyCommitment, key: record, [])))
        // By hand, by an author that has the key and keeps no rule.
        func opens(_ text: [UInt8], _ commitment: Hash) throws -> [UInt8]? {
            let nonce = [UInt8](repeating: 3, count: SealedBody.nonceByteCount)
            var sealed = SealedBody(isTombstone: false, commitment: commitment, nonce: nonce, ciphertext: [])
            var writer = WireWriter(capacity: 320)
            writer.writeByte(sealed.kind)
            writer.write(TestZone.id)
            writer.write(actor)
            writer.write(header)
            sealed.ciphertext = XChaChaPoly.seal(
                text,
                key: record,
                nonce: try XChaChaPoly.Nonce(bytes: nonce),
                associatedData: writer.bytes
            )
            return key.open(sealed.encoded, header: header, zone: TestZone.id, actor: actor)?.body
        }
        let padded = [1, 2, 3, 0x80] + [UInt8](repeating: 0, count: 60)
        #expect(try opens(padded, commitment) == [1, 2, 3])
        #expect(try opens(padded, .zero) == nil)
        let others: [[UInt8]] = [
            [1, 2, 3], [1, 2, 3, 0x80], padded + [0], padded.dropLast(), padded + [UInt8](repeating: 0, count: 64),
            padded.dropLast() + [1], [UInt8](repeating: 0, count: 64), [UInt8](repeating: 1, count: 64),
        ]
        for text in others { #expect(try opens(text, commitment) == nil, "\(text)") }
    }

    @Test func `has one of few sizes`() {
        var sizes: Set<Int> = []
        for count in 0..<100_000 {
            let padded = BodyPadding.paddedByteCount(count)
            #expect(padded > count)
            if count > 1_024 { #expect(padded - count <= count / 8 + 1) }
            sizes.insert(padded)
        }
        #expect(sizes.count < 150)
        // The largest record that may be written fits into an operation once it is sealed.
        let largest = BodyPadding.paddedByteCount(ReplicaLimits.recordByteCountMax) + XChaChaPoly.tagByteCount
        #expect(largest + 1 + 32 + SealedBody.nonceByteCount + 4 <= Limits.bodyByteCountMax)
        for count in [0, 1, 62, 63, 64, 1_022, 1_023, 1_024, 5_000, 1_048_576] {
            var bytes = [UInt8](repeating: 7, count: count)
            BodyPadding.pad(&bytes)
            #expect(bytes.count == BodyPadding.paddedByteCount(count))
            #expect(BodyPadding.unpad(&bytes))
            #expect(bytes.count == count)
        }
        var zeros = [UInt8](repeating: 0, count: 64)
        #expect(!BodyPadding.unpad(&zeros))
        var wide = [UInt8](repeating: 0, count: 128)
        wide[1] = 0x80
        #expect(!BodyPadding.unpad(&wide))
    }
}

/// Replicas that hold sealed operations, with and without the key.
@Suite struct `A replica of sealed operations` {
    private static let epoch = Hash([UInt8](repeating: 0xE2, count: 32)) ?? .zero

    private func author(_ number: UInt8, _ key: EpochKey) -> (TestAuthor, Author) {
        let test = TestAuthor(number)
        var author = test.author
        author.sealer = BodySealer(
            zone: TestZone.id,
            epoch: Self.epoch,
            key: key,
            entropy: TransactionEntropy()
        )
        return (test, author)
    }

    private func commit(_ writes: [RecordWrite], _ author: (TestAuthor, Author), in replica: inout MemoryReplica) throws
    {
        let commit = try LocalWrites(zone: TestZone.id, author: author.1, wallMilliseconds: 1_000, sign: author.0.sign)
            .commit(writes: writes, isAtomic: false, in: &replica)
        for result in commit.results.joined() {
            if case .failure(let refusal) = result { throw refusal }
        }
    }

    private func replica(_ key: EpochKey?) throws -> MemoryReplica {
        var replica = MemoryReplica()
        try replica.createTestZone()
        if let key { replica.keyring.insert(key, for: Self.epoch) }
        return replica
    }

    @Test(arguments: 1...20) func `without the key agrees on everything but the content of records`(seed: UInt64) throws
    {
        var random = SeededGenerator(seed: seed)
        let key = try EpochKey(bytes: random.bytes(32))
        let authors = [author(1, key), author(2, key)]
        var replicas = [try replica(key), try replica(key)]
        var blind = try replica(nil)
        for step in 0..<60 {
            let index = Int.random(in: 0..<2, using: &random)
            let name = "r\(Int.random(in: 0..<5, using: &random))"
            let write: RecordWrite =
                (Int.random(in: 0..<5, using: &random) == 0) ? .deletion(name) : .note(name, ["text": "step \(step)"])
            do {
                try commit([write], authors[index], in: &replicas[index])
            } catch WriteRefusal.notFound {
                continue
            }
            if (Int.random(in: 0..<3, using: &random) == 0) { try replicas[index].pull(from: replicas[1 - index]) }
            if (Int.random(in: 0..<3, using: &random) == 0) { try blind.pull(from: replicas[index]) }
        }
        for index in [0, 1, 0] { try replicas[index].pull(from: replicas[1 - index]) }
        // It stores and forwards: a third one gets operations from it that it cannot read itself.
        try blind.pull(from: replicas[0])
        var third = try replica(key)
        try third.pull(from: blind)
        let digest = try ZonePositions(of: TestZone.id).digest(in: replicas[0])
        for other in [replicas[1], blind, third] {
            #expect(try ZonePositions(of: TestZone.id).digest(in: other) == digest, "seed \(seed)")
        }
        let rows = replicas[0].allRecords(zone: TestZone.id)
        #expect(third.allRecords(zone: TestZone.id) == rows, "seed \(seed)")
        #expect(blind.allRecords(zone: TestZone.id).map(\.live) == rows.map(\.live), "seed \(seed)")
        #expect(blind.allRecords(zone: TestZone.id).filter { !$0.isDeleted }.isEmpty, "seed \(seed)")
        #expect(blind.changes.isEmpty)
        // With the key it reads all that it held before.
        blind.keyring.insert(key, for: Self.epoch)
        _ = try ZoneEvaluation(of: TestZone.id).unlock(in: &blind)
        #expect(blind.allRecords(zone: TestZone.id) == rows, "seed \(seed)")
    }

    @Test func `shows operations that it can read, and refuses writes over others`() throws {
        let (one, other) = (
            try EpochKey(bytes: [UInt8](repeating: 1, count: 32)), try EpochKey(bytes: [UInt8](repeating: 2, count: 32))
        )
        let later = Hash([UInt8](repeating: 0xE3, count: 32)) ?? .zero
        let alice = author(1, one)
        var hers = try replica(one)
        try commit([.note("a", ["text": "old"])], alice, in: &hers)
        var his = try replica(one)
        try his.pull(from: hers)
        var sealed = alice
        sealed.1.sealer = BodySealer(zone: TestZone.id, epoch: later, key: other, entropy: TransactionEntropy())
        hers.keyring.insert(other, for: later)
        try commit([.note("a", ["text": "new"])], sealed, in: &hers)
        try his.pull(from: hers)
        #expect(try his.value("text", of: "a") == .string("old"))
        #expect(try his.record("a")?.isLocked == true)
        #expect(throws: WriteRefusal.notReadable) {
            try commit([.note("a", ["text": "mine"])], author(2, one), in: &his)
        }
        #expect(throws: WriteRefusal.notReadable) { try commit([.deletion("a")], author(2, one), in: &his) }
        his.keyring.insert(other, for: later)
        let changed = try ZoneEvaluation(of: TestZone.id).unlock(in: &his)
        #expect(changed.map(\.name) == ["a"])
        #expect(try his.value("text", of: "a") == .string("new"))
        #expect(try his.record("a")?.isLocked == false)
        try commit([.note("a", ["text": "mine"])], author(2, one), in: &his)
    }

    @Test func `shows an operation that is live again as soon as its key arrives`() throws {
        let key = try EpochKey(bytes: [UInt8](repeating: 1, count: 32))
        var source = try replica(key)
        try commit([.note("a", ["text": "alice"])], author(1, key), in: &source)
        try commit([.note("a", ["text": "bob"])], author(2, key), in: &source)
        var blind = try replica(nil)
        try blind.pull(from: source)
        // The write on top of it is cut off while neither can be read.
        try blind.cut(TestAuthor(2), at: 0)
        #expect(try blind.states(TestAuthor(1).log()) == [.live])
        #expect(try blind.record("a")?.isLocked == true)
        blind.keyring.insert(key, for: Self.epoch)
        #expect(try ZoneEvaluation(of: TestZone.id).unlock(in: &blind).map(\.name) == ["a"])
        #expect(try blind.value("text", of: "a") == .string("alice"))
        #expect(try blind.record("a")?.isLocked == false)
    }

    @Test func `ignores a sealed body that does not match its header`() throws {
        let key = try EpochKey(bytes: [UInt8](repeating: 1, count: 32))
        let (test, author) = author(1, key)
        var log = HandMadeLog(test)
        // The name of another record than that of the tag, and a deletion that is not marked as one.
        let body = RecordBody(
            name: "somebody else's",
            type: "note",
            isDeleted: false,
            parent: nil,
            creator: author.device,
            modifier: author.device,
            fields: []
        )
        let dot = Dot(actor: author.actor, counter: 1)
        let header = OperationHeader(
            counter: 1,
            tag: try RecordTag(of: "mine", zone: TestZone.id, in: try replica(key)),
            vector: VersionVector(covering: [dot]),
            creation: dot,
            controlHeads: .zero,
            epoch: .zero,
            time: HybridTime(milliseconds: 1),
            batch: .single,
            bodyHash: .zero
        )
        log.append(author.operation(header, body: body.encoded, isTombstone: false))
        var replica = try replica(key)
        _ = try replica.receive(log.run())
        var zone = try #require(try replica.zone(TestZone.id))
        zone.sealing = .epoch(Self.epoch)
        try replica.save(zone)
        #expect(try replica.states(test.log()) == [.void])
        #expect(try replica.record("mine") == nil)
        let listed = try Quarantine(of: TestZone.id).entries(limit: 10, in: replica)
        #expect(listed.map(\.reason) == [.unsound])
        // No replica restates it under its own name: it would be effective there, and nowhere else.
        let other = self.author(2, key)
        #expect(throws: QuarantineRefusal.unsound(dot)) {
            try LocalWrites(zone: TestZone.id, author: other.1, wallMilliseconds: 2_000, sign: other.0.sign).adopt(
                dot,
                in: &replica
            )
        }
        #expect(try replica.record("mine") == nil)
    }

    @Test func `that is void supersedes nothing behind a fork either`() throws {
        let key = try EpochKey(bytes: [UInt8](repeating: 1, count: 32))
        let (alice, bob) = (author(1, key), author(2, key))
        var replica = try replica(key)
        try commit([.note("mine", ["text": "kept"])], bob, in: &replica)
        let tag = try RecordTag(of: "mine", zone: TestZone.id, in: replica)
        let seen = VersionVector(covering: [Dot(actor: bob.1.actor, counter: 1)])
        let dot = Dot(actor: alice.1.actor, counter: 1)
        // A body that is another record's, under a vector that claims to supersede Bob's write.
        func history(_ name: String) -> Run {
            let body = RecordBody(
                name: name,
                type: "note",
                isDeleted: false,
                parent: nil,
                creator: alice.1.device,
                modifier: alice.1.device,
                fields: []
            )
            let header = OperationHeader(
                counter: 1,
                tag: tag,
                vector: seen.merged(with: VersionVector(covering: [dot])),
                creation: dot,
                controlHeads: .zero,
                epoch: .zero,
                time: HybridTime(milliseconds: 1),
                batch: .single,
                bodyHash: .zero
            )
            var log = HandMadeLog(alice.0)
            log.append(alice.1.operation(header, body: body.encoded, isTombstone: false))
            return log.run(seen: seen)
        }
        func live(_ replica: MemoryReplica) throws -> LiveSet {
            let sizes = seen.merged(with: VersionVector(covering: [dot]))
            return try LiveSet(zone: TestZone.id, sizes: sizes, previous: VersionVector(), in: replica)
        }
        _ = try replica.receive(history("somebody else's"))
        #expect(try replica.states(alice.0.log()) == [.void])
        let before = try live(replica)
        #expect(before.count == 1)
        _ = try replica.receive(history("another one's"))
        #expect(try replica.log(alice.0.log())?.isForked == true)
        #expect(try live(replica) == before, "while it waits to be restated")
        _ = try LocalWrites(zone: TestZone.id, author: bob.1, wallMilliseconds: 5_000, sign: bob.0.sign)
            .restateForked(in: &replica)
        #expect(try replica.states(alice.0.log()) == [.restated])
        #expect(try live(replica) == before)
        #expect(try replica.record("mine")?.isDeleted == false)
    }
}
