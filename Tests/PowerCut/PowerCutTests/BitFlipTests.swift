import Foundation
import Records
import ReplicaBehaviour
import Store
import Sync
import TestSupport
import Testing
import Wire

/// SQLite has no checksums over the pages of a database.
///
/// Damage that it does not notice is detected by the hashes of the logs, at the latest by the peer that receives it.
@Suite("A flipped bit")
struct BitFlipTests {
    /// The file, in a store that was closed, or whose process was killed with commits in the log.
    enum Place: String, CaseIterable, Sendable {
        case database, log
    }

    /// The outcomes of the runs.
    struct Tally: Sendable {
        var noDifference = 0
        var refusedToOpen = 0
        var refusedToRead = 0
        var earlierState = 0
        var wrongAnswer = 0
        var refusedToWrite = 0
        var caughtByPeer = 0
    }

    @Test(arguments: Place.allCases)
    func `is never a trap, and never reaches a peer`(place: Place) async throws {
        let start = ContinuousClock.now
        var tally = Tally()
        let template = try await Template(place)
        for seed in Volume.seeds(Volume.isFull ? 2_000 : 100) {
            do {
                try await run(template, seed, &tally)
            } catch {
                Issue.record(Volume.report("\(place): \(error)", seed: seed, suite: Self.self))
            }
        }
        Volume.note("\(place): \(tally)", since: start)
    }

    private func run(_ template: Template, _ seed: UInt64, _ tally: inout Tally) async throws {
        var random = SeededGenerator(seed: seed)
        let scratch = try template.copy()
        let bit = Int.random(in: 0..<(try scratch.byteCount(scratch.path + template.flipped) * 8), using: &random)
        try scratch.flip(bit: bit, of: scratch.path + template.flipped)
        var machine = try Machine(scratch: scratch, settings: template.settings, model: template.model, pending: [])
        do {
            guard try await machine.start(), let store = machine.store else { throw Finding("no power?") }
            let isEarlier = try await look(store, template, &tally)
            // A node that is older than it was writes under another name: its sentinel shows that. See the node's
            // tests.
            if !isEarlier { try await goOn(store, template, &tally) }
        } catch is StorageError {
            tally.refusedToOpen += 1
        }
        // It may well be damaged, and report it.
        _ = try? await machine.stop()
    }

    /// Reads everything.
    /// - Returns: Whether all of it is as it was at some earlier time.
    private func look(_ store: SQLiteStore, _ template: Template, _ tally: inout Tally) async throws -> Bool {
        do {
            let found = try await store.read { try Facts($0) }
            if found == template.facts.last {
                tally.noDifference += 1
            } else if template.facts.contains(found) {
                tally.earlierState += 1
                return true
            } else {
                tally.wrongAnswer += 1
            }
        } catch let error where !(error is Finding) {
            tally.refusedToRead += 1
        }
        return false
    }

    /// Writes to every record, and lets two peers take the contents: a new one and one that was there before.
    private func goOn(_ store: SQLiteStore, _ template: Template, _ tally: inout Tally) async throws {
        let writes = Workload.names.map {
            RecordWrite(name: $0, type: "note", set: [.init(field: "g", value: .string("after"))])
        }
        let step = Step.write([WriteRequest(writes, isAtomic: false)], wall: 9_000_000)
        do {
            _ = try await store.commit([step.job])[0].get()
        } catch {
            tally.refusedToWrite += 1
        }
        for peer in [template.peer, MemoryReplica()] {
            var peer = peer
            do {
                peer = try await store.read { [peer] transaction in
                    var peer = peer
                    try peer.createTestZone()
                    try peer.take(everythingFrom: transaction)
                    return peer
                }
            } catch let error where !(error is Finding) {
                tally.caughtByPeer += 1
                continue
            }
            guard try template.signed(allHeadsOf: peer) else {
                tally.caughtByPeer += 1
                continue
            }
            try template.expectOnlyTruth(in: peer)
        }
    }
}

/// A store to damage, and its contents.
struct Template {
    private let scratch: Scratch
    let settings: StoreSettings
    let model: Model
    /// The acknowledged contents, after each commit.
    private(set) var facts: [Facts] = []
    /// A peer that holds everything.
    let peer: MemoryReplica
    /// The file to damage, below the state directory.
    let flipped: String

    init(_ place: BitFlipTests.Place) async throws {
        var machine = try Machine(pageByteCount: 1_024, frameCount: place == .log ? 100_000 : 50)
        var workload = try Workload(seed: 7)
        guard try await machine.start() else { throw Finding("no power?") }
        facts.append(try Facts(machine.model))
        for _ in 0..<70 {
            let action = try workload.next(machine.model)
            if case .reopen = action, place == .log { continue }
            if case .checkpoint = action, place == .log { continue }
            _ = try await machine.perform(action)
            facts.append(try Facts(machine.model))
        }
        if place == .log {
            try await machine.die()
            try machine.disk.restart()
        } else {
            _ = try await machine.stop()
        }
        scratch = machine.scratch
        settings = machine.settings
        model = machine.model
        var peer = MemoryReplica()
        try peer.createTestZone()
        try peer.take(everythingFrom: machine.model.replica)
        self.peer = peer
        flipped = place == .log ? "/store/kairan.db-wal" : "/store/kairan.db"
    }

    /// The same store in a directory of its own.
    func copy() throws -> Scratch {
        let copy = try Scratch()
        for name in ["kairan.db", "kairan.db-wal", "clean"] where scratch.exists(scratch.path + "/store/\(name)") {
            try FileManager.default.copyItem(
                atPath: scratch.path + "/store/\(name)",
                toPath: copy.path + "/store/\(name)"
            )
        }
        return copy
    }

    /// Returns whether a peer received only heads that this store has signed: the peers here look at no signature,
    /// all others do.
    func signed(allHeadsOf peer: MemoryReplica) throws -> Bool {
        for log in try model.replica.logs(zone: TestZone.id) {
            for head in try model.replica.heads(log.key, above: 0, limit: .max) {
                let given = try peer.head(log.key, atOrBelow: head.size)
                guard given?.size != head.size || given?.signed == head.signed else { return false }
            }
        }
        return true
    }

    /// Fails when a peer holds something that was never written, or takes a log for forked.
    func expectOnlyTruth(in peer: MemoryReplica) throws {
        for log in try peer.logs(zone: TestZone.id) where log.isForked {
            throw Finding("a peer takes \(log.key) for forked")
        }
        for row in peer.allRecords(zone: TestZone.id) {
            guard let true_ = try model.replica.record(zone: TestZone.id, tag: row.tag) else { continue }
            let before = try true_.content()
            let after = try row.content()
            for field in before.fields where field.name != "g" {
                guard let spread = after.field(named: field.name), spread != field else { continue }
                throw Finding("\(row.name).\(field.name) has become \(spread) at a peer, it was \(field)")
            }
        }
    }
}

extension MemoryReplica {
    /// Takes everything that another replica sends, with all checks.
    mutating func take(everythingFrom other: some ReplicaTransaction) throws {
        try Invariants.take(everythingFrom: other, into: &self)
    }
}
