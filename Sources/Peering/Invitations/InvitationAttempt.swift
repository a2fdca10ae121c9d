package import Identity
import Session
import Sodium
import Sync
package import Wire

/// The final answer to an invitation.
package enum InvitationOutcome: Sendable, Equatable {
    /// This account takes part in the zone, which is stored.
    case joined(ZoneID)
    /// The inviting account refuses.
    case refused(JoinRefusalCode)
}

/// An invitation that this device has opened, until its final answer.
package struct InvitationAttempt<Address: Hashable & Sendable>: Sendable {
    /// The answer that was received last.
    package enum Answer: Sendable, Equatable {
        /// A person has to approve.
        case waitingApproval
        /// The device that made the invitation has to come within reach.
        case waitingInviter
    }

    /// The time to wait for the inviting device when another one has answered, in milliseconds.
    package static var inviterMilliseconds: UInt64 { 4_000 }
    /// The interval between tries meanwhile, and of a device that learns of an approval, in milliseconds.
    static var askAgainMilliseconds: UInt64 { 1_000 }
    /// The interval between tries of an address while a program waits, in milliseconds.
    static var watchedMilliseconds: UInt64 { 5_000 }
    /// The interval between tries of an address while none does, in milliseconds.
    static var unwatchedMilliseconds: UInt64 { 60_000 }
    /// The least interval between questions that carry an account log which may be as long as any: each sends all of it.
    static var longMilliseconds: UInt64 { 30_000 }
    /// The time for which the device that waits for an approval is asked as often: people approve when they have just
    /// talked about it.
    static var approvalMilliseconds: UInt64 { 15 * 60_000 }
    /// The time for which an invitation is tried, in milliseconds; by then all of them have expired.
    static var lifetimeMilliseconds: UInt64 { 90 * 24 * 60 * 60 * 1_000 }

    /// The invitation.
    package let link: InviteLink
    /// The secret of its channels.
    let secret: ChannelSecret
    /// The time at which it was opened, in milliseconds since 1970.
    package let opened: UInt64
    /// The last answer; `nil` when there was none yet.
    package private(set) var answer: Answer?
    /// The outcome, once there is one that a waiting program has not taken.
    package internal(set) var outcome: InvitationOutcome?
    /// Whether a program waits, so that it is tried more often.
    private(set) var isWatched = false
    /// Whether the question carries an account log that does not fit into it, so that it is asked less often.
    var isLong = false
    /// The start of the wait for the inviting device, in monotonic milliseconds.
    private var waitsSince: UInt64?
    /// The address that last answered that a person has to approve, and the time of the first such answer in this run.
    private var approver: (address: Address, since: UInt64)?
    /// The time at which each address was last tried, in monotonic milliseconds.
    var tried: [Address: UInt64] = [:]

    /// Whether it was opened before another one; of two that were opened at once the identifiers decide.
    package func precedes(_ other: Self) -> Bool {
        if opened != other.opened { return opened < other.opened }
        return link.secret.identifier.lexicographicallyPrecedes(other.link.secret.identifier)
    }

    init(_ link: InviteLink, opened: UInt64) {
        self.link = link
        self.opened = opened
        secret = ChannelSecret(
            purpose: .invite(identifier: link.secret.identifier),
            key: link.secret.presharedKey()
        )
    }

    /// Notes that a program waits for an answer from now on: all addresses are tried at once.
    mutating func watch() {
        isWatched = true
        tried = [:]
        answer = nil
        waitsSince = nil
    }

    /// Notes that no program waits any more.
    mutating func unwatch() { isWatched = false }

    /// Notes that another device than the inviting one has answered.
    mutating func waits(at now: UInt64) {
        answer = .waitingInviter
        if waitsSince == nil { waitsSince = now }
    }

    /// Notes that a person has to approve, and the address that can tell when that is done.
    mutating func waitsForApproval(of address: Address, at now: UInt64) {
        answer = .waitingApproval
        approver = (address, approver?.since ?? now)
    }

    /// Returns the last answer, once it is worth reporting: the inviting device may be about to answer as well.
    /// - Parameter now: Milliseconds of the monotonic clock.
    /// - Returns: `nil` while it is worth waiting.
    package func settledAnswer(at now: UInt64) -> Answer? {
        guard answer == .waitingInviter, let waitsSince else { return answer }
        return now < waitsSince + Self.inviterMilliseconds ? nil : answer
    }

    /// Whether it is tried no longer.
    func isExpired(at wall: UInt64) -> Bool { !isWatched && wall >= opened &+ Self.lifetimeMilliseconds }

    /// Whether it is tried each second.
    func isUrgent(at now: UInt64) -> Bool { isWatched || approver.map { isApprover($0.address, at: now) } ?? false }

    /// Whether an address is to be tried now.
    func isDue(_ address: Address, at now: UInt64) -> Bool {
        guard let last = tried[address] else { return true }
        if isLong, now < last + Self.longMilliseconds { return false }
        if isApprover(address, at: now) { return now >= last + Self.askAgainMilliseconds }
        guard isWatched else { return now >= last + Self.unwatchedMilliseconds }
        // The inviting device may learn at this moment of the request that was noted for it.
        let isNoted = waitsSince.map { now < $0 + Self.inviterMilliseconds } ?? false
        return now >= last + (isNoted ? Self.askAgainMilliseconds : Self.watchedMilliseconds)
    }

    /// Whether an address is that of the device that is about to learn of the approval.
    private func isApprover(_ address: Address, at now: UInt64) -> Bool {
        guard answer == .waitingApproval, let approver, approver.address == address else { return false }
        return now < approver.since + Self.approvalMilliseconds
    }
}
