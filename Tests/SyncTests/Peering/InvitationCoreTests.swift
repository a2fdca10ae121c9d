import Identity
import Session
import Sync
import TestSupport
import Testing
import Wire

@testable import Peering

@Suite struct `The desk of invitations` {
    private typealias Desk = InvitationCore<String>
    private typealias Effect = InvitationEffect<String>

    private static let inviter = "192.0.2.2:1"
    private static let approver = "192.0.2.1:1"

    private static func link(of account: AccountID = AccountID(.zero)) throws -> InviteLink {
        try InviteLink(
            secret: InviteSecret(bytes: [UInt8](repeating: 7, count: InviteSecret.byteCount)),
            account: account
        )
    }

    /// A channel with a device of an account.
    private static func channel(
        _ id: SessionID,
        _ role: InvitationMessages.Role,
        with account: AccountID = AccountID(.zero),
        about invite: [UInt8] = [1]
    ) -> Desk.Link {
        Desk.Link(
            session: id,
            role: role,
            device: DeviceID(.zero),
            account: account,
            invite: invite,
            address: role == .asking ? inviter : nil
        )
    }

    private static func parts(_ kind: LongMessage) throws -> [PeerMessage] {
        let message = [kind.rawValue] + [UInt8](repeating: 255, count: kind.byteCountMax - 1)
        return try (0..<MessagePart.count(of: message.count)).map { .part(try #require(MessagePart($0, of: message))) }
    }

    @Test func `holds no more than 4 MiB of questions that come in parts, of all channels together`() throws {
        let account = try MemoryAccount(seed: 1)
        var desk = Desk()
        var effects: [Effect] = []
        for id in UInt64(1)...16 { desk.opened(Self.channel(id, .answering), in: account, into: &effects) }
        let parts = try Self.parts(.joinRequest)
        var held = 0
        var refused: UInt64?
        for id in UInt64(1)...16 {
            for part in parts.dropLast() where refused == nil {
                effects = []
                desk.received(part, on: id, at: 0, in: account, into: &effects)
                if effects.closed == [id: .busy] { refused = id } else { held += 61_440 }
            }
        }
        #expect(held == 4_194_304 / 61_440 * 61_440)
        #expect(refused.map(desk.isOpen) == false, "the channel whose part was too much is closed")
        effects = []
        desk.received(parts[0], on: 16, at: 0, in: account, into: &effects)
        #expect(effects.closed.isEmpty)
    }

    @Test func `closes a channel on which bytes come that are no question and no answer`() throws {
        let account = try MemoryAccount(seed: 1)
        for (role, wanted, other) in [
            (InvitationMessages.Role.answering, LongMessage.joinRequest, LongMessage.joinAnswer),
            (.asking, .joinAnswer, .joinRequest),
        ] {
            var desk = Desk()
            let link = try Self.link()
            _ = desk.begin(link, at: 0)
            func opened() -> Desk {
                var opened = desk
                var effects: [Effect] = []
                opened.opened(Self.channel(1, role, about: link.secret.identifier), in: account, into: &effects)
                return opened
            }
            desk = opened()
            var effects: [Effect] = []
            desk.received(try Self.parts(other)[0], on: 1, at: 0, in: account, into: &effects)
            #expect(effects.closed == [1: .violation] && !desk.isOpen(1))
            effects = []
            desk.received(try Self.parts(wanted)[0], on: 1, at: 0, in: account, into: &effects)
            #expect(effects.isEmpty, "the channel has ended")
            desk = opened()
            desk.received(try Self.parts(wanted)[0], on: 1, at: 0, in: account, into: &effects)
            #expect(effects.closed.isEmpty && desk.isOpen(1))
            desk.received(.ping(Ping(nonce: 1, wallMilliseconds: 0)), on: 1, at: 0, in: account, into: &effects)
            #expect(effects.closed == [1: .violation])
        }
    }

    @Test func `decides about a question under the account's present log, and answers once`() throws {
        let (account, guest) = (try MemoryAccount(seed: 1), try MemoryAccount(seed: 2))
        var desk = Desk()
        var effects: [Effect] = []
        desk.opened(Self.channel(1, .answering, with: guest.log.account), in: account, into: &effects)
        let request = JoinRequest(account: guest.log.account, entries: guest.log.entries)
        desk.received(.joinRequest(request), on: 1, at: 0, in: account, into: &effects)
        #expect(effects.redeemed == [1])
        effects = []
        desk.decided(.waitingApproval, on: 1, in: account, into: &effects)
        #expect(effects.closed == [1: .goodbye] && effects.sent == [1])
        #expect(account.contactLogs[guest.log.account] != nil, "an account that waits is kept")
        effects = []
        desk.decided(.waitingApproval, on: 1, in: account, into: &effects)
        #expect(effects.isEmpty)
    }

    @Test func `decides again about a question that waits for a relay, and grants a noted one`() throws {
        let (account, guest) = (try MemoryAccount(seed: 1), try MemoryAccount(seed: 2))
        let id = Redemption.ID(invite: [1], account: guest.log.account)
        let claim = UseClaim(id, relay: RelayID(.zero), key: SlotKey(using: &guest.random), uses: 1, until: 10)
        var desk = Desk()
        var effects: [Effect] = []
        desk.opened(Self.channel(1, .answering, with: guest.log.account), in: account, into: &effects)
        let request = JoinRequest(account: guest.log.account, entries: guest.log.entries)
        desk.received(.joinRequest(request), on: 1, at: 0, in: account, into: &effects)
        desk.decided(.claim(claim), on: 1, in: account, into: &effects)
        #expect(effects.closed.isEmpty && desk.isOpen(1))
        effects = []
        desk.heard(ClaimedUse(claim, .held), in: account, into: &effects)
        #expect(effects.redeemed == [1] && !effects.grants)
        desk.closed(1)
        effects = []
        desk.heard(ClaimedUse(claim, .held), in: account, into: &effects)
        #expect(effects.redeemed.isEmpty && effects.grants)
    }

    @Test func `reports a refusal to the program that waits, and forgets the invitation where none does`() throws {
        for isWatched in [true, false] {
            let (account, host) = (try MemoryAccount(seed: 1), try MemoryAccount(seed: 2))
            let link = try Self.link(of: host.log.account)
            let invite = link.secret.identifier
            var desk = Desk()
            _ = desk.begin(link, at: 0)
            if isWatched { desk.watch(invite) }
            var effects: [Effect] = []
            desk.opened(
                Self.channel(1, .asking, with: host.log.account, about: invite),
                in: account,
                into: &effects
            )
            #expect(effects.sent == [1] && desk.isAsking(invite))
            desk.received(.joinRefusal(JoinRefusal(.busy)), on: 1, at: 0, in: account, into: &effects)
            #expect(desk.attempts[invite]?.outcome == nil && !desk.isAsking(invite), "it is asked again")
            desk.opened(Self.channel(2, .asking, with: host.log.account, about: invite), in: account, into: &effects)
            effects = []
            desk.received(.joinRefusal(JoinRefusal(.spent)), on: 2, at: 0, in: account, into: &effects)
            #expect(desk.attempts[invite]?.outcome == (isWatched ? .refused(.spent) : nil))
            #expect((desk.attempts[invite] == nil) == !isWatched && effects.isKept == !isWatched)
        }
    }

    @Test func `asks no device of another account than the inviting one`() throws {
        let account = try MemoryAccount(seed: 1)
        let link = try Self.link(of: account.log.account)
        var desk = Desk()
        _ = desk.begin(link, at: 0)
        var effects: [Effect] = []
        desk.opened(Self.channel(1, .asking, about: link.secret.identifier), in: account, into: &effects)
        #expect(effects.closed == [1: .goodbye] && effects.sent.isEmpty)
    }

    @Test func `keeps sixteen invitations at most, and each for ninety days`() throws {
        var desk = Desk()
        var random = SeededGenerator(seed: 1)
        for index in 0..<17 {
            let link = try InviteLink(
                secret: InviteSecret(bytes: random.bytes(InviteSecret.byteCount)),
                account: AccountID(.zero)
            )
            let isTaken = desk.begin(link, at: 5)
            #expect(isTaken == (index < 16))
        }
        let day: UInt64 = 86_400_000
        var effects: [Effect] = []
        desk.forgetExpired(at: 90 * day, into: &effects)
        #expect(desk.attempts.count == 16 && !effects.isKept)
        desk.forgetExpired(at: 90 * day + 5, into: &effects)
        #expect(desk.attempts.isEmpty && effects.isKept)
    }

    // MARK: Times

    @Test func `asks the approving device each second for a quarter of an hour, and others each minute`() throws {
        let (account, host) = (try MemoryAccount(seed: 1), try MemoryAccount(seed: 2))
        var desk = try Self.waiting(account, host, isLong: false, isWatched: false)
        #expect(desk.nextDue(at: 0) == 1_000)
        var asked: [String: Int] = [:]
        for second in 1...1_200 {
            for (address, _) in desk.due([Self.inviter, Self.approver], room: 16, at: UInt64(second) * 1_000) {
                asked[address, default: 0] += 1
            }
        }
        // The channel with the approving device was made to the inviter's address.
        #expect(asked[Self.approver] == 20)
        #expect(asked[Self.inviter] == 899 + 5)
        #expect(desk.nextDue(at: 1_200_000) == 1_260_000)
    }

    @Test(arguments: [true, false])
    func `sends a question with a long account log every half minute at most`(isWatched: Bool) throws {
        /// The seconds at which each address is asked in twenty minutes, by a look each second.
        func asked(isLong: Bool) throws -> [String: [UInt64]] {
            let (account, host) = (try MemoryAccount(seed: 1), try MemoryAccount(seed: 2))
            if isLong { try account.log.lengthen(to: 3_000_000, by: account.keys, using: &account.random) }
            var desk = try Self.waiting(account, host, isLong: isLong, isWatched: isWatched)
            var times: [String: [UInt64]] = [:]
            for second in UInt64(1)...1_200 {
                for (address, _) in desk.due([Self.approver, Self.inviter], room: 16, at: second * 1_000) {
                    times[address, default: []].append(second)
                }
            }
            return times
        }
        for (address, times) in try asked(isLong: true) {
            #expect(zip(times, times.dropFirst()).allSatisfy { $1 - $0 >= 30 }, "\(address)")
        }
        let (long, short) = (try asked(isLong: true), try asked(isLong: false))
        // Not less often than that either, where others are asked more often.
        #expect(try #require(long[Self.inviter]).count >= (isWatched ? 40 : 30))
        #expect(try #require(long[Self.approver]).count <= 41)
        #expect(try #require(short[Self.inviter]).count > 850)
    }

    /// A desk whose question about an invitation, sent at 0 to all addresses, was answered that a person has to approve.
    private static func waiting(
        _ account: MemoryAccount,
        _ host: MemoryAccount,
        isLong: Bool,
        isWatched: Bool
    ) throws -> Desk {
        let link = try link(of: host.log.account)
        let invite = link.secret.identifier
        var desk = Desk()
        _ = desk.begin(link, at: 0)
        if isWatched { desk.watch(invite) }
        let first = desk.due([approver, inviter], room: 16, at: 0)
        #expect(Set(first.map(\.0)) == [approver, inviter])
        var effects: [Effect] = []
        desk.opened(channel(1, .asking, with: host.log.account, about: invite), in: account, into: &effects)
        #expect((effects.sent.count > 1) == isLong)
        let answer = JoinAnswer(.waitingApproval, entries: host.log.entries)
        desk.received(.joinAnswer(answer), on: 1, at: 0, in: account, into: &effects)
        #expect(desk.attempts[invite]?.settledAnswer(at: 0) == .waitingApproval)
        return desk
    }
}

extension [InvitationEffect<String>] {
    fileprivate var closed: [SessionID: SyncCloseCode] {
        reduce(into: [:]) { if case .close(let id, let code) = $1 { $0[id] = code } }
    }

    fileprivate var sent: [SessionID] { compactMap { if case .send(let id, _) = $0 { id } else { nil } } }

    fileprivate var redeemed: [SessionID] { compactMap { if case .redeem(let id, _, _) = $0 { id } else { nil } } }

    fileprivate var grants: Bool { contains { if case .grantClaimed = $0 { true } else { false } } }

    fileprivate var isKept: Bool { contains { if case .keep = $0 { true } else { false } } }
}
