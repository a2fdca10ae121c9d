import Wire

/// The epoch under which a device writes, and the statements by which all accounts with the right to read can read.
///
/// It is a function of the control log, of the readers, and of the keys that are open here.
struct EpochPlan {
    /// A statement to make.
    enum Step: Equatable {
        /// Repeats the operation that begins an existing epoch, because it lies above the end of its log.
        case sayAgain(Hash)
        /// Begins a new epoch behind these, with the keys of those in the chain.
        case begin(previous: [Hash], chain: [Hash])
        /// Delivers the key of an existing epoch to devices that lack it, ascending.
        case deliver(Hash, to: [DeviceID])
        /// Discloses the key of an epoch to everyone.
        case disclose(Hash)
    }

    /// The device that plans.
    struct Planner {
        /// The device.
        let device: DeviceID
        /// The log in which it makes statements about keys; `nil` where it may not.
        let author: ActorID?
        /// Whether the control operations of a vector are applied here.
        let hasSeen: (VersionVector) -> Bool
    }

    /// The epoch to write under; `nil` while there is none that only members can read.
    let current: Hash?
    /// The statements to make, in order; none when every device has the keys that it is to have.
    let steps: [Step]
    /// The epochs whose keys this device asks for, ascending: other devices assume that it has them.
    let requests: [Hash]

    /// Makes a plan.
    /// - Parameters:
    ///   - book: The zone's epochs.
    ///   - counts: Whether the operation that begins an epoch is effective.
    ///   - readers: The devices that may read, with their accounts.
    ///   - isAddressable: Whether a device has stated a key to which secrets can be sealed; asked at most once of
    ///     each device, and only of those that lack something.
    ///   - history: The extent of the past that later readers get.
    ///   - isOpen: Whether the key of an epoch is open here.
    ///   - isApplied: Whether the operation that begins an epoch is applied here, with all that its author had seen.
    ///     The author may have begun it because of a removal that is not known here yet: such a key is delivered to
    ///     no device.
    ///   - isDue: Whether an epoch has been written under for long enough.
    ///   - planner: The device that plans.
    init(
        _ book: EpochBook,
        counts: (Hash) -> Bool,
        readers: [DeviceID: AccountID],
        isAddressable: (DeviceID) -> Bool,
        history: ZoneHistory,
        isOpen: (Hash) -> Bool,
        isApplied: (EpochBook.Epoch) -> Bool,
        isDue: (EpochBook.Epoch) -> Bool = { _ in false },
        by planner: Planner
    ) {
        requests = Self.requests(book, by: planner, isOpen: isOpen)
        func isUsable(_ hash: Hash) -> Bool {
            isOpen(hash) && book.epochs[hash].map(isApplied) ?? false
        }
        let best = Self.best(book, counts: counts, readers: readers, isUsable: isUsable)
        current = best?.key

        // To try a key is as much work as to seal to it, and a device that lacks one epoch as a rule lacks several.
        var tried: [DeviceID: Bool] = [:]
        func isReachable(_ device: DeviceID) -> Bool {
            if let known = tried[device] { return known }
            let answer = isAddressable(device)
            tried[device] = answer
            return answer
        }
        // A device gets the key of an epoch if the zone shows its past to later readers, or if its account has the
        // key: then its siblings may as well deliver it.
        func mayHave(_ device: DeviceID, _ epoch: EpochBook.Epoch) -> Bool {
            if history == .full { return true }
            let accounts = Set(epoch.readers.compactMap { readers[$0] })
            return readers[device].map { accounts.contains($0) } ?? false
        }
        func lacking(_ hash: Hash, _ epoch: EpochBook.Epoch) -> [DeviceID] {
            readers.keys.filter { device in
                // A device that denies having received it from this device would deny it again.
                !epoch.supplied.contains(device) && isReachable(device)
                    && planner.author.map { book.isDoubted($0, of: hash, to: device) } != true
            }.sorted()
        }
        let again = Self.unsaid(book, isOpen: isOpen).map { Step.sayAgain($0) }
        let isStale = best.map { best in
            isDue(best.value) || lacking(best.key, best.value).contains { !mayHave($0, best.value) }
        }
        guard let best, isStale == false else {
            let deepest = book.last.sorted { left, right in
                let (one, other) = (book.epochs[left]?.depth ?? 0, book.epochs[right]?.depth ?? 0)
                return one == other ? left < right : one > other
            }
            let previous = Array(deepest.prefix(Limits.epochPreviousCountMax))
            let chain = previous.filter { hash in
                guard isUsable(hash), let epoch = book.epochs[hash] else { return false }
                return readers.keys.allSatisfy { device in
                    epoch.readers.contains(device) || mayHave(device, epoch) || !isReachable(device)
                }
            }
            steps = again + [.begin(previous: previous.sorted(), chain: chain.sorted())]
            return
        }
        func deliverable(_ hash: Hash) -> [DeviceID] {
            guard isUsable(hash), let epoch = book.epochs[hash] else { return [] }
            return lacking(hash, epoch).filter { mayHave($0, epoch) }
        }
        var others: [Hash: [DeviceID]] = [:]
        // Where a device denies having a key, any link may lead nowhere.
        let beginnings = book.isDenied ? Set(book.epochs.keys) : book.heads
        var queue = beginnings.filter { $0 != best.key }.sorted()
        var seen = Set(queue)
        while let hash = queue.popLast() {
            // A key that every device has gives every device the keys that its chain leads to.
            guard let epoch = book.epochs[hash], !lacking(hash, epoch).isEmpty else { continue }
            let devices = deliverable(hash)
            if !devices.isEmpty { others[hash] = devices }
            for link in epoch.content.chain where link.epoch != best.key && seen.insert(link.epoch).inserted {
                queue.append(link.epoch)
            }
        }
        if !others.isEmpty {
            let reached = book.chained(from: best.key)
            for hash in others.keys where reached.contains(hash) {
                let denying = others[hash]?.filter { book.isDenied(hash, by: $0) } ?? []
                others[hash] = denying.isEmpty ? nil : denying
            }
        }
        assert(
            others.allSatisfy { hash, devices in
                devices.allSatisfy { book.epochs[hash]?.supplied.contains($0) == false }
            },
            "a key is delivered to devices that do not have it"
        )
        assert(others[best.key] == nil, "the key of new records is delivered first, and once")
        let own = deliverable(best.key)
        let all = (own.isEmpty ? [] : [(best.key, own)]) + others.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
        steps = again + all.map { .deliver($0.0, to: $0.1) }
    }

    /// The epoch to write under: of those that can be used the one with the most epochs before it, of several the one with the
    /// smallest hash.
    ///
    /// Epochs are asked in that order, beginning with those to which no chain leads. With the key of one comes that
    /// of each to which its chain leads: where a device that is no reader has it, these need not be asked.
    /// - Complexity: O(epochs to which no chain leads · log), and O(readers) for each that is asked.
    private static func best(
        _ book: EpochBook,
        counts: (Hash) -> Bool,
        readers: [DeviceID: AccountID],
        isUsable: (Hash) -> Bool
    ) -> (key: Hash, value: EpochBook.Epoch)? {
        func isBefore(_ left: (depth: Int, hash: Hash), _ right: (depth: Int, hash: Hash)) -> Bool {
            left.depth == right.depth ? left.hash > right.hash : left.depth < right.depth
        }
        var queue = book.heads.compactMap { hash in book.epochs[hash].map { (depth: $0.depth, hash: hash) } }
        queue.sort(by: isBefore)
        var seen = book.heads
        while let (_, hash) = queue.popLast() {
            guard let epoch = book.epochs[hash] else { continue }
            if epoch.readers.contains(where: { readers[$0] == nil }) { continue }
            if isUsable(hash), counts(hash), !epoch.isExposed { return (hash, epoch) }
            for link in epoch.content.chain where seen.insert(link.epoch).inserted {
                guard let earlier = book.epochs[link.epoch] else { continue }
                let next = (depth: earlier.depth, hash: link.epoch)
                queue.insert(next, at: queue.firstIndex { isBefore(next, $0) } ?? queue.count)
            }
        }
        return nil
    }

    /// The epochs whose keys are open here, and of which no further device will learn: a device that has not learnt
    /// of them may remove the one that began them, and that one's log ends below them then.
    /// - Returns: Each behind those that it follows.
    static func unsaid(_ book: EpochBook, isOpen: (Hash) -> Bool) -> [Hash] {
        book.unsaid.filter(isOpen).sorted { left, right in
            let (one, other) = (book.epochs[left]?.depth ?? 0, book.epochs[right]?.depth ?? 0)
            return one == other ? left < right : one < other
        }
    }

    /// The epochs whose keys a device has to ask for: by others' claims it has them, and it has seen all of the
    /// claims.
    ///
    /// Where the key of a later one would lead to that of an earlier one, the later one alone is asked for.
    /// - Returns: Ascending, at most `Limits.keyRequestCountMax`.
    /// - Complexity: O(epochs), and the cost of `EpochBook.claims` for each that the device lacks despite a claim.
    private static func requests(_ book: EpochBook, by planner: Planner, isOpen: (Hash) -> Bool) -> [Hash] {
        let lacked = book.epochs.filter { $0.value.supplied.contains(planner.device) && !isOpen($0.key) }
        let following = Set(lacked.values.flatMap { $0.content.chain.map(\.epoch) })
        let asked = lacked.keys.filter { hash in
            !following.contains(hash)
                && book.claims(of: hash, for: planner.device).allSatisfy { sayings in
                    sayings.contains { planner.hasSeen(VersionVector(covering: [$0])) }
                }
        }
        return Array(asked.sorted().prefix(Limits.keyRequestCountMax))
    }

    /// The steps in a zone that everyone may read: newcomers read records that were sealed before it was opened, and
    /// by devices that had not learnt of that.
    /// - Complexity: O(epochs that are not exposed · log, and the chains of those that are open here).
    static func publicSteps(
        _ book: EpochBook,
        isOpen: (Hash) -> Bool,
        isApplied: (EpochBook.Epoch) -> Bool
    ) -> [Step] {
        let again = unsaid(book, isOpen: isOpen).map { Step.sayAgain($0) }
        // The last ones first: one key is enough for all that its chain leads to.
        let hidden = book.unexposed.filter { isOpen($0) && book.epochs[$0].map(isApplied) ?? false }.sorted {
            left,
            right in
            let (one, other) = (book.epochs[left]?.depth ?? 0, book.epochs[right]?.depth ?? 0)
            return one == other ? left < right : one > other
        }
        var reached: Set<Hash> = []
        return again
            + hidden.compactMap { hash in
                if reached.contains(hash) { return nil }
                reached.formUnion(book.chained(from: hash))
                return .disclose(hash)
            }
    }
}
