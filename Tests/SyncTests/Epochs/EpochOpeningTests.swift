@testable import Records
import Testing
import Wire

@testable import Capabilities
@testable import Sync

/// The choice of the delivered keys that a device accepts.
@Suite struct `A delivered key` {
    private static let zone = ZoneID(Digest32(word0: 1, word1: 2, word2: 3, word3: 4))
    private static let actor = ActorID(Digest32(word0: 5, word1: 0, word2: 0, word3: 0))
    private static let device = DeviceID(Digest32(word0: 6, word1: 0, word2: 0, word3: 0))

    private func key(_ byte: UInt8) throws -> EpochKey { try EpochKey(bytes: [UInt8](repeating: byte, count: 32)) }

    private func held(_ body: ControlBody, _ counter: UInt64) throws -> HeldControl {
        let dot = Dot(actor: Self.actor, counter: counter)
        let row = LogRow(
            key: LogKey(zone: Self.zone, actor: Self.actor, lane: .control),
            device: Self.device,
            incarnation: try #require(Incarnation([UInt8](repeating: 1, count: 16))),
            right: .zero
        )
        return HeldControl(row: row, operation: .statement(body, at: dot), body: body)
    }

    /// An epoch that confirms a key, at a place of its own.
    private func epoch(
        _ key: EpochKey,
        at counter: UInt64,
        behind chain: [ChainLink] = [],
        envelope: EpochKey? = nil
    ) throws -> HeldControl {
        let place = Dot(actor: Self.actor, counter: counter)
        let envelopes = envelope.map { [KeyEnvelope(device: Self.device, sealed: $0.exportBytes())] } ?? []
        let content = KeyEpoch(
            previous: chain.map(\.epoch),
            confirm: key.confirmTag(zone: Self.zone, place: place),
            chain: chain,
            envelopes: envelopes
        )
        return try held(.epoch(content.encoded), counter)
    }

    private func graph(_ controls: [HeldControl]) -> EpochGraph {
        let statements = controls.compactMap { EpochStatement($0.operation, $0.body, by: $0.row.device) }
        return EpochGraph(statements.map { ($0, true) }, zone: Self.zone)
    }

    private func opened(_ controls: [HeldControl]) -> EpochKeyring {
        let graph = graph(controls)
        var opening = EpochOpening(graph, zone: Self.zone, keyring: EpochKeyring())
        opening.run(for: Self.device) { envelope, _ in try? EpochKey(bytes: envelope) }
        return opening.keyring
    }

    private func name(_ held: HeldControl) -> Hash { held.operation.header.leafHash }

    @Test func `in an envelope is accepted if it is the one that the epoch confirms`() throws {
        let right = try epoch(try key(1), at: 1, envelope: try key(1))
        let other = try epoch(try key(1), at: 2, envelope: try key(2))
        let keyring = opened([right, other])
        #expect(keyring.key(name(right)) != nil)
        #expect(keyring.key(name(other)) == nil)
    }

    @Test func `in an envelope that does not open is not tried again`() throws {
        let bad = try epoch(try key(1), at: 1, envelope: try key(2))
        let graph = graph([bad])
        var keyring = EpochKeyring()
        var tries = 0
        for _ in 0..<3 {
            var opening = EpochOpening(graph, zone: Self.zone, keyring: keyring)
            opening.run(for: Self.device) { envelope, _ in
                tries += 1
                return try? EpochKey(bytes: envelope)
            }
            keyring = opening.keyring
        }
        #expect(tries == 1)
        #expect(keyring.key(name(bad)) == nil)
    }

    @Test func `in an envelope of another place is not accepted, although it is confirmed there`() throws {
        let first = try epoch(try key(1), at: 1)
        // The same confirmation, repeated at another place.
        guard case .epoch(let bytes) = first.body else { return }
        let content = try KeyEpoch(decoding: bytes)
        let copy = KeyEpoch(
            previous: [],
            confirm: content.confirm,
            chain: [],
            envelopes: [KeyEnvelope(device: Self.device, sealed: try key(1).exportBytes())]
        )
        let second = try held(.epoch(copy.encoded), 2)
        #expect(opened([first, second]).key(name(second)) == nil)
    }

    @Test func `at a link is accepted if it is the one that the earlier epoch confirms`() throws {
        let (one, other) = (try epoch(try key(1), at: 1), try epoch(try key(2), at: 2))
        let present = try key(3)
        let links = [
            present.link(to: try key(1), of: name(one), zone: Self.zone),
            present.link(to: try key(9), of: name(other), zone: Self.zone),
        ]
        let keyring = opened([one, other, try epoch(present, at: 3, behind: links, envelope: present)])
        #expect(keyring.key(name(one)) != nil)
        #expect(keyring.key(name(other)) == nil)
    }

    @Test func `later is tried beside one that was false`() throws {
        let begun = try epoch(try key(1), at: 1, envelope: try key(2))
        let delivery = KeyDelivery(
            epoch: name(begun),
            envelopes: [KeyEnvelope(device: Self.device, sealed: try key(1).exportBytes())]
        )
        #expect(try opened([begun, held(.delivery(delivery.encoded), 2)]).key(name(begun)) != nil)
    }

    @Test func `of a restated epoch is accepted if it is the original one`() throws {
        let begun = try epoch(try key(1), at: 1, envelope: try key(1))
        let again = try held(.epochAgain(begun.operation.encoded), 2)
        #expect(opened([again]).key(name(begun)) != nil)
        var altered = begun.operation
        altered.body[altered.body.count - 1] ^= 1
        #expect(opened([try held(.epochAgain(altered.encoded), 2)]).key(name(begun)) == nil)
        var moved = begun.operation
        moved.header.creation = Dot(actor: Self.actor, counter: 9)
        #expect(Array(opened([try held(.epochAgain(moved.encoded), 2)]).epochs).isEmpty)
        #expect(opened([try held(.epochAgain([1, 2, 3]), 2), begun]).key(name(begun)) != nil)
    }

    @Test func `for the public is accepted if it is the one that the epoch confirms`() throws {
        let begun = try epoch(try key(1), at: 1)
        let lie = KeyDelivery(epoch: name(begun), disclosed: Hash(try key(2).exportBytes()))
        #expect(try opened([begun, held(.delivery(lie.encoded), 2)]).key(name(begun)) == nil)
        let truth = KeyDelivery(epoch: name(begun), disclosed: Hash(try key(1).exportBytes()))
        let keyring = opened([begun, try held(.delivery(lie.encoded), 2), try held(.delivery(truth.encoded), 3)])
        #expect(keyring.key(name(begun)) != nil)
    }
}
