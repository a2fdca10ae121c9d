import Identity
import Peering
import Records
import Session
import Sodium
import Sync
import Wire

/// The joining of a process: the production desk, and the state that the daemon keeps beside it.
struct ProcessJoiner {
    /// The desk, which makes all decisions.
    var desk = JoiningDesk()
    /// The key under which it calls while it searches.
    var secret: ChannelSecret?
    /// The time at which each address was last tried, in monotonic milliseconds.
    var tried: [NetworkAddress: UInt64] = [:]
    /// Dials of the search, so that their outcome does not reach the directory.
    var dials: [UInt64: (address: NetworkAddress, version: ChannelVersion)] = [:]
    /// The channels, by session.
    var ends: [SessionID: ChannelEnd] = [:]

    /// The keys under which a joining device may connect.
    var secrets: [ChannelSecret] {
        let tickets = (desk.offer.map { [$0.offer.ticket] } ?? []) + desk.retired.map(\.ticket)
        return desk.enrolments.offers.map { JoiningSecret.token($0.token).channelSecret }
            + tickets.map { JoiningSecret.ticket($0).channelSecret }
    }
}

/// A secret that a person, or a file, gives to a joining machine.
enum JoiningSecret: Sendable {
    /// A ticket.
    case ticket(PairingTicket)
    /// A token.
    case token(EnrolmentToken)
    /// The recovery words.
    case words(RecoveryKey)

    /// Its name.
    var key: JoiningKey {
        switch self {
        case .ticket(let ticket): .ticket(identifier: ticket.identifier)
        case .token(let token): .enrolment(identifier: token.identifier)
        case .words(let key): .recovery(key: key.publicKey.bytes)
        }
    }

    /// The key of its channels.
    var channelSecret: ChannelSecret {
        switch self {
        case .ticket(let ticket):
            ChannelSecret(purpose: .ticket(identifier: ticket.identifier), key: ticket.presharedKey())
        case .token(let token):
            ChannelSecret(purpose: .enrolment(identifier: token.identifier), key: token.presharedKey())
        case .words(let key):
            ChannelSecret(
                purpose: .recovery(key: key.publicKey.bytes),
                key: key.door.presharedKey(),
                sign: { key.signingKey.signature(over: $0, context: $1) }
            )
        }
    }

    fileprivate var recoveryKey: RecoveryKey? {
        if case .words(let key) = self { key } else { nil }
    }
}

/// The account of a process, as the desk changes it.
private struct ProcessAccount: JoiningAccount {
    unowned let process: NodeProcess
    let certificate: VerifiedCertificate

    init(_ process: NodeProcess) {
        self.process = process
        certificate = process.node.disk.keys.device.certificate
    }

    var accountState: AccountState { process.log.state }

    /// Runs a step, so that a loss of power is not taken for a failed disk.
    private func guarded<Value>(_ body: () throws -> Value) throws -> Value {
        do {
            try process.countJoiningStep()
            return try body()
        } catch let loss as PowerLoss {
            process.powerLoss = loss
            throw loss
        }
    }

    func add(_ certificate: VerifiedCertificate, role: DeviceRole) throws {
        try guarded {
            if case .active = process.log.state.standing(of: certificate.device) { return }
            try process.change { log in
                let entry = try log.addingDevice(
                    certificate,
                    role: role,
                    name: certificate.certificate.name,
                    signer: .device(process.keys),
                    using: &process.accountRandom
                )
                _ = try log.insert(entry.encoded)
            }
        }
    }

    func recover(_ certificate: VerifiedCertificate, with entry: [UInt8]) throws {
        try guarded { try process.change { try $0.recover(certificate, with: entry) } }
    }

    func keep(_ enrolments: EnrolmentBook) throws {
        try guarded { try process.node.disk.writeDurably(enrolments.encoded, to: .enrolments) }
    }

    func welcome() -> PairWelcome {
        PairWelcome(secrets: process.keyring.export(), entries: process.log.entries)
    }

    func replaceAccount(log: AccountLog, keyring: AccountKeyring) throws {
        try guarded {
            let disk = process.node.disk
            let bytes = AccountFile.encode(log.storedEntries)
            try disk.writeDurably(bytes, to: .joiningLog)
            // From here on the new account is in force: its name is in this file.
            try disk.writeDurably(KeyFile.encode(keyring, of: log.account), to: .accountKey)
            try disk.writeDurably(bytes, to: .accountLog)
            try disk.writeDurably(nil, to: .joiningLog)
            process.log = log
            process.keyring = keyring
        }
    }
}

// Joining: the production desk over virtual channels.
extension NodeProcess {
    /// The duration of a search, in milliseconds.
    static let searchMilliseconds: UInt64 = 45_000
    /// The interval at which a search looks for addresses to dial, in milliseconds.
    private static let searchStepMilliseconds: UInt64 = 500
    /// The time after which an address is tried again, in milliseconds.
    private static let retryMilliseconds: UInt64 = 5_000

    // MARK: Actions of people

    /// Offers a ticket.
    func offer(_ role: DeviceRole = .full) throws -> PairingTicket {
        let ticket = PairingTicket(using: &accountRandom)
        try joining { $0.beginOffer(ticket, role: role, at: node.wallMilliseconds, into: &$2) }
        return ticket
    }

    /// Makes an enrolment token.
    /// - Throws: `StorageError`; then there is none.
    func makeToken(uses: UInt32, lifetimeMilliseconds: UInt64) throws -> EnrolmentToken {
        let token = EnrolmentToken(using: &accountRandom)
        let end = node.wallMilliseconds + lifetimeMilliseconds
        var book = joiner.desk.enrolments
        _ = book.forgetExpired(at: node.wallMilliseconds)
        _ = book.add(EnrolmentOffer(token: token, role: .full, uses: uses, endMilliseconds: end))
        try joining { try $0.keep(book, in: $1, into: &$2) }
        return token
    }

    /// Searches for a device that lets this one in.
    func search(with secret: JoiningSecret) throws {
        guard ProcessAccount(self).mayJoin else { return }
        let search = JoiningDesk.Search(key: secret.key, recoveryKey: secret.recoveryKey)
        guard !joiner.desk.isSearching(against: search) else { return }
        let number = joiner.desk.begin(search)
        joiner.desk.search?.hasZones = try !(node.store?.zones() ?? []).filter { $0.state == .live }.isEmpty
        joiner.secret = secret.channelSecret
        joiner.tried = [:]
        try continueSearch(number, until: monotonic + Self.searchMilliseconds)
    }

    private func continueSearch(_ number: UInt64, until deadline: UInt64) throws {
        guard let search = joiner.desk.search, search.number == number else { return }
        let end = joiner.desk.isAsking ? deadline + 5_000 : deadline
        guard search.outcome == nil, monotonic < end else {
            try joining { $0.endSearch(number, into: &$2) }
            joiner.secret = nil
            return
        }
        for address in searchAddresses where monotonic >= (joiner.tried[address] ?? 0) {
            joiner.tried[address] = monotonic + Self.retryMilliseconds
            dialForSearch(address, node.agreement.newest)
        }
        simulation.schedule(after: Self.searchStepMilliseconds, for: node) {
            try $0.process?.continueSearch(number, until: deadline)
        }
    }

    private var searchAddresses: [NetworkAddress] {
        let all = sightings.values.map(\.address) + sessions.directory.searchAddresses.map(\.address) + staticAddresses
        return Set(all).sorted { $0.host < $1.host }
    }

    private func dialForSearch(_ address: NetworkAddress, _ version: ChannelVersion) {
        let dial = simulation.makeNumber()
        joiner.dials[dial] = (address, version)
        simulation.network.dial(from: node, to: address, dial: dial)
    }

    // MARK: Channels

    /// Handles a failed dial of a search.
    /// - Returns: Whether the dial belonged to a search.
    func searchDialFailed(_ dial: UInt64, isIgnored: Bool) -> Bool {
        guard let search = joiner.dials.removeValue(forKey: dial) else { return false }
        // The program there may know only the first version.
        if isIgnored, search.version > .classical { dialForSearch(search.address, .classical) }
        return true
    }

    func joiningOpened(_ end: ChannelEnd, _ certificate: VerifiedCertificate, _ payload: HandshakePayload) throws {
        guard let result = end.handshake, let key = JoiningKey(result.purpose) else { return }
        let isSearch = end.dial.flatMap { joiner.dials.removeValue(forKey: $0) } != nil
        joiner.ends[end.id] = end
        let link = JoiningLink(
            session: end.id,
            role: isSearch ? .joining : .offering,
            certificate: certificate,
            payload: payload,
            key: key,
            binding: result.handshakeHash
        )
        try joining { desk, account, effects in
            desk.opened(link, at: node.wallMilliseconds, in: account, random: &accountRandom, into: &effects)
        }
    }

    func joiningReceived(_ message: PeerMessage, on id: SessionID) throws {
        try joining { $0.received(message, on: id, at: node.wallMilliseconds, in: $1, into: &$2) }
    }

    func joiningClosed(_ id: SessionID) throws {
        guard joiner.ends[id] != nil else { return }
        try joining { $0.closed(id, at: node.wallMilliseconds, in: $1, into: &$2) }
        joiner.ends[id] = nil
    }

    /// Ends expired offers and tokens.
    func endExpiredOffers() throws {
        try joining { $0.endExpired(at: node.wallMilliseconds, in: $1, into: &$2) }
    }

    /// Reads the tokens made before the last stop.
    func loadEnrolments() {
        guard let bytes = node.disk.contents(of: .enrolments), let book = try? EnrolmentBook(decoding: bytes) else {
            return
        }
        var effects: [JoiningEffect] = []
        joiner.desk.load(book, into: &effects)
    }

    // MARK: Steps

    private func joining(
        _ body: (inout JoiningDesk, ProcessAccount, inout [JoiningEffect]) throws -> Void
    ) throws {
        var effects: [JoiningEffect] = []
        var desk = joiner.desk
        do {
            try body(&desk, ProcessAccount(self), &effects)
        } catch {
            throw powerLoss ?? error
        }
        if let powerLoss { throw powerLoss }
        joiner.desk = desk
        for effect in effects { try perform(effect) }
    }

    private func perform(_ effect: JoiningEffect) throws {
        try countJoiningStep()
        switch effect {
        case .send(let id, let message):
            if let end = joiner.ends[id] { send(message, to: end) }
        case .close(let id, let code):
            if let end = joiner.ends.removeValue(forKey: id) { close(end, CloseCode(rawValue: code.rawValue)) }
        case .settle(let id, let role, let key):
            if let end = joiner.ends[id] { try settle(end, in: DoorRoom(role, key)) }
        case .keysChanged:
            break
        case .failed(let text, let error):
            let reason = error.map { "\(text): \($0)" } ?? text
            simulation.trace.note(.report, at: simulation.now, node: node.index, 102, reason)
        case .accountChanged:
            try tellAccountChanged()
        case .accountReplaced(let link):
            try accountReplaced(by: link)
        case .admitted(let link):
            try simulation.judge.admitted(link, by: node, in: simulation)
        }
    }

    /// Counts a step of joining; the power may be lost between any two steps.
    func countJoiningStep() throws {
        guard let left = node.joiningStepsUntilPowerLoss else { return }
        node.joiningStepsUntilPowerLoss = left > 0 ? left - 1 : nil
        if left == 0 { throw PowerLoss(node: node.index) }
    }

    /// Starts again as a device of another account.
    private func accountReplaced(by link: JoiningLink) throws {
        var effects: [SyncEffect] = []
        try changeSessions({ $0.leaveAccount(into: &$1) }, into: &effects)
        node.accountID = log.account
        core.accountReplaced(log.account)
        clockWatch = ClockWatch(account: log.account)
        mayWantPayloads = true
        isRecovering = false
        rendezvous = RendezvousKeys()
        offers = [:]
        blocked = []
        toldFleetKey = nil
        accountSecretsChanged()
        configureRoutes()
        try tellAccountChanged()
        reconsiderSightings()
        simulation.discovery.repeatAnnouncement(node)
        guard let end = joiner.ends[link.session] else { return }
        let route = PeerRoute(address: end.connection.address, key: .account)
        sessions.directory.remember(link.certificate.device, addresses: [route])
        directoryChanged()
    }
}
