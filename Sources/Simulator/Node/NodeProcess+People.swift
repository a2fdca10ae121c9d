import Identity
import Peering
import Records
import Sync
import Wire

// The actions of people: changes of the account, joining another one, and invitations.
extension NodeProcess {
    /// The duration of a search, in milliseconds.
    static let searchMilliseconds: UInt64 = 45_000
    /// The interval at which a caller looks for the outcome of a search, in milliseconds.
    private static let searchStepMilliseconds: UInt64 = 500
    /// The time for which a person waits for the answer to an invitation, in milliseconds.
    private static let answerMilliseconds: UInt64 = 15_000

    /// Makes a change of the account, and reports it to the core.
    /// - Throws: `AccountError`, `StorageError`; then the core hears of nothing.
    func changeAccount(_ body: (ProcessAccount) throws -> Void) throws {
        try body(account)
        try step { $0.accountChanged(suppliesKeys: true, in: &$1) }
    }

    // MARK: Joining

    /// Offers a ticket.
    func offer(_ role: DeviceRole = .full) throws -> PairingTicket {
        let ticket = PairingTicket(using: &account.random)
        try step { $0.beginOffer(ticket, role: role, in: &$1) }
        return ticket
    }

    /// Makes an enrolment token.
    /// - Throws: `StorageError`; then there is none.
    func makeToken(uses: UInt32, lifetimeMilliseconds: UInt64) throws -> EnrolmentToken {
        let token = EnrolmentToken(using: &account.random)
        let end = node.wallMilliseconds + lifetimeMilliseconds
        var book = core.joining.enrolments
        _ = book.forgetExpired(at: node.wallMilliseconds)
        _ = book.add(EnrolmentOffer(token: token, role: .full, uses: uses, endMilliseconds: end))
        try step { try $0.keep(book, in: &$1) }
        return token
    }

    /// Reads the tokens made before the last stop.
    func loadEnrolments() throws {
        guard let bytes = node.disk.contents(of: .enrolments), let book = try? EnrolmentBook(decoding: bytes) else {
            return
        }
        try step { $0.load(book, in: &$1) }
    }

    /// Searches for a device that lets this one in.
    func search(with secret: JoiningSecret) throws {
        guard account.mayJoin else { return }
        var search = JoiningCore.Search(key: secret.key, recoveryKey: secret.recoveryKey)
        guard !core.joining.isSearching(against: search) else { return }
        search.hasZones = try !(node.store?.zones() ?? []).filter { $0.state == .live }.isEmpty
        var number: UInt64 = 0
        try step { core, _ in number = core.beginSearch(search, under: secret.channelSecret) }
        try continueSearch(number, until: monotonic + Self.searchMilliseconds)
    }

    private func continueSearch(_ number: UInt64, until deadline: UInt64) throws {
        guard let search = core.joining.search, search.number == number else { return }
        let end = core.joining.isAsking ? deadline + 5_000 : deadline
        guard search.outcome == nil, monotonic < end else { return try step { $0.endSearch(number, in: &$1) } }
        simulation.schedule(after: Self.searchStepMilliseconds, for: node) {
            try $0.process?.continueSearch(number, until: deadline)
        }
    }

    // MARK: Invitations

    /// Opens an invitation, as a person who waits for the answer for a while.
    func open(_ link: InviteLink) throws {
        let invite = link.secret.identifier
        guard core.open(link, at: node.wallMilliseconds) else { return }
        keepInvitations()
        try step { core, _ in core.watch(invite, isWatched: true) }
        simulation.schedule(after: Self.answerMilliseconds, for: node) { node in
            guard let process = node.process else { return }
            process.core.watch(invite, isWatched: false)
            guard process.core.invitations.attempts[invite]?.outcome != nil else { return }
            try process.step { $0.forget(invite, in: &$1) }
        }
    }

    /// Gives up all invitations that have no answer yet.
    func forgetInvitations() throws {
        for invite in core.invitations.attempts.keys.sorted(by: { $0.lexicographicallyPrecedes($1) }) {
            try step { $0.forget(invite, in: &$1) }
        }
    }

    /// Reads the invitations that were opened before the last stop.
    func loadInvitations() {
        guard let bytes = node.disk.contents(of: .invitations), let opened = try? OpenedInvitations(decoding: bytes)
        else { return }
        for (link, time) in opened.all { _ = core.open(link, at: time) }
    }

    /// Writes the opened invitations down; one that stays in the file too long is asked about once
    /// more, and answered the same.
    func keepInvitations() {
        do {
            try node.disk.write(OpenedInvitations(core.invitations).encoded, to: .invitations, at: simulation.now)
        } catch {
            // A loss of power shows at the next change of the disk.
        }
    }
}
