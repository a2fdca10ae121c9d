import Identity
import Mailbox
import Wire

/// The state that a ``MailboxClient`` keeps of one relay.
struct RelaySession: Sendable {
    /// The progress of a session.
    enum Phase: Sendable {
        case resting(until: UInt64)
        case dialing
        case open
    }

    /// One thing to be done on a session.
    enum Step: Sendable {
        case enter
        /// Passes are given to the accounts with which zones are shared.
        case give
        case look([Mailbox])
        case fetch(Mailbox, ParcelID)
        /// The store takes in a parcel.
        case take(Mailbox, ParcelID)
        /// The parcels that were taken from a mailbox are deleted.
        case remove(Mailbox)
        /// The store reads the parcels that were left here.
        case readPosted
        case check(Mailbox, kept: [PostedParcelRow], settled: [PostedParcelRow])
        /// The store drafts the parcel for a device.
        case draft(ParcelDemand)
        case put(PostedParcelRow, ParcelDemand, hasMore: Bool)
        /// A use of an invitation is claimed, in one of its slots.
        case claim(Redemption.ID, slot: UInt32)

        /// Whether the relay is asked, and not the store.
        var isAsked: Bool {
            switch self {
            case .enter, .give, .look, .fetch, .remove, .check, .put, .claim: true
            case .take, .readPosted, .draft: false
            }
        }
    }

    /// The mailbox between two devices on one day: for this device, or by this one.
    struct Mailbox: Hashable, Sendable {
        let partner: DeviceID
        let day: UInt64
    }

    private(set) var facts: MailRelay
    /// The index of the link that is shown.
    private var linkIndex = 0
    var phase = Phase.resting(until: 0)
    var backoff = Backoff()
    /// The index of its next address.
    var nextAddress = 0
    /// Whether the admission was accepted in this session.
    var isEntered = false
    /// Whether it did not, the last time.
    var isRefused = false
    var quota: UInt64?
    var used: UInt64?
    var backend: String?
    var isFull = false
    var fullUntil: UInt64 = 0

    /// The step under way, and the time when it began.
    var underWay: Step?
    var begun: UInt64 = 0
    /// The next steps, in order.
    var steps: [Step] = []

    /// Whether a claim was begun last: then something else is next, if there is anything.
    var wasClaim = false

    /// The mailboxes that the relay watches, as it knows them.
    var watched: [MailboxID: Mailbox] = [:]
    /// Of those into which something came.
    var arrived: Set<MailboxID> = []
    /// Parcels that were taken in and are still there.
    var taken: [Mailbox: [ParcelID]] = [:]
    /// Parcels for which something is missing that has to come before: they stay where they are.
    var kept: Set<ParcelID> = []
    /// Whether mailboxes of the whole month must be examined.
    var looksAtAll = true
    var nextLook: UInt64 = 0
    var nextGive: UInt64 = 0
    var nextCheck: UInt64 = 0

    /// Starts without a session.
    /// - Parameter facts: The relay, with one link at least.
    init?(_ facts: MailRelay) {
        guard !facts.links.isEmpty else { return nil }
        self.facts = facts
    }

    var link: RelayLink { facts.links[linkIndex % facts.links.count] }

    var relay: RelayID { link.relay }

    /// Whether devices of an account look there.
    func isLooked(into account: AccountID) -> Bool { facts.accounts.contains(account) }

    /// Takes in changed facts, except the links.
    mutating func update(_ facts: MailRelay) {
        if facts.passes != self.facts.passes { nextGive = 0 }
        if !facts.accounts.isSubset(of: self.facts.accounts) { looksAtAll = true }
        self.facts = facts
    }

    /// Shows another link, if there is one.
    mutating func showAnother() { linkIndex = (linkIndex + 1) % facts.links.count }

    var hasSession: Bool {
        if case .resting = phase { return false }
        return true
    }

    /// Whether parcels may be left here.
    var mayPost: Bool { isEntered && !isFull }

    /// Whether no request is under way or waits for one.
    var isIdle: Bool { isEntered && underWay == nil && steps.isEmpty }

    var state: MailboxClient.State {
        if isRefused { return .refused }
        switch phase {
        case .resting: return .unreachable
        case .dialing: return .connecting
        case .open: return isEntered ? isFull ? .full : .connected : .connecting
        }
    }

    func nextDeadline(_ settings: MailboxClient.Settings) -> UInt64? {
        switch phase {
        case .resting(let until):
            return until
        case .dialing:
            return nil
        case .open:
            if let underWay { return underWay.isAsked ? begun + settings.answerMilliseconds : nil }
            return [nextLook, nextCheck, facts.passes.isEmpty ? .max : nextGive, isFull ? fullUntil : .max].min()
        }
    }

    // MARK: The session

    mutating func opened(at now: UInt64, into effects: inout [MailboxClient.Effect]) {
        guard case .dialing = phase else { return }
        phase = .open
        steps = []
        watched = [:]
        arrived = []
        taken = [:]
        kept = []
        looksAtAll = true
        nextGive = now
        nextCheck = now
        begin(.enter, .enter(secret: link.admissionSecret), at: now, into: &effects)
    }

    mutating func closed(at now: UInt64, random: inout some RandomNumberGenerator) {
        guard hasSession else { return }
        backoff.failed(at: now, random: &random)
        nextAddress += 1
        rest(until: backoff.earliest)
    }

    /// Has no session until a time.
    mutating func rest(until time: UInt64) {
        phase = .resting(until: time)
        isEntered = false
        underWay = nil
        steps = []
    }

    mutating func begin(
        _ step: Step,
        _ request: MailboxRequest,
        at now: UInt64,
        into effects: inout [MailboxClient.Effect]
    ) {
        underWay = step
        begun = now
        effects.append(.send(relay, request))
    }
}
