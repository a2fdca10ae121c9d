import Records
import Sync
import Testing
import Wire

@Suite struct `Records that a write of this device opens` {
    /// A device 1 that holds a record which it cannot read, and will be able to read with its next write.
    private func locked() throws -> (neighbours: Neighbours, zone: ZoneID) {
        var neighbours = try Neighbours([1, 1], seed: 1, envelopes: BoxEnvelopes())
        let zone = try neighbours.zone(of: 0)
        _ = try neighbours.grant(.write, to: 1, by: 0, zone: zone)
        try neighbours.settle(zone)
        for index in 0...1 { try neighbours.write("of \(index)", "known", on: index, zone: zone) }
        try neighbours.settle(zone)
        // A store that has no key open, and whose accounts have changed since it looked at the keys.
        try neighbours.change(1) { _, _, store in
            store.keyring = EpochKeyring()
            var row = try #require(try store.zone(zone))
            row.keysStamp = .zero
            try store.save(row)
        }
        try neighbours.write("secret", "sealed", on: 0, zone: zone)
        try neighbours.pull(zone, from: 0, to: 1)
        #expect(try neighbours.text("secret", on: 1, zone: zone) == nil)
        return (neighbours, zone)
    }

    @Test func `are in the notice of the write`() throws {
        var (neighbours, zone) = try locked()
        let write = RecordWrite(name: "own", type: "note")
        let commit = try neighbours.change(1) { try $0.commit([WriteRequest([write])], zone: zone, in: &$2) }
        #expect(try neighbours.text("secret", on: 1, zone: zone) == "sealed")
        #expect(commit.reply.changed.map(\.name) == ["secret", "own"])
        #expect(commit.notice.number != nil && commit.notice.feed.contains(.others))
    }

    @Test func `are in the notice although the write is refused`() throws {
        var (neighbours, zone) = try locked()
        let deletion = RecordWrite(name: "nothing", delete: true)
        let commit = try neighbours.change(1) { try $0.commit([WriteRequest([deletion])], zone: zone, in: &$2) }
        #expect(commit.reply.changed.map(\.name) == ["secret"] && commit.notice.number != nil)
    }
}
