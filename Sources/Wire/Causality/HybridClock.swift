/// A clock that follows the wall, never goes back, and runs past every reading it has seen.
///
/// Source: Kulkarni et al., "Logical Physical Clocks and Consistent Snapshots in Globally Distributed Databases",
/// 2014. Deviations: a full logical count carries into the milliseconds; and a remote reading counts only up to
/// `leadMillisecondsMax` ahead of our own wall, so that one wrong clock cannot drag everybody's into the future.
package struct HybridClock: Hashable, Sendable {
    /// The newest reading given out or taken in.
    package private(set) var latest: HybridTime

    /// Continues from the newest reading that was stored.
    package init(latest: HybridTime = .zero) {
        self.latest = latest
    }

    /// How far a remote reading may pull this clock ahead of the wall: 5 minutes, above what unsynchronised but
    /// sane clocks differ by.
    package static let leadMillisecondsMax: UInt64 = 5 * 60 * 1_000

    /// Gives out a new reading.
    /// - Parameter wallMilliseconds: The wall's time in milliseconds since 1970; it may jump either way.
    /// - Returns: The wall's time when that is past everything seen, the newest reading plus one otherwise. Strictly
    ///   above all earlier ones (until the last of 2^64, which no wall reaches before the year 10889).
    package mutating func tick(wallMilliseconds: UInt64) -> HybridTime {
        let wall = HybridTime(milliseconds: wallMilliseconds)
        if wall > latest {
            latest = wall
        } else if latest.raw < .max {
            latest = HybridTime(raw: latest.raw + 1)
        }
        return latest
    }

    /// Takes in a reading that came with someone's write.
    /// - Parameters:
    ///   - remote: The reading; any number.
    ///   - wallMilliseconds: Our own wall's time in milliseconds since 1970.
    package mutating func observe(_ remote: HybridTime, wallMilliseconds: UInt64) {
        let (bound, overflow) = wallMilliseconds.addingReportingOverflow(Self.leadMillisecondsMax)
        let ceiling = HybridTime(milliseconds: overflow ? .max : bound)
        latest = max(latest, PlantedBug.followAnyClock.isActive ? remote : min(remote, ceiling))
    }
}
