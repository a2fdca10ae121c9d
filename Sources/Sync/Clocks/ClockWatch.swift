package import Wire

/// Compares this machine's clock with those of its peers, as they state them in each handshake and answer to each ping.
///
/// Statements of other devices decide nothing alone: they raise a warning, and they may *delay* operations that
/// cannot be undone (``ClockWitnesses``). Each device of the own account has one voice. All devices of another
/// account together have one, so that an account with many devices has no more weight.
///
/// A statement is kept as the other clock's distance to a clock of this machine that never jumps, so that it stays right when the own
/// wall clock is set.
package struct ClockWatch: Sendable {
    /// From this difference on there is a warning: 5 minutes, which a clock that is set from the network never reaches.
    package static let warningMilliseconds: UInt64 = HybridClock.leadMillisecondsMax
    /// Below this difference the warning ends: 4 minutes, so that it does not come and go.
    package static let agreementMilliseconds: UInt64 = 4 * 60 * 1_000
    /// The time for which a statement is considered: a day.
    package static let memoryMilliseconds: UInt64 = 24 * 60 * 60 * 1_000
    /// Devices whose statements are kept at most; the oldest goes first.
    package static let deviceCountMax = 256

    private struct Statement: Sendable {
        let account: AccountID
        /// The other wall minus this machine's monotonic clock.
        let base: Int64
        /// The time of the statement, by the monotonic clock.
        let at: UInt64
    }

    /// A voice: a device of the own account, or another account.
    private enum Voice: Hashable {
        case device(DeviceID)
        case account(AccountID)
    }

    private let ownAccount: AccountID
    private var statements: [DeviceID: Statement] = [:]
    private var isWarning = false

    /// Begins without statements.
    /// - Parameter account: The account of this device.
    package init(account: AccountID) {
        ownAccount = account
    }

    /// Takes in the clock of a member; a later statement of the same device replaces the earlier one.
    /// - Parameters:
    ///   - wall: The wall clock that the device states, in milliseconds since 1970; any number.
    ///   - device: The authenticated device that states it.
    ///   - account: Its account.
    ///   - now: Milliseconds of this machine's monotonic clock.
    package mutating func heard(_ wall: UInt64, from device: DeviceID, of account: AccountID, at now: UInt64) {
        // No clock shows more than a reading can hold.
        let wall = min(wall, HybridTime.millisecondsMax)
        let base = Int64(clamping: wall).subtractingReportingOverflow(Int64(clamping: now))
        guard !base.overflow else { return }
        statements[device] = Statement(account: account, base: base.partialValue, at: now)
        if statements.count > Self.deviceCountMax, let oldest = statements.min(by: { $0.value.at < $1.value.at })?.key {
            statements[oldest] = nil
        }
        assert(statements.count <= Self.deviceCountMax, "the clocks of few devices are remembered")
    }

    /// Returns the time that the clocks of most other devices show.
    /// - Parameter now: Milliseconds of this machine's monotonic clock.
    /// - Returns: The voices and the lower one of their middle values.
    package func witnesses(at now: UInt64) -> ClockWitnesses {
        let walls = voices(at: now).map { UInt64(clamping: $0.wall) }.sorted()
        guard !walls.isEmpty else { return .none }
        return ClockWitnesses(count: walls.count, median: walls[(walls.count - 1) / 2])
    }

    /// Compares this machine's clock with the others.
    ///
    /// A difference is reported from ``warningMilliseconds`` on, and until it is below ``agreementMilliseconds``.
    /// - Parameters:
    ///   - wall: The time of this machine's clock, in milliseconds since 1970.
    ///   - now: Milliseconds of this machine's monotonic clock.
    /// - Returns: The result to report.
    package mutating func compare(_ wall: UInt64, at now: UInt64) -> ClockComparison {
        let own = Int64(clamping: wall)
        let voices = voices(at: now).map { (difference: own.clampedDifference(to: $0.wall), devices: $0.devices) }
            .sorted { $0.difference < $1.difference }
        guard !voices.isEmpty else {
            isWarning = false
            return .alone
        }
        // Of two middle values the one nearer to this clock; where it lies between them, half of the others agree with neither.
        let (low, high) = (voices[(voices.count - 1) / 2].difference, voices[voices.count / 2].difference)
        let middle = low <= 0 && high >= 0 ? 0 : low > 0 ? low : high
        let threshold = isWarning ? Self.agreementMilliseconds : Self.warningMilliseconds
        isWarning = middle.magnitude >= threshold
        guard isWarning else { return .agrees }
        func devices(_ isWanted: (Int64) -> Bool) -> [DeviceID] {
            voices.filter { isWanted($0.difference) }.flatMap(\.devices).sorted()
        }
        return .differs(
            ClockDifference(
                milliseconds: middle,
                others: devices { $0.clampedDifference(to: middle).magnitude < Self.warningMilliseconds },
                agreeing: devices { $0.magnitude < Self.warningMilliseconds },
                voiceCount: voices.count
            )
        )
    }

    /// Returns the time of each voice at this moment; for another account the median of its devices' clocks.
    private func voices(at now: UInt64) -> [(wall: Int64, devices: [DeviceID])] {
        var heard: [Voice: [(wall: Int64, device: DeviceID)]] = [:]
        for (device, statement) in statements where now < statement.at &+ Self.memoryMilliseconds {
            let voice: Voice = statement.account == ownAccount ? .device(device) : .account(statement.account)
            let wall = statement.base.addingReportingOverflow(Int64(clamping: now))
            if !wall.overflow { heard[voice, default: []].append((wall.partialValue, device)) }
        }
        return heard.values.map { clocks in
            let sorted = clocks.map(\.wall).sorted()
            return (sorted[(sorted.count - 1) / 2], clocks.map(\.device))
        }
    }
}

/// The result of a comparison of clocks.
package enum ClockComparison: Hashable, Sendable {
    /// No other clock is known.
    case alone
    /// This clock agrees with most others.
    case agrees
    /// It does not.
    case differs(ClockDifference)
}

/// The difference between this machine's clock and most others.
package struct ClockDifference: Hashable, Sendable {
    /// This clock minus the others, in milliseconds: positive where it is ahead.
    package let milliseconds: Int64
    /// The devices whose clocks agree approximately with most others, ascending.
    package let others: [DeviceID]
    /// The devices whose clocks agree approximately with this one's, ascending.
    package let agreeing: [DeviceID]
    /// The number of voices; with one alone it is impossible to tell which of the two clocks is wrong.
    package let voiceCount: Int

    /// Describes a difference.
    package init(milliseconds: Int64, others: [DeviceID], agreeing: [DeviceID], voiceCount: Int) {
        self.milliseconds = milliseconds
        self.others = others
        self.agreeing = agreeing
        self.voiceCount = voiceCount
    }
}

/// The clocks of other devices at one moment, for decisions that cannot be undone.
package struct ClockWitnesses: Hashable, Sendable {
    /// The number of voices within a day.
    package let count: Int
    /// The lower one of their middle values, in milliseconds since 1970.
    package let median: UInt64

    /// There is no other voice.
    package static let none = ClockWitnesses(count: 0, median: 0)

    /// Describes the voices.
    package init(count: Int, median: UInt64) {
        self.count = count
        self.median = median
    }

    /// The margin after an end that two or more devices witness, in milliseconds: 5 minutes.
    package static let marginMilliseconds: UInt64 = ClockWatch.warningMilliseconds
    /// The margin where there is only one witness, which may be as wrong as this machine: a day.
    package static let singleMarginMilliseconds: UInt64 = 24 * 60 * 60 * 1_000

    /// A moment that has passed for certain: by this machine's clock, by those of most others, and by a margin.
    ///
    /// Other devices can delay it with earlier times, and never bring it nearer than this machine's own clock does.
    /// - Parameter wall: This machine's clock, in milliseconds since 1970.
    /// - Returns: `nil` while there is no other voice: then nothing has passed for certain.
    package func settledMilliseconds(wall: UInt64) -> UInt64? {
        guard count > 0 else { return nil }
        let shown = min(wall, median)
        let margin = count > 1 ? Self.marginMilliseconds : Self.singleMarginMilliseconds
        return shown > margin ? shown - margin : 0
    }

    /// Whether the clocks of most others agree approximately with this machine's.
    /// - Parameter wall: This machine's clock, in milliseconds since 1970.
    /// - Returns: False while there is no other voice.
    package func agree(with wall: UInt64) -> Bool {
        count > 0 && max(wall, median) - min(wall, median) < ClockWatch.warningMilliseconds
    }
}

extension Int64 {
    /// This minus another number, at most the largest number there is.
    fileprivate func clampedDifference(to other: Int64) -> Int64 {
        let (difference, overflow) = subtractingReportingOverflow(other)
        return overflow ? (self < other ? .min : .max) : difference
    }
}
