package import Wire

/// The schedule by which a device renews the key of the account's devices: the state of the account log and the time
/// go in, the next step comes out.
///
/// The device that removes another one makes the key at once, and it travels with the removal. So all others only have to do it where
/// that was not enough: removals that did not know of each other, or a device that could not. They wait, longer the later they were
/// added, so that mostly one does it.
package struct FleetKeeping: Sendable {
    /// The next thing to do.
    package enum Step: Equatable, Sendable {
        /// Nothing.
        case rest
        /// No action is due before a moment of the monotonic clock.
        case wait(until: UInt64)
        /// Another key is to be made.
        case make
    }

    /// The wait of the device that was added first, and of each further one on top.
    package static let turnMilliseconds: UInt64 = 5_000
    /// The longest wait, and the wait after a key could not be made.
    package static let longestMilliseconds: UInt64 = 60_000

    /// The interval at which the days of retired keys are counted, in milliseconds.
    package static let countMilliseconds: UInt64 = 3_600_000

    private var makesAt: UInt64?
    /// The next time at which the days of retired keys are counted, in milliseconds of the monotonic clock.
    package private(set) var countsAt: UInt64 = 0

    /// Starts with nothing to do.
    package init() {}

    /// Whether the days of retired keys are to be counted now.
    /// - Parameter now: Milliseconds of the monotonic clock.
    /// - Returns: True once an hour, and the first time.
    package mutating func counts(at now: UInt64) -> Bool {
        guard now >= countsAt else { return false }
        countsAt = now + Self.countMilliseconds
        return true
    }

    /// Decides the next step.
    /// - Parameters:
    ///   - account: The state of the account log.
    ///   - own: This device.
    ///   - now: Milliseconds of the monotonic clock.
    /// - Returns: The step to take.
    package mutating func step(_ account: AccountState, own: DeviceID, at now: UInt64) -> Step {
        guard account.fleet.isDue, let turn = account.fullDevices.firstIndex(of: own) else {
            makesAt = nil
            return .rest
        }
        let turns = UInt64(min(turn + 1, Int(Self.longestMilliseconds / Self.turnMilliseconds)))
        let due = makesAt ?? now + turns * Self.turnMilliseconds
        guard now >= due else {
            makesAt = due
            return .wait(until: due)
        }
        // If no key results, it is tried again.
        makesAt = now + Self.longestMilliseconds
        return .make
    }
}
