/// A clock that follows the wall and runs past every reading it has seen, as long as those are near the wall.
///
/// Source: Kulkarni et al., "Logical Physical Clocks and Consistent Snapshots in Globally Distributed Databases",
/// 2014. Deviations: a full logical count carries into the milliseconds; and no reading, a remote one or the own one that was
/// stored, is followed further than `leadMillisecondsMax` ahead of the wall, so that a clock which was wrong once
/// drags no device into the future.
///
/// Readings order values that are concurrent. Dots decide which value supersedes another, so nothing breaks where a
/// reading is lower than an earlier one of the same device.
package struct HybridClock: Hashable, Sendable {
    /// The newest reading given out or taken in since the clock last began again.
    package private(set) var latest: HybridTime

    /// Continues from the newest reading that was stored.
    package init(latest: HybridTime = .zero) {
        self.latest = latest
    }

    /// The maximum lead of a reading over the wall: 5 minutes, above the differences between unsynchronised but sane
    /// clocks.
    package static let leadMillisecondsMax: UInt64 = 5 * 60 * 1_000

    /// The year in which this program was written, in milliseconds since 1970: a wall that shows less is wrong for certain, as on a
    /// board without a battery before it has asked for the time.
    package static let plausibleMillisecondsMin: UInt64 = 1_767_225_600_000

    /// The excess of the newest reading over the maximum lead, in milliseconds; zero when there is none.
    ///
    /// - Parameter wallMilliseconds: The wall's time in milliseconds since 1970.
    /// - Returns: The distance to the wall if it exceeds `leadMillisecondsMax` and the wall is plausible. The next reading begins
    ///   again at the wall then.
    package func excessMilliseconds(wallMilliseconds: UInt64) -> UInt64 {
        guard wallMilliseconds >= Self.plausibleMillisecondsMin, latest.milliseconds > wallMilliseconds else {
            return 0
        }
        let lead = latest.milliseconds - wallMilliseconds
        return lead > Self.leadMillisecondsMax ? lead : 0
    }

    /// Returns a new reading.
    /// - Parameter wallMilliseconds: The wall's time in milliseconds since 1970; it may jump either way.
    /// - Returns: The wall's time when that is past everything seen, or when the readings seen are too far ahead of
    ///   it; the newest reading plus one otherwise. Strictly above all earlier ones since the clock last began again
    ///   (until the last of 2^64, which no wall reaches before the year 10889).
    package mutating func tick(wallMilliseconds: UInt64) -> HybridTime {
        let wall = HybridTime(milliseconds: wallMilliseconds)
        if wall > latest || excessMilliseconds(wallMilliseconds: wallMilliseconds) > 0 {
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
        if excessMilliseconds(wallMilliseconds: wallMilliseconds) > 0 { latest = .zero }
        latest = max(latest, min(remote, ceiling))
    }
}
