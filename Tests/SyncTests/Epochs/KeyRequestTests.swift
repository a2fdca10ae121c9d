import Identity
import Records
import TestSupport
import Testing
import Wire

@testable import Sync

/// Laws of `docs/protocol/epochs.md`, *Denied*, over statements of several authors.
@Suite struct `A request for a key` {
    private static let zone = ZoneID(Digest32(word0: 1, word1: 2, word2: 3, word3: 4))
    private static let wanting = device(9)

    private static func device(_ number: UInt64) -> DeviceID {
        DeviceID(Digest32(word0: number, word1: 0, word2: 0, word3: 7))
    }

    private static func log(_ number: UInt64) -> ActorID {
        ActorID(Digest32(word0: number, word1: 0, word2: 0, word3: 0))
    }

    /// Statements of several logs, each of which has seen the operations that it names.
    private struct Story {
        var counters: [UInt64: UInt64] = [:]
        var statements: [(statement: EpochStatement, isHandedOn: Bool)] = []

        var graph: EpochGraph { EpochGraph(statements, zone: zone) }

        /// Makes a statement, after all earlier ones unless its author's view is given.
        @discardableResult
        mutating func say(_ body: ControlBody, by number: UInt64, seen: [Dot]? = nil) throws -> Operation {
            let counter = counters[number, default: 0] + 1
            counters[number] = counter
            let dot = Dot(actor: log(number), counter: counter)
            let all = seen ?? statements.map(\.statement.operation.header.creation)
            let operation = Operation.statement(body, at: dot, seen: all)
            let statement = try #require(EpochStatement(operation, body, by: device(number)))
            statements.append((statement, true))
            return operation
        }

        mutating func begin(by number: UInt64, to devices: [DeviceID], leadingTo earlier: [Hash] = []) throws -> Hash {
            let epoch = KeyEpoch(
                previous: earlier,
                confirm: .zero,
                chain: earlier.map { ChainLink(epoch: $0, sealed: [UInt8](repeating: 1, count: 48)) },
                envelopes: devices.map { KeyEnvelope(device: $0, sealed: [1]) }
            )
            return try say(.epoch(epoch.encoded), by: number).header.leafHash
        }

        mutating func deliver(_ epoch: Hash, by number: UInt64) throws {
            let delivery = KeyDelivery(epoch: epoch, envelopes: [KeyEnvelope(device: wanting, sealed: [2])])
            try say(.delivery(delivery.encoded), by: number)
        }

        mutating func request(_ epochs: [Hash], seen: [Dot]? = nil) throws {
            try say(.keyRequest(KeyRequest(epochs).encoded), by: 9, seen: seen)
        }

        /// Returns the epochs for whose keys a device asks when it has opened some.
        func asked(open: Set<Hash>, hasSeen: (VersionVector) -> Bool = { _ in true }) -> [Hash] {
            plan(of: wanting, by: nil, open: open, hasSeen: hasSeen).requests
        }

        func plan(
            of planning: DeviceID,
            by author: UInt64?,
            open: Set<Hash>,
            hasSeen: (VersionVector) -> Bool = { _ in true }
        ) -> EpochPlan {
            withoutActuallyEscaping(hasSeen) { hasSeen in
                EpochPlan(
                    EpochFacts(
                        graph: graph,
                        readers: Dictionary(
                            uniqueKeysWithValues: [1, 2, 9].map { (device($0), AccountID(device($0).digest)) }
                        ),
                        history: .full,
                        device: planning,
                        author: author.map(log),
                        counts: { _ in true },
                        isAddressable: { _ in true },
                        isOpen: open.contains,
                        isApplied: { _ in true },
                        hasSeen: hasSeen
                    )
                )
            }
        }

        func isSupplied(_ epoch: Hash) -> Bool { graph.epochs[epoch]?.supplied.contains(wanting) ?? false }
    }

    @Test func `refutes the envelope that its author had seen, and a holder of the key delivers it`() throws {
        var story = Story()
        let epoch = try story.begin(by: 1, to: [Self.device(1), Self.device(2), Self.wanting])
        #expect(story.isSupplied(epoch))
        #expect(story.asked(open: []) == [epoch])
        try story.request([epoch])
        #expect(!story.isSupplied(epoch))
        #expect(story.asked(open: []) == [], "nobody asks twice for what nobody has given again")
        let deliveries = [EpochPlan.Step.deliver(epoch, to: [Self.wanting])]
        #expect(story.plan(of: Self.device(2), by: 2, open: [epoch]).steps == deliveries)
        #expect(story.plan(of: Self.device(1), by: 1, open: [epoch]).steps == [], "its envelope was denied")
        #expect(story.graph.epochs[epoch]?.readers.contains(Self.wanting) == true, "whoever may have a key is careful")
        try story.deliver(epoch, by: 2)
        #expect(story.isSupplied(epoch))
        #expect(story.plan(of: Self.device(2), by: 2, open: [epoch]).steps == [])
    }

    @Test func `refutes nothing that its author had not seen`() throws {
        var story = Story()
        let epoch = try story.begin(by: 1, to: [Self.wanting])
        try story.request([epoch], seen: [])
        #expect(story.isSupplied(epoch))
    }

    @Test func `has its author believed no more, whatever else it delivers`() throws {
        var story = Story()
        let epoch = try story.begin(by: 1, to: [Self.wanting, Self.device(2)])
        try story.request([epoch])
        try story.deliver(epoch, by: 1)
        #expect(!story.isSupplied(epoch))
        // About other keys, and to other devices, it is believed.
        #expect(story.graph.epochs[epoch]?.supplied.contains(Self.device(2)) == true)
        let other = try story.begin(by: 1, to: [Self.wanting])
        #expect(story.isSupplied(other))
    }

    @Test func `has the author of a delivery believed no more, but not the one that begins the key`() throws {
        var story = Story()
        let epoch = try story.begin(by: 2, to: [Self.device(1), Self.device(2)])
        try story.deliver(epoch, by: 1)
        #expect(story.isSupplied(epoch))
        try story.request([epoch])
        #expect(!story.isSupplied(epoch))
        #expect(story.plan(of: Self.device(1), by: 1, open: [epoch]).steps == [], "its delivery was denied")
        try story.deliver(epoch, by: 1)
        #expect(!story.isSupplied(epoch), "whatever else it delivers")
        let deliveries = [EpochPlan.Step.deliver(epoch, to: [Self.wanting])]
        #expect(story.plan(of: Self.device(2), by: 2, open: [epoch]).steps == deliveries)
        try story.deliver(epoch, by: 2)
        #expect(story.isSupplied(epoch))
    }

    @Test func `refutes a link that leads nowhere`() throws {
        var story = Story()
        let earlier = try story.begin(by: 2, to: [Self.device(2)])
        let all = [Self.device(1), Self.device(2), Self.wanting]
        let later = try story.begin(by: 1, to: all, leadingTo: [earlier])
        #expect(story.isSupplied(earlier))
        #expect(story.asked(open: []) == [later], "the later key leads to the earlier one")
        #expect(story.asked(open: [later]) == [earlier])
        try story.request([earlier])
        #expect(!story.isSupplied(earlier) && story.isSupplied(later))
        let plan = story.plan(of: Self.device(2), by: 2, open: [earlier, later])
        #expect(plan.steps == [.deliver(earlier, to: [Self.wanting])])
    }

    @Test func `is made once all statements about the key are applied`() throws {
        var story = Story()
        let epoch = try story.begin(by: 1, to: [Self.wanting])
        try story.deliver(epoch, by: 2)
        let unseen = Dot(actor: Self.log(2), counter: 1)
        #expect(story.asked(open: []) { $0[unseen.actor] < unseen.counter } == [])
        #expect(story.asked(open: []) == [epoch])
    }

    @Test func `is not made for keys that open, nor for keys without a statement of delivery`() throws {
        var story = Story()
        let open = try story.begin(by: 1, to: [Self.wanting])
        _ = try story.begin(by: 2, to: [Self.device(2)])
        #expect(story.asked(open: [open]) == [])
    }

    @Test(arguments: 0..<40) func `means the same in whatever order statements come`(seed: UInt64) throws {
        var dice = SeededGenerator(seed: seed)
        var story = Story()
        var epochs: [Hash] = []
        for _ in 0..<24 {
            let author = 1 + dice.next() % 3
            let known = epochs.randomElement(using: &dice)
            switch (dice.next() % 4, known) {
            case (0, let epoch?): try story.deliver(epoch, by: author)
            case (1, let epoch?):
                let all = story.statements.map(\.statement.operation.header.creation)
                try story.request([epoch], seen: all.filter { _ in dice.next() % 4 > 0 })
            default:
                let devices = [1, 2, 9].map(Self.device).filter { _ in dice.next() % 2 == 0 }
                let earlier = epochs.suffix(3).filter { _ in dice.next() % 2 == 0 }
                epochs.append(try story.begin(by: author, to: devices, leadingTo: earlier))
            }
        }
        let whole = story.graph
        var shuffled = story.statements
        shuffled.shuffle(using: &dice)
        #expect(EpochGraph(shuffled, zone: Self.zone) == whole)
        for statements in [story.statements, shuffled] {
            var grown = EpochGraph([], zone: Self.zone)
            for (index, next) in statements.enumerated() {
                let before = grown
                if grown.add(next.statement, isHandedOn: next.isHandedOn) { continue }
                #expect(grown == before, "what is refused changes nothing")
                grown = EpochGraph(Array(statements[...index]), zone: Self.zone)
            }
            #expect(grown == whole)
        }
    }
}
