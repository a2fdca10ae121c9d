@testable import Records
import TestSupport
import Testing
import Wire

@testable import Sync

/// The epochs of a zone's key, entered as operations come in.
@Suite struct `A graph of epochs` {
    private static let zone = ZoneID(Digest32(word0: 1, word1: 2, word2: 3, word3: 4))

    private func device(_ number: UInt64) -> DeviceID {
        DeviceID(Digest32(word0: number, word1: 0, word2: 0, word3: 7))
    }

    private func operation(_ body: ControlBody, _ counter: UInt64) -> Operation {
        let dot = Dot(actor: ActorID(Digest32(word0: 5, word1: 0, word2: 0, word3: 0)), counter: counter)
        return .statement(body, at: dot)
    }

    /// Operations about epochs that name each other, made by dice.
    private func statements(
        _ count: Int,
        _ dice: inout SeededGenerator
    ) throws -> [(statement: EpochStatement, isHandedOn: Bool)] {
        var begun: [Operation] = []
        var statements: [(EpochStatement, Bool)] = []
        for counter in 1...UInt64(count) {
            let envelopes = [KeyEnvelope(device: device(dice.next() % 6), sealed: [UInt8(counter)])]
            let earlier = begun.isEmpty ? nil : begun[Int(dice.next() % UInt64(begun.count))]
            let body: ControlBody
            switch (dice.next() % 4, earlier) {
            case (0, let earlier?):
                body = .delivery(KeyDelivery(epoch: earlier.header.leafHash, envelopes: envelopes).encoded)
            case (1, let earlier?): body = .epochAgain(earlier.encoded)
            default:
                let previous = earlier.map { [$0.header.leafHash] } ?? []
                let links = previous.map { ChainLink(epoch: $0, sealed: [UInt8](repeating: 1, count: 48)) }
                let epoch = KeyEpoch(previous: previous, confirm: .zero, chain: links, envelopes: envelopes)
                body = .epoch(epoch.encoded)
            }
            let operation = operation(body, counter)
            if case .epoch = body { begun.append(operation) }
            statements.append((try #require(EpochStatement(operation, body, by: device(0))), dice.next() % 3 > 0))
        }
        return statements
    }

    @Test(arguments: 0..<40) func `has the same result whether statements arrive one by one or at once, in any order`(
        seed: UInt64
    ) throws {
        var dice = SeededGenerator(seed: seed)
        var all = try statements(24, &dice)
        if seed % 2 == 1 { all.shuffle(using: &dice) }
        var graph = EpochGraph([], zone: Self.zone)
        for (index, next) in all.enumerated() {
            let before = graph
            let whole = EpochGraph(Array(all[...index]), zone: Self.zone)
            if !graph.add(next.statement, isHandedOn: next.isHandedOn) {
                #expect(graph == before, "what is refused changes nothing")
                #expect(seed % 2 == 1, "in the order of causes every statement is entered")
                graph = whole
            }
            #expect(graph == whole, "statement \(index)")
            let places = Dictionary(uniqueKeysWithValues: graph.order.enumerated().map { ($1, $0) })
            #expect(places.count == graph.epochs.count)
            for (hash, epoch) in graph.epochs {
                for previous in epoch.content.previous {
                    guard let place = places[previous], let own = places[hash] else { continue }
                    #expect(place < own)
                }
            }
        }
    }
}
