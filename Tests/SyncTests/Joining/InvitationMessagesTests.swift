import Foundation
import Identity
import Sync
import TestSupport
import Testing
import Wire

@Suite struct `Messages about invitations` {
    private static let other = AccountID(Digest32(word0: 7, word1: 0, word2: 0, word3: 0))

    /// An account log of about 3 MB.
    private static func longLog(seed: UInt64) throws -> AccountLog {
        var random = SeededGenerator(seed: seed)
        let keys = DeviceIdentity(using: &random)
        var log = try AccountLog.create(
            identity: keys,
            certificate: try keys.certificate(name: "desk", issued: 1, encapsulationKey: []),
            recoveryKey: RecoveryKey(RecoveryPhrase(using: &random)).publicKey,
            name: "desk",
            using: &random
        )
        try log.lengthen(to: 3_000_000, by: keys, using: &random)
        return log
    }

    private static func message(
        to role: InvitationMessages.Role,
        of account: AccountID,
        _ entries: [[UInt8]]
    ) -> PeerMessage {
        switch role {
        case .answering: .joinRequest(JoinRequest(account: account, entries: entries))
        case .asking: .joinAnswer(JoinAnswer(.waitingApproval, entries: entries))
        }
    }

    private static func ahead(_ sizes: [Int], of account: AccountID = .zero, more: Bool = true) -> PeerMessage {
        let entries = sizes.map { [UInt8](repeating: 1, count: $0) }
        return .accountEntries(AccountEntries(account: account, entries: entries, more: more))
    }

    /// The outcomes of messages on one channel; a fault ends it.
    private static func outcome(
        _ messages: [PeerMessage],
        as role: InvitationMessages.Role
    ) -> Result<InvitationMessages.Arrival, InvitationMessages.Fault> {
        var exchange = InvitationMessages()
        exchange.open(1, as: role, with: .zero)
        var last = InvitationMessages.Arrival.incomplete
        for message in messages {
            do throws(InvitationMessages.Fault) {
                last = try exchange.take(message, on: 1)
            } catch {
                return .failure(error)
            }
        }
        return .success(last)
    }

    @Test(arguments: InvitationMessages.Role.allCases)
    func `bring an account log of any length, in messages that the channel accepts`(
        _ role: InvitationMessages.Role
    ) throws {
        let log = try Self.longLog(seed: 1)
        let whole = Self.message(to: role, of: log.account, log.entries)
        let messages = whole.withLogAhead(of: log.account)
        #expect(messages.count > 2)
        var exchange = InvitationMessages()
        exchange.open(1, as: role, with: log.account)
        var arrivals: [InvitationMessages.Arrival] = []
        for bytes in try messages.flatMap({ try $0.outgoingEncodings() }) {
            #expect(bytes.count <= 65_536)
            arrivals.append(try exchange.take(try PeerMessage(decoding: bytes), on: 1))
        }
        #expect(arrivals.dropLast().allSatisfy { $0 == .incomplete })
        #expect(arrivals.last == .message(whole))
        #expect(try AccountLog(of: log.account, entries: log.entries).announcedHeads == log.announcedHeads)
    }

    @Test func `carry a log that fits as before`() {
        let entries = [[UInt8](repeating: 1, count: 262_144), [UInt8](repeating: 2, count: 262_144)]
        for role in InvitationMessages.Role.allCases {
            let message = Self.message(to: role, of: .zero, entries)
            #expect(message.withLogAhead(of: .zero) == [message])
            #expect(Self.outcome([message], as: role) == .success(.message(message)))
        }
        let refusal = PeerMessage.joinRefusal(JoinRefusal(.spent))
        #expect(refusal.withLogAhead(of: .zero) == [refusal])
    }

    @Test(arguments: InvitationMessages.Role.allCases)
    func `are refused where a log ahead is out of place, cut short, or ahead of nothing`(
        _ role: InvitationMessages.Role
    ) {
        let empty = Self.message(to: role, of: .zero, [])
        let full = Self.message(to: role, of: .zero, [[1]])
        let first = Self.ahead([10])
        let last = Self.ahead([10], more: false)
        let ten = [UInt8](repeating: 1, count: 10)
        let wrong: [[PeerMessage]] = [
            [Self.ahead([10], of: Self.other)],
            [Self.ahead([])],
            [last, first],
            [first, empty],
            [last, full],
            [last, .joinRefusal(JoinRefusal(.spent))],
            [last, .pairDone],
        ]
        for messages in wrong {
            #expect(Self.outcome(messages, as: role) == .failure(.log), "\(messages.map(\.tag))")
        }
        #expect(
            Self.outcome([first, last, empty], as: role)
                == .success(.message(Self.message(to: role, of: .zero, [ten, ten])))
        )
    }

    @Test func `are one question on a channel, and nothing ahead of another one`() {
        let question = Self.message(to: .answering, of: .zero, [])
        #expect(Self.outcome([question, question], as: .answering) == .failure(.secondQuestion))
        #expect(Self.outcome([question, Self.ahead([10])], as: .answering) == .failure(.log))
    }

    @Test func `bring no more than an account log has`() {
        let many = [Int](repeating: 1, count: AccountLog.entryCountMax)
        for role in InvitationMessages.Role.allCases {
            #expect(Self.outcome([Self.ahead(many)], as: role) == .success(.incomplete))
            #expect(Self.outcome([Self.ahead(many), Self.ahead([1])], as: role) == .failure(.log))
            let half = [PeerMessage](repeating: Self.ahead([262_144, 262_144]), count: AccountLog.byteCountMax >> 19)
            #expect(Self.outcome(half, as: role) == .success(.incomplete))
            #expect(Self.outcome(half + [Self.ahead([1])], as: role) == .failure(.log))
        }
    }

    @Test(arguments: InvitationMessages.Role.allCases)
    func `make a device hold the entries of one longest log, of all channels together, until it has answered`(
        _ role: InvitationMessages.Role
    ) throws {
        var exchange = InvitationMessages()
        for id in 1...4 { exchange.open(SessionID(id), as: role, with: .zero) }
        // The other role has a room of its own.
        exchange.open(9, as: role == .asking ? .answering : .asking, with: .zero)
        let half = Self.ahead([262_144, 262_144])
        for _ in 1...(AccountLog.byteCountMax >> 20) {
            for id in [SessionID(1), 2] { #expect(try exchange.take(half, on: id) == .incomplete) }
        }
        #expect(try exchange.take(Self.ahead([10]), on: 9) == .incomplete)
        #expect(try exchange.take(Self.ahead([1]), on: 3) == .tooMuch)
        exchange.close(3)
        // A log that fits its message takes none of it.
        let short = Self.message(to: role, of: .zero, [[1, 2, 3]])
        #expect(try exchange.take(short, on: 4) == .message(short))
    }

    @Test func `are held until they are answered`() throws {
        var exchange = InvitationMessages()
        for id in 1...3 { exchange.open(SessionID(id), as: .answering, with: .zero) }
        let half = Self.ahead([262_144, 262_144])
        for _ in 2...(AccountLog.byteCountMax >> 19) { _ = try exchange.take(half, on: 1) }
        _ = try exchange.take(Self.ahead([262_144, 262_144], more: false), on: 1)
        guard case .message = try exchange.take(Self.message(to: .answering, of: .zero, []), on: 1) else {
            Issue.record("the question is whole")
            return
        }
        #expect(try exchange.take(Self.ahead([1]), on: 2) == .tooMuch)
        exchange.close(2)
        exchange.answered(1)
        #expect(try exchange.take(half, on: 3) == .incomplete)
    }

    @Test func `may be held by a device as documented on the page`() throws {
        let page = URL(fileURLWithPath: #filePath)
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appendingPathComponent("docs/protocol/channel.md")
        var found: [String: String] = [:]
        for line in try String(contentsOf: page, encoding: .utf8).split(separator: "\n") where line.hasPrefix("| `") {
            let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            guard cells.count == 7 else { continue }
            found[cells[0].filter { $0 != "`" }] = cells[6]
        }
        func size(_ byteCount: Int) -> String {
            "\(byteCount >> 20) MiB" + (byteCount % (1 << 20) == 0 ? "" : " and more")
        }
        let held = found.filter { $0.value != "–" }
        #expect(
            held == [
                "invitation": size(InvitationMessages.logsByteCountMax),
                "joining": size(AccountLog.byteCountMax),
                "guest": size(SyncLimits().guestLogsByteCountMax),
            ]
        )
    }
}
