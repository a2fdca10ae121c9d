import Records
import Sync
import Wire

/// The law that a wrong clock does not affect the clocks of other devices.
struct ClockLaw {
    /// For each device the furthest point that the wall clock of a machine with that device ever showed.
    private var furthestWall: [DeviceID: UInt64] = [:]

    /// Takes note of the time before a clock is turned: a transaction reads it when it runs, and is
    /// reported when the disk has it.
    mutating func clockTurns(on node: SimulatedNode) { _ = furthestWall(of: node.device, now: node.wallMilliseconds) }

    /// Checks the clock in a store.
    mutating func check(_ commit: ObservedCommit) throws {
        let wall = furthestWall(of: commit.device, now: commit.wall)
        let latest = try commit.after.clock().latest.milliseconds
        // A second more for readings that are counted up within one millisecond.
        guard latest > wall + HybridClock.leadMillisecondsMax + 1_000 else { return }
        throw commit.violation(.clocks, "the clock is at \(latest), the wall clock was never beyond \(wall)")
    }

    private mutating func furthestWall(of device: DeviceID, now: UInt64) -> UInt64 {
        let wall = max(furthestWall[device] ?? 0, now)
        furthestWall[device] = wall
        return wall
    }
}
