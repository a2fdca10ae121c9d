import Records
import Sync
import TestSupport
import Testing
import Wire

/// A device whose keys and store were copied, and one whose store is only older than it was.
@Suite("Copies of a device")
struct CloneTests {
    /// Sends everything that a home holds to one of this world, and returns whether that proves a copy.
    private func hears(
        _ n: inout Neighbours,
        _ index: Int,
        from source: Int,
        of world: Neighbours,
        _ zone: ZoneID
    ) throws -> Bool {
        let store = world.homes[source].store
        var isProven = false
        for lane in [Lane.control, .data] {
            for row in try store.logs(zone: zone) where row.key.lane == lane {
                let from = try n.homes[index].store.log(row.key)?.heldSize ?? 0
                guard
                    let run = try RunExchange(world.committer(source)).run(
                        row.key,
                        from: from,
                        byteCount: 1 << 20,
                        in: store
                    )
                else {
                    continue
                }
                let notice = try n.change(index) { try RunExchange($0).apply(run, key: row.key, random: &$1, in: &$2) }
                    .notice
                isProven = isProven || !notice.clones.isEmpty
            }
        }
        return isProven
    }

    @Test func `both learn of the other one, and no other device warns`() throws {
        var original = try Neighbours([2])
        let zone = try original.zone(of: 0)
        try original.write("a", "before", on: 0, zone: zone)
        try original.exchange(zone)
        // On another machine a copy begins another incarnation at its start.
        var copy = original
        try copy.renewLifetime(0)
        try copy.write("b", "by the copy", on: 0, zone: zone)
        #expect(try !hears(&original, 1, from: 0, of: copy, zone))
        #expect(try hears(&original, 0, from: 1, of: original, zone))
        try original.write("c", "by the original", on: 0, zone: zone)
        #expect(try hears(&copy, 0, from: 0, of: original, zone))
        #expect(try !hears(&copy, 1, from: 0, of: copy, zone))
    }

    @Test func `a restored store does not take its own earlier operations for those of a copy`() throws {
        var n = try Neighbours([2])
        let zone = try n.zone(of: 0)
        try n.write("a", "before", on: 0, zone: zone)
        try n.exchange(zone)
        let backup = n.homes[0].store
        for text in ["1", "2"] { try n.write("a", text, on: 0, zone: zone) }
        try n.exchange(zone)
        n.homes[0].store = backup
        try n.renewLifetime(0)
        #expect(try !hears(&n, 0, from: 1, of: n, zone))
        try n.write("a", "3", on: 0, zone: zone)
        try n.exchange(zone)
        // Restored once more, it meets two incarnations that have ended.
        n.homes[0].store = backup
        try n.renewLifetime(0)
        try n.write("b", "4", on: 0, zone: zone)
        #expect(try !hears(&n, 0, from: 1, of: n, zone))
    }
}
