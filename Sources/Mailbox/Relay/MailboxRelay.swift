package import Wire

/// The relay's side of mailboxes, as one pure value: it admits sessions, orders from the storage, and answers.
///
/// Inputs are facts; effects are orders to the driver, to be performed in order. Each session has one order under way
/// at a time, so that a flood on one does not delay the others; its further requests wait, up to a bound. The relay
/// remembers nothing of a session when it is over, and nothing at all of parcels, which are the storage's.
package struct MailboxRelay: Sendable {
    /// Names a session: the transport's connection number.
    package typealias SessionID = UInt64

    /// An event of a relay.
    package enum Input: Sendable {
        /// A session is established.
        case opened(SessionID)
        /// A request arrived.
        case received(SessionID, MailboxRequest)
        /// The answer to an order.
        case answered(SessionID, Answer)
        /// A session ended.
        case closed(SessionID)
        /// Time passed; asked for by ``nextDeadline``.
        case tick
    }

    /// An instruction to the driver.
    package enum Effect: Sendable, Equatable {
        /// Send an answer.
        case send(SessionID, MailboxReply)
        /// Ask the storage, and answer `answered`.
        case perform(SessionID, Order)
        /// Read no further requests of this session, since many wait; or read on.
        case pause(SessionID)
        case resume(SessionID)
        /// End a session; the reason is for the relay's log.
        case close(SessionID, reason: Ending)
    }

    /// Why a session is ended, in words for the relay's log.
    package enum Ending: String, Sendable {
        /// There are too many sessions.
        case full = "too many sessions"
        /// The session did not enter in its time.
        case late = "showed no admission in time"
        /// The session was silent for too long.
        case silent = "nothing heard"
        /// The session sent more requests while too many waited.
        case flooded = "more requests than may wait"
    }

    /// A request to the storage.
    package enum Order: Sendable, Equatable {
        case enter(AdmissionID)
        case put(AdmissionID, MailboxID, SealedParcel, until: UInt64)
        case look([MailboxID])
        case fetch(MailboxID, ParcelID)
        case remove(MailboxID, [ParcelID])
        case check(MailboxID, [ParcelID], withdrawing: [ParcelID])
        case claim(AdmissionID, SlotID, value: Hash, until: UInt64)
        case give([AdmissionID], under: AdmissionID, at: UInt64, until: UInt64)
    }

    /// The storage's answer.
    package enum Answer: Sendable, Equatable {
        case entered(AdmissionUsage?)
        case put(ParcelOutcome)
        case listed([ParcelNotice])
        case parcel([UInt8]?)
        case removed
        case held([ParcelID])
        case claimed(SlotOutcome)
        case given([AdmissionID])
        /// It could not be done; why is for the relay's log.
        case failed
    }

    /// The numbers of a relay.
    package struct Settings: Sendable {
        /// The time for which a parcel is kept, in milliseconds: 30 days.
        package var retentionMilliseconds: UInt64 = 30 * 24 * 60 * 60 * 1_000
        /// The minimum time for which a slot is held, regardless of its writer's request, in milliseconds: a day, since
        /// clocks differ.
        package var slotMillisecondsMin: UInt64 = 24 * 60 * 60 * 1_000
        /// The maximum time for which a slot is held, in milliseconds: 400 days.
        package var slotMillisecondsMax: UInt64 = 400 * 24 * 60 * 60 * 1_000
        /// The time that a session may continue without an admission, in milliseconds.
        package var entryMilliseconds: UInt64 = 10_000
        /// The time that a session may continue without a request, in milliseconds: two of the looks that each client
        /// takes, and more.
        package var silenceMilliseconds: UInt64 = 150_000
        /// Requests of a session that may wait.
        package var waitingCountMax = 4
        /// Mailboxes of which one session is notified that a parcel has arrived.
        package var watchedCountMax = 8_192
        /// Sessions at the same time.
        package var sessionCountMax = 4_096

        /// The production numbers.
        package init() {}
    }

    private struct Session {
        var admission: AdmissionID?
        /// Whether it is a pass.
        var isPass = false
        /// Requests that wait, the oldest first.
        var waiting: [MailboxRequest] = []
        var underWay: Order?
        var isPaused = false
        var watched: Set<MailboxID> = []
        var lastHeard: UInt64
    }

    private let settings: Settings
    private let backend: String
    private var sessions: [SessionID: Session] = [:]
    private var watchers: [MailboxID: Set<SessionID>] = [:]

    /// Starts without sessions.
    /// - Parameters:
    ///   - backend: The name of its storage, for people.
    ///   - settings: The numbers; production uses the default.
    package init(backend: String, settings: Settings = Settings()) {
        self.backend = backend
        self.settings = settings
    }

    /// The number of sessions that have shown an admission.
    package var enteredCount: Int { sessions.values.count { $0.admission != nil } }

    /// The next time for a `tick`; `nil` while there is no session.
    /// - Complexity: O(sessions).
    package var nextDeadline: UInt64? {
        sessions.values.map(deadline).min()
    }

    private func deadline(of session: Session) -> UInt64 {
        session.lastHeard
            + (session.admission == nil ? settings.entryMilliseconds : settings.silenceMilliseconds)
    }

    /// Handles one input and appends the effects.
    /// - Parameters:
    ///   - input: The event.
    ///   - now: Milliseconds of a monotonic clock.
    ///   - wall: Milliseconds since 1970: parcels are kept by it.
    ///   - effects: Receives the effects, in order.
    package mutating func handle(_ input: Input, at now: UInt64, wall: UInt64, into effects: inout [Effect]) {
        switch input {
        case .opened(let id):
            guard sessions.count < settings.sessionCountMax else {
                effects.append(.close(id, reason: .full))
                return
            }
            sessions[id] = Session(lastHeard: now)
        case .received(let id, let request):
            received(request, on: id, at: now, wall: wall, into: &effects)
        case .answered(let id, let answer):
            answered(answer, on: id, wall: wall, into: &effects)
        case .closed(let id):
            forget(id)
        case .tick:
            for (id, session) in sessions.sorted(by: { $0.key < $1.key }) where deadline(of: session) <= now {
                let reason = session.admission == nil ? Ending.late : .silent
                effects.append(.close(id, reason: reason))
                forget(id)
            }
        }
    }

    private mutating func forget(_ id: SessionID) {
        for mailbox in sessions[id]?.watched ?? [] { unwatch(mailbox, id) }
        sessions[id] = nil
    }

    private mutating func unwatch(_ mailbox: MailboxID, _ id: SessionID) {
        watchers[mailbox]?.remove(id)
        if watchers[mailbox]?.isEmpty == true { watchers[mailbox] = nil }
    }

    private mutating func received(
        _ request: MailboxRequest,
        on id: SessionID,
        at now: UInt64,
        wall: UInt64,
        into effects: inout [Effect]
    ) {
        guard var session = sessions[id] else { return }
        session.lastHeard = now
        session.waiting.append(request)
        if session.waiting.count >= settings.waitingCountMax, !session.isPaused {
            session.isPaused = true
            effects.append(.pause(id))
        }
        sessions[id] = session
        // Reading stops a little after it was asked to.
        guard session.waiting.count <= 2 * settings.waitingCountMax else {
            effects.append(.close(id, reason: .flooded))
            forget(id)
            return
        }
        next(id, wall: wall, into: &effects)
    }

    /// Begins with the oldest request that waits, unless one is under way.
    private mutating func next(_ id: SessionID, wall: UInt64, into effects: inout [Effect]) {
        while let session = sessions[id], session.underWay == nil, let request = session.waiting.first {
            sessions[id]?.waiting.removeFirst()
            if session.isPaused, session.waiting.count - 1 <= settings.waitingCountMax / 2 {
                sessions[id]?.isPaused = false
                effects.append(.resume(id))
            }
            guard let order = order(for: request, of: session, wall: wall) else {
                effects.append(.send(id, .refused(.notAdmitted)))
                continue
            }
            if case .look(let mailboxes) = order { watch(mailboxes, id) }
            sessions[id]?.underWay = order
            effects.append(.perform(id, order))
        }
    }

    /// Returns the request to the storage; `nil` for a session without an admission.
    private func order(for request: MailboxRequest, of session: Session, wall: UInt64) -> Order? {
        if case .enter(let secret) = request { return .enter(AdmissionID(secret: secret)) }
        guard let admission = session.admission else { return nil }
        switch request {
        case .enter:
            return nil
        case .put(let proof, let parcel):
            let until = wall &+ settings.retentionMilliseconds
            return .put(admission, MailboxID(put: proof), SealedParcel(bytes: parcel), until: until)
        case .look(let proofs):
            return .look(proofs.map(MailboxID.init(get:)))
        case .fetch(let proof, let parcel):
            return .fetch(MailboxID(get: proof), parcel)
        case .remove(let proof, let parcels):
            return .remove(MailboxID(get: proof), parcels)
        case .check(let proof, let parcels, let withdrawn):
            return .check(MailboxID(put: proof), parcels, withdrawing: withdrawn)
        case .claim(let slot, let value, let until):
            // A pass may end before the slot does.
            guard !session.isPass else { return nil }
            let (least, most) = (wall &+ settings.slotMillisecondsMin, wall &+ settings.slotMillisecondsMax)
            return .claim(admission, slot, value: value, until: min(max(until, least), most))
        case .give(let passes):
            guard !session.isPass else { return nil }
            return .give(passes, under: admission, at: wall, until: wall &+ settings.retentionMilliseconds)
        }
    }

    private mutating func watch(_ mailboxes: [MailboxID], _ id: SessionID) {
        for mailbox in mailboxes {
            // A client that watches so many mailboxes looks for itself.
            guard (sessions[id]?.watched.count ?? 0) < settings.watchedCountMax else { return }
            sessions[id]?.watched.insert(mailbox)
            watchers[mailbox, default: []].insert(id)
        }
    }

    private mutating func answered(_ answer: Answer, on id: SessionID, wall: UInt64, into effects: inout [Effect]) {
        guard let order = sessions[id]?.underWay else { return }
        sessions[id]?.underWay = nil
        switch (order, answer) {
        case (.enter, .entered(let usage?)):
            sessions[id]?.admission = usage.admission.id
            sessions[id]?.isPass = usage.admission.pass != nil
            effects.append(.send(id, .entered(quota: usage.admission.quota, used: usage.byteCount, backend: backend)))
        case (.enter, .entered(nil)):
            // The session loses the admission that it showed before.
            sessions[id]?.admission = nil
            effects.append(.send(id, .refused(.notAdmitted)))
        case (.put(_, let mailbox, let parcel, let until), .put(.stored)):
            effects.append(.send(id, .stored(parcel.id, until: until)))
            for watcher in watchers[mailbox, default: []].sorted() where watcher != id {
                effects.append(.send(watcher, .arrived(mailbox)))
            }
        case (.put, .put(.full)):
            effects.append(.send(id, .refused(.full)))
        case (.put, .put(.notAdmitted)):
            sessions[id]?.admission = nil
            effects.append(.send(id, .refused(.notAdmitted)))
        case (.look, .listed(let notices)):
            effects.append(.send(id, .listed(notices, isComplete: notices.count < Limits.parcelCountMax)))
        case (.fetch(_, let parcel), .parcel(let bytes)):
            effects.append(.send(id, bytes.map(MailboxReply.parcel) ?? .missing(parcel)))
        case (.remove, .removed):
            effects.append(.send(id, .removed))
        case (.check, .held(let parcels)):
            effects.append(.send(id, .held(parcels)))
        case (.claim, .claimed(.held(let value))):
            effects.append(.send(id, .claimed(value)))
        case (.claim, .claimed(.full)):
            effects.append(.send(id, .refused(.full)))
        case (.claim, .claimed(.notAdmitted)):
            sessions[id]?.admission = nil
            effects.append(.send(id, .refused(.notAdmitted)))
        case (.give, .given(let passes)):
            effects.append(.send(id, .given(passes)))
        default:
            effects.append(.send(id, .refused(.unavailable)))
        }
        next(id, wall: wall, into: &effects)
    }
}
