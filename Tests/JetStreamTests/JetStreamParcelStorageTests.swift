@testable import JetStream
import Mailbox
import ParcelStorageBehaviour
import Synchronization
import Testing
import Wire

@Suite("Parcels in JetStream", .serialized)
struct JetStreamParcelStorageTests {
    /// Checks each promise with a stream of its own, on the same servers.
    private func checkAll(on cluster: Cluster) async throws {
        let opened = Mutex<[JetStreamParcelStorage]>([])
        for (index, behaviour) in ParcelStorageBehaviour.allCases.enumerated() {
            let open = { @Sendable in
                let storage = try await cluster.open("KAIRAN\(index)")
                opened.withLock { $0.append(storage) }
                return storage
            }
            let storage = try await open()
            do {
                try await behaviour.check(in: storage) { _ in
                    for storage in opened.withLock({ $0 }) { await storage.close() }
                    return try await open()
                }
            } catch {
                Issue.record("\(behaviour.rawValue): \(error)")
            }
            for storage in opened.withLock({ $0 }) { await storage.close() }
        }
    }

    @Test func `keep every promise of a storage on one server`() async throws {
        try await Cluster.with(1, syncsAlways: false) { try await checkAll(on: $0) }
    }

    @Test func `keep every promise of a storage on three servers that sync always`() async throws {
        try await Cluster.with(3) { try await checkAll(on: $0) }
    }

    @Test func `are listed in their order when a mailbox has more than one answer holds`() async throws {
        try await Cluster.with(1, syncsAlways: false) { cluster in
            let storage = try await cluster.open()
            try await storage.admit(Things.admission())
            let count = 1_300
            for start in stride(from: 0, to: count, by: 100) {
                try await withThrowingTaskGroup { group in
                    for number in start..<(start + 100) {
                        group.addTask { try await storage.put(Things.deposit(number)) }
                    }
                    for try await outcome in group { #expect(outcome == .stored) }
                }
            }
            let mailboxes = [Things.mailbox(2), Things.mailbox(1)]
            let all = try await storage.parcels(in: mailboxes, limit: 2_000)
            #expect(all.count == count)
            #expect(Set(all.map(\.parcel)) == Set((0..<count).map { Things.parcel($0).id }))
            // Parcels that were put together come in any order, but not before the earlier ones.
            for start in stride(from: 0, to: count, by: 100) {
                let some = Set(all[start..<(start + 100)].map(\.parcel))
                #expect(some == Set((start..<(start + 100)).map { Things.parcel($0).id }))
            }
            #expect(try await storage.parcels(in: mailboxes, limit: 256) == Array(all.prefix(256)))
            #expect(try await storage.expire(at: 2_000, limit: 1_250) == 1_250)
            #expect(try await storage.expire(at: 2_000, limit: 1_250) == 50)
            #expect(try await storage.admission(Things.admission().id)?.parcelCount == 0)
            await storage.close()
        }
    }

    @Test func `are no more than the quota, although several front ends put at once`() async throws {
        try await Cluster.with(1, syncsAlways: false) { cluster in
            let storages = [try await cluster.open(), try await cluster.open(), try await cluster.open()]
            try await storages[0].admit(Things.admission(quota: 20 * Things.size))
            var stored = 0
            try await withThrowingTaskGroup { group in
                for number in 0..<60 {
                    // Some parcels are put at two front ends.
                    group.addTask { try await storages[number % 3].put(Things.deposit(number / 2)) }
                }
                for try await outcome in group where outcome == .stored { stored += 1 }
            }
            let usage = try #require(try await storages[1].admission(Things.admission().id))
            #expect(usage.parcelCount == 20 && usage.byteCount == 20 * Things.size)
            #expect(stored >= 20)
            let kept = try await storages[2].parcels(in: [Things.mailbox()], limit: 99)
            #expect(kept.count == 20)

            // Removed at all of them at once, each counts once.
            try await withThrowingTaskGroup { group in
                for storage in storages {
                    group.addTask { try await storage.remove(kept.map(\.parcel), from: Things.mailbox()) }
                }
                try await group.waitForAll()
            }
            let left = try #require(try await storages[0].admission(Things.admission().id))
            #expect(left.parcelCount == 0 && left.byteCount == 0)
            for storage in storages { await storage.close() }
        }
    }

    @Test func `and slots are written by one of several front ends, and answered the same by all`() async throws {
        try await Cluster.with(3, syncsAlways: false) { cluster in
            let storages = [try await cluster.open(), try await cluster.open(), try await cluster.open()]
            try await storages[0].admit(Things.admission())
            var answers: [Int: Set<SlotOutcome>] = [:]
            try await withThrowingTaskGroup { group in
                for number in 0..<60 {
                    let claim = SlotClaim(
                        admission: Things.admission().id,
                        slot: SlotID(Digest32(word0: UInt64(number % 5), word1: 0, word2: 0, word3: 1)),
                        value: Hash(Digest32(word0: UInt64(number), word1: 0, word2: 0, word3: 2)),
                        until: 2_000,
                        room: ParcelRoom(total: 1 << 30)
                    )
                    group.addTask { (number % 5, try await storages[number % 3].claim(claim)) }
                }
                for try await (slot, outcome) in group { answers[slot, default: []].insert(outcome) }
            }
            #expect(answers.count == 5 && answers.values.allSatisfy { $0.count == 1 })
            for outcome in answers.values.joined() {
                guard case .held = outcome else {
                    Issue.record("\(outcome)")
                    continue
                }
            }
            let usage = try #require(try await storages[1].admission(Things.admission().id))
            #expect(usage.byteCount == 5 * SlotClaim.byteCount && usage.parcelCount == 0)
            // The row holds the sum of all claims: nothing is corrected.
            for _ in 0..<2 { #expect(try await storages[2].expire(at: 1_999, limit: 9) == 0) }
            #expect(try await storages[0].admission(Things.admission().id)?.byteCount == usage.byteCount)
            #expect(try await storages[0].expire(at: 2_000, limit: 9) == 5)
            #expect(try await storages[0].admission(Things.admission().id)?.byteCount == 0)
            for storage in storages { await storage.close() }
        }
    }

    @Test func `are not there before all of them is, when a front end dies in between`() async throws {
        try await Cluster.with(1, syncsAlways: false) { cluster in
            let storage = try await cluster.open()
            try await storage.admit(Things.admission())
            let deposit = Things.deposit(1)
            let key = ParcelKey(deposit)
            // The messages of a front end that dies before the last one.
            let dying = try NATSConnection(cluster.options())
            let subjects = ParcelSubjects(prefix: "KAIRAN")
            for (index, subject) in [subjects.piece(0, of: key), subjects.notice(key)].enumerated() {
                _ = try dying.send([
                    NATSMessage(
                        subject: subject,
                        headers: [
                            (name: "Nats-Batch-Id", value: "dying"),
                            (name: "Nats-Batch-Sequence", value: String(index + 1)),
                        ],
                        bytes: deposit.parcel.bytes
                    )
                ])
            }
            dying.close()
            #expect(try await storage.parcels(in: [deposit.mailbox], limit: 9).isEmpty)
            #expect(try await storage.parcel(deposit.parcel.id, in: deposit.mailbox) == nil)
            #expect(try await storage.admission(deposit.admission)?.parcelCount == 0)
            #expect(try await storage.put(deposit) == .stored)
            #expect(try await storage.parcel(deposit.parcel.id, in: deposit.mailbox) == deposit.parcel.bytes)
            await storage.close()
        }
    }

    @Test func `are counted anew after a front end died between a removal and its account`() async throws {
        try await Cluster.with(1, syncsAlways: false) { cluster in
            let storage = try await cluster.open()
            try await storage.admit(Things.admission())
            for number in 1...3 { _ = try await storage.put(Things.deposit(number)) }
            let subjects = ParcelSubjects(prefix: "KAIRAN")
            let filter = subjects.everything(of: ParcelKey(Things.deposit(1)))
            #expect(try storage.keeper.stream.purge([PurgeRequest(filter: filter)]) == [2])
            #expect(try await storage.admission(Things.admission().id)?.parcelCount == 3)
            // A front end might be just about to account for it: so the first look changes nothing.
            #expect(try await storage.expire(at: 1, limit: 9) == 0)
            #expect(try await storage.admission(Things.admission().id)?.parcelCount == 3)
            #expect(try await storage.expire(at: 1, limit: 9) == 0)
            let usage = try #require(try await storage.admission(Things.admission().id))
            #expect(usage.parcelCount == 2 && usage.byteCount == 2 * Things.size)
            await storage.close()
        }
    }

    @Test func `go with their admission, also when the front end died that ended it`() async throws {
        try await Cluster.with(1, syncsAlways: false) { cluster in
            let storage = try await cluster.open()
            try await storage.admit(Things.admission(1))
            try await storage.admit(Things.admission(2))
            for number in 1...4 { _ = try await storage.put(Things.deposit(number, under: 1 + number % 2)) }
            var found = try #require(try storage.keeper.newestRow(Things.admission(1).id))
            found.row.isDismissed = true
            try storage.keeper.write(found.row, of: Things.admission(1).id, after: found.sequence)
            #expect(try await storage.put(Things.deposit(9)) == .notAdmitted)
            #expect(try await storage.expire(at: 1, limit: 9) == 0)
            let left = try await storage.parcels(in: [Things.mailbox()], limit: 9)
            #expect(left.map(\.parcel) == [1, 3].map { Things.parcel($0).id })
            #expect(try storage.keeper.newestRow(Things.admission(1).id) == nil)
            await storage.close()
        }
    }

    @Test func `are not delivered when they do not match their names`() async throws {
        try await Cluster.with(1, syncsAlways: false) { cluster in
            let storage = try await cluster.open()
            let key = ParcelKey(Things.deposit(1))
            let body = ParcelSubjects(prefix: "KAIRAN").piece(0, of: key)
            try storage.keeper.stream.write([StreamWrite(subject: body, bytes: [1, 2, 3], after: 0)])
            #expect(try await storage.parcel(key.parcel, in: key.mailbox) == nil)
            await storage.close()
        }
    }
}
