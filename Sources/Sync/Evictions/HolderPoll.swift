import Wire

/// The devices that are asked about one content, and their answers: for an attempt to evict it, or for people.
struct HolderPoll: Sendable {
    /// The purpose of the answers.
    enum Aim: Sendable, Equatable {
        /// So many promises are needed to evict the content.
        case evict(copies: Int)
        /// People want to see the holders.
        case list
    }

    /// The progress of a poll.
    enum Phase: Sendable, Equatable {
        /// The store is writing the row of the attempt.
        case beginning
        /// Devices are asked, until a time of the monotonic clock.
        case asking(until: UInt64)
        /// The store is dropping the content.
        case dropping
    }

    /// A device that was asked.
    struct Asked: Sendable {
        let session: SessionID
        let account: AccountID
        /// The time of the request, by the monotonic clock.
        let at: UInt64
        /// The answer; `nil` while there is none.
        var word: RetentionStatus.Word?
        /// Whether the session has ended: then its answer is not used any more.
        var isOver = false

        /// Whether an answer may still come.
        var isAwaited: Bool { word == nil && !isOver }
    }

    /// The driver's name for the request.
    let order: UInt64
    let payload: PayloadID
    let aim: Aim
    /// Whether devices of other accounts are asked.
    let countsOthers: Bool
    /// The zones under which devices are asked, in the order in which they are tried.
    var zones: [ZoneID] = []
    var phase: Phase
    /// Whether the request was withdrawn.
    var isWithdrawn = false
    var asked: [DeviceID: Asked] = [:]
    /// Connected devices whose programs do not know the question, with their accounts.
    var unaware: [DeviceID: AccountID] = [:]

    /// Begins an attempt to evict.
    init(_ order: EvictionOrder) {
        self.order = order.id
        payload = order.payload
        aim = .evict(copies: order.copies)
        countsOthers = order.countsOthers
        phase = .beginning
    }

    /// Begins a question of people.
    init(_ question: HolderQuestion, until: UInt64) {
        order = question.id
        payload = question.payload
        aim = .list
        countsOthers = true
        zones = question.zones
        phase = .asking(until: until)
    }

    /// Whether it is an attempt to evict, which has a row in the store.
    var isAttempt: Bool { aim != .list }

    /// The answers for people, by device.
    var answers: [HolderAnswer] {
        let heard = asked.map { device, asked in
            HolderAnswer(
                device: device,
                account: asked.account,
                word: asked.isOver ? .silent : asked.word.map(HolderAnswer.Word.init) ?? .silent
            )
        }
        let unaware = unaware.filter { asked[$0.key] == nil }.map {
            HolderAnswer(device: $0.key, account: $0.value, word: .unaware)
        }
        return (heard + unaware).sorted { $0.device < $1.device }
    }

    /// The drop by the promises that may be used now; `nil` where they are too few.
    /// - Parameters:
    ///   - number: The number of the attempt.
    ///   - now: Milliseconds of the monotonic clock.
    ///   - limits: The numbers.
    /// - Returns: The drop.
    func drop(as number: UInt64, at now: UInt64, _ limits: SyncLimits) -> EvictionDrop? {
        guard case .evict(let copies) = aim else { return nil }
        var promises: [(device: DeviceID, until: UInt64)] = []
        for (device, asked) in asked where !asked.isOver && now < asked.at + limits.promiseUsableMilliseconds {
            if case .promised(let until)? = asked.word { promises.append((device, until)) }
        }
        guard promises.count >= copies else { return nil }
        // Those that end last: the drop is made while all of them stand.
        let used = promises.sorted { ($1.until, $0.device) < ($0.until, $1.device) }.prefix(copies)
        guard let first = used.first, let last = used.last else { return nil }
        return EvictionDrop(payload: payload, attempt: number, promisedUntil: last.until, holder: first.device)
    }

    /// The number of devices that are to be asked now, so that no more of them are bound than there is need for.
    ///
    /// A device that has not answered for a while may answer yet, and is replaced by another one.
    func wantedCount(at now: UInt64, _ limits: SyncLimits) -> Int {
        guard case .evict(let copies) = aim else { return .max }
        let counted = asked.values.count { asked in
            guard !asked.isOver else { return false }
            if case .promised? = asked.word { return now < asked.at + limits.promiseUsableMilliseconds }
            return asked.word == nil && now < asked.at + limits.promisePatienceMilliseconds
        }
        return max(copies - counted, 0)
    }

    /// Notes which sessions have ended.
    mutating func forget(allBut sessions: [SessionID: PeerSession]) {
        for (device, asked) in asked where !asked.isOver && sessions[asked.session] == nil {
            self.asked[device]?.isOver = true
        }
    }

    /// The time of the next action, if no session changes.
    func nextDeadline(after now: UInt64, _ limits: SyncLimits) -> UInt64? {
        guard case .asking(let until) = phase else { return nil }
        let patience = asked.values.filter(\.isAwaited).map { $0.at + limits.promisePatienceMilliseconds }
        return ([until] + patience).filter { $0 > now }.min()
    }
}
