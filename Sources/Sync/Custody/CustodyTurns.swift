import Wire

/// The search of the store for contents of records that relays are to keep, as far as it has come.
///
/// A *pass* goes through all contents once, some at a time, as requests are answered. One begins when a relay has a session to which no pass
/// is known, and each hour; between two passes the contents are looked for that have come to be here, or to be named.
struct CustodyTurns: Sendable {
    /// Contents that are remembered between two questions; with more of them the next pass finds all.
    private static let newsCountMax = 64

    /// A relay that had no room for a content.
    private struct Refusal: Sendable {
        /// The size of the smallest content for which it had none.
        var byteCount: UInt64
        /// The time until which nothing as large is asked for.
        var until: UInt64
    }

    /// The relays of the pass that is under way; `nil` while none is.
    private var passing: Set<DeviceID>?
    /// The number of the last content that the pass has examined.
    private var after: UInt64 = 0
    /// Whether the store was asked and has not answered.
    private(set) var isAsking = false
    /// The times from which the next pass is due, of relays that had one.
    private var due: [DeviceID: UInt64] = [:]
    private var news: Set<PayloadID> = []
    /// Whether another pass follows the one that is under way at once.
    private var isRepeated = false
    private var refusals: [DeviceID: Refusal] = [:]
    /// The relays that have refused a content in the pass that is under way: another one follows soon.
    private var hasRefused: Set<DeviceID> = []

    /// The time from which something is due to some relays; `nil` while a pass is under way, and without relays.
    func deadline(for relays: some Collection<DeviceID>) -> UInt64? {
        guard passing == nil else { return nil }
        return relays.map { due[$0] ?? 0 }.min()
    }

    /// Notes contents that relays may have to keep; the relays that cannot be asked now get a pass of their own.
    mutating func note(_ contents: some Sequence<PayloadID>, connected relays: some Collection<DeviceID>) {
        guard !due.isEmpty || passing != nil else { return }
        due = due.filter { relays.contains($0.key) }
        news.formUnion(contents)
        guard news.count > Self.newsCountMax else { return }
        news = []
        // A pass that is under way goes on to its end, and another one follows.
        if passing == nil { restart() } else { isRepeated = true }
    }

    /// Has all contents looked for again.
    mutating func restart() {
        due = [:]
        (passing, isRepeated) = (nil, false)
    }

    /// A relay's session has ended with requests that were not answered: the next pass to it begins with its next session.
    mutating func lost(_ relay: DeviceID) {
        due[relay] = nil
        passing?.remove(relay)
        if passing?.isEmpty == true { passing = nil }
    }

    /// A relay does not keep a content now.
    mutating func refused(_ job: CustodyJob, isFull: Bool, in context: SyncContext) {
        let until = context.now + context.limits.custodyRetryMilliseconds
        if isFull {
            let known = refusals[job.relay].flatMap { $0.until > context.now ? $0.byteCount : nil }
            refusals[job.relay] = Refusal(byteCount: min(known ?? .max, job.byteCount), until: until)
        }
        if passing?.contains(job.relay) == true {
            hasRefused.insert(job.relay)
        } else if let next = due[job.relay] {
            due[job.relay] = min(next, until)
        }
    }

    /// Whether a relay has just answered that it has no room for as much.
    func isFull(_ relay: DeviceID, for byteCount: UInt64, at now: UInt64) -> Bool {
        refusals[relay].map { $0.until > now && byteCount >= $0.byteCount } ?? false
    }

    /// Takes the question to the store that is due.
    /// - Parameters:
    ///   - relays: The relays that can be asked.
    ///   - room: The requests that there is room for.
    ///   - now: Milliseconds of the monotonic clock.
    /// - Returns: The question; `nil` where none is due.
    mutating func take(_ relays: Set<DeviceID>, room: Int, at now: UInt64) -> CustodySearch? {
        guard !isAsking, room > 0, !relays.isEmpty else { return nil }
        if let others = passing?.intersection(relays) { passing = others.isEmpty ? nil : others }
        if passing == nil {
            let waiting = relays.filter { due[$0] ?? 0 <= now }
            if !waiting.isEmpty {
                passing = waiting
                after = 0
            }
        }
        guard passing != nil || !news.isEmpty else { return nil }
        assert(passing?.isSubset(of: relays) ?? true, "a pass is for relays that can be asked")
        isAsking = true
        defer { news = [] }
        return CustodySearch(
            relays: relays,
            contents: news.sorted(),
            after: after,
            limit: passing == nil ? 0 : room
        )
    }

    /// Takes the answer of the store; `nil` where it could not be read, and the next pass begins anew after a while.
    mutating func answered(_ found: CustodySearch.Found?, in context: SyncContext) {
        isAsking = false
        guard let passed = passing else { return }
        if let found {
            after = max(after, found.through)
            guard found.isAtEnd else { return }
        }
        passing = nil
        for relay in passed {
            let isSoon = hasRefused.contains(relay) || found == nil
            let pause = isSoon ? context.limits.custodyRetryMilliseconds : context.limits.custodyPassMilliseconds
            due[relay] = isRepeated && found != nil ? nil : context.now + pause
        }
        (hasRefused, isRepeated) = ([], false)
    }
}
