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

    /// A parcel that the store could not take in, and that is fetched again for a reason.
    struct Retry: Sendable {
        let mailbox: Mailbox
        /// The zones of which a change is a reason.
        let awaited: Set<ZoneID>
        /// The time from the reason to the attempt, in milliseconds.
        let pause: UInt64
        /// The time of the attempt; nil without a reason.
        var due: UInt64?
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
    /// The parcels that are fetched again when something has changed.
    var retries: [ParcelID: Retry] = [:]
    /// The zones that have changed since the store began to take in a parcel: its answer may be of the time before.
    private var changedMeanwhile: Set<ZoneID> = []
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
            let next = min(nextLook, nextCheck, retries.values.compactMap(\.due).min() ?? .max)
            return min(next, facts.passes.isEmpty ? .max : nextGive, isFull ? fullUntil : .max)
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
        retries = [:]
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

    // MARK: Parcels that the store could not take in

    /// Has the store take in a parcel.
    mutating func beginTaking(_ parcel: ParcelID, from mailbox: Mailbox) {
        underWay = .take(mailbox, parcel)
        changedMeanwhile = []
    }

    /// Leaves a parcel where it is, since the store could not take all of it in.
    ///
    /// It is fetched again after a change of a zone in which something has to come before, or after some time where the
    /// store failed; each time after twice the pause, since a parcel may have 19 MiB and some can never be taken in.
    mutating func keep(
        _ parcel: ParcelID,
        in mailbox: Mailbox,
        _ outcome: MailOutcome,
        at now: UInt64,
        _ settings: MailboxClient.Settings
    ) {
        kept.insert(parcel)
        let before = retries.removeValue(forKey: parcel)
        guard retries.count < settings.retryCountMax else { return }
        let pause = min(before.map { $0.pause &* 2 } ?? settings.retryMilliseconds, settings.retryMillisecondsMax)
        let hasReason = outcome.hasFailed || !outcome.awaited.isDisjoint(with: changedMeanwhile)
        retries[parcel] = Retry(
            mailbox: mailbox,
            awaited: outcome.awaited,
            pause: pause,
            due: hasReason ? now + pause : nil
        )
    }

    /// Plans attempts with the parcels for which something may have come with a change of zones.
    /// - Complexity: O(parcels that are fetched again).
    mutating func changed(_ zones: Set<ZoneID>, at now: UInt64) {
        if case .take? = underWay { changedMeanwhile.formUnion(zones) }
        for (parcel, retry) in retries where retry.due == nil && !retry.awaited.isDisjoint(with: zones) {
            retries[parcel]?.due = now + retry.pause
        }
    }

    /// Returns the step that fetches the parcel again whose attempt has been due for the longest time.
    mutating func nextRetry(at now: UInt64) -> Step? {
        let due = retries.filter { ($0.value.due ?? .max) <= now }
        let first = due.min { ($0.value.due ?? .max, $0.key) < ($1.value.due ?? .max, $1.key) }
        guard let (parcel, retry) = first else { return nil }
        retries[parcel]?.due = nil
        steps.append(.remove(retry.mailbox))
        return .fetch(retry.mailbox, parcel)
    }
}
