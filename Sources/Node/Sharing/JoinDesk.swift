import Identity
import Session
import Sync
import Wire

/// A zone that was joined by an invitation.
struct JoinedZone: Sendable {
    /// Names the invitation.
    let invite: [UInt8]
    /// The zone.
    let zone: ZoneID
    /// The device that let this account in.
    let device: DeviceID
    /// The address at which it was reached.
    let address: PeerAddress
}

/// The state of invitations: those that this device has opened, and the channels of requests to join.
struct JoinDesk: Sendable {
    /// The role of this side of a channel.
    typealias Role = InvitationMessages.Role

    /// A channel under an invitation's key.
    struct Link: Sendable {
        var connection: any PeerConnection
        var role: Role
        var device: DeviceID
        var account: AccountID
        /// Names the invitation.
        var invite: [UInt8]
        /// The account log that came with the one question of the channel, until it is answered.
        var log: AccountLog?
        /// Whether the question was answered; the asking device ends the channel when it has all of a long answer.
        var isAnswered = false
    }

    /// An invitation that this device has opened.
    struct Attempt: Sendable {
        let link: InviteLink
        let secret: ChannelSecret
        /// The time at which it was opened, in milliseconds since 1970.
        let opened: UInt64
        /// The state at the last answer; `nil` when there was none yet.
        var state: JoinState?
        /// The start of the wait for the inviting device, in monotonic milliseconds.
        var waitsSince: UInt64?
        /// The outcome, if there is one; the waiting call removes the attempt.
        var outcome: Result<JoinStatus, NodeError>?
        /// Whether the question carries an account log that does not fit into it, so that it is asked less often.
        var isLong = false
        /// Whether a program waits, so that it is tried more often.
        var isWatched = false
        /// The address that last answered that a person has to approve, and when such an answer first came in this
        /// run, in monotonic milliseconds.
        private(set) var approver: (address: PeerAddress, since: UInt64)?
        /// The time at which each address was last tried, in monotonic milliseconds.
        var tried: [PeerAddress: UInt64] = [:]

        init(_ link: InviteLink, opened: UInt64) {
            self.link = link
            self.opened = opened
            secret = ChannelSecret(
                purpose: .invite(identifier: link.secret.identifier),
                key: link.secret.presharedKey()
            )
        }

        /// Notes that another device than the inviting one has answered.
        mutating func waits(at now: UInt64) {
            state = .waitingInviter
            if waitsSince == nil { waitsSince = now }
        }

        /// Notes that a person has to approve, and the address that can tell when that is done.
        mutating func waitsForApproval(of address: PeerAddress, at now: UInt64) {
            state = .waitingApproval
            approver = (address, approver?.since ?? now)
        }

        /// Whether an address is that of the device that is about to learn of the approval.
        func isApprover(_ address: PeerAddress, at now: UInt64) -> Bool {
            guard state == .waitingApproval, let approver, approver.address == address else { return false }
            return now < approver.since + JoinDesk.approvalMilliseconds
        }

        /// Returns the state, once it is worth reporting: the inviting device may be about to answer as well.
        func settledState(at now: UInt64) -> JoinState? {
            guard state == .waitingInviter, let waitsSince else { return state }
            return now < waitsSince + JoinDesk.inviterMilliseconds ? nil : state
        }
    }

    /// Invitations that wait for an answer; people open one now and then.
    static let attemptCountMax = 16
    /// The time for which an invitation is tried, in milliseconds; by then all of them have expired.
    static let lifetimeMilliseconds: UInt64 = 90 * 24 * 60 * 60 * 1_000
    /// The interval between tries of an address while a program waits, and while none does, in milliseconds.
    static let watchedMilliseconds: UInt64 = 5_000
    static let unwatchedMilliseconds: UInt64 = 60_000
    /// The time to wait for the inviting device when another one has answered, and the interval between tries
    /// meanwhile.
    static let inviterMilliseconds: UInt64 = 4_000
    static let askAgainMilliseconds: UInt64 = 1_000
    /// The least interval between questions that carry an account log which may be as long as any: each sends all of it.
    static let longMilliseconds: UInt64 = 30_000
    /// The time for which the device that waits for an approval is asked as often: people approve when they have just
    /// talked about it.
    static let approvalMilliseconds: UInt64 = 15 * 60_000
    /// Dials that may be under way for all of them.
    static let dialCountMax = 16

    private(set) var attempts: [[UInt8]: Attempt] = [:]
    private(set) var links: [ConnectionID: Link] = [:]
    private var messages = InvitationMessages()

    // MARK: Attempts

    /// Begins to try an invitation, or continues.
    /// - Returns: False when there are too many already.
    mutating func begin(_ link: InviteLink, at wall: UInt64) -> Bool {
        let invite = link.secret.identifier
        guard attempts[invite] == nil else { return true }
        guard attempts.count < Self.attemptCountMax else { return false }
        attempts[invite] = Attempt(link, opened: wall)
        return true
    }

    /// Changes the state of an attempt.
    mutating func update(_ invite: [UInt8], _ body: (inout Attempt) -> Void) {
        guard var attempt = attempts[invite] else { return }
        body(&attempt)
        attempts[invite] = attempt
    }

    /// Forgets an attempt.
    mutating func end(_ invite: [UInt8]) { attempts[invite] = nil }

    /// Forgets attempts that began too long ago.
    /// - Returns: Whether there were any.
    mutating func forgetExpired(at wall: UInt64) -> Bool {
        let count = attempts.count
        attempts = attempts.filter { $0.value.isWatched || wall < $0.value.opened &+ Self.lifetimeMilliseconds }
        return attempts.count < count
    }

    /// The dials to begin now; they are counted as tried.
    /// - Complexity: O(attempts · addresses).
    mutating func due(_ addresses: [PeerAddress], at now: UInt64) -> [(address: PeerAddress, secret: ChannelSecret)] {
        var dials: [(address: PeerAddress, secret: ChannelSecret)] = []
        for (invite, attempt) in attempts.sorted(by: { $0.value.opened < $1.value.opened })
        where attempt.outcome == nil && !isAsking(invite) {
            for address in Self.hints(attempt.link) + addresses where dials.count < Self.dialCountMax {
                guard isDue(attempt, address, at: now) else { continue }
                attempts[invite]?.tried[address] = now
                dials.append((address, attempt.secret))
            }
        }
        return dials
    }

    /// The time at which addresses are to be tried next; `nil` while nothing is tried.
    func nextDue(at now: UInt64) -> UInt64? {
        let waiting = attempts.values.filter { $0.outcome == nil }
        guard !waiting.isEmpty else { return nil }
        let isUrgent = waiting.contains { attempt in
            attempt.isWatched || attempt.approver.map { attempt.isApprover($0.address, at: now) } ?? false
        }
        // A device that comes into sight in between wakes the service anyway.
        return now + (isUrgent ? Self.askAgainMilliseconds : Self.unwatchedMilliseconds)
    }

    private func isDue(_ attempt: Attempt, _ address: PeerAddress, at now: UInt64) -> Bool {
        guard let last = attempt.tried[address] else { return true }
        if attempt.isLong, now < last + Self.longMilliseconds { return false }
        if attempt.isApprover(address, at: now) { return now >= last + Self.askAgainMilliseconds }
        guard attempt.isWatched else { return now >= last + Self.unwatchedMilliseconds }
        // The inviting device may learn at this moment of the request that was noted for it.
        let isNoted = attempt.waitsSince.map { now < $0 + Self.inviterMilliseconds } ?? false
        return now >= last + (isNoted ? Self.askAgainMilliseconds : Self.watchedMilliseconds)
    }

    private static func hints(_ link: InviteLink) -> [PeerAddress] { link.addresses.compactMap { PeerAddress($0) } }

    /// Notes that the question about an invitation carries a long account log.
    mutating func asksAtLength(_ invite: [UInt8]) { attempts[invite]?.isLong = true }

    // MARK: Channels

    /// Whether a device is being asked about an invitation just now.
    func isAsking(_ invite: [UInt8]) -> Bool { links.values.contains { $0.role == .asking && $0.invite == invite } }

    /// Keeps a channel; the transport bounds how many there are, and for how long.
    mutating func insert(_ link: Link) {
        links[link.connection.id] = link
        messages.open(link.connection.id, as: link.role, with: link.account)
    }

    /// Takes a message of a channel, or a part of one.
    /// - Throws: `InvitationMessages.Fault`.
    mutating func take(
        _ message: PeerMessage,
        on id: ConnectionID
    ) throws(InvitationMessages.Fault) -> InvitationMessages.Arrival {
        try messages.take(message, on: id)
    }

    /// Notes a channel's question.
    mutating func asked(_ id: ConnectionID, with log: AccountLog) { links[id]?.log = log }

    /// Notes that a channel's question was answered.
    mutating func answered(_ id: ConnectionID) {
        links[id]?.log = nil
        links[id]?.isAnswered = true
        messages.answered(id)
    }

    /// Forgets a channel.
    mutating func remove(_ id: ConnectionID) -> Link? {
        messages.close(id)
        return links.removeValue(forKey: id)
    }
}
