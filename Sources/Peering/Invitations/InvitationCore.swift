package import Identity
import Session
import Sync
import Wire

/// Invitations on both sides: those that this device has opened, and the channels of questions about invitations.
///
/// The asking account calls all devices in sight until one of the inviting account answers, and again for as long as the answer names
/// something that has to happen first. Any device of the inviting account answers, by the account's book:
///
/// ```
/// asking                                      answering
///    | -- handshake under the invitation's key ->  |
///    | -- joinRequest(account log) ------------->  |   one transaction decides
///    | <- joinAnswer | joinRefusal --------------  |   durable before it is sent
/// ```
///
/// A log that is too long for its message goes ahead of it. Where a relay counts the uses, the transaction decides to ask it, and a second
/// one follows its answer or too long a silence.
package struct InvitationCore<Address: Hashable & Sendable & LosslessStringConvertible>: Sendable {
    /// An opened invitation.
    package typealias Attempt = InvitationAttempt<Address>

    /// A channel under an invitation's key.
    struct Link: Sendable {
        let session: SessionID
        /// The role of this side of the channel.
        let role: InvitationMessages.Role
        let device: DeviceID
        let account: AccountID
        /// Names the invitation.
        let invite: [UInt8]
        /// The address that this side called.
        let address: Address?
        /// The account log that came with the one question of the channel, until it is answered.
        var log: AccountLog?
        /// Whether the question was answered; the asking device ends the channel when it has all of a long answer.
        var isAnswered = false
    }

    typealias Effects = [InvitationEffect<Address>]

    /// Invitations that wait for an answer; people open one now and then.
    package static var attemptCountMax: Int { 16 }

    /// The opened invitations, by their identifiers.
    package private(set) var attempts: [[UInt8]: Attempt] = [:]
    private var links: [SessionID: Link] = [:]
    private var messages = InvitationMessages()

    /// Starts without invitations.
    package init() {}

    // MARK: Attempts

    /// Begins to try an invitation, or continues.
    /// - Parameters:
    ///   - link: The invitation.
    ///   - wall: The time at which it was opened, in milliseconds since 1970.
    /// - Returns: False when there are too many already.
    package mutating func begin(_ link: InviteLink, at wall: UInt64) -> Bool {
        let invite = link.secret.identifier
        guard attempts[invite] == nil else { return true }
        guard attempts.count < Self.attemptCountMax else { return false }
        attempts[invite] = Attempt(link, opened: wall)
        assert(attempts.count <= Self.attemptCountMax, "the file of opened invitations has room for all")
        return true
    }

    /// Notes that a program waits for the answer to an invitation.
    /// - Parameter invite: The invitation.
    package mutating func watch(_ invite: [UInt8]) { attempts[invite]?.watch() }

    /// Notes that no program waits for the answer any more.
    /// - Parameter invite: The invitation.
    package mutating func unwatch(_ invite: [UInt8]) { attempts[invite]?.unwatch() }

    /// Forgets an invitation; the driver writes the others down.
    /// - Parameter invite: The invitation.
    package mutating func end(_ invite: [UInt8]) { attempts[invite] = nil }

    /// Returns whether a device is being asked about an invitation just now.
    /// - Parameter invite: The invitation.
    /// - Returns: True from the handshake to the answer.
    package func isAsking(_ invite: [UInt8]) -> Bool {
        links.values.contains { $0.role == .asking && $0.invite == invite }
    }

    /// The calls to make now, which count as made.
    /// - Parameters:
    ///   - addresses: The addresses in sight.
    ///   - room: The number of calls that may begin.
    ///   - now: Milliseconds of the monotonic clock.
    /// - Returns: Addresses with the secrets, the oldest invitation first.
    /// - Complexity: O(attempts · addresses).
    mutating func due(_ addresses: [Address], room: Int, at now: UInt64) -> [(Address, ChannelSecret)] {
        var dials: [(Address, ChannelSecret)] = []
        for (invite, attempt) in attempts.sorted(by: { $0.value.precedes($1.value) })
        where attempt.outcome == nil && !isAsking(invite) {
            for address in attempt.link.addresses.compactMap({ Address($0) }) + addresses where dials.count < room {
                guard let present = attempts[invite], present.isDue(address, at: now) else { continue }
                attempts[invite]?.tried[address] = now
                dials.append((address, attempt.secret))
            }
        }
        return dials
    }

    /// Returns the time at which addresses are to be tried next.
    /// - Parameter now: Milliseconds of the monotonic clock.
    /// - Returns: `nil` while nothing is tried.
    func nextDue(at now: UInt64) -> UInt64? {
        let waiting = attempts.values.filter { $0.outcome == nil }
        guard !waiting.isEmpty else { return nil }
        // A device that comes into sight in between is tried at once.
        return now
            + (waiting.contains { $0.isUrgent(at: now) } ? Attempt.askAgainMilliseconds : Attempt.unwatchedMilliseconds)
    }

    /// Forgets invitations that were opened too long ago.
    mutating func forgetExpired(at wall: UInt64, into effects: inout Effects) {
        let count = attempts.count
        attempts = attempts.filter { !$0.value.isExpired(at: wall) }
        if attempts.count < count { effects.append(.keep) }
    }

    private mutating func ended(_ invite: [UInt8], _ outcome: InvitationOutcome, into effects: inout Effects) {
        guard let attempt = attempts[invite] else { return }
        if case .refused(let code) = outcome { effects.append(.report(.refused(code, isWatched: attempt.isWatched))) }
        if attempt.isWatched {
            attempts[invite]?.outcome = outcome
        } else {
            end(invite)
            effects.append(.keep)
        }
    }

    // MARK: Channels

    /// Whether a channel is one under an invitation's key.
    func isOpen(_ id: SessionID) -> Bool { links[id] != nil }

    /// Takes a channel under an invitation's key; the transport bounds how many there are, and for how long.
    mutating func opened(_ link: Link, in account: some PeerAccount, into effects: inout Effects) {
        guard link.role == .asking else { return insert(link, into: &effects) }
        guard let attempt = attempts[link.invite], attempt.outcome == nil, !isAsking(link.invite),
            attempt.link.account == link.account
        else { return effects.append(.close(link.session, .goodbye)) }
        insert(link, into: &effects)
        let log = account.log
        let request = JoinRequest(account: log.account, entries: log.entries)
        if !send(.joinRequest(request), on: link, of: log.account, into: &effects) {
            attempts[link.invite]?.isLong = true
        }
    }

    private mutating func insert(_ link: Link, into effects: inout Effects) {
        assert(links[link.session] == nil, "a channel is opened once")
        links[link.session] = link
        messages.open(link.session, as: link.role, with: link.account)
        effects.append(.setRoom(link.session))
    }

    /// Sends the question or the answer of a channel, with an account log that does not fit into it ahead of it.
    /// - Returns: Whether it is a single message.
    private func send(_ message: PeerMessage, on link: Link, of account: AccountID, into effects: inout Effects) -> Bool
    {
        let messages = message.withLogAhead(of: account)
        for message in messages { effects.append(.send(link.session, message)) }
        return messages.count == 1
    }

    /// Takes a message of a channel, or a part of one.
    mutating func received(
        _ message: PeerMessage,
        on id: SessionID,
        at now: UInt64,
        in account: some PeerAccount,
        into effects: inout Effects
    ) {
        guard let link = links[id] else { return }
        let arrival: InvitationMessages.Arrival
        do {
            arrival = try messages.take(message, on: id)
        } catch {
            effects.append(.report(.unreadable(error)))
            return close(id, .violation, into: &effects)
        }
        switch arrival {
        case .incomplete: break
        // The asking device comes again in seconds.
        case .tooMuch: close(id, .busy, into: &effects)
        case .message(let whole): heard(whole, on: link, at: now, in: account, into: &effects)
        }
    }

    private mutating func heard(
        _ message: PeerMessage,
        on link: Link,
        at now: UInt64,
        in account: some PeerAccount,
        into effects: inout Effects
    ) {
        switch (link.role, message) {
        case (.answering, .joinRequest(let request)) where request.account == link.account:
            asked(request, on: link, in: account, into: &effects)
        case (.asking, .joinAnswer(let answer)):
            heard(answer, on: link, at: now, in: account, into: &effects)
        case (.asking, .joinRefusal(let refusal)):
            close(link.session, .goodbye, into: &effects)
            if !refusal.meaning.isPassing { ended(link.invite, .refused(refusal.meaning), into: &effects) }
        default:
            close(link.session, .violation, into: &effects)
        }
    }

    /// Ends the channels with accounts that are blocked.
    mutating func refuse(_ accounts: Set<AccountID>, into effects: inout Effects) {
        for (id, link) in links.sorted(by: { $0.key < $1.key }) where accounts.contains(link.account) {
            close(id, .refused, into: &effects)
        }
    }

    /// Takes the end of a channel.
    mutating func closed(_ id: SessionID) {
        messages.close(id)
        links[id] = nil
    }

    private mutating func close(_ id: SessionID, _ code: SyncCloseCode, into effects: inout Effects) {
        guard links[id] != nil else { return }
        closed(id)
        effects.append(.close(id, code))
    }

    // MARK: Asking

    private mutating func heard(
        _ answer: JoinAnswer,
        on link: Link,
        at now: UInt64,
        in account: some PeerAccount,
        into effects: inout Effects
    ) {
        do {
            try account.insert(answer.entries, of: link.account)
        } catch {
            effects.append(.report(.invalidInviter(error)))
            // A failure of this device's disk is no fault of the other side.
            let code: SyncCloseCode = if case .invalid = error { .violation } else { .busy }
            return close(link.session, code, into: &effects)
        }
        effects.append(.contactChanged(link.account))
        close(link.session, .goodbye, into: &effects)
        switch answer.state {
        case .waitingApproval:
            if let address = link.address { attempts[link.invite]?.waitsForApproval(of: address, at: now) }
        case .waitingInviter:
            attempts[link.invite]?.waits(at: now)
        case .joined(let terms, _):
            guard terms.genesis.owner != account.accountState.account, let address = link.address else {
                return ended(link.invite, .refused(.ownAccount), into: &effects)
            }
            // The zone's control log names the accounts that take part by now.
            effects.append(
                .enter(InvitedZone(invite: link.invite, terms: terms, device: link.device, address: address))
            )
        }
    }

    /// Takes the news that a zone is stored.
    mutating func entered(_ zone: InvitedZone<Address>, into effects: inout Effects) {
        ended(zone.invite, .joined(zone.zone), into: &effects)
    }

    // MARK: Answering

    private mutating func asked(
        _ request: JoinRequest,
        on link: Link,
        in account: some PeerAccount,
        into effects: inout Effects
    ) {
        let log: AccountLog
        do {
            // Merged with the known log of the account: a device of it may have been removed since.
            log = try account.merged(request.entries, of: link.account)
        } catch {
            effects.append(.report(.invalidAccount(error)))
            return decided(.refused(.badAccount), on: link.session, in: account, into: &effects)
        }
        links[link.session]?.log = log
        let attempt = JoinAttempt(account: log.state, device: link.device, invite: link.invite)
        effects.append(.redeem(link.session, attempt, claimed: nil))
    }

    /// Sends the decision about a channel's question, and ends the channel.
    mutating func decided(
        _ outcome: RedemptionOutcome,
        on id: SessionID,
        in account: some PeerAccount,
        into effects: inout Effects
    ) {
        guard let link = links[id], !link.isAnswered else { return }
        assert(link.role == .answering, "a decision answers the question of the other side")
        if case .claim(let claim) = outcome { return effects.append(.claim(claim)) }
        if let log = link.log, outcome.keeps(log, isNoted: account.mayWrite) {
            keep(log, of: link.account, in: account, into: &effects)
        }
        let own = account.log
        let isShort = send(outcome.message(entries: own.entries), on: link, of: own.account, into: &effects)
        if isShort {
            close(id, .goodbye, into: &effects)
        } else {
            // A goodbye has no more than a second; the asking device says it, or the channel's time is over.
            links[id]?.log = nil
            links[id]?.isAnswered = true
            messages.answered(id)
        }
        effects.append(.report(.answered(link.account, outcome)))
    }

    private func keep(
        _ log: AccountLog,
        of account: AccountID,
        in own: some PeerAccount,
        into effects: inout Effects
    ) {
        let before = own.contactLogs[account]?.revision
        do {
            try own.insert(log.entries, of: account)
            // A device that waits for an approval asks each second.
            if own.contactLogs[account]?.revision != before { effects.append(.contactChanged(account)) }
        } catch {
            // It comes again with the next question, or the next session.
            effects.append(.report(.accountNotKept(error)))
        }
    }

    /// Takes a relay's answer to a claim: waiting requests are decided again, or, if none waits any more, the noted one is
    /// granted.
    mutating func heard(_ claimed: ClaimedUse, in account: some PeerAccount, into effects: inout Effects) {
        let id = claimed.claim.id
        var isAwaited = false
        for (session, link) in links.sorted(by: { $0.key < $1.key }) {
            // Since it asked, the known log of the account may have grown: a device of it may have been removed.
            guard link.role == .answering, link.invite == id.invite, link.account == id.account, let asked = link.log,
                let log = try? account.merged(asked.entries, of: link.account)
            else { continue }
            isAwaited = true
            let attempt = JoinAttempt(account: log.state, device: link.device, invite: link.invite)
            effects.append(.redeem(session, attempt, claimed: claimed))
        }
        if !isAwaited, claimed.answer == .held { effects.append(.grantClaimed(claimed)) }
    }
}

extension RedemptionOutcome {
    /// Whether this device keeps the log of the asking account from now on.
    ///
    /// Accounts that only wait are anybody's: many of them with the longest logs would fill memory and disk of all
    /// devices of this account. Of these a long log is not kept. It comes again with the next question.
    /// - Parameters:
    ///   - log: The log.
    ///   - isNoted: Whether a request that waits is in the book: a device that only reads notes none.
    /// - Returns: True for an account that this device admits, and for one with a short log that waits in the book.
    fileprivate func keeps(_ log: AccountLog, isNoted: Bool) -> Bool {
        switch self {
        case .joined: true
        case .waitingApproval, .waitingInviter, .waitingRelay, .claim: isNoted && !log.entries.isLongLog
        case .refused: false
        }
    }
}

extension JoiningAccount {
    /// Whether the writes of this device are effective, as far as its role goes.
    var mayWrite: Bool { (accountState.devices[certificate.device]?.role ?? .full) == .full }
}
