import Identity
import Records
import Sodium
import Sync
import TestSupport
import Testing
import Wire

/// A member that seals something else in place of a key to one of the readers.
@Suite struct `A key that its author gave to some readers only` {
    private struct Lie {
        var neighbours: Neighbours
        let zone: ZoneID
        let epoch: Hash
    }

    /// Three accounts; the second begins a key that opens for itself and the first.
    private func lie(to level: AccessLevel = .write) throws -> Lie {
        var neighbours = try Neighbours([1, 1, 1], envelopes: BoxEnvelopes())
        let zone = try neighbours.zone(of: 0)
        _ = try neighbours.grant(.write, to: 1, by: 0, zone: zone)
        _ = try neighbours.grant(level, to: 2, by: 0, zone: zone)
        try neighbours.exchange(zone)
        let store = neighbours.homes[1].store
        let present = try #require(try store.zone(zone)?.sealing.epoch)
        let author = try neighbours.committer(1).author(in: zone, store)
        let place = try author.nextPlace(.control, zone: zone, in: store)
        let secret = neighbours.random.bytes(32)
        let key = try EpochKey(bytes: secret)
        let entropy = TransactionEntropy(using: &neighbours.random)
        let envelopes = try neighbours.homes.enumerated().map { index, home in
            let device = home.keys.deviceID
            let recipient = try BoxEnvelopes().encapsulationKey(seed: home.keys.encapsulationSeed())
            let info = ContextString.epochEnvelope.prefixed(zone.bytes + device.bytes + place.encoded)
            let sealed = try BoxEnvelopes().seal(secret, to: recipient, info: info, entropy: entropy)
            return KeyEnvelope(device: device, sealed: index == 2 ? [1, 2, 3] : sealed)
        }
        let content = KeyEpoch(
            previous: [present],
            confirm: key.confirmTag(zone: zone, place: place),
            chain: [],
            envelopes: envelopes
        )
        try neighbours.say(.epoch(content.encoded), on: 1, zone: zone)
        try neighbours.exchange(zone)
        let epoch = try #require(try neighbours.homes[0].store.zone(zone)?.sealing.epoch)
        #expect(epoch != present && neighbours.homes[0].store.keyring.key(epoch) != nil)
        #expect(neighbours.homes[2].store.keyring.key(epoch) == nil)
        try neighbours.write("a", "under the key", on: 0, zone: zone)
        try neighbours.exchange(zone)
        #expect(try neighbours.text("a", on: 2, zone: zone) == nil)
        return Lie(neighbours: neighbours, zone: zone, epoch: epoch)
    }

    @Test(arguments: [AccessLevel.read, .write])
    func `is requested by a reader that lacks it, and delivered by one that has it`(
        level: AccessLevel
    ) throws {
        var lie = try lie(to: level)
        let zone = lie.zone
        #expect(try lie.neighbours.homes[2].store.zone(zone)?.needsKeys == true)
        try lie.neighbours.change(2) { _ = try ZoneUpkeep($0).maintain(zone, in: &$2) }
        #expect(try lie.neighbours.homes[2].store.zone(zone)?.needsKeys == false, "it asks once")
        try lie.neighbours.exchange(zone)
        // Nothing that the liar could still state is believed, and it does not go on.
        #expect(try lie.neighbours.change(1) { try ZoneUpkeep($0).maintain(zone, in: &$2).number } == nil)
        try lie.neighbours.change(0) { _ = try ZoneUpkeep($0).maintain(zone, in: &$2) }
        try lie.neighbours.exchange(zone)
        #expect(try lie.neighbours.text("a", on: 2, zone: zone) == "under the key")
        for index in 0..<3 {
            #expect(try lie.neighbours.homes[index].store.zone(zone)?.sealing.epoch == lie.epoch)
            #expect(try lie.neighbours.change(index) { try ZoneUpkeep($0).maintain(zone, in: &$2).number } == nil)
        }
    }
}
