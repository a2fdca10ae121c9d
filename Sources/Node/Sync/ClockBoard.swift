import Sync
import Synchronization
import Wire

/// The knowledge of other devices' clocks, for the transactions of this moment, and the warnings about this
/// machine's.
final class ClockBoard: Sendable {
    private struct State {
        var account: AccountID
        var watch: ClockWatch

        init(_ account: AccountID) { (self.account, watch) = (account, ClockWatch(account: account)) }
    }

    private let state: Mutex<State>
    private let identity: NodeIdentity
    private let clock: NodeClock
    private let health: HealthBoard

    private static let aheadCode = "clock.ahead"
    private static let behindCode = "clock.behind"
    private static let restartedCode = "clock.was_ahead"

    init(identity: NodeIdentity, clock: NodeClock, health: HealthBoard) {
        (self.identity, self.clock, self.health) = (identity, clock, health)
        state = Mutex(State(identity.account))
    }

    /// Takes a reading of a member's clock, and compares.
    func heard(_ wall: UInt64, from device: DeviceID, of account: AccountID, at now: UInt64) {
        changing { $0.heard(wall, from: device, of: account, at: now) }
        look()
    }

    /// Returns the time that most other devices' clocks show at this moment.
    func witnesses() -> ClockWitnesses {
        changing { $0.witnesses(at: clock.monotonic()) }
    }

    /// Raises, changes or ends the warnings.
    func look() {
        let comparison = changing { $0.compare(clock.wall(), at: clock.monotonic()) }
        guard case .differs(let difference) = comparison else {
            health.clear(Self.aheadCode)
            health.clear(Self.behindCode)
            return
        }
        let isAhead = difference.milliseconds > 0
        health.clear(isAhead ? Self.behindCode : Self.aheadCode)
        health.set(Self.warning(of: difference, code: isAhead ? Self.aheadCode : Self.behindCode))
    }

    /// Warns of a stored reading that is far ahead of this machine's clock: it was ahead once, or is behind now.
    /// - Parameter stored: The clock as the store keeps it.
    func noteStored(_ stored: HybridClock) {
        let excess = stored.excessMilliseconds(wallMilliseconds: clock.wall())
        guard excess > 0 else { return }
        health.set(
            HealthWarning(
                code: Self.restartedCode,
                severity: .warning,
                message:
                    "At its last write this machine's clock was \(Self.words(excess)) ahead of the present time: those writes have that "
                    + "date, and win over concurrent edits of the same fields. New writes are dated by the present clock.",
                fix:
                    "Check the present clock with `timedatectl`; write again the values that an edit with a wrong date has replaced."
            )
        )
    }

    private func changing<Value: Sendable>(_ body: (inout ClockWatch) -> Value) -> Value {
        let account = identity.account
        return state.withLock { state in
            // A sibling from the former account is none in this one.
            if state.account != account { state = State(account) }
            return body(&state.watch)
        }
    }

    private static func warning(of difference: ClockDifference, code: String) -> HealthWarning {
        let side = difference.milliseconds > 0 ? "ahead of" : "behind"
        var message = "This machine's clock is \(words(difference.milliseconds.magnitude)) \(side) "
        message += difference.others.isEmpty ? "most others" : "the clock of \(list(difference.others))"
        if !difference.agreeing.isEmpty {
            message += "; that of \(list(difference.agreeing)) agrees with this one"
        }
        message += "."
        if difference.voiceCount == 1 { message += " No other clock is known, so either of the two may be wrong." }
        return HealthWarning(
            code: code,
            severity: .warning,
            message: message,
            fix:
                "Set the clock that is wrong, for example with `timedatectl set-ntp true`; `timedatectl` shows whether it is set "
                + "from the network. Until then expired data is not dropped here."
        )
    }

    private static func list(_ devices: [DeviceID]) -> String {
        let named = devices.prefix(3).map(\.shortText).joined(separator: ", ")
        return devices.count > 3 ? "\(named) and \(devices.count - 3) more" : named
    }

    /// A duration as people read it, in the largest unit of which there are two.
    private static func words(_ milliseconds: UInt64) -> String {
        let seconds = milliseconds / 1_000
        let units: [(name: String, seconds: UInt64)] = [
            ("years", 31_557_600), ("days", 86_400), ("hours", 3_600), ("minutes", 60),
        ]
        for unit in units where seconds >= 2 * unit.seconds {
            return "\((seconds + unit.seconds / 2) / unit.seconds) \(unit.name)"
        }
        return "\(seconds) seconds"
    }
}
