import Identity
import Sodium
import Sync
import TestSupport
import Testing
import Wire

/// Two desks, and channels between them that may be cut after any number of messages.
private struct Meeting {
    let host: MemoryAccount
    var desk = JoiningCore()
    var session: SessionID = 0
    var wall: UInt64 = 1_000

    init(seed: UInt64) throws { host = try MemoryAccount(seed: seed) }

    /// Offers a ticket.
    mutating func offer(_ role: DeviceRole = .full) -> PairingTicket {
        let ticket = PairingTicket(using: &host.random)
        var effects: [JoiningEffect] = []
        desk.beginOffer(ticket, role: role, at: wall, into: &effects)
        return ticket
    }

    /// Makes a token.
    mutating func token(uses: UInt32) throws -> EnrolmentToken {
        let token = EnrolmentToken(using: &host.random)
        var book = desk.enrolments
        _ = book.add(EnrolmentOffer(token: token, role: .full, uses: uses, endMilliseconds: wall + 60_000))
        var effects: [JoiningEffect] = []
        try desk.keep(book, in: host, into: &effects)
        return token
    }

    /// Lets a device ask by a key.
    /// - Returns: The outcome of its search; `nil` if the channel was cut before.
    mutating func ask(
        _ guest: MemoryAccount,
        by key: JoiningKey,
        words: RecoveryKey? = nil,
        messages: Int = .max
    ) throws -> Result<JoiningSuccess, JoiningFailure>? {
        session += 1
        var asking = JoiningCore()
        _ = asking.begin(JoiningCore.Search(key: key, recoveryKey: words))
        asking.search?.hasZones = false
        var (theirs, ours): ([JoiningEffect], [JoiningEffect]) = ([], [])
        let hostLink = link(.offering, guest, key)
        let guestLink = link(.joining, host, key)
        desk.opened(hostLink, at: wall, in: host, random: &host.random, into: &ours)
        asking.opened(guestLink, at: wall, in: guest, random: &guest.random, into: &theirs)
        var left = messages
        while !theirs.isEmpty || !ours.isEmpty {
            let (sent, answered) = (try sends(&theirs), try sends(&ours))
            for message in sent {
                guard left > 0 else { break }
                left -= 1
                desk.received(message, on: session, at: wall, in: host, into: &ours)
            }
            for message in answered {
                guard left > 0 else { break }
                left -= 1
                asking.received(message, on: session, at: wall, in: guest, into: &theirs)
            }
            if left == 0 { break }
        }
        desk.closed(session, at: wall, in: host, into: &ours)
        return asking.search?.outcome
    }

    private func link(_ role: JoiningLink.Role, _ other: MemoryAccount, _ key: JoiningKey) -> JoiningLink {
        JoiningLink(
            session: session,
            role: role,
            certificate: other.certificate,
            payload: other.payload,
            key: key,
            binding: [1]
        )
    }

    /// Returns the sent messages, in the parts in which a driver sends them.
    private func sends(_ effects: inout [JoiningEffect]) throws -> [PeerMessage] {
        defer { effects = [] }
        return try effects.flatMap { effect -> [PeerMessage] in
            guard case .send(_, let message) = effect else { return [] }
            return try message.outgoingEncodings().map { try PeerMessage(decoding: $0) }
        }
    }
}

extension Result<JoiningSuccess, JoiningFailure>? {
    fileprivate var isIn: Bool { if case .success = self { true } else { false } }

    fileprivate var refusal: PairingRefusal? {
        if case .failure(.refused(let refusal, _)) = self { refusal } else { nil }
    }
}

extension [JoiningEffect] {
    fileprivate var closed: [SessionID: SyncCloseCode] {
        reduce(into: [:]) { if case .close(let id, let code) = $1 { $0[id] = code } }
    }
}

@Suite struct `A joining desk` {
    private func key(_ ticket: PairingTicket) -> JoiningKey { .ticket(identifier: ticket.identifier) }
    private func key(_ token: EnrolmentToken) -> JoiningKey { .enrolment(identifier: token.identifier) }

    private func link(
        _ id: SessionID,
        _ role: JoiningLink.Role,
        _ other: MemoryAccount,
        _ key: JoiningKey
    ) -> JoiningLink {
        JoiningLink(
            session: id,
            role: role,
            certificate: other.certificate,
            payload: other.payload,
            key: key,
            binding: [1]
        )
    }

    @Test func `admits one device by a ticket, and tells the next one that it was used`() throws {
        var meeting = try Meeting(seed: 1)
        let (first, second) = (try MemoryAccount(seed: 2), try MemoryAccount(seed: 3))
        let ticket = meeting.offer()
        #expect(try meeting.ask(first, by: key(ticket)).isIn)
        #expect(try meeting.ask(second, by: key(ticket)).refusal == .used)
        #expect(first.log.account == meeting.host.log.account)
        #expect(first.keyring.exportParts() == meeting.host.keyring.exportParts())
        #expect(meeting.host.log.state.activeDevices.count == 2)
        #expect(meeting.desk.outcome(of: ticket.text).isIn)
    }

    @Test(arguments: 0...4)
    func `ends in one device wherever the channel is cut, when it asks again`(_ messages: Int) throws {
        var meeting = try Meeting(seed: 4)
        let device = try MemoryAccount(seed: 5)
        _ = try meeting.ask(device, by: key(meeting.offer(.readOnly)), messages: messages)
        if device.log.account != meeting.host.log.account {
            #expect(try meeting.ask(device, by: key(meeting.offer(.readOnly))).isIn)
        }
        #expect(meeting.host.log.state.activeDevices.count == 2)
        #expect(device.log.account == meeting.host.log.account)
        #expect(meeting.desk.offer == nil)
    }

    @Test func `admits no device by an expired ticket, however often it was asked`() throws {
        var meeting = try Meeting(seed: 6)
        let device = try MemoryAccount(seed: 7)
        let ticket = meeting.offer(.readOnly)
        meeting.wall += PairingOffer.lifetimeMilliseconds - 1
        _ = try meeting.ask(device, by: key(ticket), messages: 2)
        meeting.wall += 1
        #expect(try meeting.ask(device, by: key(ticket)).refusal == .expired)
        #expect(meeting.host.log.state.activeDevices.count == 1)
    }

    @Test(arguments: [4, 5])
    func `admits a device by a ticket after four others have asked, and none after five`(_ others: Int) throws {
        var meeting = try Meeting(seed: 50)
        let ticket = meeting.offer(.readOnly)
        for number in 1...UInt64(others) {
            _ = try meeting.ask(try MemoryAccount(seed: 50 + number), by: key(ticket), messages: 1)
        }
        // It asks twice, since it has to agree to the terms: that is one attempt.
        let outcome = try meeting.ask(try MemoryAccount(seed: 60), by: key(ticket))
        #expect(outcome.isIn == (others == 4))
        #expect(meeting.host.log.state.activeDevices.count == (others == 4 ? 2 : 1))
        #expect(meeting.desk.offer == nil)
        guard others == 5 else { return }
        #expect(outcome.refusal == .attempts)
        guard case .failure(.tooManyAttempts) = meeting.desk.outcome(of: ticket.text) else {
            Issue.record("\(String(describing: meeting.desk.outcome(of: ticket.text)))")
            return
        }
    }

    @Test func `ends an offer in time although a device asks on a channel, except if that one was let in`() throws {
        var meeting = try Meeting(seed: 61)
        let (host, device) = (meeting.host, try MemoryAccount(seed: 62))
        var tickets: [PairingTicket] = []
        var effects: [JoiningEffect] = []
        for (id, role) in [(SessionID(1), DeviceRole.readOnly), (2, .full)] {
            let ticket = meeting.offer(role)
            tickets.append(ticket)
            let channel = link(id, .offering, device, key(ticket))
            meeting.desk.opened(channel, at: meeting.wall, in: host, random: &host.random, into: &effects)
            let request = PairRequest(certificate: device.certificate.signed.encoded, account: device.log.account)
            meeting.desk.received(.pairRequest(request), on: id, at: meeting.wall, in: host, into: &effects)
            meeting.wall += PairingOffer.lifetimeMilliseconds
            meeting.desk.endExpired(at: meeting.wall, in: host, into: &effects)
        }
        #expect(meeting.desk.outcome(of: tickets[0].text).refusal == .expired)
        #expect(meeting.desk.outcome(of: tickets[1].text) == nil)
        meeting.desk.received(.pairDone, on: 2, at: meeting.wall, in: host, into: &effects)
        #expect(meeting.desk.outcome(of: tickets[1].text).isIn)
    }

    @Test func `has other keys when an offer ends and when its ticket is forgotten, and not in between`() throws {
        var meeting = try Meeting(seed: 63)
        let host = meeting.host
        _ = meeting.offer()
        func hasOtherKeys(after milliseconds: UInt64) -> Bool {
            var effects: [JoiningEffect] = []
            meeting.wall += milliseconds
            meeting.desk.endExpired(at: meeting.wall, in: host, into: &effects)
            return effects.contains { if case .keysChanged = $0 { true } else { false } }
        }
        for _ in 1...2 {
            #expect(!hasOtherKeys(after: PairingOffer.lifetimeMilliseconds - 1))
            #expect(hasOtherKeys(after: 1))
        }
        #expect(!hasOtherKeys(after: 1))
    }

    @Test func `asks on the first channel of a search, and closes each further one`() throws {
        let (host, device) = (try MemoryAccount(seed: 64), try MemoryAccount(seed: 65))
        let ticket = key(PairingTicket(using: &device.random))
        var desk = JoiningCore()
        _ = desk.begin(JoiningCore.Search(key: ticket))
        var effects: [JoiningEffect] = []
        for id in 1...2 as ClosedRange<SessionID> {
            let channel = link(id, .joining, host, ticket)
            desk.opened(channel, at: 1, in: device, random: &device.random, into: &effects)
        }
        #expect(effects.closed == [2: .goodbye])
        #expect(desk.isJoining(on: 1) && !desk.isJoining(on: 2))
        let asked = effects.compactMap { if case .send(let id, _) = $0 { id } else { nil } }
        #expect(asked == [1])
    }

    @Test func `admits no machine by a token after it was removed from its account, and counts no use`() throws {
        var meeting = try Meeting(seed: 66)
        let (host, other, device) = (meeting.host, try MemoryAccount(seed: 67), try MemoryAccount(seed: 68))
        let token = try meeting.token(uses: 1)
        try host.add(other.certificate, role: .full)
        let removal = try host.log.removingDevice(
            host.keys.deviceID,
            witness: nil,
            signer: .device(other.keys),
            using: &host.random
        )
        _ = try host.log.insert(removal.encoded)
        #expect(try meeting.ask(device, by: key(token)).refusal == .failed)
        #expect(host.log.state.activeDevices == [other.certificate.device])
        #expect(meeting.desk.enrolments.offers.map(\.usesLeft) == [1])
    }

    @Test func `admits a machine again by its token without a further use, and as many machines as it has uses`() throws
    {
        var meeting = try Meeting(seed: 8)
        let (first, second, third) = (
            try MemoryAccount(seed: 9), try MemoryAccount(seed: 10), try MemoryAccount(seed: 11)
        )
        let token = try meeting.token(uses: 2)
        // The welcome is lost.
        _ = try meeting.ask(first, by: key(token), messages: 1)
        #expect(first.log.account != meeting.host.log.account)
        #expect(try meeting.ask(first, by: key(token)).isIn)
        #expect(try meeting.ask(second, by: key(token)).isIn)
        #expect(try meeting.ask(third, by: key(token)).refusal == .used)
        #expect(meeting.host.log.state.activeDevices.count == 3)
    }

    @Test func `admits no device when its disk is full`() throws {
        var meeting = try Meeting(seed: 12)
        let device = try MemoryAccount(seed: 13)
        let (ticket, token) = (meeting.offer(), try meeting.token(uses: 1))
        meeting.host.isFull = true
        #expect(try meeting.ask(device, by: key(ticket)).refusal == .failed)
        #expect(try meeting.ask(device, by: key(token)).refusal == .failed)
        meeting.host.isFull = false
        #expect(try meeting.ask(device, by: key(token)).isIn)
    }

    @Test func `admits by the present words, and not by earlier ones`() throws {
        var meeting = try Meeting(seed: 14)
        let host = meeting.host
        let (first, second) = (try MemoryAccount(seed: 15), try MemoryAccount(seed: 16))
        let new = RecoveryKey(RecoveryPhrase(using: &host.random))
        let entry = try host.log.replacingRecoveryKey(
            with: new.publicKey,
            recoveryKey: host.words,
            using: &host.random
        )
        _ = try host.log.insert(entry.encoded)
        let old = JoiningKey.recovery(key: host.words.publicKey.bytes)
        #expect(try meeting.ask(first, by: old, words: host.words).refusal == .replaced)
        #expect(try meeting.ask(second, by: .recovery(key: new.publicKey.bytes), words: new).isIn)
        #expect(host.log.state.activeDevices.count == 2)
    }

    @Test func `admits by the words even if a flood has left more heads than are named`() throws {
        var meeting = try Meeting(seed: 31)
        let host = meeting.host
        let past = host.log.heads
        for _ in 0..<100 { try host.note(byteCount: 8, after: past) }
        #expect(host.log.announcedHeads.filter(\.isOfManyHeads).count == 1)
        let device = try MemoryAccount(seed: 32)
        #expect(try meeting.ask(device, by: .recovery(key: host.words.publicKey.bytes), words: host.words).isIn)
        #expect(host.log.state.activeDevices.count == 2)
    }

    @Test func `stays in its account if it has admitted a device while it asked`() throws {
        var meeting = try Meeting(seed: 17)
        let (device, other) = (try MemoryAccount(seed: 18), try MemoryAccount(seed: 19))
        try device.add(other.certificate, role: .full)
        let outcome = try meeting.ask(device, by: key(meeting.offer()))
        guard case .failure(.accountHasDevices) = outcome else {
            Issue.record("\(String(describing: outcome))")
            return
        }
        #expect(device.log.account != meeting.host.log.account)
    }

    // MARK: Long logs

    /// An account whose welcome goes in parts.
    private func meeting(seed: UInt64, entries: [Int]) throws -> Meeting {
        let meeting = try Meeting(seed: seed)
        for count in entries { try meeting.host.note(byteCount: count) }
        return meeting
    }

    @Test(arguments: [[260_000, 260_000], [Int](repeating: 260_000, count: 12), [Int](repeating: 20_000, count: 100)])
    func `adds a device to an account with a log of any length`(_ entries: [Int]) throws {
        var meeting = try meeting(seed: 20, entries: entries)
        let (device, other) = (try MemoryAccount(seed: 21), try MemoryAccount(seed: 41))
        #expect(try meeting.ask(device, by: key(meeting.offer())).isIn)
        #expect(device.log.entries == meeting.host.log.entries)
        #expect(
            try meeting.ask(other, by: .recovery(key: meeting.host.words.publicKey.bytes), words: meeting.host.words)
                .isIn
        )
        #expect(other.log.entries == meeting.host.log.entries)
        #expect(other.log.state.activeDevices.count == 3)
    }

    @Test func `accepts a log ahead of a welcome only completely, once, and of the named account`() throws {
        let entry = [UInt8](repeating: 1, count: 100)
        let account = Sample.account
        func message(_ count: Int, of other: AccountID = account, more: Bool = true) -> AccountEntries {
            AccountEntries(account: other, entries: [[UInt8]](repeating: entry, count: count), more: more)
        }
        func isTaken(_ messages: [AccountEntries]) -> Bool {
            var log = LongAccountLog()
            return messages.allSatisfy { log.add($0, of: account) }
        }
        #expect(isTaken([message(1), message(4_094), message(1, more: false)]))
        #expect(!isTaken([message(1), message(4_095), message(1, more: false)]))
        #expect(!isTaken([message(1, of: .zero)]))
        #expect(!isTaken([message(0)]))
        #expect(!isTaken([message(1, more: false), message(1, more: false)]))
        func whole(_ messages: [AccountEntries], _ entries: [[UInt8]]) -> Int? {
            var log = LongAccountLog()
            for message in messages { _ = log.add(message, of: account) }
            return log.whole(with: entries)?.count
        }
        #expect(whole([], [entry]) == 1)
        #expect(whole([message(2), message(1, more: false)], []) == 3)
        #expect(whole([message(2)], []) == nil)
        #expect(whole([message(2, more: false)], [entry]) == nil)
    }

    @Test(arguments: 0...6)
    func `enters an account with all parts of its log or not at all`(_ messages: Int) throws {
        var meeting = try meeting(seed: 22, entries: [100_000, 50_000])
        let device = try MemoryAccount(seed: 23)
        let before = device.log.entries
        let outcome = try meeting.ask(device, by: key(meeting.offer()), messages: messages)
        // The request, three parts of the answer, and the last message.
        #expect(outcome.isIn == (messages >= 4))
        #expect(device.log.entries == (messages >= 4 ? meeting.host.log.entries : before))
        if messages < 4 { #expect(try meeting.ask(device, by: key(meeting.offer())).isIn) }
        #expect(meeting.host.log.state.activeDevices.count == 2)
    }

    /// Returns the result of other parts in the place of those of a good welcome.
    private func hear(_ change: ([PeerMessage]) throws -> [PeerMessage]) throws -> (close: SyncCloseCode?, isIn: Bool) {
        var meeting = try meeting(seed: 24, entries: [100_000, 50_000])
        let device = try MemoryAccount(seed: 25)
        try meeting.host.add(device.certificate, role: .full)
        let welcome = PeerMessage.pairWelcome(meeting.host.welcome())
        let parts = try welcome.outgoingEncodings().map { try PeerMessage(decoding: $0) }
        try #require(parts.count == 3)
        let ticket = key(meeting.offer())
        var desk = JoiningCore()
        var effects: [JoiningEffect] = []
        _ = desk.begin(JoiningCore.Search(key: ticket))
        let link = JoiningLink(
            session: 1,
            role: .joining,
            certificate: meeting.host.certificate,
            payload: meeting.host.payload,
            key: ticket,
            binding: [1]
        )
        desk.opened(link, at: 1, in: device, random: &device.random, into: &effects)
        effects = []
        for message in try change(parts) { desk.received(message, on: 1, at: 1, in: device, into: &effects) }
        let codes = effects.compactMap { if case .close(_, let code) = $0 { code } else { nil } }
        return (codes.first, device.log.account == meeting.host.log.account)
    }

    @Test func `ends the channel when parts are missing, come twice or are too many, and enters nothing`() throws {
        #expect(try hear { $0 } == (.goodbye, true))
        let refused: (SyncCloseCode?, Bool) = (.violation, false)
        #expect(try hear { [$0[1]] } == refused)
        #expect(try hear { [$0[0], $0[2]] } == refused)
        #expect(try hear { [$0[0], $0[0]] } == refused)
        #expect(try hear { [$0[0], $0[1], .pairTerms(PairTerms(role: .full))] } == refused)
        #expect(try hear { [$0[0], $0[1]] } == (nil, false))
    }

    @Test func `accepts no parts from the asking device`() throws {
        var meeting = try Meeting(seed: 26)
        let device = try MemoryAccount(seed: 27)
        let ticket = key(meeting.offer())
        var effects: [JoiningEffect] = []
        let link = JoiningLink(
            session: 1,
            role: .offering,
            certificate: device.certificate,
            payload: device.payload,
            key: ticket,
            binding: [1]
        )
        meeting.desk.opened(link, at: 1, in: meeting.host, random: &meeting.host.random, into: &effects)
        effects = []
        let part = try #require(
            MessagePart(0, of: [LongMessage.pairWelcome.rawValue] + [UInt8](repeating: 0, count: 70_000))
        )
        meeting.desk.received(.part(part), on: 1, at: 1, in: meeting.host, into: &effects)
        let codes = effects.compactMap { if case .close(_, let code) = $0 { code } else { nil } }
        #expect(codes == [.violation])
        #expect(!meeting.desk.isJoining(on: 1))
    }
}
