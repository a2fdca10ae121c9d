@testable import Records
import Sodium
import TestSupport
import Testing
import Wire

@testable import Sync

/// The plan for the keys of a zone, compared with the rule written once more without any short cut.
@Suite struct `A plan for the keys of a zone` {
    private static let zone = ZoneID(Digest32(word0: 1, word1: 2, word2: 3, word3: 4))
    private static let deviceCount: UInt64 = 5

    private func device(_ number: UInt64) -> DeviceID {
        DeviceID(Digest32(word0: number, word1: 0, word2: 0, word3: 7))
    }

    private func account(_ number: UInt64) -> AccountID {
        AccountID(Digest32(word0: number / 2, word1: 0, word2: 0, word3: 8))
    }

    private func key(_ counter: UInt64) throws -> EpochKey {
        try EpochKey(bytes: [UInt8](repeating: UInt8(truncatingIfNeeded: counter), count: 32))
    }

    private func statement(_ body: ControlBody, _ counter: UInt64) throws -> EpochStatement {
        let dot = Dot(actor: ActorID(Digest32(word0: 5, word1: 0, word2: 0, word3: 0)), counter: counter)
        return try #require(EpochStatement(.statement(body, at: dot), body, by: device(0)))
    }

    /// Epochs that follow each other with and without chains, and deliveries, made by dice.
    ///
    /// An envelope holds the key, or another one.
    private func statements(
        _ count: Int,
        _ dice: inout SeededGenerator
    ) throws -> [(statement: EpochStatement, isHandedOn: Bool)] {
        var begun: [(hash: Hash, counter: UInt64)] = []
        var statements: [(statement: EpochStatement, isHandedOn: Bool)] = []
        for counter in 1...UInt64(count) {
            func envelope(_ counter: UInt64) throws -> KeyEnvelope {
                let isRight = dice.next() % 4 > 0
                return KeyEnvelope(
                    device: device(dice.next() % Self.deviceCount),
                    sealed: try key(isRight ? counter : counter + 100).exportBytes()
                )
            }
            let body: ControlBody
            if let earlier = begun.randomElement(using: &dice), dice.next() % 3 == 0 {
                let disclosed = dice.next() % 8 == 0 ? Hash(try key(earlier.counter).exportBytes()) : nil
                let envelopes = try (0..<(dice.next() % 3)).map { _ in try envelope(earlier.counter) }
                body = .delivery(
                    KeyDelivery(epoch: earlier.hash, disclosed: disclosed, envelopes: envelopes.distinct).encoded
                )
            } else {
                let previous = begun.suffix(6).filter { _ in dice.next() % 2 == 0 }
                let key = try key(counter)
                let links = try previous.filter { _ in dice.next() % 3 > 0 }.map {
                    key.link(to: try self.key($0.counter), of: $0.hash, zone: Self.zone)
                }
                let place = Dot(
                    actor: ActorID(Digest32(word0: 5, word1: 0, word2: 0, word3: 0)),
                    counter: counter
                )
                let envelopes = try (0..<(1 + dice.next() % 4)).map { _ in try envelope(counter) }
                let epoch = KeyEpoch(
                    previous: previous.map(\.hash),
                    confirm: key.confirmTag(zone: Self.zone, place: place),
                    chain: links,
                    envelopes: envelopes.distinct
                )
                body = .epoch(epoch.encoded)
            }
            let next = try statement(body, counter)
            if case .epoch = body { begun.append((next.operation.header.leafHash, counter)) }
            statements.append((next, dice.next() % 5 > 0))
        }
        return statements
    }

    private func open(_ graph: EpochGraph, _ keyring: EpochKeyring) -> EpochKeyring {
        var opening = EpochOpening(graph, zone: Self.zone, keyring: keyring)
        opening.run(for: device(0)) { envelope, _ in try? EpochKey(bytes: envelope) }
        return opening.keyring
    }

    @Test(arguments: 0..<60) func `is that of the rule, with the keys that open, as statements come in`(
        seed: UInt64
    ) throws {
        var dice = SeededGenerator(seed: seed)
        var all = try statements(24, &dice)
        if seed % 3 == 2 { all.shuffle(using: &dice) }
        var graph = EpochGraph([], zone: Self.zone)
        var keyring = EpochKeyring()
        for (index, next) in all.enumerated() {
            if !graph.add(next.statement, isHandedOn: next.isHandedOn) {
                graph = EpochGraph(Array(all[...index]), zone: Self.zone)
            }
            // A transaction that is rolled back also loses the keys that it opened.
            if dice.next() % 4 > 0 { keyring = open(graph, keyring) }
            let opened = open(graph, keyring)
            let anew = open(EpochGraph(Array(all[...index]), zone: Self.zone), EpochKeyring())
            #expect(Set(opened.epochs) == Set(anew.epochs), "statement \(index)")
            let readers = Dictionary(
                uniqueKeysWithValues: (0..<Self.deviceCount).filter { $0 == 0 || dice.next() % 6 > 0 }
                    .map { (device($0), account($0)) }
            )
            let uncounted = Set(graph.epochs.keys.sorted().filter { _ in dice.next() % 8 == 0 })
            let waiting = Set(graph.epochs.keys.sorted().filter { _ in dice.next() % 8 == 0 })
            let isDue = dice.next() % 8 == 0
            let open = Set(opened.epochs)
            for history in [ZoneHistory.full, .fromJoin] {
                var asked: [DeviceID] = []
                let facts = EpochFacts(
                    graph: graph,
                    readers: readers,
                    history: history,
                    device: device(0),
                    author: nil,
                    counts: { !uncounted.contains($0) },
                    isAddressable: {
                        asked.append($0)
                        return $0 != device(4)
                    },
                    isOpen: { opened.key($0) != nil },
                    isApplied: { epoch in !waiting.contains { graph.epochs[$0]?.place == epoch.place } },
                    hasSeen: { _ in true }
                )
                let plan = EpochPlan(facts, isDue: isDue)
                let locked = graph.epochs.filter { $0.value.supplied.contains(device(0)) && !open.contains($0.key) }
                let later = Set(locked.values.flatMap { $0.content.chain.map(\.epoch) })
                #expect(Set(plan.requests) == Set(locked.keys).subtracting(later), "statement \(index), \(history)")
                #expect(Set(asked).count == asked.count, "no device's key is tried twice")
                let rule = PlainPlan(graph, open, waiting, uncounted, readers, history, isDue) { $0 != device(4) }
                #expect(plan.current == rule.current, "statement \(index), \(history)")
                #expect(plan.steps.filter { !$0.isSaidAgain } == rule.steps, "statement \(index), \(history)")
                #expect(Set(plan.steps.compactMap(\.saidAgain)) == rule.saidAgain, "statement \(index), \(history)")
            }
            let steps = EpochPlan.publicSteps(
                graph,
                isOpen: { opened.key($0) != nil },
                isApplied: { epoch in !waiting.contains { graph.epochs[$0]?.place == epoch.place } }
            )
            expectDisclosure(steps, of: graph, Set(opened.epochs).subtracting(waiting))
        }
    }

    @Test func `repeats epochs behind those that they follow, and those of one depth by their hashes`() throws {
        var layers: [[Hash]] = []
        var all: [(statement: EpochStatement, isHandedOn: Bool)] = []
        for _ in 0..<4 {
            var layer: [Hash] = []
            for _ in 0..<2 {
                let epoch = KeyEpoch(previous: layers.last ?? [], confirm: .zero, chain: [], envelopes: [])
                let next = try statement(.epoch(epoch.encoded), UInt64(all.count) + 1)
                all.append((next, false))
                layer.append(next.operation.header.leafHash)
            }
            layers.append(layer)
        }
        let expected = layers.flatMap { $0.sorted() }
        try #require(expected != expected.sorted(), "hashes alone have another order")
        #expect(EpochPlan.unsaid(EpochGraph(all, zone: Self.zone), isOpen: { _ in true }) == expected)
    }
}

extension `A plan for the keys of a zone` {
    /// Expects that in a zone that all accounts may read each key that may be delivered reaches all of them, that
    /// none is disclosed that leads nowhere new, and none that may not be.
    private func expectDisclosure(_ steps: [EpochPlan.Step], of graph: EpochGraph, _ usable: Set<Hash>) {
        let disclosed = steps.compactMap(\.disclosed)
        let before = graph.epochs.filter { $0.value.disclosed != nil }.keys.reduce(into: Set<Hash>()) {
            $0.formUnion(graph.chained(from: $1))
        }
        #expect(usable.isSuperset(of: disclosed))
        let after = disclosed.reduce(into: before) { $0.formUnion(graph.chained(from: $1)) }
        #expect(after.isSuperset(of: usable))
        for hash in disclosed {
            let others = disclosed.filter { $0 != hash }.reduce(into: before) { $0.formUnion(graph.chained(from: $1)) }
            #expect(!others.contains(hash), "each of them is needed")
        }
    }
}

/// `docs/protocol/epochs.md`, sections 4 and 5, over all epochs.
private struct PlainPlan {
    var current: Hash?
    var steps: [EpochPlan.Step] = []
    var saidAgain: Set<Hash>

    init(
        _ graph: EpochGraph,
        _ open: Set<Hash>,
        _ waiting: Set<Hash>,
        _ uncounted: Set<Hash>,
        _ readers: [DeviceID: AccountID],
        _ history: ZoneHistory,
        _ isDue: Bool,
        isAddressable: (DeviceID) -> Bool
    ) {
        func mayHave(_ device: DeviceID, _ epoch: EpochGraph.Epoch) -> Bool {
            history == .full || epoch.readers.contains { readers[$0] != nil && readers[$0] == readers[device] }
        }
        func lacking(_ epoch: EpochGraph.Epoch) -> [DeviceID] {
            readers.keys.sorted().filter { isAddressable($0) && !epoch.supplied.contains($0) }
        }
        let usableKeys = open.subtracting(waiting)
        let exposed = graph.epochs.filter { $0.value.disclosed != nil }.keys.reduce(into: Set<Hash>()) {
            $0.formUnion(graph.chained(from: $1))
        }
        let usable = graph.epochs.filter { hash, epoch in
            usableKeys.contains(hash) && !uncounted.contains(hash) && !exposed.contains(hash)
                && epoch.readers.isSubset(of: readers.keys)
        }
        let deepest = usable.values.map(\.depth).max()
        current = usable.filter { $0.value.depth == deepest }.keys.min()
        saidAgain = Set(graph.epochs.filter { open.contains($0.key) && !$0.value.isHandedOn }.keys)
        guard let current, let epoch = usable[current], !isDue,
            lacking(epoch).allSatisfy({ mayHave($0, epoch) })
        else {
            let followed = Set(graph.epochs.values.flatMap(\.content.previous))
            let last = graph.epochs.keys.filter { !followed.contains($0) }
            let chain = last.filter { hash in
                guard usableKeys.contains(hash), let epoch = graph.epochs[hash] else { return false }
                return readers.keys.allSatisfy {
                    epoch.readers.contains($0) || mayHave($0, epoch) || !isAddressable($0)
                }
            }
            steps = [.begin(previous: last.sorted(), chain: chain.sorted())]
            return
        }
        let others = usableKeys.subtracting(graph.chained(from: current)).sorted()
        for hash in [current] + others {
            guard let epoch = graph.epochs[hash] else { continue }
            let devices = lacking(epoch).filter { mayHave($0, epoch) }
            if !devices.isEmpty { steps.append(.deliver(hash, to: devices)) }
        }
    }
}

extension EpochPlan.Step {
    fileprivate var disclosed: Hash? { if case .disclose(let hash) = self { hash } else { nil } }
    fileprivate var saidAgain: Hash? { if case .sayAgain(let hash) = self { hash } else { nil } }
    fileprivate var isSaidAgain: Bool { saidAgain != nil }
}

extension [KeyEnvelope] {
    /// One for each device.
    fileprivate var distinct: [KeyEnvelope] {
        reduce(into: []) { all, next in
            if !all.contains(where: { $0.device == next.device }) { all.append(next) }
        }
    }
}
